#include "soft/sweep/pass_schedule.hpp"

namespace cairn {

using Work = GroupWork;

void PassSchedule::make(const Needs& needs) {
  if (needs == needs_) return;
  needs_ = needs;
  passes_.clear();
  if (needs.canFuse()) return makeFused();
  for (int substep = 0; substep < needs.substeps; ++substep) makeSubstep(static_cast<std::uint16_t>(substep));
}

void PassSchedule::addSweep(std::uint16_t substep, std::uint16_t before, std::uint16_t part, std::uint16_t after) {
  if (needs_.contacts && (before | part | after) != 0) passes_.push_back({BatchWork::None, substep, before, part, after});
}

// The first sweep applies the impulses of the last step. Each of the others solves a substep and first relaxes the one
// before.
void PassSchedule::makeFused() {
  constexpr std::uint16_t kFinish = Work::kMoveBodies | Work::kRelax;
  addSweep(0, 0, Work::kArrange | Work::kIntegrateVelocities | Work::kApplyImpulses, Work::kArrange | Work::kApplyImpulses);
  for (int substep = 0; substep < needs_.substeps; ++substep) {
    const auto number = static_cast<std::uint16_t>(substep);
    if (substep == 0) {
      addSweep(number, 0, Work::kSolve, Work::kSolve);
    } else {
      const std::uint16_t arrange = needs_.changesOrder ? Work::kArrange : 0;
      const std::uint16_t begin = arrange | Work::kJoinWatched | Work::kRefreshSpinning | Work::kSolve;
      addSweep(number, kFinish, kFinish | Work::kIntegrateVelocities | begin, begin);
    }
    if (needs_.driven) add(BatchWork::MoveDriven);
  }
  addSweep(static_cast<std::uint16_t>(needs_.substeps), kFinish, kFinish, 0);
}

void PassSchedule::makeSubstep(std::uint16_t substep) {
  const bool isFirst = substep == 0;
  const auto sweepParts = [&](std::uint16_t work) { addSweep(substep, 0, work, work); };
  add(BatchWork::PollStop);
  sweepParts((isFirst || needs_.changesOrder ? Work::kArrange : 0) | (isFirst ? 0 : Work::kJoinWatched) |
             (needs_.mayBounce ? Work::kNoteApproach : 0));
  if (needs_.joints && needs_.mayBounce) add(BatchWork::NoteTreeApproach);
  add(BatchWork::IntegrateVelocities);
  add(BatchWork::EndIntegrate);
  sweepParts(isFirst ? Work::kApplyImpulses : needs_.spins ? Work::kRefreshSpinning : 0);
  if (needs_.joints) {
    add(BatchWork::WarmStartJoints);
    add(BatchWork::SolveJoints);
  }
  sweepParts(Work::kSolve);
  add(BatchWork::EndSolve);
  add(BatchWork::MoveBodies);
  add(BatchWork::EndIntegrate);
  if (needs_.joints) add(BatchWork::RelaxJoints);
  addSweep(substep, Work::kRelax, Work::kRelax, 0);
  if (needs_.exact) {
    add(BatchWork::ClearGains);
    sweepParts(Work::kAddGains);
    add(BatchWork::TakeGains);
  }
  if (needs_.joints && needs_.mayBounce) add(BatchWork::BounceTrees);
  if (needs_.joints) add(BatchWork::AddUpJoints);
  if (needs_.mayBounce) {
    add(BatchWork::MarkContactChange);
    if (needs_.exact) add(BatchWork::BeforeBounce);
    sweepParts(Work::kBounce);
    if (needs_.exact) add(BatchWork::TakeBounce);
  }
  add(BatchWork::EndSolve);
}

}  // namespace cairn
