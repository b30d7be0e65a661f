#include "steppers/impulse/impulse.hpp"

#include "math/rotation.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/solve_islands.hpp"
#include "steppers/impulse/events.hpp"
#include "steppers/impulse/passes.hpp"

namespace cairn {

namespace {

void stepInPasses(StepContext& context, PointImpulses& impulses, double dt) {
  System& system = context.system;
  const ImpulseOptions& options = context.settings.impulse;
  const std::vector<char> all(system.bodies.size(), 1);
  const std::vector<ImpulsePair> pairs = impulses.livePairs();
  const int pieces = piecesForTurning(system, pairs, all, dt);
  const double h = dt / pieces;
  context.timer.finish(Phase::Prepare);
  for (int i = 0; i < pieces; ++i) {
    ContactPasses passes(context, impulses, all, pairs, h);
    context.timer.finish(Phase::Prepare);
    passes.applyImpacts(options.collisionPasses);
    passes.addLoads();
    passes.contact(options.contactPasses);
    if (options.shock) passes.shock(options.contactPasses);
    passes.hinderMeetings(options.contactPasses);
    context.timer.finish(Phase::Solve);
    passes.move();
    for (Body& body : system.bodies) {
      if (!body.moves() || body.isDynamic()) continue;
      advance(body, h);
    }
    context.timer.finish(Phase::Integrate);
  }
  if (pieces > 1) context.report.substeps = pieces;
}

}  // namespace

void ImpulseStepper::step(StepContext& context, double dt) {
  StepJudge judge(context, dt);
  noteContacts(context);
  PointImpulses impulses(context);
  if (context.settings.impulse.method == "guendelman") {
    stepInPasses(context, impulses, dt);
  } else {
    ImpactEvents events(context, impulses, dt);
    context.timer.finish(Phase::Prepare);
    events.run();
    context.timer.finish(Phase::Solve);
  }
  context.system.impulseSeconds = dt;
  noteJointError(context);
  context.timer.finish(Phase::Integrate);
  judge.finish(context);
}

}  // namespace cairn
