// Mass, centre and inertia of shapes and of sets of shapes.
#pragma once

#include <span>

#include "cairn/body.hpp"
#include "geometry/shape.hpp"

namespace cairn {

// Of a solid shape of uniform density, in the shape's frame. A plane has no mass: all zero.
MassProperties shapeMass(const Shape& shape, double density);
// The same properties seen from an outer frame (centre moved, inertia turned; still about the centre of mass).
MassProperties transformed(const MassProperties& properties, const Pose& pose);
// Sum of several, by the parallel-axis theorem.
MassProperties combined(std::span<const MassProperties> parts);
// inertia == R diag(moments) R^T, moments ascending or in the order closest to the body's own axes, R a rotation.
struct PrincipalAxes {
  Vec3 moments;
  Quat rotation;
};
PrincipalAxes principalAxes(const Mat3& inertia);
// Symmetric, positive definite, and the triangle inequality of moments: what a real body can have.
bool isPhysicalInertia(const Mat3& inertia);

}  // namespace cairn
