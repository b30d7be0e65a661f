#include "soft/sweep/exact_velocities.hpp"

#include <algorithm>

#include "dynamics/body.hpp"
#include "soft/plan/policy.hpp"

namespace cairn {

namespace {

Vec3 rowOf(const float (&row)[3]) { return {row[0], row[1], row[2]}; }
Vec3 within(const Vec3& v, const float (&limit)[3]) { return v.cwiseMin(rowOf(limit)).cwiseMax(-rowOf(limit)); }

}  // namespace

bool ExactVelocities::isNeeded(double h) { return h < policy::sweep::kShortSubstep; }

void ExactVelocities::begin(std::size_t movable, std::size_t all) {
  velocities_.resize(movable);
  gains_.resize(all);
  clearGains();
}

void ExactVelocities::integrate(std::size_t body, const wide::BodyRow& acceleration, const wide::BodyRow* damping,
                                const wide::BodyRow& limits, std::uint8_t locked, double h) {
  auto& [linear, angular] = velocities_[body];
  linear = without(linear + h * rowOf(acceleration.linear), locked);
  angular += h * rowOf(acceleration.angular);
  if (damping != nullptr) {
    linear = linear.cwiseProduct(rowOf(damping->linear));
    angular = angular.cwiseProduct(rowOf(damping->angular));
  }
  linear = within(linear, limits.linear);
  angular = within(angular, limits.angular);
}

ExactVelocities::Velocity ExactVelocities::warmStarted(std::size_t body) const {
  return {velocities_[body].linear + rowOf(gains_[body].velocity), velocities_[body].angular + rowOf(gains_[body].spin)};
}

void ExactVelocities::clearGains() { std::fill(gains_.begin(), gains_.end(), wide::SolverBody{}); }

void ExactVelocities::takeGains() {
  for (std::size_t i = 0; i < velocities_.size(); ++i) velocities_[i] = warmStarted(i);
}

void ExactVelocities::beforeBounce(std::span<const wide::SolverBody> bodies) {
  before_.resize(velocities_.size());
  for (std::size_t i = 0; i < before_.size(); ++i) {
    std::copy_n(bodies[i].velocity, 3, before_[i].linear);
    std::copy_n(bodies[i].spin, 3, before_[i].angular);
  }
}

void ExactVelocities::takeBounce(std::span<const wide::SolverBody> bodies) {
  for (std::size_t i = 0; i < before_.size(); ++i) {
    velocities_[i].linear += rowOf(bodies[i].velocity) - rowOf(before_[i].linear);
    velocities_[i].angular += rowOf(bodies[i].spin) - rowOf(before_[i].angular);
  }
}

}  // namespace cairn
