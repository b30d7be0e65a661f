// Convex parts that stand for a solid mesh, by hierarchical approximate convex decomposition (Mamou and Ghorbel 2009, "A simple and
// efficient approach for 3D mesh approximate convex decomposition"; the implementation is HACD, from Bullet's extras).
//
// HACD starts from single triangles and merges neighbours as long as the merged patch is no more concave than the bound: the
// largest distance from its triangles to its hull. It clusters the surface, not the inside: hulls overlap, fill concavities up to
// the bound, and may leave gaps inside. So the outcome is measured, and the measure is part of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "geometry/hull.hpp"
#include "geometry/triangle_mesh.hpp"

namespace cairn {

struct DecomposeOptions {
  double concavity = 0.02;          // of the diagonal of the mesh's box: what a part may be hollow by; 0.001 to 1
  std::size_t mostVertices = 64;    // of a hull, 4 to 256
  std::size_t mostTriangles = 20000;  // of the mesh: time grows with the square
  double seconds = 120.0;           // of processor time
  bool usesCache = true;            // ~/.cache/cairn or $XDG_CACHE_HOME/cairn
};

struct Decomposition {
  std::vector<std::shared_ptr<const Hull>> hulls;
  // By sampling both surfaces about 20,000 times; the true maxima are a little larger, as samples lie `spacing` apart. All in m.
  double overfill = 0.0;   // how far the union of hulls stands out from the mesh: what others touch too early
  double underfill = 0.0;  // how far the mesh stands out from the union: what others touch too late
  double hollow = 0.0;     // how deep inside the mesh there is a surface of the union: a gap between hulls that nothing fills
  double spacing = 0.0;
  double volume = 0.0;  // m^3, the sum over hulls: where they overlap it counts twice
  bool isFromCache = false;
};

// Throws std::invalid_argument naming the option, std::runtime_error if HACD fails or takes too long. The mesh is closed and
// repaired. The same mesh and options give the same hulls.
Decomposition decompose(const TriangleMesh& mesh, const DecomposeOptions& options = {});

// The measure alone: fills all but the hulls.
void measureDecomposition(const TriangleMesh& mesh, Decomposition& result);

// The hulls as an OBJ file, an object each.
std::string hullsAsObj(const Decomposition& result);

}  // namespace cairn
