// Convex hulls of at most so many vertices.
#pragma once

#include "geometry/hull.hpp"

namespace cairn {

struct LimitedHull {
  std::shared_ptr<const Hull> hull;
  double error = 0.0;  // m: how far the farthest of the points is outside; 0 if the hull is whole
};

// The whole hull if it has no more vertices than `limit` (4 or more); else a hull of some of its vertices, which lies inside it: those
// are chosen one by one, each the farthest from what the ones before it span. Throws as buildHull() does.
LimitedHull buildLimitedHull(std::span<const Vec3> points, std::size_t limit);

}  // namespace cairn
