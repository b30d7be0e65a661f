#include "steppers/lcp.hpp"

namespace cairn {

void LcpStepper::step(StepContext& context, double dt) {
  System& system = context.system;
  const WorldSettings& settings = context.settings;
  const LcpOptions& options = settings.lcp;
  const bool potra = options.variant == "anitescu_potra";
  const bool plastic = options.variant != "anitescu";
  const double gamma = options.variant == "stewart_trinkle" ? 1.0 : options.stabilisation;

  Formulation formulation;
  formulation.law = frictionLaw(settings, Law::Pyramid);
  formulation.facets = settings.friction.facets;
  formulation.speedFloor = dt * settings.gravity.norm();
  formulation.pushesOut = true;
  formulation.jointRate = potra ? 0.0 : gamma / dt;
  formulation.jointSpeed = options.pushOutSpeed;
  // The active set is that of the narrow phase, by distance and speed: what nothing but the free motion brings near would
  // leave out contacts that others push together.
  bounces_.begin(system);
  // Anitescu and Potra have no gaps in their problem, so only what touches, or will, may be in it.
  if (potra)
    formulation.active = [&](const ContactTerms& contact) {
      return contact.gap <= options.slop || contact.gap + dt * contact.freeApproach <= 0.0;
    };
  formulation.normalBias = [&](const ContactTerms& contact) {
    if (potra) return 0.0;
    if (!plastic) {
      const double pressing = 2.0 * std::abs(contact.freeApproach - contact.approach);
      bounces_.see(contact, options.bounceSpeed > 0.0 ? options.bounceSpeed : pressing);
    }
    return std::max(gamma * contact.gap / dt, -options.pushOutSpeed);
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
