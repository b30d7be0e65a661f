#include "steppers/lcp.hpp"

#include <unordered_map>

namespace cairn {

namespace {

constexpr int kHalvings = 20;        // of restitution, if energy would rise
constexpr double kRounding = 1e-13;  // of an energy

double energyOf(const std::vector<Body>& bodies, const Vec3& gravity) {
  double energy = 0.0;
  for (const Body& body : bodies) {
    if (!body.moves() || !body.isDynamic()) continue;
    const Vec3 local = body.rotation.conjugate() * body.spin;
    energy += 0.5 * (body.mass * body.velocity.squaredNorm() + local.dot(body.inertia * local));
    energy -= body.mass * body.gravityScale * gravity.dot(body.center);
  }
  return energy;
}

// Relative normal velocity of a contact if the bodies moved as these do.
double approachOf(const std::vector<Body>& bodies, const ContactTerms& contact) {
  double speed = 0.0;
  const auto add = [&](std::uint32_t index, const Vec6& row) {
    const Body& body = bodies[index];
    if (body.moves()) speed += row.head<3>().dot(body.velocity) + row.tail<3>().dot(body.spin);
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

void LcpStepper::bounce(StepContext& context, const std::vector<Body>& start, const Closings& contacts, Law law, double dt) {
  System& system = context.system;
  const WorldSettings& settings = context.settings;
  placeColliders(system);
  const auto closed = [&](const ContactTerms& contact) -> const Closing* {
    const auto found = contacts.find(contact.key);
    return found != contacts.end() && found->second.pressed ? &found->second : nullptr;
  };
  double factor = 1.0;
  Formulation formulation;
  formulation.law = law;
  formulation.facets = settings.friction.facets;
  formulation.unloaded = formulation.startsCold = true;
  formulation.speedFloor = dt * settings.gravity.norm();
  formulation.active = [&](const ContactTerms& contact) {
    return closed(contact) != nullptr || contact.gap <= std::max(settings.lcp.slop, 1e-9);
  };
  formulation.normalBias = [&](const ContactTerms& contact) {
    const Closing* closing = closed(contact);
    if (closing == nullptr) return 0.0;
    const double speed = approachOf(start, contact) + closing->gained;
    return speed < -closing->tolerance ? factor * contact.restitution * speed : 0.0;
  };
  const std::vector<Body> landed = system.bodies;
  const double most = energyOf(start, settings.gravity);
  const std::optional<SolveSummary> solved = context.report.solve;
  std::vector<IslandProblem> islands;
  // Bounces with a share of the restitution; whether energy is then above that of the beginning.
  const auto rises = [&](double share) {
    factor = share;
    system.bodies = landed;
    context.report.solve = solved;
    islands = buildProblems(system, settings, dt, formulation);
    if (!bouncer_.solve(context, islands)) return false;
    std::vector<char> marked(system.bodies.size(), 0);
    for (std::size_t k = 0; k < islands.size(); ++k) setVelocities(system, islands[k], bouncer_.impulse(k), marked);
    return energyOf(system.bodies, settings.gravity) > most + kRounding * std::abs(most);
  };
  if (rises(1.0)) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < kHalvings; ++i) (rises(0.5 * (low + high)) ? high : low) = 0.5 * (low + high);
    rises(low);
  }
  context.report.impacts.restitutionFactor = std::min(context.report.impacts.restitutionFactor, factor);
  for (std::size_t k = 0; k < islands.size(); ++k) storeImpulses(system, islands[k], bouncer_.impulse(k), false);
}

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
  Closings closings;
  formulation.normalBias = [&](const ContactTerms& contact) {
    double bias = std::max(gamma * contact.gap / dt, -options.pushOutSpeed);
    if (!pushesOut) bias = contact.gap > options.slop ? contact.gap / dt : 0.0;
    if (plastic || contact.restitution <= 0.0) return bias;
    const double tolerance = std::max(
        options.bounceSpeed > 0.0 ? options.bounceSpeed : 2.0 * std::abs(contact.freeApproach - contact.approach), 1e-12);
    if (contact.gap > options.slop) {
      // If it closes, then plastically; it bounces when the step is over, with what loads add until it touches.
      const double share = std::clamp(contact.gap / std::max(-dt * contact.approach, 1e-300), 0.0, 1.0);
      closings[contact.key] = {tolerance, share * (contact.freeApproach - contact.approach), false};
      return bias;
    }
    return contact.approach < -tolerance ? bias + contact.restitution * contact.approach : bias;
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

  const std::vector<Body> start = system.bodies;
  finishStep(context, islands, solver_.impulses(), dt);
  bool closed = false;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    for (std::size_t k = 0; k < islands[i].origins.size(); ++k) {
      const auto closing = closings.find(islands[i].origins[k].key);
      if (islands[i].origins[k].point < 0 || closing == closings.end()) continue;
      closing->second.pressed = solver_.impulse(i)[islands[i].problem->blocks()[k].first] > 0.0;
      closed |= closing->second.pressed;
    }
  }
  if (closed) bounce(context, start, closings, formulation.law, dt);
  context.timer.finish(Phase::Integrate);
}

}  // namespace cairn
