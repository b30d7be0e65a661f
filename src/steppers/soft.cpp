#include "steppers/soft.hpp"

#include "steppers/solve_islands.hpp"

namespace cairn {

void SoftStepper::step(StepContext& context, double dt) {
  const int substeps = context.settings.soft.substeps;
  const double h = dt / substeps;
  const wide::SubstepValues values{static_cast<float>(h), static_cast<float>(1.0 / h),
                                   static_cast<float>(context.settings.restitutionSpeed)};

  StepJudge judge(context, dt);

  bodies_.begin(context, dt, h);
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
    if (contacts_.bounces()) {
      bodies_.markContactChange(context);
      contacts_.bounce(context.tasks, bodies_.solver(), values);
    }
    context.timer.finish(Phase::Solve);
  }

  bodies_.finish(context, dt, substeps);
  contacts_.finish(context);
  joints_.finish(context);
  context.system.impulseSeconds = h;
  context.report.substeps = substeps;
  context.timer.finish(Phase::Integrate);

  judge.finish(context);
}

}  // namespace cairn
