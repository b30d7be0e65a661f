#include "steppers/shock.hpp"

#include <algorithm>

#include "math/rotation.hpp"
#include "steppers/free_motion.hpp"
#include "steppers/stack_layers.hpp"

namespace cairn {

namespace {

void move(Body& body, double dt) {
  body.center += dt * body.velocity;
  body.rotation = rotated(body.rotation, dt * body.spin);
}

// What the paper solves with, unless another solver is asked for by name.
WorldSettings withSweeps(const WorldSettings& asked, int iterations) {
  WorldSettings settings = asked;
  if (settings.solver.name == "auto") settings.solver.name = "pgs";
  settings.solver.iterations = iterations;
  return settings;
}

}  // namespace

// What rests on a layer must not feel the errors that were left in it: each layer would make them larger, by lever, and tall
// stacks would shake themselves apart. A body that nearly rests on what carries it moves exactly like that.
Vec6 ShockStepper::heldVelocity(const StepContext& context, std::uint32_t index) const {
  const Body& body = context.system.bodies[index];
  Vec6 velocity;
  velocity << body.velocity, body.spin;
  Vec6 carried = Vec6::Zero();
  if (carrier_[index] != kNone) {
    const Body& carrier = context.system.bodies[carrier_[index]];
    carried << carrier.velocity + carrier.spin.cross(body.center - carrier.center), carrier.spin;
  }
  const Vec6 own = velocity - carried;
  const double speed = own.head<3>().norm() + own.tail<3>().norm() * reach_[index];
  return speed < context.settings.restitutionSpeed ? carried : velocity;
}

bool ShockStepper::dynamics(StepContext& context, const WorldSettings& settings, double dt, double elapsed,
                            const Layer& layer) {
  System& system = context.system;
  Formulation formulation;
  formulation.law = frictionLaw(settings);
  formulation.facets = settings.friction.facets;
  formulation.speedFloor = dt * settings.gravity.norm();
  formulation.jointRate = 0.0;  // errors are for the correction
  // Contacts remember what the layers needed. The first solve, of everything at once, has other loads.
  formulation.startsCold = elapsed == 0.0 && settings.shock.share < 1.0;
  formulation.elapsed = elapsed;
  formulation.held = [&](std::uint32_t body) { return held_[body] != 0; };
  formulation.heldVelocity = [&](std::uint32_t body) { return heldVelocity(context, body); };
  formulation.normalBias = [&](const ContactTerms& contact) {
    const bool reached = contact.gap + dt * contact.freeApproach <= 0.0;
    const bool bounces = reached && contact.restitution > 0.0 && contact.approach < -settings.restitutionSpeed;
    return bounces ? contact.restitution * contact.approach : std::max(contact.gap, 0.0) / dt;
  };
  std::vector<IslandProblem> islands = buildProblems(system, settings, dt, formulation, layer.contacts, layer.joints);
  if (!solver_.solve(context, islands, settings.solver)) return false;

  std::vector<char> solved(system.bodies.size(), 0);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    setVelocities(system, islands[i], solver_.impulse(i), solved);
    for (std::size_t k = 0; k < islands[i].origins.size(); ++k) {
      const IslandProblem::Origin& origin = islands[i].origins[k];
      if (origin.point < 0) continue;
      const Contact& contact = system.contacts.slots[origin.contact];
      if (held_[contact.bodyA] != 0 || held_[contact.bodyB] != 0)
        context.report.method.swallowed += solver_.impulse(i)[islands[i].problem->blocks()[k].first];
    }
  }
  for (std::size_t i = 0; i < islands.size(); ++i)
    found_.push_back({std::move(islands[i]), solver_.impulse(i), !formulation.startsCold});
  const FreeMotion motion = freeMotion(settings);
  for (const std::uint32_t index : layer.bodies) {
    Body& body = system.bodies[index];
    if (solved[index] != 0) {
      move(body, dt);
    } else {
      moveFree(body, motion, dt, 1);
    }
  }
  placeColliders(system);
  return true;
}

bool ShockStepper::correct(StepContext& context, const WorldSettings& settings, const Layer& layer) {
  if (settings.solver.iterations == 0) return true;
  System& system = context.system;
  const ShockOptions& options = settings.shock;
  Formulation formulation;
  formulation.law = Law::Interval;
  formulation.displaces = formulation.startsCold = true;
  formulation.jointRate = 1.0;
  formulation.held = [&](std::uint32_t body) { return held_[body] != 0; };
  formulation.normalBias = [&](const ContactTerms& contact) {
    return contact.gap < -options.slop ? options.correctionShare * (contact.gap + options.slop) : contact.gap + options.slop;
  };
  std::vector<IslandProblem> islands = buildProblems(system, settings, 1.0, formulation, layer.contacts, layer.joints);
  const std::optional<SolveSummary> reported = context.report.solve;  // of the dynamics, which users ask about
  const bool solved = corrector_.solve(context, islands, settings.solver);
  if (!solved) return false;
  context.report.solve = reported;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const Vector moved = islands[i].problem->bodyVelocity(corrector_.impulse(i));
    for (std::size_t k = 0; k < islands[i].bodies.size(); ++k) {
      Body& body = system.bodies[islands[i].bodies[k]];
      const auto part = moved.segment<6>(6 * static_cast<Eigen::Index>(k));
      body.center += part.head<3>();
      body.rotation = rotated(body.rotation, part.tail<3>());
    }
  }
  placeColliders(system);
  return true;
}

void ShockStepper::step(StepContext& context, double dt) {
  System& system = context.system;
  const ShockOptions& options = context.settings.shock;
  const WorldSettings dynamic = withSweeps(context.settings, options.iterations);
  const WorldSettings correcting = withSweeps(context.settings, options.correctionIterations);
  const std::vector<Body> start = system.bodies;
  noteContacts(context);
  StepJudge judge(context, dt);

  const std::vector<int> heights = stackHeights(system, &carrier_);
  reach_.assign(system.bodies.size(), 0.0);
  for (const Collider& collider : system.colliders)
    if (collider.enabled && collider.dynamic) reach_[collider.body] = std::max(reach_[collider.body], collider.radius);
  const int highest = heights.empty() ? 0 : *std::max_element(heights.begin(), heights.end());
  std::vector<Layer> layers(std::max(highest, 0));
  Layer all;
  std::vector<std::uint32_t> driven;
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i) {
    const Body& body = system.bodies[i];
    if (!body.moves()) continue;
    if (!body.isDynamic()) {
      driven.push_back(i);
      continue;
    }
    layers[heights[i] - 1].bodies.push_back(i);
    all.bodies.push_back(i);
  }
  const auto layerOf = [&](std::uint32_t a, std::uint32_t b) { return std::max(heights[a], heights[b]) - 1; };
  for (const Pair& pair : system.broad.pairs) {
    if (pair.contact == kNone) continue;
    const Contact& contact = system.contacts.slots[pair.contact];
    const int layer = layerOf(contact.bodyA, contact.bodyB);
    if (contact.count == 0 || layer < 0) continue;
    layers[layer].contacts.push_back(pair.contact);
    all.contacts.push_back(pair.contact);
  }
  for (std::uint32_t i = 0; i < system.joints.size(); ++i) {
    if (!system.joints[i].alive) continue;
    const int layer = layerOf(system.joints[i].a, system.joints[i].b);
    if (layer < 0) continue;
    layers[layer].joints.push_back(i);
    all.joints.push_back(i);
  }
  context.report.method.layers = highest;
  held_.assign(system.bodies.size(), 0);
  found_.clear();
  context.timer.finish(Phase::Prepare);

  const auto refuse = [&] {
    system.bodies = start;
    placeColliders(system);
  };
  const double felt = options.share * dt, rest = dt - felt;
  if (felt > 0.0) {
    if (!dynamics(context, dynamic, felt, 0.0, all)) return refuse();
    for (const std::uint32_t body : driven) move(system.bodies[body], felt);
  }
  if (rest > 0.0) {
    for (const std::uint32_t body : driven) move(system.bodies[body], rest);
    for (const Layer& layer : layers) {
      if (!dynamics(context, dynamic, rest, felt, layer) || !correct(context, correcting, layer)) return refuse();
      for (const std::uint32_t body : layer.bodies) held_[body] = 1;
    }
    held_.assign(system.bodies.size(), 0);
  }
  if (!correct(context, correcting, all)) return refuse();
  forgetImpulses(system);
  for (const Found& one : found_) storeImpulses(system, one.island, one.impulse, one.startsNext);
  system.impulseSeconds = rest > 0.0 ? rest : dt;
  noteJointError(context);
  context.timer.finish(Phase::Solve);
  judge.finish(context);
}

}  // namespace cairn
