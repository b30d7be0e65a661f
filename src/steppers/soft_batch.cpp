#include "steppers/soft_batch.hpp"

namespace cairn {

namespace {
constexpr std::size_t kRoom = 2, kSmall = 272;  // of bodies; small tables have room to spare from the start
// Asking the time takes as long as solving two contacts. In small batches all of the substeps counts as solving.
constexpr std::size_t kTimedContacts = 128;
}  // namespace

void SoftBatch::clear(const IslandPlan& newPlan) {
  // A batch that was large once and is no more gives its memory back.
  if (bodies.movable.capacity() > kRoom * bodies.movable.size() + kSmall) *this = SoftBatch{};
  plan = newPlan;
  bodies.movable.clear();
  bodies.others.clear();
  contacts.contacts.clear();
  joints.joints.clear();
}

// Contacts alone, and nothing special about any body. The relaxation of a substep and the soft pass of the next are made
// part by part: relaxation begins with the contacts between parts and the soft pass ends with them, so that a part waits for
// no other in between, and its contacts come from memory once for the two.
void SoftBatch::plainSubsteps(StepContext& context, const wide::SubstepValues& values) {
  const Tasks& tasks = context.tasks;
  wide::SolverBody* const solver = bodies.solver();
  const auto arrange = [&](ContactGroup& group, int substep) {
    if (substep == 0 || plan.changesOrder) group.arrange(substep);
  };
  const auto relax = [&](std::size_t part, ContactGroup& group) {
    bodies.integratePositions(part, values.h);
    group.relax(nullptr, solver, values);
  };

  contacts.forEachPart(tasks, [&](std::size_t part, ContactGroup& group) {
    arrange(group, 0);
    bodies.integrateVelocities(part, values.h);
    group.applyImpulses(nullptr, solver);
  });
  ContactGroup* const between = contacts.betweenParts();
  if (between != nullptr) {
    arrange(*between, 0);
    between->applyImpulses(&tasks, solver);
  }
  for (int substep = 0; substep < plan.substeps; ++substep) {
    contacts.forEachPart(tasks, [&](std::size_t part, ContactGroup& group) {
      if (substep > 0) {
        relax(part, group);
        arrange(group, substep);
        contacts.look(context, bodies, group);
        bodies.integrateVelocities(part, values.h);
      }
      group.solve(nullptr, solver, values);
    });
    bodies.moveOthers(values.h);
    if (between == nullptr) continue;
    if (substep > 0) {
      arrange(*between, substep);
      contacts.look(context, bodies, *between);
    }
    between->solve(&tasks, solver, values);
    bodies.integrateShared(values.h);
    between->relax(&tasks, solver, values);
  }
  contacts.forEachPart(tasks, relax);
}

void SoftBatch::step(StepContext& context, double dt, wide::Width width) {
  const wide::WidthScope scope(width);
  const int substeps = plan.substeps;
  const double h = dt / substeps;
  const wide::SubstepValues values{static_cast<float>(h), static_cast<float>(1.0 / h),
                                   static_cast<float>(context.settings.restitutionSpeed)};
  const Tasks& tasks = context.tasks;
  phaseMs.fill(0.0);
  PhaseTimer timer(phaseMs);
  const bool timed = contacts.contacts.size() > kTimedContacts;
  const auto finish = [&](Phase phase) {
    if (timed) timer.finish(phase);
  };

  bodies.begin(context, dt, h, !contacts.contacts.empty());
  contacts.begin(context, bodies, dt, h);
  for (const ContactEnds& ends : joints.joints.empty() ? std::span<const ContactEnds>() : contacts.contacts) {
    bodies.noteContact(ends.a);
    bodies.noteContact(ends.b);
  }
  joints.begin(context, bodies, dt, h);
  timer.finish(Phase::Prepare);

  const bool plain = joints.joints.empty() && bodies.isPlain() && !contacts.mayBounce();
  if (plain) plainSubsteps(context, values);
  wide::SolverBody* const solver = bodies.solver();
  for (int substep = 0; substep < substeps && !plain; ++substep) {
    if (substep == 0 || plan.changesOrder) contacts.arrange(substep);
    if (substep > 0) contacts.look(context, bodies);  // before, they were ranked
    if (contacts.mayBounce())
      contacts.forEachGroup(tasks, BetweenParts::Last,
                            [&](ContactGroup& group, const Tasks* all) { group.noteApproach(all, solver); });
    bodies.integrateVelocities(context, h);
    finish(Phase::Integrate);
    if (substep == 0) {
      contacts.forEachGroup(tasks, BetweenParts::Last,
                            [&](ContactGroup& group, const Tasks* all) { group.applyImpulses(all, solver); });
    } else {
      contacts.refreshSpinning(tasks, bodies);
    }
    joints.applyImpulses(context, bodies);
    joints.solve(context, bodies, false);
    contacts.forEachGroup(tasks, BetweenParts::Last,
                          [&](ContactGroup& group, const Tasks* all) { group.solve(all, solver, values); });
    finish(Phase::Solve);
    bodies.integratePositions(context, h);
    finish(Phase::Integrate);
    joints.solve(context, bodies, true);
    contacts.forEachGroup(tasks, BetweenParts::First,
                          [&](ContactGroup& group, const Tasks* all) { group.relax(all, solver, values); });
    joints.addUp(context);
    if (contacts.mayBounce()) {
      bodies.markContactChange(context);
      contacts.forEachGroup(tasks, BetweenParts::Last,
                            [&](ContactGroup& group, const Tasks* all) { group.bounce(all, solver, values); });
    }
    finish(Phase::Solve);
  }

  if (plain || !timed) timer.finish(Phase::Solve);
  bodies.finish(context, plain && bodies.others.empty());
  contacts.finish(context, bodies);
  jointError = joints.finish(context, dt);
  timer.finish(Phase::Integrate);
}

}  // namespace cairn
