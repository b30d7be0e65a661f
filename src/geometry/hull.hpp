// A convex polyhedron with the connectivity that clipping and separating axes need. Immutable once built.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cairn/math.hpp"

namespace cairn {

// Both relative to the extent of the points, the largest side of their bounding box.
// Neighbouring triangles this close to one plane are one face. Above the rounding of single-precision mesh files (6e-8), or
// a box read from one would have faces of two triangles each, and rest on one of them.
inline constexpr double kHullCoplanarTolerance = 1e-7;
// Points no thicker than this have no volume.
inline constexpr double kHullFlatness = 1e-6;

struct HullFace {
  Vec3 normal;          // outward, unit
  double offset;        // m: normal . x == offset on the face (at its outermost corner)
  std::uint32_t first;  // into Hull::faceVertices
  std::uint32_t count;
};

struct HullEdge {
  std::uint32_t vertex0, vertex1;  // face0's loop goes from vertex0 to vertex1, face1's the other way
  std::uint32_t face0, face1;      // the two faces that share it
};

struct Hull {
  std::vector<Vec3> vertices;               // m, shape frame
  std::vector<HullFace> faces;              // coplanar triangles merged into polygons
  std::vector<std::uint32_t> faceVertices;  // counter-clockwise seen from outside, face after face
  std::vector<HullEdge> edges;
  Vec3 interior = Vec3::Zero();  // a point well inside: the centroid

  std::span<const std::uint32_t> loop(const HullFace& face) const { return {faceVertices.data() + face.first, face.count}; }
};

// The vertices are some of the points, bit for bit and in their order; the same points give the same hull.
// Throws std::invalid_argument if there are fewer than four points, one is not finite, or they have no volume.
std::shared_ptr<const Hull> buildHull(std::span<const Vec3> points);
// The box as a hull: 8 vertices, 6 quads, 12 edges.
Hull boxHull(const Vec3& halfExtents);

}  // namespace cairn
