#include "collision/collider.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {

namespace {
constexpr double kTurnBound = 1.6;  // an angle is at most pi/2 times its chord
}

void placeCollider(Collider& collider, const Pose& body) {
  const Pose before = collider.pose;
  collider.pose = collider.centred ? body : body * collider.local;
  const Eigen::Vector4d& q = collider.pose.rotation.coeffs();
  const Eigen::Vector4d& p = before.rotation.coeffs();
  // Twice the distance of the quaternions bounds the chord; of the two that mean the same turn, the nearer one.
  const double turn = 2.0 * std::sqrt(std::min((q - p).squaredNorm(), (q + p).squaredNorm()));
  const double reach = collider.radius + (collider.centred ? 0.0 : collider.local.position.norm());
  collider.travel += (collider.pose.position - before.position).norm() + (turn > 0.0 ? kTurnBound * turn * reach : 0.0);
}

}  // namespace cairn
