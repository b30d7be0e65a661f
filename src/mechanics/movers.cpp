#include "mechanics/movers.hpp"

#include <Eigen/LU>

#include "mechanics/integrate.hpp"

namespace cairn {

int FreeMovers::add(const Body& body, const Vec6& pressed) {
  items_.push_back({body.inverseMass, inWorldAxes(body.rotation, body.inverseInertia)});
  poses_.push_back({body.center, body.rotation});
  switch (loads_) {
    case Loads::All:
      free_.push_back(cairn::freeVelocity(body, motion_, dt_));
      break;
    case Loads::None:
      free_.push_back({body.velocity, body.spin});
      break;
    case Loads::Displaced:
      free_.push_back({Vec3::Zero(), Vec3::Zero()});
      break;
  }
  if (!pressed.isZero(0.0)) {
    free_.back().linear += body.inverseMass * without(pressed.head<3>(), body.lockedPosition);
    free_.back().angular += items_.back().inverseInertia * pressed.tail<3>();
  }
  return bodies() - 1;
}

Vector FreeMovers::freeVelocity() const {
  Vector u(6 * static_cast<Eigen::Index>(free_.size()));
  for (std::size_t i = 0; i < free_.size(); ++i)
    u.segment<6>(6 * static_cast<Eigen::Index>(i)) << free_[i].linear, free_[i].angular;
  return u;
}

double FreeMovers::kineticEnergy(const Vector& velocity) const {
  double energy = 0.0;
  for (int i = 0; i < bodies(); ++i) {
    const Vec3 linear = velocity.segment<3>(6 * i), angular = velocity.segment<3>(6 * i + 3);
    if (items_[i].inverseMass > 0.0) energy += 0.5 * linear.squaredNorm() / items_[i].inverseMass;
    energy += 0.5 * angular.dot(items_[i].inverseInertia.inverse() * angular);
  }
  return energy;
}

void FreeMovers::advance(const Vector& velocity, double dt) {
  for (int i = 0; i < bodies(); ++i)
    poses_[i] = displaced(poses_[i], dt * velocity.segment<3>(6 * i), dt * velocity.segment<3>(6 * i + 3));
}

}  // namespace cairn
