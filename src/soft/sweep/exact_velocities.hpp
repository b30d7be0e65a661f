// Velocities of a batch in double, beside the single-precision ones that the solver works on.
//
// Each substep adds to a velocity v what loads, contacts and joints did in it, and single precision rounds the sum by up to
// 2^-24 v. What is below that is lost, always the same way as long as it is the same: over a second up to 2^-24 v/h. Where
// substeps are so short that this would be felt, changes are added up here, and single precision keeps their digits: what
// contacts gave comes from their impulses, not from the difference of two velocities.
#pragma once

#include <span>
#include <vector>

#include "cairn/math.hpp"
#include "wide/body_kernels.hpp"

namespace cairn {

class ExactVelocities {
 public:
  struct Velocity {
    Vec3 linear = Vec3::Zero();   // m/s
    Vec3 angular = Vec3::Zero();  // rad/s
  };

  static bool isNeeded(double h);
  bool inUse() const { return !velocities_.empty(); }
  void clear() { velocities_.clear(); }
  void begin(std::size_t movable, std::size_t all);
  Velocity& operator[](std::size_t body) { return velocities_[body]; }
  const Velocity& operator[](std::size_t body) const { return velocities_[body]; }

  // Free motion of a body over h, as wide::integrateVelocities; and its velocity with what contacts gave it last.
  void integrate(std::size_t body, const wide::BodyRow& acceleration, const wide::BodyRow* damping,
                 const wide::BodyRow& limits, std::uint8_t locked, double h);
  Velocity warmStarted(std::size_t body) const;

  // What contacts give in a substep. Their impulses are applied to bodies at rest: gains() between the two calls.
  void clearGains();
  wide::SolverBody* gains() { return gains_.data(); }
  void takeGains();
  // Bounces are no impulses to begin the next substep with: here the difference of velocities has to do.
  void beforeBounce(std::span<const wide::SolverBody> bodies);
  void takeBounce(std::span<const wide::SolverBody> bodies);

 private:
  std::vector<Velocity> velocities_;  // of those that can be moved
  std::vector<wide::SolverBody> gains_;
  std::vector<wide::BodyRow> before_;
};

}  // namespace cairn
