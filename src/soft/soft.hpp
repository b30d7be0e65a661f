// The default stepper: several small substeps per step, soft contacts and joints, a relaxation pass that takes the push-out
// velocity back, warm starting throughout. docs/how-a-step-works.md tells it slowly.
#pragma once

#include "mechanics/articulated_islands.hpp"
#include "mechanics/stepper.hpp"
#include "soft/layout/batch_maker.hpp"
#include "soft/memory.hpp"
#include "soft/plan/substep_plan.hpp"

namespace cairn {

class SoftStepper : public Stepper {
 public:
  void step(StepContext& context, double dt) override;

 private:
  // The four parts of a step.
  void plan(StepContext& context, double dt, SoftMemory& memory);
  void attempt(StepContext& context, double dt, SoftMemory& memory) const;
  void judge(StepContext& context, double dt, SoftMemory& memory) const;
  void commit(StepContext& context, double dt, SoftMemory& memory) const;
  void reportIslands(StepContext& context, const SoftBatches& batches) const;

  SubstepPlan plan_;
  BatchMaker batchMaker_;
  ArticulatedIslands articulated_;  // solved apart
};

}  // namespace cairn
