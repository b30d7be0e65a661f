// Mass properties of triangle meshes, by the four rules that robot files choose from.
#pragma once

#include "cairn/body.hpp"
#include "import/robot/mesh_source.hpp"

namespace cairn {

enum class MeshInertia {
  Convex,  // of the convex hull
  Exact,   // signed tetrahedra: right for closed surfaces
  Legacy,  // tetrahedra from the centroid of the surface, all counted as positive: too much where the mesh is not star-shaped
  Shell,   // of the surface: `density` is kg/m^2
};

// For a density of 1: `mass` is the volume (m^3), or the area (m^2) of a shell. Not positive if the mesh has none.
MassProperties meshMass(const MeshTriangles& mesh, MeshInertia rule);

}  // namespace cairn
