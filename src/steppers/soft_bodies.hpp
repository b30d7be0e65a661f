// Bodies within a step of the soft stepper: single-precision velocities that the solver works on, and the integration of
// free motion between solves.
#pragma once

#include <vector>

#include "dynamics/system.hpp"
#include "steppers/stepper.hpp"
#include "wide/body_kernels.hpp"

namespace cairn {

// What a substep needs of a body besides wide::SolverBody.
struct SoftBody {
  Eigen::Matrix3f inverseInertia = Eigen::Matrix3f::Zero();  // world axes, at the step's beginning
  float inverseMass = 0.0f;
  std::uint8_t locked = 0;        // bit per axis along which it does not move
  std::uint32_t precise = kNone;  // index into SoftBodies::precise
  bool constrained = false;       // it has a contact or a joint
};

// Bodies whose orientation must be followed within the step: those with joints and those that spin fast for their shape.
struct PreciseBody {
  std::uint32_t body = kNone;
  Vec3 center = Vec3::Zero();           // m, at the step's beginning
  Quat rotation = Quat::Identity();     // now
  Mat3 inverseInertia = Mat3::Zero();   // world axes, now
  Vec3 midpoint = Vec3::Zero();         // rad/s, world axes: the spin to turn by, before constraints
  Quat rowRotation = Quat::Identity();  // that the contact rows of this substep belong to (gyroscopic bodies only)
  Float3 change = Float3::Zero();       // rad/s: by the last substep's contact impulses, for the inertia now (likewise)
  bool gyroscopic = false;
};

class SoftBodies {
 public:
  void begin(StepContext& context, double dt, double h);
  void integrateVelocities(StepContext& context, double h);
  void integratePositions(StepContext& context, double h);
  // Notes what contacts changed in this substep; needed if velocities are to be changed by others before the next one.
  void markContactChange(StepContext& context);
  void finish(StepContext& context, double dt, int substeps);

  wide::SolverBody* solver() { return solver_.data(); }
  const SoftBody& operator[](std::uint32_t body) const { return bodies_[body]; }
  Float3 acceleration(std::uint32_t body) const { return Float3(accelerations_[body].linear); }  // m/s^2, by external loads
  // Its inertia in world axes changes within the step, and with it the rows of its contacts.
  bool isSpinning(std::uint32_t body) const {
    return bodies_[body].precise != kNone && precise_[bodies_[body].precise].gyroscopic;
  }
  PreciseBody& precise(std::uint32_t body) { return precise_[bodies_[body].precise]; }
  Vec3 center(const PreciseBody& body) const;  // now
  // Changes a body's velocities by other than contact impulses.
  void push(std::uint32_t body, const Vec3& velocity, const Vec3& spin);

 private:
  wide::BodyRows rows() {
    return {solver_.data(), accelerations_.data(), damping_.empty() ? nullptr : damping_.data(), marks_.data()};
  }

  std::vector<wide::SolverBody> solver_;
  std::vector<wide::BodyRow> accelerations_, damping_;
  // See wide/body_kernels.hpp. (Joint anchors turn with their bodies: their impulses are kept out of the marks' change, or
  // they would keep pushing where they pushed before, and feed energy in.)
  std::vector<wide::BodyRow> marks_;
  bool marked_ = false;
  std::vector<SoftBody> bodies_;
  std::vector<std::uint32_t> locked_;  // bodies with a locked axis
  std::vector<PreciseBody> precise_;
};

}  // namespace cairn
