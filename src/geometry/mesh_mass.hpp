// Volume, mass, centre and inertia of what a triangle mesh encloses, and of the surface itself.
#pragma once

#include "cairn/body.hpp"
#include "geometry/triangle_tree.hpp"

namespace cairn {

// m^3; negative if the fronts are inside. Meant for closed meshes: of an open one it depends on where the origin is taken
// (here: the middle of its box).
double meshVolume(const TriangleView& mesh);
double meshArea(const TriangleView& mesh);  // m^2

// Of the solid inside a closed mesh with its front outwards, of uniform density (kg/m^3). All zero if it has no positive volume.
MassProperties meshMass(const TriangleView& mesh, double density);

// Of the surface, of uniform mass per area (kg/m^2): for bodies made of sheet, and meshes that are not closed.
MassProperties shellMass(const TriangleView& mesh, double massPerArea);

}  // namespace cairn
