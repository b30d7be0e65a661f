// Shapes as the picture sees them: triangles to cover samples with, and exact normals to light them by.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/surface.hpp"

namespace cairn {

// A face is a piece of surface without a crease: one side of a box, the side of a cylinder, a whole sphere.
struct MeshTriangle {
  std::uint32_t a, b, c;  // counter-clockwise seen from outside
  std::uint32_t face;
};

struct Mesh {
  std::vector<Vec3> vertices;  // m, shape frame
  std::vector<MeshTriangle> triangles;
  std::vector<Vec3> faceNormals;  // of flat faces, unit; zero where the normal varies
};

// The mesh of any shape but a plane. `segments` is the number of chords around a curved shape.
Mesh buildMesh(const Geometry& geometry, int segments);
// Of the shapes that are composed of others, or given by triangles.
Mesh compositeMesh(const SphereSet& set, int segments);
Mesh compositeMesh(const Compound& compound, int segments);
Mesh surfaceMesh(const SurfaceTriangles& surface);
// A surface around a convex shape, from its farthest points (and normals there) in all directions.
Mesh roundedHullMesh(const ConvexHull& hull, int segments);
// The outermost triangles around the points, coplanar neighbours sharing a face. Good enough to look at, not to collide
// with.
Mesh buildHullMesh(const std::vector<Vec3>& points);
// How many chords make a circle of this radius look round.
int segmentsFor(double radiusInPixels);

// The exact outward unit normal at a point near a curved face.
Vec3 curvedNormal(const Geometry& geometry, const Vec3& point);
// The largest p . direction over the shape; everything but a plane.
double support(const Geometry& geometry, const Vec3& direction);
// The size of the smallest part that should still read as a part: where lines around it stop making sense.
double featureSize(const Geometry& geometry, const Mesh& mesh);

}  // namespace cairn
