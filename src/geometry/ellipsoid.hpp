// The point of an ellipsoid's surface that is nearest to a given point.
#pragma once

#include "cairn/math.hpp"

namespace cairn {

struct EllipsoidPoint {
  Vec3 point;       // m, on the surface, the nearest one
  Vec3 normal;      // unit, outward there
  double distance;  // m, signed, negative inside: query == point + distance * normal
};

// Axes along x, y, z, centre at the origin. Where several points are nearest (the centre of a ball, for instance) one of
// them is chosen, always the same one.
EllipsoidPoint closestPointOnEllipsoid(const Vec3& radii, const Vec3& query);

}  // namespace cairn
