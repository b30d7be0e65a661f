// Shapes and materials: what a body is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "cairn/math.hpp"

namespace cairn {

// How a surface behaves. For a pair, friction is the geometric mean of the two and restitution the larger one.
struct Material {
  double friction = 0.5;     // Coulomb coefficient
  double restitution = 0.0;  // Newton's coefficient, 0 (plastic) to 1 (elastic)
  // Contact stiffness (N/m) and damping (N s/m) of a whole contact patch. Two stiffnesses act in series, so does damping.
  // Unset: as stiff as the step can resolve (SoftOptions::contactFrequency). A surface that sets one sets both.
  std::optional<double> stiffness{};
  std::optional<double> damping{};
};

// The solid half-space below a plane: all x with normal . x <= offset. Static bodies only.
struct Plane {
  Vec3 normal = Vec3::UnitZ();
  double offset = 0.0;  // m
};
struct Sphere {
  double radius = 0.5;  // m
};
struct Box {
  Vec3 halfExtents = Vec3::Constant(0.5);  // m
};
// All points within `radius` of a segment of length 2 halfHeight along the local z axis.
struct Capsule {
  double radius = 0.25;      // m
  double halfHeight = 0.25;  // m, of the segment: without the caps
};
// Axis along local z.
struct Cylinder {
  double radius = 0.5;      // m
  double halfHeight = 0.5;  // m
};
struct Ellipsoid {
  Vec3 radii = Vec3::Constant(0.5);  // m, along local x, y, z
};
// The convex hull of the points; at least four, not all in one plane.
struct ConvexHull {
  std::vector<Vec3> points{};  // m
};

using Geometry = std::variant<Plane, Sphere, Box, Capsule, Cylinder, Ellipsoid, ConvexHull>;

// One shape of a body, at a place relative to the body's own frame.
struct ShapeDesc {
  Geometry geometry = Box{};
  Pose local{};  // shape frame in body frame
  Material material{};
  double density = 1000.0;                   // kg/m^3, used when the body's mass is not given outright
  std::uint32_t group = 1;                   // bits this shape belongs to
  std::uint32_t collidesWith = 0xffffffffu;  // bits it collides with; both sides must agree
};

}  // namespace cairn
