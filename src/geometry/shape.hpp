// A shape as the engine computes with it: checked, one small value, in its own frame. It is convex, or composite: made of
// convex children (geometry/composite.hpp).
#pragma once

#include <memory>

#include "cairn/shape.hpp"
#include "geometry/aabb.hpp"
#include "geometry/hull.hpp"

namespace cairn {

enum class ShapeType : std::uint8_t {
  Plane,
  Sphere,
  Capsule,
  Box,
  Cylinder,
  Ellipsoid,
  Hull,
  Cone,
  RoundBox,   // a box with a radius about it
  RoundHull,  // a hull with a radius about it
  Triangle,   // of a mesh or height field: made for the moment, nobody's own shape
  // Composite ones.
  SphereSet,
  Compound,
  Mesh,
  HeightField,
  DistanceField,
};
inline constexpr int kShapeTypeCount = 10;  // that are convex and that a body may have

inline constexpr double kSmallestSize = 1e-6;  // m: of a radius, half height or half extent
inline constexpr double kLargestSize = 1e7;    // m: of those, of a plane's offset and of a hull's coordinates
// Stands for infinity in a plane's bounding box. Finite, and with a finite cube, so that areas, centres and volumes of boxes
// stay numbers.
inline constexpr double kUnbounded = 1e100;  // m

struct Shape {
  ShapeType type = ShapeType::Sphere;
  // Sphere: (radius, radius, radius). Capsule, cylinder and cone: (radius, radius, halfHeight). Box: half extents, with the
  // rounding. Ellipsoid: radii. Plane: unit normal. All others: half extents of their bounding box.
  Vec3 size = Vec3::Zero();
  double offset = 0.0;                        // m, of a plane; of rounded ones the radius about their core
  std::shared_ptr<const Hull> hull{};         // hulls only: the core, if rounded
  std::shared_ptr<const void> composite{};    // composite ones: see geometry/composite.hpp
  const Vec3* corners = nullptr;              // triangles only: three, of whoever made it

  double radius() const { return size.x(); }
  double halfHeight() const { return size.z(); }
  double rounding() const { return type == ShapeType::RoundBox || type == ShapeType::RoundHull ? offset : 0.0; }
  bool isComposite() const { return type > ShapeType::Triangle; }
};

// A box or hull without its rounding. Others are their own core.
Shape coreOf(const Shape& shape);

// Checks the numbers (finite, positive, within kSmallestSize..kLargestSize) and builds the hull. Throws
// std::invalid_argument with a message that names the field and what is allowed, for instance "radius must be positive, got
// -1".
Shape makeShape(const Geometry& geometry);
// What a shape was made of. A hull has the points that it needed.
Geometry geometryOf(const Shape& shape);

Aabb boundingBox(const Shape& shape, const Pose& pose);
// Radius of a sphere about the shape frame's origin that holds the shape; infinity for a plane.
double boundingRadius(const Shape& shape);
// The point of the shape farthest along the direction (need not be a unit vector), all in the shape's frame. Not for planes
// and composite shapes.
Vec3 support(const Shape& shape, const Vec3& direction);
const Vec3& hullSupport(const Hull& hull, const Vec3& direction);  // a vertex

}  // namespace cairn
