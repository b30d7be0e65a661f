// Where and how two shapes touch: up to four points that share one normal.
#pragma once

#include <array>
#include <cstdint>

#include "geometry/shape.hpp"

namespace cairn {

inline constexpr int kManifoldPoints = 4;

struct ManifoldPoint {
  Vec3 position = Vec3::Zero();  // m, world: half way between the two surfaces
  double separation = 0.0;       // m along the normal; negative when penetrating
  std::uint32_t feature = 0;     // names the pair of features: the same from step to step while the same features touch
};

struct Manifold {
  Vec3 normal = Vec3::UnitZ();  // unit, world, from A to B
  int count = 0;
  double clearance = 0.0;  // m: without points, the shapes are at least this far apart; 0: nobody knows
  std::array<ManifoldPoint, kManifoldPoints> points;
};

// Fills `manifold` with the contacts of two shapes that are closer than `margin` (m). Points farther apart than the margin
// are left out before any reduction, and the deepest point is always kept. A and B may be of any type, in any order, except
// two planes (no contact). Does not allocate.
//
// Curved surfaces are treated as curved: a sphere, capsule, cylinder or ellipsoid that rolls has its exact normal and gap.
void collide(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, double margin, Manifold& manifold);

}  // namespace cairn
