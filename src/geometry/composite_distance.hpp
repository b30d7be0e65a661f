// Signed distance and rays of composite shapes.
#pragma once

#include <optional>

#include "geometry/distance.hpp"
#include "geometry/ray.hpp"

namespace cairn {

// B is composite, A comes no later in ShapeType's order.
SignedDistance compositeDistance(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB);

// In the shape's frame; the direction is a unit vector.
std::optional<ShapeRayHit> castRayAtComposite(const Shape& shape, const Vec3& origin, const Vec3& direction, double length);

}  // namespace cairn
