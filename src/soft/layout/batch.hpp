// Islands that are stepped together, with one number of substeps, apart from all others. Batches are small enough for a
// processor's own cache where the islands are, and run side by side.
#pragma once

#include "soft/direct/direct_island.hpp"
#include "soft/gain_limit.hpp"
#include "soft/plan/substep_plan.hpp"
#include "soft/sweep/bodies.hpp"
#include "soft/sweep/contacts.hpp"
#include "soft/sweep/joints.hpp"
#include "soft/sweep/pass_schedule.hpp"
#include "wide/width.hpp"

namespace cairn {

struct SoftBatch {
  IslandPlan plan{};
  SoftBodies bodies;
  SoftContacts contacts;
  SoftJoints joints;
  DirectIsland direct;
  bool limitsGain = false;  // of some island of it, in this step

  // Of the last step.
  int substeps = 0;
  bool wasDirect = false;   // direct_island.hpp
  double jointError = 0.0;  // m
  double gainTaken = 0.0;   // J, gain_limit.hpp
  PhaseTimes phaseMs{};     // of the thread that ran it

  std::size_t work() const {  // in proportion to what a step takes
    return static_cast<std::size_t>(plan.substeps) * (contacts.contacts.size() + joints.joints.size());
  }
  int undone() const { return limitsGain ? gains_.undone() : 0; }  // islands that came apart and were put back
  void clear(const IslandPlan& newPlan);
  // `afterDirect`: some contacts of the world were solved directly in the last step.
  void attempt(StepContext& context, double dt, wide::Width width, bool afterDirect) {
    if (limitsGain) gains_.begin(context, bodies, contacts.contacts, joints.joints);
    advance(context, dt, width, afterDirect);
  }
  bool isJudged() const { return limitsGain || gainTaken != 0.0; }
  void judge(StepContext& context, double dt) {
    gainTaken = limitsGain ? gains_.finish(context, bodies, contacts.contacts, joints.joints, dt) : 0.0;
  }

 private:
  void advance(StepContext& context, double dt, wide::Width width, bool afterDirect);
  void forgetDirect(System& system) const;
  // What all passes of a step share.
  struct Substeps {
    StepContext& context;
    const wide::SubstepValues& values;
    double h;  // s
    bool isTimed;
  };
  void runPasses(const Substeps& run, PhaseTimer& timer);
  void workOn(ContactGroup& group, bool isPart, std::uint32_t number, std::uint16_t work, int substep, const Substeps& run,
              const Tasks* all);
  void workOnAll(BatchWork work, const Substeps& run, PhaseTimer& timer);

  PassSchedule schedule_;
  GainLimit gains_;
};

}  // namespace cairn
