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

// Contacts alone, and no body with a locked axis. The relaxation of a substep and the soft pass of the next are made in
// one go: relaxation begins with the contacts across a cut and the soft pass ends with them, so that what is on a side of it
// waits for no other in between, and its contacts come from memory once for the two.
void SoftBatch::plainSubsteps(StepContext& context, double dt, const wide::SubstepValues& values) {
  const System& system = context.system;
  const double h = dt / plan.substeps;
  wide::SolverBody* const solver = bodies.solver();
  // Sweep 0 applies the impulses of the last step; sweep i solves substep i - 1 and first relaxes the one before.
  const auto last = static_cast<std::size_t>(plan.substeps) + 1;
  const auto relaxes = [](std::size_t sweep) { return sweep > 1; };
  const auto solves = [last](std::size_t sweep) { return sweep > 0 && sweep < last; };
  const auto prepare = [&](std::size_t sweep, ContactGroup& group) {
    if (sweep < 2) return;
    if (plan.changesOrder) group.arrange(static_cast<int>(sweep - 1));
    contacts.joinWatched(context, bodies, group);
  };
  contacts.sweepAll(
      context.tasks, last + 1, bodies.others.empty(),
      [&](std::size_t sweep, std::uint32_t cut, ContactGroup& group, const Tasks* all) {
        if (!relaxes(sweep)) return;
        bodies.integrateShared(system, cut, h);
        group.relax(all, solver, values);
      },
      [&](std::size_t sweep, std::uint32_t part, ContactGroup& group) {
        if (sweep == 0) {
          group.arrange(0);
          bodies.integrateVelocities(system, part, h);
          group.applyImpulses(nullptr, solver, values);
        }
        if (relaxes(sweep)) {
          bodies.integratePositions(system, part, h);
          group.relax(nullptr, solver, values);
        }
        if (!solves(sweep)) return;
        prepare(sweep, group);
        if (relaxes(sweep)) {
          bodies.integrateVelocities(system, part, h);
          group.refreshSpinning(bodies);
        }
        group.solve(nullptr, solver, values);
      },
      [&](std::size_t sweep, std::uint32_t, ContactGroup& group, const Tasks* all) {
        if (sweep == 0) {
          group.arrange(0);
          group.applyImpulses(all, solver, values);
        }
        if (!solves(sweep)) return;
        prepare(sweep, group);
        if (relaxes(sweep)) group.refreshSpinning(bodies);
        group.solve(all, solver, values);
      },
      [&](std::size_t sweep) {
        if (solves(sweep)) bodies.moveOthers(values.h);
      });
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
  const Tasks& tasks = context.tasks;
  phaseMs.fill(0.0);
  PhaseTimer timer(phaseMs);
  const bool timed = contacts.contacts.size() > kTimedContacts;
  const auto finish = [&](Phase phase) {
    if (timed) timer.finish(phase);
  };

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
  timer.finish(Phase::Prepare);

  ExactVelocities& exact = bodies.exact();
  const bool plain = joints.joints.empty() && bodies.isPlain() && !contacts.mayBounce() && !exact.inUse();
  if (plain) plainSubsteps(context, dt, values);
  wide::SolverBody* const solver = bodies.solver();
  for (int substep = 0; substep < substeps && !plain; ++substep) {
    pollStop();
    if (substep == 0 || plan.changesOrder) contacts.arrange(substep);
    if (substep > 0) contacts.joinWatched(context, bodies);  // before, they were ranked
    if (contacts.mayBounce()) {
      joints.noteApproach(context, bodies);
      contacts.forEachGroup(tasks, CutsTurn::Last,
                            [&](ContactGroup& group, const Tasks* all) { group.noteApproach(all, solver); });
    }
    bodies.integrateVelocities(context, h);
    finish(Phase::Integrate);
    if (substep == 0) {
      contacts.forEachGroup(tasks, CutsTurn::Last,
                            [&](ContactGroup& group, const Tasks* all) { group.applyImpulses(all, solver, values); });
    } else {
      contacts.refreshSpinning(tasks, bodies);
    }
    joints.applyImpulses(context, bodies);
    joints.solve(context, bodies, false);
    contacts.forEachGroup(tasks, CutsTurn::Last,
                          [&](ContactGroup& group, const Tasks* all) { group.solve(all, solver, values); });
    finish(Phase::Solve);
    bodies.integratePositions(context, h);
    finish(Phase::Integrate);
    joints.solve(context, bodies, true);
    contacts.forEachGroup(tasks, CutsTurn::First,
                          [&](ContactGroup& group, const Tasks* all) { group.relax(all, solver, values); });
    if (exact.inUse()) {
      exact.clearGains();
      contacts.forEachGroup(tasks, CutsTurn::Last,
                            [&](ContactGroup& group, const Tasks* all) { group.applyImpulses(all, exact.gains(), values); });
      exact.takeGains();
    }
    if (contacts.mayBounce()) joints.bounce(context, bodies);
    joints.addUp(context);
    if (contacts.mayBounce()) {
      bodies.markContactChange(context);
      if (exact.inUse()) exact.beforeBounce(bodies.velocities());
      contacts.forEachGroup(tasks, CutsTurn::Last,
                            [&](ContactGroup& group, const Tasks* all) { group.bounce(all, solver, values); });
      if (exact.inUse()) exact.takeBounce(bodies.velocities());
    }
    finish(Phase::Solve);
  }

  if (plain || !timed) timer.finish(Phase::Solve);
  bodies.finish(context, dt, plain && bodies.others.empty());
  contacts.finish(context, bodies);
  jointError = joints.finish(context, dt);
  if (joints.holdContacts()) contacts.forgetRows();
  timer.finish(Phase::Integrate);
}

}  // namespace cairn
