// The motion of a body that nothing touches, and the torque-free part of the motion of others.
#pragma once

#include "dynamics/body.hpp"

namespace cairn {

// How far (rad) free rotation turns the spin within dt, at most. Judged by the whole spin, not by its part across the
// principal axes: a top's axis is pushed aside within the step.
inline double gyroscopicTurn(const Body& body, double dt) { return body.unlikeness * body.spin.norm() * dt; }

// The mean angular acceleration of free rotation over dt: what the spin would change by if nothing touched the body.
Vec3 gyroscopicAcceleration(const Body& body, double dt);

// Moves a body without constraints by dt, in double: exact for a constant force, with the midpoint rule for rotation.
void moveFree(Body& body, const Vec3& gravity, double dt, int substeps);

// The velocity at the end of dt if nothing touched the body (u_free): loads, gravity, free rotation, damping.
struct FreeVelocity {
  Vec3 linear, angular;
};
FreeVelocity freeVelocity(const Body& body, const Vec3& gravity, double dt);

}  // namespace cairn
