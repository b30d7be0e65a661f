// What the files of soft_tree share.
#pragma once

#include "soft/tree/soft_tree.hpp"

namespace cairn {

inline constexpr double kBeta = 0.5;  // of the geometric stiffness, see soft_tree.hpp
// A load has snapped if it is this many times the one that the inertia was made for, and is felt: its stiffness makes up
// more than this share of the inertia. The substep is solved again at most this often.
inline constexpr double kSnap = 1.5;
inline constexpr double kFeltLoad = 0.1;
inline constexpr int kMostSnaps = 3;
// Errors are left alone while they are no larger than this on the average (m or rad).
inline constexpr double kLeastError = 1e-5;

// How much faster than w x r the end of an arm gets to where it will be, m/s: (R r - r)/h - w x r with the turn R that
// integratePositions makes (the Cayley transform). `q` is h w/2 and `scale` is 2/(h (1 + q.q)), or 0 beyond kMostArc.
inline Vec3 curveOf(const Vec3& q, double square, double scale, const Vec3& arm) {
  const Vec3 across = q.cross(arm);
  return scale * (q.cross(across) - square * across);
}

inline double arcScale(double square, double h) {
  return 4.0 * square > kMostArc * kMostArc ? 0.0 : 2.0 / (h * (1.0 + square));
}

}  // namespace cairn
