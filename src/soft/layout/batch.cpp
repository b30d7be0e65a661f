#include "soft/layout/batch.hpp"

#include "base/stop.hpp"
#include "soft/memory.hpp"
#include "soft/plan/policy.hpp"

namespace cairn {

using namespace policy::layout;

void SoftBatch::clear(const IslandPlan& newPlan) {
  // A batch that was large once and is no more gives its memory back. That is not to be felt: how large a table was does
  // not survive a snapshot, and what the direct solver remembers, and what was gained, decides what is done next.
  if (bodies.movable.capacity() > kRoom * bodies.movable.size() + kSmallRoom) {
    SoftBatch fresh;
    fresh.direct = std::move(direct);
    fresh.gainTaken = gainTaken;
    *this = std::move(fresh);
  }
  plan = newPlan;
  bodies.movable.clear();
  bodies.others.clear();
  contacts.contacts.clear();
  joints.joints.clear();
}

// What a sweep does to a group: of a part, or of the cut `number`. `all`: if all threads wait for it.
void SoftBatch::workOn(ContactGroup& group, bool isPart, std::uint32_t number, std::uint16_t work, int substep,
                       const Substeps& run, const Tasks* all) {
  const auto has = [work](std::uint16_t bit) { return (work & bit) != 0; };
  const System& system = run.context.system;
  wide::SolverBody* const solver = bodies.solver();
  if (has(GroupWork::kMoveBodies))
    isPart ? bodies.integratePositions(system, number, run.h) : bodies.integrateShared(system, number, run.h);
  if (has(GroupWork::kRelax)) group.relax(all, solver, run.values);
  if (has(GroupWork::kArrange)) group.arrange(substep);
  if (has(GroupWork::kJoinWatched)) contacts.joinWatched(run.context, bodies, group);
  if (has(GroupWork::kNoteApproach)) group.noteApproach(all, solver);
  if (has(GroupWork::kIntegrateVelocities)) bodies.integrateVelocities(system, number, run.h);
  if (has(GroupWork::kApplyImpulses)) group.applyImpulses(all, solver, run.values);
  if (has(GroupWork::kRefreshSpinning)) group.refreshSpinning(bodies);
  if (has(GroupWork::kSolve)) group.solve(all, solver, run.values);
  if (has(GroupWork::kAddGains)) group.applyImpulses(all, bodies.exact().gains(), run.values);
  if (has(GroupWork::kBounce)) group.bounce(all, solver, run.values);
}

void SoftBatch::workOnAll(BatchWork work, const Substeps& run, PhaseTimer& timer) {
  StepContext& context = run.context;
  switch (work) {
    case BatchWork::None:
      return;
    case BatchWork::PollStop:
      return pollStop();
    case BatchWork::NoteTreeApproach:
      return joints.noteApproach(context, bodies);
    case BatchWork::IntegrateVelocities:
      return bodies.integrateVelocities(context, run.h);
    case BatchWork::WarmStartJoints:
      return joints.applyImpulses(context, bodies);
    case BatchWork::SolveJoints:
      return joints.solve(context, bodies, false);
    case BatchWork::MoveBodies:
      return bodies.integratePositions(context, run.h);
    case BatchWork::MoveDriven:
      return bodies.moveOthers(run.values.h);
    case BatchWork::RelaxJoints:
      return joints.solve(context, bodies, true);
    case BatchWork::ClearGains:
      return bodies.exact().clearGains();
    case BatchWork::TakeGains:
      return bodies.exact().takeGains();
    case BatchWork::BounceTrees:
      return joints.bounce(context, bodies);
    case BatchWork::AddUpJoints:
      return joints.addUp(context, bodies);
    case BatchWork::MarkContactChange:
      return bodies.markContactChange(context);
    case BatchWork::BeforeBounce:
      return bodies.exact().beforeBounce(bodies.velocities());
    case BatchWork::TakeBounce:
      return bodies.exact().takeBounce(bodies.velocities());
    case BatchWork::EndIntegrate:
      if (run.isTimed) timer.finish(Phase::Integrate);
      return;
    case BatchWork::EndSolve:
      if (run.isTimed) timer.finish(Phase::Solve);
      return;
  }
}

void SoftBatch::runPasses(const Substeps& run, PhaseTimer& timer) {
  std::span<const Pass> left = schedule_.passes();
  while (!left.empty()) {
    std::size_t sweeps = 0;
    while (sweeps < left.size() && left[sweeps].work == BatchWork::None) ++sweeps;
    if (sweeps == 0) {
      workOnAll(left.front().work, run, timer);
      left = left.subspan(1);
      continue;
    }
    contacts.sweepAll(
        run.context.tasks, sweeps,
        [&](std::size_t sweep, std::uint32_t cut, ContactGroup& group, const Tasks* all) {
          workOn(group, false, cut, left[sweep].before, left[sweep].substep, run, all);
        },
        [&](std::size_t sweep, std::uint32_t part, ContactGroup& group) {
          workOn(group, true, part, left[sweep].part, left[sweep].substep, run, nullptr);
        },
        [&](std::size_t sweep, std::uint32_t cut, ContactGroup& group, const Tasks* all) {
          workOn(group, false, cut, left[sweep].after, left[sweep].substep, run, all);
        });
    left = left.subspan(sweeps);
  }
}

// What springs without give carry between two heavy bodies would throw a light one about: sweeps begin with nothing.
void SoftBatch::forgetDirect(System& system) const {
  std::vector<std::uint8_t>& solvedDirectly = softMemory(system).solvedDirectly;
  for (const ContactEnds& ends : contacts.contacts) {
    if (solvedDirectly[ends.contact] != 0) clearImpulses(system.contacts.slots[ends.contact]);
    solvedDirectly[ends.contact] = 0;
  }
}

void SoftBatch::advance(StepContext& context, double dt, wide::Width width, bool afterDirect) {
  const wide::WidthScope scope(width);
  substeps = plan.substeps;
  const double h = dt / substeps;
  phaseMs.fill(0.0);
  PhaseTimer timer(phaseMs);

  wasDirect = plan.direct && direct.step(context, dt, bodies, contacts.contacts);
  if (wasDirect) {
    substeps = direct.substeps();
    contacts.forgetRows();
    timer.finish(Phase::Solve);
    return;
  }
  if (afterDirect) forgetDirect(context.system);
  bodies.begin(context, dt, h, !contacts.contacts.empty());
  const SoftContactValues shared = SoftContacts::valuesFor(context, dt, h);
  joints.begin(context, bodies, contacts.contacts, shared, dt, h);
  contacts.begin(context, bodies, shared);
  const wide::SubstepValues values{static_cast<float>(h), static_cast<float>(1.0 / h),
                                   static_cast<float>(context.settings.restitutionSpeed), contacts.fillsCaches()};
  const PassSchedule::Needs needs{.substeps = substeps,
                                  .changesOrder = plan.changesOrder,
                                  .contacts = !contacts.contacts.empty(),
                                  .joints = !joints.joints.empty(),
                                  .driven = !bodies.others.empty(),
                                  .mayBounce = contacts.mayBounce(),
                                  .spins = bodies.anySpinning(),
                                  .exact = bodies.exact().inUse(),
                                  .lockedAxes = !bodies.isPlain()};
  schedule_.make(needs);
  timer.finish(Phase::Prepare);

  const bool isTimed = contacts.contacts.size() > kTimedContacts;
  runPasses({context, values, h, isTimed}, timer);
  if (needs.canFuse() || !isTimed) timer.finish(Phase::Solve);
  bodies.finish(context, dt, needs.canFuse() && bodies.others.empty());
  contacts.finish(context, bodies);
  jointError = joints.finish(context, dt);
  if (joints.holdContacts()) contacts.forgetRows();
  timer.finish(Phase::Integrate);
}

}  // namespace cairn
