// Shapes and materials: what a body is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "cairn/math.hpp"

namespace cairn {

// How an impact ends; docs/laws.md compares them.
enum class ImpactLaw : std::uint8_t {
  Newton,           // normal velocity after = -e times before; with friction it may gain energy
  Poisson,          // normal impulse of restitution = e times that of compression
  Stronge,          // work of restitution = e^2 times that of compression; never gains energy
  ChatterjeeRuina,  // algebraic, with a tangential restitution of its own; never gains energy
};

// How a surface behaves. For a pair, coefficients of friction are geometric means of the two, everything else is the larger
// one, unless WorldSettings::pairs says otherwise. What goes beyond friction, restitution and stiffness is not taken by
// every stepper; one that does not take it says so.
struct Material {
  double friction = 0.5;                   // Coulomb coefficient
  std::optional<double> staticFriction{};  // of contacts that stick, at least `friction`; unset: the same
  std::optional<double> crossFriction{};   // across `frictionAxis`; unset: the same in all directions
  Vec3 frictionAxis = Vec3::UnitX();       // in the shape's frame: the direction along which `friction` holds
  double patchRadius = 0.0;                // m: of a round patch whose friction also resists spin (Contensou); 0: none
  double rollingResistance = 0.0;          // m: torque against rolling, over the normal force
  // Force against the velocity of the centre of mass, over the normal force, while the contact rolls (GALILEO §3.3, with the
  // normal force in place of the weight, and at the centre: at the contact point it would do no work).
  double rollingForce = 0.0;
  double spinningResistance = 0.0;     // m: torque against spinning about the normal, over the normal force
  double restitution = 0.0;            // 0 (plastic) to 1 (elastic), in the sense of `impact`
  double tangentialRestitution = 0.0;  // -1 to 1; Chatterjee and Ruina's law only
  ImpactLaw impact = ImpactLaw::Newton;
  int kind = 0;  // for WorldSettings::pairs; 0: none in particular
  // Contact stiffness (N/m) and damping (N s/m) of a whole contact patch. Two stiffnesses act in series, so does damping.
  // Unset: as stiff as the step can resolve (SoftOptions::contactFrequency). A surface that sets one sets both.
  std::optional<double> stiffness{};
  std::optional<double> damping{};

  bool operator==(const Material&) const = default;
};

// What holds between surfaces of kind a and kind b, in place of the mixture of the two.
struct MaterialPair {
  int a = 0, b = 0;
  Material material{};

  bool operator==(const MaterialPair&) const = default;
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
  // m: radius of its edges and corners, less than the smallest half extent. The outer size stays: rounding takes away.
  double rounding = 0.0;
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
  double rounding = 0.0;       // m: all points within this distance of the hull belong to the shape; rounding adds
};
// Axis along local z: the base is a disc at z = -halfHeight, the apex at z = +halfHeight.
struct Cone {
  double radius = 0.5;      // m, of the base
  double halfHeight = 0.5;  // m
};

// Balls that move as one.
struct SphereSet {
  std::vector<Vec3> centers{};  // m
  std::vector<double> radii{};  // m, as many
};

using ConvexGeometry = std::variant<Sphere, Box, Capsule, Cylinder, Ellipsoid, ConvexHull, Cone>;
struct CompoundChild {
  ConvexGeometry geometry = Box{};
  Pose local{};  // child frame in shape frame
};
// Convex shapes that move as one and share a material. Where they overlap, mass counts twice.
struct Compound {
  std::vector<CompoundChild> children{};
};

// What follows is built once, by the functions in cairn/surface.hpp, and shared by all shapes that are made of it.
struct TriangleMesh;
class HeightField;
class DistanceField;

// A surface of triangles. Bodies that it belongs to may be static or kinematic; dynamic too if it is closed.
struct MeshShape {
  std::shared_ptr<const TriangleMesh> mesh{};
  bool oneSided = true;  // only the side is solid from which triangles are counter-clockwise; else both are
  // How it meets other meshes and fields: through its distance field, or by convex parts. A closed mesh on a dynamic body
  // needs one of the two if there are other meshes to meet.
  std::shared_ptr<const DistanceField> field{};
  std::shared_ptr<const Compound> parts{};
};
// Heights over a grid, along local z. Static and kinematic bodies.
struct HeightFieldShape {
  std::shared_ptr<const HeightField> field{};
};
// All points where a sampled distance is negative.
struct DistanceFieldShape {
  std::shared_ptr<const DistanceField> field{};
};

using Geometry = std::variant<Plane, Sphere, Box, Capsule, Cylinder, Ellipsoid, ConvexHull, Cone, SphereSet, Compound,
                              MeshShape, HeightFieldShape, DistanceFieldShape>;

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
