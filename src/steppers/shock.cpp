#include "steppers/shock.hpp"

#include <algorithm>

#include "base/stop.hpp"
#include "math/rotation.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/warm_start.hpp"

namespace cairn {

namespace {

bool isFree(const Body& body) { return body.moves() && body.isDynamic(); }

// What the paper solves with, unless another solver is asked for by name.
WorldSettings withSweeps(const WorldSettings& asked, int iterations) {
  WorldSettings settings = asked;
  if (settings.solver.name == "auto") settings.solver.name = "pgs";
  settings.solver.iterations = iterations;
  return settings;
}

}  // namespace

Vec6 ShockStepper::carriedVelocity(const System& system, std::uint32_t index) const {
  Vec6 carried = Vec6::Zero();
  const std::uint32_t carriedBy = search_->carrier(index);
  if (carriedBy == kNone) return carried;
  const Body& carrier = system.bodies[carriedBy];
  carried << carrier.velocity + carrier.spin.cross(system.bodies[index].center - carrier.center), carrier.spin;
  return carried;
}

// What rests on a body of a layer pressed on it in the last step, as long as this one is: impulse and moment. Only of bodies
// that stand on a small part of themselves, such as see-saws, which may tip. What stands on a broad face bears its load in
// any case, and a few sweeps would pass on the noise of it from layer to layer.
Vec6 ShockStepper::loadFromAbove(const System& system, const Layer& layer, std::uint32_t index, double dt) const {
  Vec6 load = Vec6::Zero();
  if (!(system.impulseSeconds > 0.0)) return load;
  std::vector<Vec3> support;  // m, from its centre: points that it stands on
  for (const std::uint32_t slot : contactsOf_[index]) {
    const Contact& contact = system.contacts.slots[slot];
    const bool onB = contact.bodyB == index;
    const std::uint32_t other = onB ? contact.bodyA : contact.bodyB;
    if (held_[other] == 0 && isFree(system.bodies[other])) continue;
    for (int p = 0; p < contact.count; ++p)
      support.push_back((onB ? contact.anchorB(p) : contact.anchorA(p)).cast<double>());
  }
  constexpr double kBroad = 0.5;  // of its size
  for (const Vec3& one : support)
    for (const Vec3& other : support)
      if ((one - other).norm() > kBroad * system.bodies[index].size) return load;
  for (const std::uint32_t slot : contactsOf_[index]) {
    const Contact& contact = system.contacts.slots[slot];
    const std::uint32_t other = contact.bodyA == index ? contact.bodyB : contact.bodyA;
    if (held_[other] != 0 || !isFree(system.bodies[other]) ||
        std::binary_search(layer.bodies.begin(), layer.bodies.end(), other))
      continue;
    const bool onB = contact.bodyB == index;
    double sum = 0.0;
    for (int p = 0; p < contact.count; ++p) sum += contact.points[p].normalImpulse;
    if (!(sum > 0.0)) continue;
    for (int p = 0; p < contact.count; ++p) {
      const double normal = contact.points[p].normalImpulse;
      const Vec3 impulse = normal * contact.normal.cast<double>() + normal / sum * contact.frictionImpulse.cast<double>();
      const Vec3 arm = (onB ? contact.anchorB(p) : contact.anchorA(p)).cast<double>();
      load.head<3>() += (onB ? 1.0 : -1.0) * impulse;
      load.tail<3>() += (onB ? 1.0 : -1.0) * arm.cross(impulse);
    }
  }
  return dt / system.impulseSeconds * load;
}

// Takes groups out of `bodies` that are not steady; true if all were.
bool ShockStepper::keepSteady(const StepContext& context, const Solved& solved, std::vector<std::uint32_t>& bodies) const {
  const System& system = context.system;
  std::vector<std::uint32_t> loose;  // groups
  for (const std::uint32_t index : bodies) {
    const Body& body = system.bodies[index];
    const Vec6 carried = carriedVelocity(system, index);
    const Vec3 velocity = body.velocity - carried.head<3>(), spin = body.spin - carried.tail<3>();
    const double speed = velocity.norm() + spin.norm() * reach_[index];
    if (solved.bodies[index] == 0 || !(speed < context.settings.restitutionSpeed)) loose.push_back(search_->group(index));
  }
  std::sort(loose.begin(), loose.end());
  std::erase_if(bodies,
                [&](std::uint32_t body) { return std::binary_search(loose.begin(), loose.end(), search_->group(body)); });
  return loose.empty();
}

ShockStepper::Layer ShockStepper::everything(const System& system) const {
  std::vector<std::uint32_t> bodies;
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i)
    if (isFree(system.bodies[i])) bodies.push_back(i);
  return layerOf(system, std::move(bodies));
}

// The bodies with their links to each other, to what is held, and to what cannot be moved.
ShockStepper::Layer ShockStepper::layerOf(const System& system, std::vector<std::uint32_t> bodies) const {
  Layer layer;
  std::vector<char> inside(system.bodies.size(), 0);
  for (const std::uint32_t body : bodies) inside[body] = 1;
  const auto collect = [&](const auto& linksOf, const auto& all, auto endA, auto endB, std::vector<std::uint32_t>& out) {
    for (const std::uint32_t body : bodies) {
      for (const std::uint32_t link : linksOf[body]) {
        const std::uint32_t a = endA(all[link]), b = endB(all[link]), other = a == body ? b : a;
        if (inside[other] != 0 && other < body) continue;  // it has been there
        if (inside[other] != 0 || held_[other] != 0 || !isFree(system.bodies[other])) out.push_back(link);
      }
    }
    std::sort(out.begin(), out.end());
  };
  collect(
      contactsOf_, system.contacts.slots, [](const Contact& one) { return one.bodyA; },
      [](const Contact& one) { return one.bodyB; }, layer.contacts);
  collect(
      jointsOf_, system.joints, [](const Joint& one) { return one.a; }, [](const Joint& one) { return one.b; },
      layer.joints);
  layer.bodies = std::move(bodies);
  return layer;
}

bool ShockStepper::solve(StepContext& context, const WorldSettings& settings, double dt, Dynamics what, const Layer& layer,
                         Solved& out) {
  System& system = context.system;
  Formulation formulation;
  formulation.law = frictionLaw(settings);
  formulation.facets = settings.friction.facets;
  formulation.speedFloor = dt * settings.gravity.norm();
  formulation.jointRate = 0.0;  // errors are for the correction
  // Contacts remember what the layers needed. The first solve, of everything at once, has other loads.
  formulation.startsCold = what == Dynamics::First && settings.shock.share < 1.0;
  if (what == Dynamics::Layer)
    formulation.pressed = [&](std::uint32_t body) { return loadFromAbove(system, layer, body, dt); };
  formulation.elapsed = passed_;
  formulation.held = [&](std::uint32_t body) { return held_[body] != 0; };
  formulation.heldVelocity = [&](std::uint32_t body) { return carriedVelocity(system, body); };
  // What will be reached in this step is reached now: what the first solve left for later would meet held bodies only, and
  // its momentum would be lost in them.
  const double left = stepSeconds_ - passed_;
  formulation.normalBias = [&, left](const ContactTerms& contact) {
    bounces_.see(contact, settings.restitutionSpeed);
    return std::max(contact.gap, 0.0) / left;
  };
  out.startsNext = !formulation.startsCold;
  out.islands = buildProblems(system, settings, dt, formulation, layer.contacts, layer.joints);
  context.timer.finish(Phase::Prepare);
  // Ten sweeps do not hold joints that form loops: what is left of gravity in a long step would throw them about.
  const SolverSettings& asked = context.settings.solver;
  if (!solver_.solve(context, out.islands, settings.solver, asked.name == "auto" ? asked : settings.solver)) return false;
  out.bodies.assign(system.bodies.size(), 0);
  out.impulses.clear();
  for (std::size_t i = 0; i < out.islands.size(); ++i) {
    setVelocities(system, out.islands[i], solver_.impulse(i), out.bodies);
    out.impulses.push_back(solver_.impulse(i));
  }
  return true;
}

void ShockStepper::move(StepContext& context, double dt, const Layer& layer, Solved solved) {
  System& system = context.system;
  for (std::size_t i = 0; i < solved.islands.size(); ++i) {
    const IslandProblem& island = solved.islands[i];
    for (std::size_t k = 0; k < island.origins.size(); ++k) {
      const IslandProblem::Origin& origin = island.origins[k];
      if (origin.point < 0) continue;
      const Contact& contact = system.contacts.slots[origin.contact];
      if (held_[contact.bodyA] != 0 || held_[contact.bodyB] != 0)
        context.report.method.swallowed += solved.impulses[i][island.problem->blocks()[k].first];
    }
  }
  bounces_.note(system, solved.islands, solved.impulses);
  context.timer.finish(Phase::Solve);
  const FreeMotion motion = freeMotion(context.settings);
  for (const std::uint32_t index : layer.bodies) {
    if (solved.bodies[index] != 0) {
      advance(system.bodies[index], dt);
    } else {
      moveFree(system.bodies[index], motion, dt, 1);
    }
  }
  placeColliders(system);
  found_.push_back(std::move(solved));
  context.timer.finish(Phase::Integrate);
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
      displace(body, part.head<3>(), part.tail<3>());
    }
  }
  placeColliders(system);
  return true;
}

// Layer by layer from the ground up, then everything that could not be held.
bool ShockStepper::climb(StepContext& context, const WorldSettings& dynamic, const WorldSettings& correcting, double dt) {
  System& system = context.system;
  const auto isHeld = [&](std::uint32_t body) { return held_[body] != 0; };
  for (std::vector<std::uint32_t> bodies = search_->next(isHeld); !bodies.empty(); bodies = search_->next(isHeld)) {
    ++context.report.method.layers;
    bool steady = false;
    while (!steady && !bodies.empty()) {
      pollStop();
      const Layer layer = layerOf(system, bodies);
      std::vector<std::pair<Vec3, Vec3>> before;
      for (const std::uint32_t body : bodies) before.push_back({system.bodies[body].velocity, system.bodies[body].spin});
      Solved solved;
      if (!solve(context, dynamic, dt, Dynamics::Layer, layer, solved)) return false;
      steady = keepSteady(context, solved, bodies);
      if (steady) {
        move(context, dt, layer, std::move(solved));
        if (!correct(context, correcting, layer)) return false;
        for (const std::uint32_t body : bodies) held_[body] = 1;
        continue;
      }
      for (std::size_t i = 0; i < layer.bodies.size(); ++i)
        std::tie(system.bodies[layer.bodies[i]].velocity, system.bodies[layer.bodies[i]].spin) = before[i];
    }
  }
  std::vector<std::uint32_t> loose;
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i)
    if (isFree(system.bodies[i]) && held_[i] == 0) loose.push_back(i);
  if (loose.empty()) return true;
  ++context.report.method.layers;
  const Layer layer = layerOf(system, std::move(loose));
  Solved solved;
  if (!solve(context, dynamic, dt, Dynamics::Rest, layer, solved)) return false;
  move(context, dt, layer, std::move(solved));
  return correct(context, correcting, layer);
}

void ShockStepper::step(StepContext& context, double dt) {
  System& system = context.system;
  const ShockOptions& options = context.settings.shock;
  const WorldSettings dynamic = withSweeps(context.settings, options.iterations);
  const WorldSettings correcting = withSweeps(context.settings, options.correctionIterations);
  const std::vector<Body> start = system.bodies;
  noteContacts(context);
  noteBlindTurns(context, dt);
  StepJudge judge(context, dt);

  reach_.assign(system.bodies.size(), 0.0);
  for (const Collider& collider : system.colliders)
    if (collider.enabled && collider.dynamic) reach_[collider.body] = std::max(reach_[collider.body], collider.radius);
  contactsOf_.assign(system.bodies.size(), {});
  jointsOf_.assign(system.bodies.size(), {});
  forEachContact(system, [&](std::uint32_t slot) {
    const Contact& contact = system.contacts.slots[slot];
    if (contact.count == 0) return;
    for (const std::uint32_t body : {contact.bodyA, contact.bodyB}) contactsOf_[body].push_back(slot);
  });
  for (std::uint32_t i = 0; i < system.joints.size(); ++i) {
    if (!system.joints[i].alive) continue;
    for (const std::uint32_t body : {system.joints[i].a, system.joints[i].b}) jointsOf_[body].push_back(i);
  }
  search_.emplace(system);
  held_.assign(system.bodies.size(), 0);
  found_.clear();
  bounces_.begin(system);
  passed_ = 0.0;
  stepSeconds_ = dt;
  const Layer all = everything(system);
  const auto moveDriven = [&](double seconds) {
    for (Body& body : system.bodies)
      if (body.moves() && !body.isDynamic()) advance(body, seconds);
  };
  context.timer.finish(Phase::Prepare);

  const auto refuse = [&] {
    system.bodies = start;
    placeColliders(system);
  };
  const double felt = options.share * dt, rest = dt - felt;
  if (felt > 0.0) {
    Solved solved;
    if (!solve(context, dynamic, felt, Dynamics::First, all, solved)) return refuse();
    move(context, felt, all, std::move(solved));
    moveDriven(felt);
    passed_ = felt;
  }
  if (rest > 0.0) {
    moveDriven(rest);
    if (!climb(context, dynamic, correcting, rest)) return refuse();
    held_.assign(system.bodies.size(), 0);
  }
  if (!correct(context, correcting, all)) return refuse();
  bounces_.land(context, frictionLaw(dynamic), dynamic.solver, dt);
  context.timer.finish(Phase::Solve);
  forgetImpulses(system);
  for (const Solved& one : found_)
    for (std::size_t i = 0; i < one.islands.size(); ++i)
      storeImpulses(system, one.islands[i], one.impulses[i], one.startsNext);
  bounces_.store(system);
  system.impulseSeconds = rest > 0.0 ? rest : dt;
  noteJointError(context);
  context.timer.finish(Phase::Integrate);
  judge.finish(context);
}

}  // namespace cairn
