#include "steppers/soft.hpp"

#include "steppers/solve_islands.hpp"

namespace cairn {

namespace {

// The step as one rigid contact problem, which its soft substeps should come close to: contacts may close their gaps and no
// more, and bounce if they must.
std::vector<IslandProblem> rigidProblems(const StepContext& context, double dt) {
  Formulation formulation;
  formulation.speedFloor = dt * context.settings.gravity.norm();
  formulation.normalBias = [&](const ContactTerms& contact) {
    const bool reached = contact.gap + dt * contact.freeApproach <= 0.0;
    const bool bounces = reached && contact.approach < -context.settings.restitutionSpeed;
    return std::max(contact.gap, 0.0) / dt + (bounces ? contact.restitution * contact.approach : 0.0);
  };
  return buildProblems(context.system, context.settings, dt, formulation);
}

}  // namespace

void SoftStepper::step(StepContext& context, double dt) {
  const int substeps = context.settings.soft.substeps;
  const double h = dt / substeps;
  const wide::SubstepValues values{static_cast<float>(h), static_cast<float>(1.0 / h),
                                   static_cast<float>(context.settings.restitutionSpeed)};

  const bool audited = context.settings.audit != Audit::None;
  std::vector<IslandProblem> islands;
  if (audited) {
    islands = rigidProblems(context, dt);
    context.timer.skip();
  }

  bodies_.begin(context, dt);
  contacts_.begin(context, bodies_, h);
  joints_.begin(context, bodies_, h);
  context.timer.finish(Phase::Prepare);

  for (int substep = 0; substep < substeps; ++substep) {
    if (contacts_.bounces()) contacts_.noteApproach(context.tasks, bodies_.solver());
    bodies_.integrateVelocities(context, h);
    context.timer.finish(Phase::Integrate);
    if (substep == 0) {
      contacts_.applyImpulses(context.tasks, bodies_.solver());
    } else {
      contacts_.refreshSpinning(context, bodies_);
    }
    joints_.applyImpulses(context, bodies_);
    joints_.solve(context, bodies_, false);
    contacts_.solve(context.tasks, bodies_.solver(), values);
    context.timer.finish(Phase::Solve);
    bodies_.integratePositions(context, h);
    context.timer.finish(Phase::Integrate);
    joints_.solve(context, bodies_, true);
    contacts_.relax(context.tasks, bodies_.solver(), values);
    joints_.addUp(context);
    bodies_.markContactChange(context);
    if (contacts_.bounces()) contacts_.bounce(context.tasks, bodies_.solver(), values);
    context.timer.finish(Phase::Solve);
  }

  bodies_.finish(context, dt, substeps);
  contacts_.finish(context);
  joints_.finish(context);
  context.system.impulseSeconds = h;
  context.report.substeps = substeps;
  context.timer.finish(Phase::Integrate);

  if (!audited) return;
  std::vector<Vector> impulses;
  for (const IslandProblem& island : islands) impulses.push_back(storedImpulses(context.system, island));
  judgeIslands(context, islands, impulses);
  keepProblems(context, islands, impulses);
  context.timer.skip();
}

}  // namespace cairn
