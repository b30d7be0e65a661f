#include "steppers/island_impacts.hpp"

#include <algorithm>

#include "collision/narrow_phase.hpp"
#include "laws/impacts.hpp"
#include "math/rotation.hpp"

namespace cairn {

namespace {

constexpr double kTolerance = 1e-10;

double kineticEnergy(const Body& body) {
  if (!body.isDynamic()) return 0.0;
  const Vec3 local = body.rotation.conjugate() * body.spin;
  return 0.5 * (body.mass * body.velocity.squaredNorm() + local.dot(body.inertia * local));
}

Material surfaceOf(const StepContext& context, const Contact& contact) {
  const System& system = context.system;
  return mixMaterials(system.materials[system.colliders[contact.colliderA].material],
                      system.materials[system.colliders[contact.colliderB].material], context.settings.pairs);
}

// What moves by itself at V gives free bodies no more than 2 V (e = 1): |u+| <= |u-| + |2 V|, measured by mass. Levers and
// joints would make more of it, without bound.
bool isDrivenTooHard(const System& system, const IslandProblem& island, const std::vector<Body>& start) {
  const Vector& bias = island.problem->data().bias;
  const double speed = bias.size() > 0 ? bias.cwiseAbs().maxCoeff() : 0.0;
  if (!(speed > 0.0)) return false;
  double before = 0.0, after = 0.0, driven = 0.0;  // J
  for (const Body& body : start) {
    before += kineticEnergy(body);
    driven += 2.0 * body.mass * speed * speed;
  }
  for (const std::uint32_t body : island.bodies) after += kineticEnergy(system.bodies[body]);
  return std::sqrt(after) > std::sqrt(before) + std::sqrt(driven);
}

bool isOfSingleImpacts(const ImpactParameters& one) {
  return one.law == ImpactLaw::Stronge || one.law == ImpactLaw::ChatterjeeRuina;
}

// Laws of single impacts are taken one after the other even if simultaneous impacts were asked for, which is said.
ImpactOrder orderOf(StepContext& context, const std::vector<ImpactParameters>& parameters, int points) {
  if (context.settings.impact.order == "sequential") return ImpactOrder::SequentialByBlock;
  if (std::none_of(parameters.begin(), parameters.end(), isOfSingleImpacts)) return ImpactOrder::Simultaneous;
  if (points > 1 && context.report.method.message.empty())
    context.report.method.message = "impacts at " + std::to_string(points) +
                                    " contacts at once were taken one after the other: Stronge's and Chatterjee and "
                                    "Ruina's laws are of single impacts";
  return ImpactOrder::SequentialByBlock;
}

}  // namespace

std::vector<IslandProblem> impactProblems(const StepContext& context, double dt, Law law,
                                          const std::function<bool(const ContactTerms&)>& active) {
  Formulation formulation;
  formulation.law = law;
  formulation.facets = context.settings.friction.facets;
  formulation.unloaded = formulation.startsCold = true;
  formulation.speedFloor = dt * context.settings.gravity.norm();
  formulation.active = active;
  formulation.normalBias = [](const ContactTerms&) { return 0.0; };
  return buildProblems(context.system, context.settings, dt, formulation);
}

std::vector<Vector> resolveIslandImpacts(StepContext& context, std::vector<IslandProblem>& islands,
                                         const std::string& solver) {
  System& system = context.system;
  std::vector<Vector> impulses;
  for (IslandProblem& island : islands) {
    impulses.push_back(Vector::Zero(island.problem->rows()));
    std::vector<ImpactParameters> parameters;
    bool hits = false;
    int points = 0;
    for (const IslandProblem::Origin& origin : island.origins) {
      ImpactParameters one;
      if (origin.point >= 0) {
        const Material surface = surfaceOf(context, system.contacts.slots[origin.contact]);
        const bool bounces = origin.approach < -context.settings.restitutionSpeed;
        one = {surface.impact, bounces ? surface.restitution : 0.0, surface.tangentialRestitution};
        hits |= origin.approach < 0.0;
        ++points;
      }
      parameters.push_back(one);
    }
    if (!hits) continue;
    ImpactsResult result =
        resolveImpacts(*island.problem, parameters, orderOf(context, parameters, points), solver, kTolerance);
    if (!result.ok) {
      if (context.report.method.message.empty())
        context.report.method.message = "impact: " + result.message + "; it was plastic";
      for (ImpactParameters& one : parameters) one = {};
      result = resolveImpacts(*island.problem, parameters, ImpactOrder::Simultaneous, "auto", kTolerance);
      if (!result.ok) continue;
    }
    std::vector<double> before(system.bodies.size(), 0.0);
    for (const std::uint32_t body : island.bodies) before[body] = kineticEnergy(system.bodies[body]);
    std::vector<Body> start;
    for (const std::uint32_t body : island.bodies) start.push_back(system.bodies[body]);
    std::vector<char> marked(system.bodies.size(), 0);
    setVelocities(system, island, result.impulse, marked);
    if (isDrivenTooHard(system, island, start)) {
      for (std::size_t i = 0; i < start.size(); ++i) system.bodies[island.bodies[i]] = start[i];
      if (context.report.method.message.empty())
        context.report.method.message = "a kinematic body strikes what cannot give way: there was no impact";
      continue;
    }
    impulses.back() = result.impulse;

    double change = 0.0;
    for (const std::uint32_t body : island.bodies) change += kineticEnergy(system.bodies[body]) - before[body];
    ImpactSummary& summary = context.report.impacts;
    (change > 0.0 ? summary.energyGained : summary.energyLost) += std::abs(change);
    summary.restitutionFactor = std::min(summary.restitutionFactor, result.restitutionFactor);
    for (std::size_t i = 0; i < island.origins.size(); ++i) {
      const IslandProblem::Origin& origin = island.origins[i];
      const Block& block = island.problem->blocks()[i];
      if (origin.point < 0 || !(result.impulse[block.first] > 0.0)) continue;
      const Contact& contact = system.contacts.slots[origin.contact];
      const auto energy = [&](std::uint32_t body) { return kineticEnergy(system.bodies[body]); };
      ImpactRecord record;
      record.bodyA = {contact.bodyA, system.bodies[contact.bodyA].generation};
      record.bodyB = {contact.bodyB, system.bodies[contact.bodyB].generation};
      record.point = origin.place;
      record.normal = origin.axes.col(0);
      record.impulse = origin.axes.leftCols(block.size) * result.impulse.segment(block.first, block.size);
      record.law = parameters[i].law;
      record.approach = -origin.approach;
      record.beforeA = before[contact.bodyA];
      record.beforeB = before[contact.bodyB];
      record.afterA = energy(contact.bodyA);
      record.afterB = energy(contact.bodyB);
      context.impacts.push_back(record);
      ++summary.count;
    }
  }
  return impulses;
}

}  // namespace cairn
