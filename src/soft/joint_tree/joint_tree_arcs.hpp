// Arcs that the ends of joints move on.
#pragma once

#include "soft/joint_tree/joint_tree_step.hpp"

namespace cairn {

// How much faster than w x r the end of an arm gets to where it will be, m/s: (R r - r)/h - w x r with the turn R that
// integratePositions makes (the Cayley transform). `q` is h w/2 and `scale` is 2/(h (1 + q.q)), or 0 beyond kMostArc.
inline Vec3 curveOf(const Vec3& q, double square, double scale, const Vec3& arm) {
  const Vec3 across = q.cross(arm);
  return scale * (q.cross(across) - square * across);
}

inline double arcScale(double square, double h) {
  using policy::joint_tree::kMostArc;
  return 4.0 * square > kMostArc * kMostArc ? 0.0 : 2.0 / (h * (1.0 + square));
}

}  // namespace cairn
