// A triangle mesh with what contacts need to know of it: who is whose neighbour, which edges stick out, which triangles are
// near. Immutable once built, shared by all shapes that use it.
//
// Names. A triangle is its number, a vertex its number, corner and edge k of triangle t are 3 t + k (edge k goes from corner
// k to corner k + 1). An edge of the mesh is named by the smallest of the triangle edges that it is made of, so that it has one
// name whichever triangle it is seen from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "geometry/triangle_tree.hpp"

namespace cairn {

inline constexpr std::uint32_t kNoTriangle = 0xffffffffu;

enum class EdgeKind : std::uint8_t {
  Flat,     // the two triangles are in one plane
  Convex,   // it sticks out of the front side
  Concave,  // it is a valley seen from the front side
  Open,     // no neighbour: a border; or more than one, or one that is wound the other way round
};

struct MeshOptions {
  double flatAngle = 1e-3;         // rad: two triangles that are turned by less are in one plane
  const Tasks* tasks = nullptr;    // threads to build with; unset: the caller's
};

struct TriangleMesh {
  std::vector<Vec3> vertices;              // m
  std::vector<TriangleIndices> triangles;
  std::vector<std::uint32_t> nextAround;   // by triangle edge: the next one of the same mesh edge, in a cycle; a border's is itself
  std::vector<std::uint8_t> edgeKinds;     // by triangle: two bits for each edge, edge 0 lowest
  std::vector<std::uint32_t> firstCorner;  // by vertex, and one more: into `corners`
  std::vector<std::uint32_t> corners;      // triangle corners (3 t + k), vertex after vertex, ascending
  Aabb bounds;
  bool isClosed = false;    // every edge has as many triangles one way round as the other: it has an inside
  bool isManifold = false;  // every edge has one or two triangles, wound alike, and those at a vertex form one fan
  TriangleTree tree;

  TriangleMesh() = default;
  TriangleMesh(const TriangleMesh&) = delete;
  TriangleMesh& operator=(const TriangleMesh&) = delete;

  TriangleView view() const { return {vertices, triangles}; }
  std::size_t size() const { return triangles.size(); }
  Triangle triangle(std::uint32_t t) const { return view().triangle(t); }
  Vec3 normal(std::uint32_t t) const { return triangle(t).normal(); }

  EdgeKind edgeKind(std::uint32_t t, int k) const { return static_cast<EdgeKind>((edgeKinds[t] >> (2 * k)) & 3u); }
  // The triangle edge on the other side; its triangle is the number over 3. kNoTriangle if the edge is open.
  std::uint32_t oppositeEdge(std::uint32_t t, int k) const {
    return edgeKind(t, k) == EdgeKind::Open ? kNoTriangle : nextAround[3 * t + static_cast<std::uint32_t>(k)];
  }
  std::uint32_t neighbour(std::uint32_t t, int k) const {
    const std::uint32_t other = oppositeEdge(t, k);
    return other == kNoTriangle ? kNoTriangle : other / 3;
  }
  std::uint32_t edgeName(std::uint32_t t, int k) const {
    const std::uint32_t self = 3 * t + static_cast<std::uint32_t>(k);
    std::uint32_t name = self;
    for (std::uint32_t e = nextAround[self]; e != self; e = nextAround[e]) name = std::min(name, e);
    return name;
  }
  std::array<std::uint32_t, 2> edgeVertices(std::uint32_t edge) const {
    return {triangles[edge / 3][edge % 3], triangles[edge / 3][(edge % 3 + 1) % 3]};
  }
  // Calls visit(triangle) for the triangles at a mesh edge, by its name or any of its triangle edges.
  template <class Visit>
  void trianglesAtEdge(std::uint32_t edge, Visit&& visit) const {
    std::uint32_t e = edge;
    do {
      visit(e / 3);
      e = nextAround[e];
    } while (e != edge);
  }
  // Corners (3 t + k) at a vertex; the triangle is the number over 3.
  std::span<const std::uint32_t> cornersAt(std::uint32_t vertex) const {
    return {corners.data() + firstCorner[vertex], firstCorner[vertex + 1] - firstCorner[vertex]};
  }
  // Whether the triangles at a vertex form one fan: going from neighbour to neighbour about it reaches all of them.
  bool isOneFan(std::uint32_t vertex) const;
  std::size_t bytes() const;
};

// Throws std::invalid_argument that names the triangle or vertex if a number is not finite, an index out of range, a triangle
// without area (altitude not above the rounding of its coordinates), or there are none or too many. Repairs nothing: see
// geometry/mesh_check.hpp.
std::shared_ptr<const TriangleMesh> buildTriangleMesh(std::vector<Vec3> vertices, std::vector<TriangleIndices> triangles,
                                                      const MeshOptions& options = {});

}  // namespace cairn
