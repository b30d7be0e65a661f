// The default stepper: several small substeps per step, soft contacts and joints, a relaxation pass that takes the push-out
// velocity back, warm starting throughout. docs/how-a-step-works.md tells it slowly.
#pragma once

#include "steppers/soft_bodies.hpp"
#include "steppers/soft_contacts.hpp"
#include "steppers/soft_joints.hpp"
#include "steppers/stepper.hpp"

namespace cairn {

class SoftStepper : public Stepper {
 public:
  void step(StepContext& context, double dt) override;

 private:
  SoftBodies bodies_;
  SoftContacts contacts_;
  SoftJoints joints_;
};

}  // namespace cairn
