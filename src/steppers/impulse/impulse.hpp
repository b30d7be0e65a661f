// Impulses are all there is: contacts of any duration are series of impacts (Mirtich), or passes of them (Guendelman,
// Bridson and Fedkiw).
#pragma once

#include "mechanics/stepper.hpp"

namespace cairn {

class ImpulseStepper final : public Stepper {
 public:
  void step(StepContext& context, double dt) override;
};

}  // namespace cairn
