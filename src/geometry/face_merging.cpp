// Triangles are collected from the largest on, so that a sliver, whose own plane means nothing, joins a large neighbour.
// Seen from a face's plane a convex surface is a concave height field, and the part of it within a tolerance of the plane is
// a disc: its rim is one loop.
#include "geometry/face_merging.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cairn {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

struct DirectedEdge {
  std::uint32_t from, to, face;
  bool operator<(const DirectedEdge& other) const { return from != other.from ? from < other.from : to < other.to; }
};

// Sorted by (from, to). Nothing if one occurs twice or lacks its opposite: the surface is then not a closed manifold.
template <class Loops>
std::optional<std::vector<DirectedEdge>> edgesOf(const Loops& loops) {
  std::vector<DirectedEdge> edges;
  for (std::uint32_t face = 0; face < loops.size(); ++face) {
    const auto& loop = loops[face];
    for (std::size_t i = 0; i < loop.size(); ++i) edges.push_back({loop[i], loop[(i + 1) % loop.size()], face});
  }
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i > 0 && !(edges[i - 1] < edges[i])) return std::nullopt;
    if (!std::binary_search(edges.begin(), edges.end(), DirectedEdge{edges[i].to, edges[i].from, 0})) return std::nullopt;
  }
  return edges;
}

std::uint32_t faceBeyond(const std::vector<DirectedEdge>& edges, std::uint32_t from, std::uint32_t to) {
  return std::lower_bound(edges.begin(), edges.end(), DirectedEdge{to, from, 0})->face;
}

// The group of each triangle, by flooding from the largest one that has none.
std::vector<std::uint32_t> groupTriangles(std::span<const Vec3> points, std::span<const HullTriangle> triangles,
                                          const std::vector<DirectedEdge>& edges, double tolerance,
                                          std::uint32_t& groupCount) {
  std::vector<double> area(triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const auto& [a, b, c] = triangles[i];
    area[i] = (points[b] - points[a]).cross(points[c] - points[a]).norm();
  }
  std::vector<std::uint32_t> order(triangles.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) { return area[x] > area[y]; });

  std::vector<std::uint32_t> group(triangles.size(), kNone);
  std::vector<std::uint32_t> pending;
  groupCount = 0;
  for (std::uint32_t seed : order) {
    if (group[seed] != kNone) continue;
    const Vec3 normal = loopNormal(points, triangles[seed]);
    const Vec3& origin = points[triangles[seed][0]];
    group[seed] = groupCount;
    pending.assign(1, seed);
    while (!pending.empty()) {
      const HullTriangle triangle = triangles[pending.back()];
      pending.pop_back();
      for (int side = 0; side < 3; ++side) {
        const std::uint32_t neighbour = faceBeyond(edges, triangle[side], triangle[(side + 1) % 3]);
        if (group[neighbour] != kNone) continue;
        const bool coplanar = std::ranges::all_of(triangles[neighbour], [&](std::uint32_t vertex) {
          return std::abs(normal.dot(points[vertex] - origin)) <= tolerance;
        });
        if (!coplanar) continue;
        group[neighbour] = groupCount;
        pending.push_back(neighbour);
      }
    }
    ++groupCount;
  }
  return group;
}

// The rim of each group. Nothing if a rim is not one simple loop.
std::optional<std::vector<HullLoop>> traceRims(std::span<const HullTriangle> triangles,
                                               const std::vector<DirectedEdge>& edges,
                                               const std::vector<std::uint32_t>& group, std::uint32_t groupCount) {
  std::vector<std::vector<DirectedEdge>> rims(groupCount);
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (int side = 0; side < 3; ++side) {
      const std::uint32_t from = triangles[t][side];
      const std::uint32_t to = triangles[t][(side + 1) % 3];
      if (group[faceBeyond(edges, from, to)] != group[t]) rims[group[t]].push_back({from, to, group[t]});
    }
  }
  std::vector<HullLoop> loops;
  for (std::vector<DirectedEdge>& rim : rims) {
    if (rim.size() < 3) return std::nullopt;
    std::sort(rim.begin(), rim.end());
    HullLoop loop;
    std::uint32_t vertex = rim.front().from;
    do {
      const auto next = std::lower_bound(rim.begin(), rim.end(), DirectedEdge{vertex, 0, 0});
      if (next == rim.end() || next->from != vertex || loop.size() == rim.size()) return std::nullopt;
      if (next + 1 != rim.end() && (next + 1)->from == vertex) return std::nullopt;  // the rim touches itself
      loop.push_back(vertex);
      vertex = next->to;
    } while (vertex != rim.front().from);
    if (loop.size() != rim.size()) return std::nullopt;
    loops.push_back(std::move(loop));
  }
  return loops;
}

// A point where only two faces meet is inside an edge; a face with two corners left is an edge.
void dropRedundant(std::vector<HullLoop>& loops, std::size_t pointCount) {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<int> faces(pointCount, 0);
    for (const HullLoop& loop : loops) {
      for (std::uint32_t vertex : loop) ++faces[vertex];
    }
    for (HullLoop& loop : loops) {
      changed |= std::erase_if(loop, [&](std::uint32_t vertex) { return faces[vertex] < 3; }) > 0;
    }
    changed |= std::erase_if(loops, [](const HullLoop& loop) { return loop.size() < 3; }) > 0;
  }
}

bool isConvexPolyhedron(std::span<const Vec3> points, const std::vector<HullLoop>& loops, double tolerance) {
  if (loops.size() < 4) return false;
  const auto edges = edgesOf(loops);
  if (!edges) return false;
  std::vector<char> used(points.size(), 0);
  for (const HullLoop& loop : loops) {
    for (std::uint32_t vertex : loop) used[vertex] = 1;
  }
  const auto vertices = static_cast<std::size_t>(std::ranges::count(used, 1));
  if (vertices + loops.size() != edges->size() / 2 + 2) return false;
  for (const HullLoop& loop : loops) {
    const Vec3 normal = loopNormal(points, loop);
    if (normal.isZero()) return false;
    for (std::uint32_t v = 0; v < points.size(); ++v) {
      if (used[v] && normal.dot(points[v] - points[loop[0]]) > tolerance) return false;
    }
  }
  return true;
}

}  // namespace

Vec3 loopNormal(std::span<const Vec3> points, std::span<const std::uint32_t> loop) {
  const Vec3& origin = points[loop[0]];
  Vec3 area = Vec3::Zero();
  for (std::size_t i = 1; i + 1 < loop.size(); ++i) area += (points[loop[i]] - origin).cross(points[loop[i + 1]] - origin);
  const double length = area.stableNorm();
  return length > 0.0 ? Vec3(area / length) : Vec3(Vec3::Zero());
}

std::optional<std::vector<HullLoop>> mergeFaces(std::span<const Vec3> points, std::span<const HullTriangle> triangles,
                                                double tolerance) {
  const auto edges = edgesOf(triangles);
  if (!edges) return std::nullopt;
  std::uint32_t groupCount = 0;
  const std::vector<std::uint32_t> group = groupTriangles(points, triangles, *edges, tolerance, groupCount);
  std::optional<std::vector<HullLoop>> loops = traceRims(triangles, *edges, group, groupCount);
  if (!loops) return std::nullopt;
  dropRedundant(*loops, points.size());
  // A merged face's plane is off by up to the tolerance at either of two points; the floor is the joggle of the
  // triangulation.
  if (!isConvexPolyhedron(points, *loops, 4.0 * tolerance + 1e-9)) return std::nullopt;
  return loops;
}

}  // namespace cairn
