#include "steppers/velocity.hpp"

namespace cairn {

void VelocityStepper::step(StepContext& context, double dt) {
  const WorldSettings& settings = context.settings;
  const VelocityOptions& options = settings.velocity;
  System& system = context.system;

  Formulation formulation;
  formulation.law = frictionLaw(settings);
  formulation.facets = settings.friction.facets;
  formulation.pushesOut = true;
  formulation.jointRate = options.stabilisation / dt;
  formulation.jointSpeed = options.pushOutSpeed;
  formulation.speedFloor = dt * settings.gravity.norm();
  bounces_.begin(system);
  formulation.normalBias = [&](const ContactTerms& contact) {
    bounces_.see(contact, settings.restitutionSpeed);
    if (contact.gap >= 0.0) return contact.gap / dt;
    const double deep = std::min(contact.gap + options.slop, 0.0);
    return std::max(options.stabilisation * deep / dt, -options.pushOutSpeed);
  };
  std::vector<IslandProblem> islands = buildProblems(system, settings, dt, formulation);
  noteContacts(context);
  noteBlindTurns(context, dt);
  context.timer.finish(Phase::Prepare);

  if (!solver_.solve(context, islands)) return;
  context.timer.finish(Phase::Solve);

  bounces_.note(system, islands, solver_.impulses());
  finishStep(context, islands, solver_.impulses(), dt);
  bounces_.land(context, formulation.law, settings.solver, dt);
  bounces_.store(system);
  context.timer.finish(Phase::Integrate);
}

}  // namespace cairn
