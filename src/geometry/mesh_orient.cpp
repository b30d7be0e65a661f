// Winding: first within what is connected by edges of two triangles, then closed parts as a whole.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "geometry/mesh_repair.hpp"

namespace cairn {
namespace {

void turn(TriangleIndices& t) { std::swap(t[1], t[2]); }

struct Neighbour {
  std::uint32_t triangle;
  bool isAlike;  // wound alike: they run along the edge in opposite directions
};

// By triangle and side: the neighbour over an edge that has two triangles, or none.
std::vector<Neighbour> neighboursOf(const std::vector<TriangleIndices>& triangles) {
  struct Side {
    std::uint32_t low, high, side;  // side: 3 t + k
    bool isForward;
    bool operator<(const Side& o) const { return std::tie(low, high, side) < std::tie(o.low, o.high, o.side); }
  };
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangles[t][k], b = triangles[t][(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), 3 * t + k, a < b});
    }
  }
  std::sort(sides.begin(), sides.end());
  std::vector<Neighbour> neighbours(3 * triangles.size(), {kNoTriangle, true});
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    for (end = begin; end < sides.size() && sides[end].low == sides[begin].low && sides[end].high == sides[begin].high;) ++end;
    if (end - begin != 2) continue;
    const Side &one = sides[begin], &two = sides[begin + 1];
    const bool isAlike = one.isForward != two.isForward;
    neighbours[one.side] = {two.side / 3, isAlike};
    neighbours[two.side] = {one.side / 3, isAlike};
  }
  return neighbours;
}

void windAlike(RepairedMesh& mesh) {
  std::vector<TriangleIndices>& triangles = mesh.triangles;
  const std::vector<Neighbour> neighbours = neighboursOf(triangles);
  std::vector<signed char> turned(triangles.size(), -1);  // -1: not seen yet
  std::vector<std::uint32_t> patch;
  DefectCount &winding = mesh.report[MeshDefect::InconsistentWinding], &hopeless = mesh.report[MeshDefect::Unorientable];
  for (std::uint32_t seed = 0; seed < triangles.size(); ++seed) {
    if (turned[seed] >= 0) continue;
    patch.assign(1, seed);
    turned[seed] = 0;
    std::size_t turnedCount = 0;
    bool isHopeless = false;
    std::uint32_t hopelessAt = kNoTriangle;
    for (std::size_t at = 0; at < patch.size(); ++at) {
      const std::uint32_t t = patch[at];
      turnedCount += turned[t] == 1 ? 1 : 0;
      for (int k = 0; k < 3; ++k) {
        const auto& [other, isAlike] = neighbours[3 * t + static_cast<std::uint32_t>(k)];
        if (other == kNoTriangle) continue;
        const auto wanted = static_cast<signed char>(isAlike ? turned[t] : 1 - turned[t]);
        if (turned[other] < 0) {
          turned[other] = wanted;
          patch.push_back(other);
        } else if (turned[other] != wanted) {
          isHopeless = true;
          hopelessAt = std::min(hopelessAt, mesh.source[t]);
        }
      }
    }
    if (isHopeless) {
      ++hopeless.count;
      hopeless.triangle = std::min(hopeless.triangle, hopelessAt);
      continue;
    }
    // The majority is right: a part that is inside out as a whole is judged later.
    const signed char wrong = 2 * turnedCount <= patch.size() ? 1 : 0;
    for (std::uint32_t t : patch) {
      if (turned[t] != wrong) continue;
      turn(triangles[t]);
      ++winding.count;
      winding.triangle = std::min(winding.triangle, mesh.source[t]);
    }
  }
  winding.isRepaired = true;
}

struct Part {
  std::uint32_t first = kNoTriangle;  // triangle
  Aabb box;
  double volume6 = 0.0;
  bool isClosed = true;
};

// How often a closed part winds about a point, by the signs of a ray's crossings. Three rays vote: one may run along an edge.
bool isInsidePart(const RepairedMesh& mesh, const TriangleTree& tree, std::uint32_t part, const Vec3& point) {
  const TriangleView view{mesh.vertices, mesh.triangles};
  int votes = 0;
  for (const Vec3& direction : {Vec3(0.2113, 0.5721, 0.7925), Vec3(-0.6341, 0.7137, 0.2977), Vec3(0.3571, -0.8123, -0.4611)}) {
    const TriangleRay ray(point, direction);
    int winding = 0;
    tree.boxes().cast(point, Vec3::Zero(), direction, std::numeric_limits<double>::infinity(), [&](std::uint32_t t, double best) {
      if (mesh.part[t] != part) return best;
      if (const auto hit = ray.cast(view.triangle(t))) winding += hit->isFront ? -1 : 1;
      return best;
    });
    votes += winding != 0 ? 1 : 0;
  }
  return votes >= 2;
}

void turnOutwards(RepairedMesh& mesh) {
  std::vector<Part> parts(mesh.report.parts);
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    Part& part = parts[mesh.part[t]];
    const TriangleIndices& i = mesh.triangles[t];
    if (part.first == kNoTriangle) part.first = t;
    const Vec3& origin = mesh.vertices[mesh.triangles[part.first][0]];
    for (std::uint32_t v : i) part.box = part.box.united({mesh.vertices[v], mesh.vertices[v]});
    part.volume6 += (mesh.vertices[i[0]] - origin).dot((mesh.vertices[i[1]] - origin).cross(mesh.vertices[i[2]] - origin));
  }
  // Closed: as many triangles one way round each edge as the other.
  std::vector<std::pair<std::array<std::uint32_t, 2>, std::pair<int, std::uint32_t>>> sides;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      sides.push_back({{std::min(a, b), std::max(a, b)}, {a < b ? 1 : -1, mesh.part[t]}});
    }
  }
  std::sort(sides.begin(), sides.end());
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    int balance = 0;
    for (end = begin; end < sides.size() && sides[end].first == sides[begin].first; ++end) balance += sides[end].second.first;
    if (balance != 0) parts[sides[begin].second.second].isClosed = false;
  }
  const BoxTree partTree(parts.size(), [&](std::size_t p) { return parts[p].box; });
  TriangleTree tree;
  std::vector<char> turned(parts.size(), 0);
  DefectCount& inverted = mesh.report[MeshDefect::InvertedParts];
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].isClosed) continue;
    // The largest closed part around it is the outermost one.
    std::uint32_t outer = p;
    partTree.overlap(parts[p].box, [&](std::uint32_t other) {
      if (other == p || !parts[other].isClosed || !parts[other].box.contains(parts[p].box)) return;
      if (std::abs(parts[other].volume6) <= std::abs(parts[outer].volume6)) return;
      if (tree.boxes().isEmpty()) tree = TriangleTree({mesh.vertices, mesh.triangles});
      if (isInsidePart(mesh, tree, other, mesh.vertices[mesh.triangles[parts[p].first][0]])) outer = other;
    });
    if (parts[outer].volume6 >= 0.0) continue;
    turned[p] = 1;
    if (outer != p) continue;
    ++inverted.count;
    inverted.triangle = std::min(inverted.triangle, mesh.source[parts[p].first]);
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (turned[mesh.part[t]]) turn(mesh.triangles[t]);
  }
  inverted.isRepaired = true;
}

}  // namespace

void orient(RepairedMesh& mesh) {
  windAlike(mesh);
  turnOutwards(mesh);
}

}  // namespace cairn
