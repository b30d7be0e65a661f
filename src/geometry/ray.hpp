// Ray against one shape.
#pragma once

#include <optional>

#include "geometry/shape.hpp"

namespace cairn {

struct ShapeRayHit {
  double distance;  // m, along the unit direction; 0 if the origin is inside
  Vec3 normal;      // outward, world; minus the direction if the origin is inside
};

// direction is a unit vector; all in the world.
std::optional<ShapeRayHit> castRay(const Shape& shape, const Pose& pose, const Vec3& origin, const Vec3& direction,
                                   double length);

}  // namespace cairn
