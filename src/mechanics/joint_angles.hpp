// Angles between two bodies, with the gradients of their rates: rate = gradient . w, w the angular velocity of the one
// against the other.
#pragma once

#include <cmath>
#include <numbers>

#include "math/rotation.hpp"

namespace cairn {

struct Angle {
  double value = 0.0;  // rad
  Vec3 gradient = Vec3::Zero();
};

// How far a rotation turns about an axis (rad, -2 pi to 2 pi), whatever else it does.
inline double angleAbout(const Vec3& axis, const Quat& turn) { return 2.0 * std::atan2(turn.vec().dot(axis), turn.w()); }

// The same with its gradient: of q = (s, v) and q' = w q/2, with x = v.axis,
//   d/dt 2 atan2(x, s) = w . (s^2 axis + s v x axis + x v)/(s^2 + x^2)
inline Angle twistAbout(const Vec3& axis, const Quat& turn) {
  const double s = turn.w(), x = turn.vec().dot(axis), square = s * s + x * x;
  if (!(square > 1e-24)) return {angleAbout(axis, turn), axis};  // half a turn of swing: any twist is as good
  return {angleAbout(axis, turn), Vec3((s * s * axis + s * turn.vec().cross(axis) + x * turn.vec()) / square)};
}

// Where the unit vector b, which moves by w x b, is seen about the axis x cross y: atan2(b.y, b.x).
inline Angle azimuth(const Vec3& b, const Vec3& x, const Vec3& y) {
  const double cosine = b.dot(x), sine = b.dot(y), square = cosine * cosine + sine * sine;
  if (!(square > 1e-24)) return {};
  return {std::atan2(sine, cosine), Vec3((cosine * b.cross(y) - sine * b.cross(x)) / square)};
}

// d(theta)/dt = D w for a rotation vector theta and the angular velocity w, in the same axes (Bullo and Murray 1995):
// D = 1 - [theta]/2 + (1/t^2 - (1 + cos t)/(2 t sin t)) [theta]^2. Near a whole half turn any axis may be next.
inline Mat3 rateOfRotationVector(const Vec3& theta) {
  const double t = theta.norm();
  const Mat3 cross = crossMatrix(theta);
  constexpr double kSmall = 1e-3;  // rad: below, the series has all digits
  const double half = 0.5 * t;
  const double factor = t < kSmall ? 1.0 / 12.0 + t * t / 720.0 : (1.0 - half / std::tan(half)) / (t * t);
  return Mat3::Identity() - 0.5 * cross + factor * cross * cross;
}

// Swing: the rotation vector, across a, that takes the unit vector a to b, along x and y = a cross x. b moves by w x b.
//   d/dt (f n) = n (n.w) + f (a x n) (g.w),   n the axis of swing, f its angle, g the gradient of b's azimuth
struct Swing {
  std::array<Angle, 2> about;  // x, y
  Angle whole;                 // f
};
inline Swing swingOf(const Vec3& a, const Vec3& b, const Vec3& x, const Vec3& y) {
  Swing swing;
  const Vec3 across = a.cross(b);
  const double sine = across.norm();
  const double f = std::atan2(sine, a.dot(b));
  if (sine < 1e-9) {
    swing.about[0] = {across.dot(x), x};
    swing.about[1] = {across.dot(y), y};
    swing.whole = {f, Vec3::Zero()};
    return swing;
  }
  const Vec3 n = across / sine, m = a.cross(n), g = azimuth(b, x, y).gradient;
  for (int i = 0; i < 2; ++i) {
    const Vec3& side = i == 0 ? x : y;
    swing.about[i] = {f * n.dot(side), Vec3(n.dot(side) * n + f * m.dot(side) * g)};
  }
  swing.whole = {f, n};
  return swing;
}

// The same angle with as many whole turns as bring it nearest to what is expected.
inline double unwrapped(double angle, double expected) {
  const double turns = std::round((expected - angle) / (2.0 * std::numbers::pi));
  return turns == 0.0 ? angle : angle + 2.0 * std::numbers::pi * turns;
}

}  // namespace cairn
