// Forces at every instant, events located in time (STAR §2-3: the acceleration-level formulation).
//
// Each island is a mechanical system of its own through the step: between events its contacts and joints are constraints
// whose forces follow from accelerations, and an adaptive rule of order five integrates. A step of the world is therefore
// only a reporting interval; accuracy is that of AccelerationOptions::tolerance and eventSeconds.
//
// Friction is Coulomb's round cone (WorldSettings::friction: "none" turns it off). The chosen solver decides which contacts
// push, stick or slide, and solves impacts; where it does not take such a problem, "auto" does.
//
// Fails: time is not bounded by anything but the caps (events, steps, work), after which the rest of the step is one step of
// "lcp"; Painleve's configurations have no forces, and get an impulse; redundant contacts share forces by least norm.
#pragma once

#include "mechanics/stepper.hpp"

namespace cairn {

class AccelerationStepper final : public Stepper {
 public:
  void step(StepContext& context, double dt) override;
  bool integratesDrag() const override { return true; }
};

}  // namespace cairn
