// A shape as the engine computes with it: checked, one small value, in its own frame. All of them are convex.
#pragma once

#include <memory>

#include "cairn/shape.hpp"
#include "geometry/aabb.hpp"
#include "geometry/hull.hpp"

namespace cairn {

enum class ShapeType : std::uint8_t { Plane, Sphere, Capsule, Box, Cylinder, Ellipsoid, Hull };
inline constexpr int kShapeTypeCount = 7;

inline constexpr double kSmallestSize = 1e-6;  // m: of a radius, half height or half extent
inline constexpr double kLargestSize = 1e7;    // m: of those, of a plane's offset and of a hull's coordinates
// Stands for infinity in a plane's bounding box. Finite, and with a finite cube, so that areas, centres and volumes of boxes
// stay numbers.
inline constexpr double kUnbounded = 1e100;  // m

struct Shape {
  ShapeType type = ShapeType::Sphere;
  // Sphere: (radius, radius, radius). Capsule and cylinder: (radius, radius, halfHeight). Box: half extents.
  // Ellipsoid: radii. Plane: unit normal. Hull: half extents of its bounding box.
  Vec3 size = Vec3::Zero();
  double offset = 0.0;               // plane only, m
  std::shared_ptr<const Hull> hull;  // hull only

  double radius() const { return size.x(); }
  double halfHeight() const { return size.z(); }
};

// Checks the numbers (finite, positive, within kSmallestSize..kLargestSize) and builds the hull. Throws
// std::invalid_argument with a message that names the field and what is allowed, for instance "radius must be positive, got
// -1".
Shape makeShape(const Geometry& geometry);

Aabb boundingBox(const Shape& shape, const Pose& pose);
// Radius of a sphere about the shape frame's origin that holds the shape; infinity for a plane.
double boundingRadius(const Shape& shape);
// The point of the shape farthest along the direction (need not be a unit vector), all in the shape's frame. Not for planes.
Vec3 support(const Shape& shape, const Vec3& direction);

}  // namespace cairn
