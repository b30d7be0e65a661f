#include "geometry/mesh_repair.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace cairn {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;  // smaller vertex first
Edge edgeOf(const TriangleIndices& t, int k) { return std::minmax(t[k], t[(k + 1) % 3]); }

struct Use {
  Edge edge;
  std::uint32_t triangle;
  int side;
  bool operator<(const Use& o) const { return edge != o.edge ? edge < o.edge : triangle < o.triangle; }
};
std::vector<Use> sortedUses(const std::vector<TriangleIndices>& triangles) {
  std::vector<Use> uses;
  uses.reserve(3 * triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) uses.push_back({edgeOf(triangles[t], k), t, k});
  }
  std::sort(uses.begin(), uses.end());
  return uses;
}

std::uint32_t rootOf(std::vector<std::uint32_t>& parent, std::uint32_t v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}
// The smaller number becomes the root.
void join(std::vector<std::uint32_t>& parent, std::uint32_t a, std::uint32_t b) {
  a = rootOf(parent, a), b = rootOf(parent, b);
  parent[std::max(a, b)] = std::min(a, b);
}

void dropWhere(RepairedMesh& mesh, const std::vector<char>& gone) {
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (gone[t]) continue;
    mesh.triangles[kept] = mesh.triangles[t];
    mesh.source[kept++] = mesh.source[t];
  }
  mesh.triangles.resize(kept);
  mesh.source.resize(kept);
}

bool hasThreeCorners(const TriangleIndices& t) { return t[0] != t[1] && t[1] != t[2] && t[2] != t[0]; }

}  // namespace

std::vector<std::uint32_t> weldVertices(const std::vector<Vec3>& vertices, double distance, std::size_t& welded) {
  const BoxTree tree(vertices.size(), [&](std::size_t v) { return Aabb{vertices[v], vertices[v]}; });
  std::vector<std::uint32_t> becomes(vertices.size());
  welded = 0;
  for (std::uint32_t v = 0; v < vertices.size(); ++v) {
    becomes[v] = v;
    tree.overlap(Aabb{vertices[v], vertices[v]}.grown(distance), [&](std::uint32_t other) {
      // Only with one that stays, so that a chain of near vertices is not drawn to one end.
      if (other < becomes[v] && becomes[other] == other && (vertices[other] - vertices[v]).norm() <= distance) becomes[v] = other;
    });
    welded += becomes[v] != v ? 1 : 0;
  }
  return becomes;
}

void mendThinTriangles(RepairedMesh& mesh, double altitude) {
  constexpr int kPasses = 8;  // a fan of slivers is taken apart one by one
  const auto triangleOf = [&](const TriangleIndices& i) {
    return Triangle{{mesh.vertices[i[0]], mesh.vertices[i[1]], mesh.vertices[i[2]]}};
  };
  const auto isThin = [&](const TriangleIndices& i) { return !(triangleOf(i).altitude() >= altitude); };
  for (int pass = 0; pass < kPasses; ++pass) {
    // Short edges first: their ends become one vertex, and the triangles on both sides go.
    std::vector<std::uint32_t> becomes(mesh.vertices.size());
    std::iota(becomes.begin(), becomes.end(), 0u);
    std::vector<char> gone(mesh.triangles.size(), 0);
    bool isChanged = false;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const TriangleIndices& i = mesh.triangles[t];
      if (!hasThreeCorners(i)) {
        gone[t] = 1;
        isChanged = true;
        continue;
      }
      if (!isThin(i)) continue;
      for (int k = 0; k < 3; ++k) {
        if ((mesh.vertices[i[k]] - mesh.vertices[i[(k + 1) % 3]]).norm() < altitude) {
          join(becomes, i[k], i[(k + 1) % 3]);
          isChanged = true;
        }
      }
    }
    if (isChanged) {
      for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        for (std::uint32_t& v : mesh.triangles[t]) v = rootOf(becomes, v);
        if (!hasThreeCorners(mesh.triangles[t])) gone[t] = 1;
      }
      dropWhere(mesh, gone);
    }
    // Then corners that lie on the edge across: that edge is turned to join them with the neighbour's far corner.
    const std::vector<Use> uses = sortedUses(mesh.triangles);
    std::vector<char> isTouched(mesh.triangles.size(), 0);
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
      if (isTouched[t] || !isThin(mesh.triangles[t])) continue;
      TriangleIndices& thin = mesh.triangles[t];
      int side = 0;
      double longest = -1.0;
      for (int k = 0; k < 3; ++k) {
        const double length = (mesh.vertices[thin[k]] - mesh.vertices[thin[(k + 1) % 3]]).norm();
        if (length > longest) longest = length, side = k;
      }
      const Use probe{edgeOf(thin, side), 0, 0};
      const auto first = std::lower_bound(uses.begin(), uses.end(), probe);
      auto last = first;
      while (last != uses.end() && last->edge == probe.edge) ++last;
      if (last - first != 2) continue;
      const Use& over = first->triangle == t ? *(first + 1) : *first;
      if (isTouched[over.triangle]) continue;
      TriangleIndices& neighbour = mesh.triangles[over.triangle];
      const std::uint32_t from = thin[side], to = thin[(side + 1) % 3], apex = thin[(side + 2) % 3];
      if (neighbour[over.side] != to || neighbour[(over.side + 1) % 3] != from) continue;  // wound the other way
      const std::uint32_t far = neighbour[(over.side + 2) % 3];
      if (far == apex) continue;
      const TriangleIndices one{from, far, apex}, two{far, to, apex};
      const double before = std::min(triangleOf(thin).altitude(), triangleOf(neighbour).altitude());
      if (!(std::min(triangleOf(one).altitude(), triangleOf(two).altitude()) > before)) continue;
      thin = one;
      neighbour = two;
      isTouched[t] = isTouched[over.triangle] = 1;
      isChanged = true;
    }
    if (!isChanged) break;
  }
  std::vector<char> gone(mesh.triangles.size(), 0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) gone[t] = isThin(mesh.triangles[t]) ? 1 : 0;
  dropWhere(mesh, gone);
}

void dropEqualTriangles(RepairedMesh& mesh) {
  std::vector<std::pair<TriangleIndices, std::uint32_t>> sorted;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    TriangleIndices i = mesh.triangles[t];
    std::rotate(i.begin(), std::min_element(i.begin(), i.end()), i.end());
    sorted.emplace_back(i, t);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<char> gone(mesh.triangles.size(), 0);
  DefectCount& count = mesh.report[MeshDefect::DuplicateTriangles];
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    if (sorted[k].first != sorted[k - 1].first) continue;
    gone[sorted[k].second] = 1;
    ++count.count;
    count.triangle = std::min(count.triangle, mesh.source[sorted[k].second]);
  }
  count.isRepaired = true;
  if (count.count > 0) dropWhere(mesh, gone);
}

std::size_t findParts(const RepairedMesh& mesh, std::vector<std::uint32_t>& part) {
  std::vector<std::uint32_t> parent(mesh.vertices.size());
  std::iota(parent.begin(), parent.end(), 0u);
  for (const TriangleIndices& t : mesh.triangles) join(parent, t[0], t[1]), join(parent, t[0], t[2]);
  std::vector<std::uint32_t> number(mesh.vertices.size(), kNoTriangle);
  part.resize(mesh.triangles.size());
  std::uint32_t count = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    std::uint32_t& n = number[rootOf(parent, mesh.triangles[t][0])];
    if (n == kNoTriangle) n = count++;
    part[t] = n;
  }
  return count;
}

void dropUnusedVertices(RepairedMesh& mesh) {
  std::vector<std::uint32_t> number(mesh.vertices.size(), 0);
  for (const TriangleIndices& t : mesh.triangles) {
    for (std::uint32_t v : t) number[v] = 1;
  }
  std::uint32_t kept = 0;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (number[v] == 0) continue;
    number[v] = kept;
    mesh.vertices[kept++] = mesh.vertices[v];
  }
  mesh.vertices.resize(kept);
  for (TriangleIndices& t : mesh.triangles) {
    for (std::uint32_t& v : t) v = number[v];
  }
}

}  // namespace cairn
