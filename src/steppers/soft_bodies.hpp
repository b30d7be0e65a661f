// Bodies within a step of the soft stepper: single-precision velocities that the solver works on, and the integration of
// free motion between solves.
#pragma once

#include <vector>

#include "dynamics/system.hpp"
#include "steppers/stepper.hpp"
#include "wide/contact_block.hpp"

namespace cairn {

// What a substep needs of a body besides wide::SolverBody.
struct SoftBody {
  Eigen::Matrix3f inverseInertia = Eigen::Matrix3f::Zero();  // world axes, at the step's beginning
  Float3 acceleration = Float3::Zero();                      // m/s^2, by gravity and forces
  Float3 angularAcceleration = Float3::Zero();               // rad/s^2, by torques
  float inverseMass = 0.0f;
  std::uint8_t locked = 0;                            // bit per axis along which it does not move
  float linearDamping = 0.0f, angularDamping = 0.0f;  // 1/s
  // Between integration and the end of relaxation: the velocity free of this substep's contact impulses. After that: the
  // velocity change those impulses made. Contact anchors stay the same within a step, so adding that change is the same as
  // applying every impulse again: the next substep starts warm at the cost of one addition per body. (Joint anchors turn
  // with their bodies. Left in this change, their impulses would keep pushing where they pushed before, and feed energy in.)
  Float3 velocityMark = Float3::Zero();
  Float3 spinMark = Float3::Zero();
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
  bool gyroscopic = false;
};

class SoftBodies {
 public:
  void begin(StepContext& context, double dt);
  void integrateVelocities(StepContext& context, double h);
  void integratePositions(StepContext& context, double h);
  void markContactChange(StepContext& context);
  void finish(StepContext& context, double dt, int substeps);

  wide::SolverBody* solver() { return solver_.data(); }
  const SoftBody& operator[](std::uint32_t body) const { return bodies_[body]; }
  // Its inertia in world axes changes within the step, and with it the rows of its contacts.
  bool isSpinning(std::uint32_t body) const {
    return bodies_[body].precise != kNone && precise_[bodies_[body].precise].gyroscopic;
  }
  PreciseBody& precise(std::uint32_t body) { return precise_[bodies_[body].precise]; }
  Vec3 center(const PreciseBody& body) const;  // now
  // Changes a body's velocities by other than contact impulses.
  void push(std::uint32_t body, const Vec3& velocity, const Vec3& spin);

 private:
  std::vector<wide::SolverBody> solver_;
  std::vector<SoftBody> bodies_;
  std::vector<PreciseBody> precise_;
};

}  // namespace cairn
