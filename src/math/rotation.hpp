// Turning things: quaternion updates, inertia in world axes, and the free rotation of a rigid body.
#pragma once

#include "cairn/math.hpp"

namespace cairn {

// The rotation by the vector `angle` (rad, world axes) applied after q, normalised.
inline Quat rotated(const Quat& q, const Vec3& angle) {
  const double half = 0.5 * angle.norm();
  // By their series near zero, where sin(x)/x loses digits and the next terms of both are below rounding.
  const bool tiny = half < 1e-4;
  const double square = half * half;
  const double sinc = tiny ? 1.0 - square / 6.0 : std::sin(half) / half;
  const Vec3 v = 0.5 * sinc * angle;
  return (Quat(tiny ? 1.0 - 0.5 * square : std::cos(half), v.x(), v.y(), v.z()) * q).normalized();
}

// The vector (rad) that `rotated` turns the identity into q by, at most pi long.
inline Vec3 rotationVector(const Quat& q) {
  const double sign = q.w() < 0.0 ? -1.0 : 1.0;
  const double sine = q.vec().norm();
  if (sine < 1e-12) return 2.0 * sign * q.vec();
  return 2.0 * sign * std::atan2(sine, sign * q.w()) / sine * q.vec();
}

// R I R^T
inline Mat3 inWorldAxes(const Quat& q, const Mat3& bodyTensor) {
  const Mat3 r = q.toRotationMatrix();
  return r * bodyTensor * r.transpose();
}

inline Mat3 crossMatrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

// Free rotation over a time h by the implicit midpoint rule on the rotation group:
//   I (w1 - w0) = h (I m) x m,  m = (w0 + w1)/2 (body axes),   q1 = q0 * cayley(h m).
// The momentum in body axes then turns by exactly the inverse of the body's turn, so angular momentum in the world is kept
// to round-off, and so is the energy, for any h (both are quadratic). Second order in h.
// Returns m in body axes: the angular velocity to turn by.
Vec3 midpointAngularVelocity(const Mat3& inertia, const Vec3& bodyAngularVelocity, double h);

// q * cayley(h w), w in body axes: the turn that belongs to the midpoint rule.
inline Quat cayleyTurned(const Quat& q, const Vec3& bodyAngularVelocity, double h) {
  const Vec3 v = 0.5 * h * bodyAngularVelocity;
  return (q * Quat(1.0, v.x(), v.y(), v.z())).normalized();
}
// The same with w in world axes.
inline Quat cayleyTurnedBy(const Vec3& angularVelocity, const Quat& q, double h) {
  const Vec3 v = 0.5 * h * angularVelocity;
  return (Quat(1.0, v.x(), v.y(), v.z()) * q).normalized();
}

}  // namespace cairn
