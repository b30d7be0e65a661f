// Manifolds that are kept while two flat-faced shapes hardly move against each other.
//
// Points stay where they are on each body; normal and anchors turn with the bodies and separations are those of the points
// as they are now, so that leaning structures feel their true moment. Only which points there are is not asked again. Curved
// shapes are never kept: their contact point wanders as they roll.
#pragma once

#include <array>

#include "collision/collider.hpp"
#include "collision/manifold.hpp"

namespace cairn {

using Float3 = Eigen::Vector3f;

// Where a body is: its centre of mass and how it is turned.
struct Placement {
  Vec3 center;  // m
  Quat rotation;
};

// What a manifold was made from: A's axes, from A's centre of mass.
struct KeptManifold {
  Vec3 offset = Vec3::Zero();                                               // m: B's centre of mass
  Eigen::Quaternion<float, Eigen::DontAlign> turn{1.0f, 0.0f, 0.0f, 0.0f};  // of B against A
  Float3 normal = Float3::Zero();
  float margin = -1.0f;                              // m, that it was made with; negative: there is none to keep
  std::array<Float3, kManifoldPoints> anchors{};     // m: points on A
  std::array<float, kManifoldPoints> separations{};  // m
  // By point: what it is known again by when the manifold is made anew. Of all shapes, whether manifolds are kept or not.
  std::array<std::uint32_t, kManifoldPoints> features{};

  // There is one, and it has all points that matter within this margin (m). The margin grows with speed; a little more is as
  // good as none.
  bool isGoodFor(double wanted) const { return margin >= 0.0f && wanted <= margin + kMarginSlack; }
  static constexpr double kMarginSlack = 1e-3;  // m
};

bool isFlat(const Shape& shape);  // manifolds of two such are kept

// Remembers the manifold of two flat shapes; forgets the old one.
void rememberManifold(const Placement& placeA, const Placement& placeB, double margin, const Manifold& manifold,
                      KeptManifold& kept);

// A manifold as it is now, relative to the centres of mass, world axes.
struct MovedManifold {
  Float3 normal;
  Float3 between;  // from B's centre of mass to A's
  std::array<Float3, kManifoldPoints> anchorsA;
  std::array<float, kManifoldPoints> separations;
};

// False if it has to be made anew: the two moved too far against each other. `reach`: the smaller one's radius (m).
bool moveManifold(const KeptManifold& kept, int points, double reach, const Placement& placeA, const Placement& placeB,
                  MovedManifold& moved);

}  // namespace cairn
