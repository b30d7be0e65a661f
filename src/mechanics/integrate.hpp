// The one place that integrates poses: a displacement of the centre of mass and a turn, both in world axes. The turn is the
// exponential map, so that a constant spin is followed exactly and quaternions stay unit.
#pragma once

#include "cairn/math.hpp"
#include "math/rotation.hpp"

namespace cairn {

inline Pose displaced(const Pose& pose, const Vec3& displacement /* m */, const Vec3& turn /* rad */) {
  return {pose.position + displacement, rotated(pose.rotation, turn)};
}

// Of anything with a centre of mass and a rotation: Body, Motion.
template <class Moving>
void displace(Moving& body, const Vec3& displacement /* m */, const Vec3& turn /* rad */) {
  body.center += displacement;
  body.rotation = rotated(body.rotation, turn);
}

// As it moves now, for dt (s).
template <class Moving>
void advance(Moving& body, double dt) {
  displace(body, dt * body.velocity, dt * body.spin);
}

}  // namespace cairn
