// Surfaces and fields that shapes are made of: built once, checked, and shared.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cairn/shape.hpp"

namespace cairn {

// Triangles as corners, counter-clockwise seen from outside.
struct SurfaceTriangles {
  std::vector<Vec3> vertices{};  // m
  std::vector<std::array<std::uint32_t, 3>> triangles{};
};

// Throw std::invalid_argument that names the vertex, triangle or sample and what is wrong with it.
std::shared_ptr<const TriangleMesh> makeMesh(SurfaceTriangles triangles);

// Whether it has an inside: what it takes to belong to a dynamic body.
bool isClosed(const TriangleMesh& mesh);

// Heights over a grid whose middle is at x = y = 0: rows along y, columns along x, heights along z. The cell at row r and
// column c is cut from sample (r, c) to (r + 1, c + 1).
struct HeightGrid {
  std::uint32_t rows = 0, columns = 0;  // of samples, at least 2 each
  double spacing = 1.0;                 // m
  std::vector<float> heights{};         // m, row after row
  std::vector<std::uint8_t> holes{};    // by cell, row after row; not 0: nothing there. Empty: no holes
};
std::shared_ptr<const HeightField> makeHeightField(HeightGrid grid);

// A solid given by formulas for the distance from its surface. Seams are where two surfaces run into each other smoothly.
struct FieldSolid {
  enum class Kind : std::uint8_t {
    Sphere,      // size.x: the radius
    Box,         // size: half extents
    Torus,       // about z; size.x: radius of the ring, size.y: of the tube
    Union,       // of all children
    Difference,  // the first child without the others
  };
  Kind kind = Kind::Sphere;
  Pose pose{};                      // in the frame of the parent
  Vec3 size = Vec3::Constant(0.5);  // m
  double rounding = 0.0;            // m, of primitives: all within this distance belongs to them
  double seam = 0.0;                // m, width of the seams of unions and differences; 0: a crease
  std::vector<FieldSolid> children{};
};
std::shared_ptr<const DistanceField> makeDistanceField(const FieldSolid& solid);
// Sampled from a closed mesh, so many cells along its longest side (8 to 1024); refused beyond 16 MB.
std::shared_ptr<const DistanceField> makeDistanceField(const TriangleMesh& mesh, int cells = 64);

// What a shape looks like, for those that have no closed form: meshes, height fields, distance fields.
SurfaceTriangles trianglesOf(const TriangleMesh& mesh);
SurfaceTriangles trianglesOf(const HeightField& field);
SurfaceTriangles trianglesOf(const DistanceField& field);

}  // namespace cairn
