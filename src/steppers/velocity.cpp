#include "steppers/velocity.hpp"

namespace cairn {

void VelocityStepper::step(StepContext& context, double dt) {
  const WorldSettings& settings = context.settings;
  const VelocityOptions& options = settings.velocity;
  System& system = context.system;

  Formulation formulation;
  formulation.law = frictionLaw(settings);
  formulation.facets = settings.friction.facets;
  formulation.jointRate = options.stabilisation / dt;
  formulation.speedFloor = dt * settings.gravity.norm();
  formulation.normalBias = [&](const ContactTerms& contact) {
    // A contact that the step does not reach must not bounce yet; one that it reaches bounces from where it is, with all of
    // its speed.
    const bool reached = contact.gap + dt * contact.freeApproach <= 0.0;
    const bool bounces = reached && contact.restitution > 0.0 && contact.approach < -settings.restitutionSpeed;
    if (contact.gap >= 0.0) return bounces ? contact.restitution * contact.approach : contact.gap / dt;
    const double deep = std::min(contact.gap + options.slop, 0.0);
    const double push = std::max(options.stabilisation * deep / dt, -options.pushOutSpeed);
    return bounces ? std::min(push, contact.restitution * contact.approach) : push;
  };
  std::vector<IslandProblem> islands = buildProblems(system, settings, dt, formulation);
  noteContacts(context);
  context.timer.finish(Phase::Prepare);

  if (!solver_.solve(context, islands)) return;
  context.timer.finish(Phase::Solve);

  finishStep(context, islands, solver_.impulses(), dt);
  context.timer.finish(Phase::Integrate);
}

}  // namespace cairn
