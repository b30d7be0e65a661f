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
  contacts.expected = 0;
  joints.joints.clear();
}

// Contacts alone, and nothing special about any body: two loops over the parts do.
void SoftBatch::plainSubstep(StepContext& context, bool first, const wide::SubstepValues& values) {
  const Tasks& tasks = context.tasks;
  const auto begin = [&](std::size_t part) {
    if (!first) contacts.look(context, bodies, part);
    if (part < bodies.parts) bodies.integrateVelocities(part, values.h);
  };
  if (first) {
    contacts.applyImpulses(tasks, bodies.solver(), begin);
    contacts.solve(tasks, bodies.solver(), values, nothing);
  } else {
    contacts.solve(tasks, bodies.solver(), values, begin);
  }
  bodies.moveOthers(values.h);
  contacts.relax(tasks, bodies.solver(), values, [&](std::size_t part) {
    if (part < bodies.parts) bodies.integratePositions(part, values.h);
  });
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

  bodies.begin(context, dt, h);
  contacts.begin(context, bodies, dt, h);
  for (const ContactEnds& ends : joints.joints.empty() ? std::span<const ContactEnds>() : contacts.contacts) {
    bodies.noteContact(ends.a);
    bodies.noteContact(ends.b);
  }
  joints.begin(context, bodies, dt, h);
  timer.finish(Phase::Prepare);

  const bool plain = joints.joints.empty() && bodies.isPlain() && !contacts.mayBounce();
  for (int substep = 0; substep < substeps; ++substep) {
    if (substep == 0 || plan.tall) contacts.arrange(substep);
    if (plain) {
      plainSubstep(context, substep == 0, values);
      continue;
    }
    if (substep > 0) contacts.look(context, bodies);  // before, they were ranked
    if (contacts.mayBounce()) contacts.noteApproach(tasks, bodies.solver());
    bodies.integrateVelocities(context, h);
    finish(Phase::Integrate);
    if (substep == 0) {
      contacts.applyImpulses(tasks, bodies.solver(), nothing);
    } else {
      contacts.refreshSpinning(bodies);
    }
    joints.applyImpulses(context, bodies);
    joints.solve(context, bodies, false);
    contacts.solve(tasks, bodies.solver(), values, nothing);
    finish(Phase::Solve);
    bodies.integratePositions(context, h);
    finish(Phase::Integrate);
    joints.solve(context, bodies, true);
    contacts.relax(tasks, bodies.solver(), values, nothing);
    joints.addUp(context);
    if (contacts.mayBounce()) {
      bodies.markContactChange(context);
      contacts.bounce(tasks, bodies.solver(), values);
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
