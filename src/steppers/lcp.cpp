#include "steppers/lcp.hpp"

#include <unordered_map>

namespace cairn {

namespace {

// Relative normal velocity of a contact if the bodies still moved as before the last step.
double earlierApproach(const System& system, const ContactTerms& contact) {
  double speed = 0.0;
  const auto add = [&](std::uint32_t body, const Vec6& row) {
    if (body < system.memory.velocityBefore.size()) speed += row.dot(system.memory.velocityBefore[body]);
  };
  add(contact.bodyA, contact.rowA);
  add(contact.bodyB, contact.rowB);
  return speed;
}

bool hasNoSolution(const StepReport& report) {
  return report.solve && (report.solve->exits[static_cast<int>(Exit::Ray)] > 0 ||
                          report.solve->exits[static_cast<int>(Exit::Infeasible)] > 0);
}

}  // namespace

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
  formulation.jointRate = potra ? 0.0 : gamma / dt;
  // The active set is that of the narrow phase, by distance and speed: what nothing but the free motion brings near would
  // leave out contacts that others push together.
  bool pushesOut = !potra;
  formulation.normalBias = [&](const ContactTerms& contact) {
    double bias = std::max(gamma * contact.gap / dt, -options.pushOutSpeed);
    if (!pushesOut) bias = contact.gap > options.slop ? contact.gap / dt : 0.0;
    if (plastic || contact.restitution <= 0.0) return bias;
    const PointMemory* memory = system.memory.find(contact.key);
    const bool closed = memory != nullptr && memory->closing;
    if (!closed && contact.gap > options.slop) return bias;  // if it closes, then plastically: it bounces in the next step
    const double speed = closed ? earlierApproach(system, contact) : contact.approach;
    const double tolerance =
        options.bounceSpeed > 0.0 ? options.bounceSpeed : 2.0 * std::abs(contact.freeApproach - contact.approach);
    return speed < -std::max(tolerance, 1e-12) ? bias + contact.restitution * speed : bias;
  };
  std::vector<IslandProblem> islands = buildProblems(system, settings, dt, formulation);
  noteContacts(context);
  context.timer.finish(Phase::Prepare);

  if (!solver_.solve(context, islands)) return;
  if (hasNoSolution(context.report) && pushesOut) {
    pushesOut = false;
    formulation.jointRate = 0.0;
    context.report.method.message = "penetrations contradict each other: the step was taken without pushing them apart";
    islands = buildProblems(system, settings, dt, formulation);
    if (!solver_.solve(context, islands)) return;
  }
  context.timer.finish(Phase::Solve);

  system.memory.velocityBefore.resize(system.bodies.size());
  for (std::size_t i = 0; i < system.bodies.size(); ++i)
    system.memory.velocityBefore[i] << system.bodies[i].velocity, system.bodies[i].spin;
  finishStep(context, islands, solver_.impulses(), dt);
  for (auto& [key, memory] : system.memory.points) memory.closing = false;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    for (std::size_t k = 0; k < islands[i].origins.size(); ++k) {
      const IslandProblem::Origin& origin = islands[i].origins[k];
      if (origin.point < 0 || origin.restitution <= 0.0 || origin.gap <= options.slop) continue;
      const int row = islands[i].problem->blocks()[k].first;
      if (solver_.impulse(i)[row] > 0.0) system.memory.points[origin.key].closing = true;
    }
  }
  context.timer.finish(Phase::Integrate);
}

}  // namespace cairn
