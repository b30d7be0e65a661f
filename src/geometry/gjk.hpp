// The distance of two convex cores that are apart, by Gilbert, Johnson and Keerthi (1988).
#pragma once

#include <array>

#include "geometry/core_pair.hpp"

namespace cairn {

inline constexpr int kGjkMaximumIterations = 128;
// The bounds on the distance from both sides agree to this, relative to the distance.
inline constexpr double kGjkRelativeGap = 1e-14;
// Rounding of a difference of points, relative to the largest coordinate in play; closer cores count as overlapping.
inline constexpr double kGjkRounding = 4e-16;

struct GjkResult {
  bool overlapping = false;        // the cores share a point (or are within rounding of it)
  double distance = 0.0;           // m, of the cores; 0 if overlapping
  Vec3 difference = Vec3::Zero();  // m, pointB - pointA, in A's frame like all of this
  Vec3 pointA = Vec3::Zero();      // m, on the cores, nearest
  Vec3 pointB = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();  // unit, from A to B: across the plane that proves the lower bound (if apart)
  double lowerBound = 0.0;      // m: a plane proves that the cores are at least this far apart
  double scale = 0.0;           // m, the largest coordinate met in B - A: what rounding is relative to
  int count = 0;                // of the simplex: those of B - A whose hull holds the nearest point (or the origin)
  std::array<DifferenceVertex, 4> simplex;
  int iterations = 0;
};

GjkResult gjk(const CorePair& pair);

}  // namespace cairn
