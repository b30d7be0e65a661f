#include "steppers/implicit.hpp"

#include "base/stop.hpp"
#include "math/rotation.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/integrate.hpp"

namespace cairn {

namespace {

constexpr double kNearlySettled = 1e-4;  // m

// A pass found where bodies go; how far that is from where they are (m, rotation at the body's reach).
double moveBodies(System& system, const std::vector<Body>& start, const std::vector<Vec6>& velocity, double dt) {
  std::vector<double> reach(system.bodies.size(), 0.0);  // m
  for (const Collider& collider : system.colliders)
    if (collider.enabled && collider.radius < 1e9) reach[collider.body] = std::max(reach[collider.body], collider.radius);
  double farthest = 0.0;
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    Body& body = system.bodies[i];
    if (!body.moves()) continue;
    const Pose pose =
        displaced({start[i].center, start[i].rotation}, dt * velocity[i].head<3>(), dt * velocity[i].tail<3>());
    const double turn = rotationVector(pose.rotation * body.rotation.conjugate()).norm();
    farthest = std::max(farthest, (pose.position - body.center).norm() + reach[i] * turn);
    body.center = pose.position;
    body.rotation = pose.rotation;
  }
  placeColliders(system);
  return farthest;
}

// An answer that has more than twice the energy that the island began with, and pushing out may add. Where contacts and
// joints contradict each other, poses can settle on any speed.
bool isWild(const IslandProblem& island, const Vector& impulse, const std::vector<Body>& start, double pushOutSpeed,
            double dt) {
  if (!island.driven.isZero(0.0)) return false;
  double kinetic = 0.0, mass = 0.0;
  for (const std::uint32_t index : island.bodies) {
    const Body& body = start[index];
    const Vec3 spin = body.rotation.conjugate() * body.spin;
    kinetic += 0.5 * (body.mass * body.velocity.squaredNorm() + spin.dot(body.inertia * spin));
    mass += body.mass;
  }
  double gap = 0.0;
  for (const IslandProblem::Origin& origin : island.origins) gap = std::min(gap, origin.gap);
  const double speed = std::min(pushOutSpeed, -gap / dt);
  return stepEnergy(*island.problem, impulse).total() > kinetic + mass * speed * speed;
}

int unsolved(const SolveSummary& summary) { return summary.problems - summary.exits[static_cast<int>(Exit::Converged)]; }

}  // namespace

ImplicitStepper::Result ImplicitStepper::advance(StepContext& context, double dt, double elapsed, bool last) {
  System& system = context.system;
  const WorldSettings& settings = context.settings;
  const ImplicitOptions& options = settings.implicit;
  const std::vector<Body> start = system.bodies;
  const FreeMotion motion = freeMotion(settings);
  const SolveSummary solvedBefore = context.report.solve.value_or(SolveSummary{});
  const auto putBack = [&] {
    system.bodies = start;
    placeColliders(system);
  };

  // Where nothing touches, bodies move freely, and where they end is known at once.
  std::vector<Vec6> velocity(system.bodies.size(), Vec6::Zero());
  for (std::size_t i = 0; i < start.size(); ++i)
    if (start[i].moves()) velocity[i] << start[i].velocity, start[i].spin;

  Formulation formulation;
  formulation.law = frictionLaw(settings);
  formulation.facets = settings.friction.facets;
  formulation.speedFloor = dt * settings.gravity.norm();
  formulation.jointRate = 1.0 / dt;
  formulation.jointSpeed = options.pushOutSpeed;
  formulation.start = &start;
  formulation.trial = &velocity;
  formulation.elapsed = elapsed;
  bounces_.begin(system);
  formulation.normalBias = [&](const ContactTerms& contact) {
    ContactTerms before = contact;
    before.gap -= dt * contact.trial;  // as the step began
    bounces_.see(before, settings.restitutionSpeed);
    // Old penetration goes out at a bounded speed.
    const double target = std::min(0.0, contact.startGap + dt * options.pushOutSpeed);
    return (contact.gap - target) / dt - contact.trial;
  };

  std::vector<IslandProblem> islands;
  double moved = 0.0;
  int pass = 0;
  bool settled = false;
  moveBodies(system, start, velocity, dt);
  while (!settled && pass < options.passes) {
    pollStop();
    ++pass;
    islands = buildProblems(system, settings, dt, formulation);
    context.timer.finish(Phase::Prepare);
    context.report.solve = solvedBefore;
    if (!solver_.solve(context, islands)) {
      putBack();
      return Result::Refused;
    }
    context.timer.finish(Phase::Solve);
    std::vector<char> touched(start.size(), 0);
    for (std::size_t i = 0; i < islands.size(); ++i) {
      const Vector u = islands[i].problem->bodyVelocity(solver_.impulse(i));
      for (std::size_t k = 0; k < islands[i].bodies.size(); ++k) {
        velocity[islands[i].bodies[k]] = u.segment<6>(6 * static_cast<Eigen::Index>(k));
        touched[islands[i].bodies[k]] = 1;
      }
    }
    for (std::size_t i = 0; i < start.size(); ++i) {
      if (!start[i].moves() || !start[i].isDynamic() || touched[i] != 0) continue;
      const FreeVelocity free = freeVelocity(start[i], motion, dt);
      velocity[i] << free.linear, free.angular;
    }
    moved = moveBodies(system, start, velocity, dt);
    context.timer.finish(Phase::Integrate);
    settled = moved <= options.tolerance || islands.empty();
    // A problem without a solution (bodies wedged into each other) does not get one by looking at it from elsewhere.
    if (!settled && pass > 1 && unsolved(*context.report.solve) > unsolved(solvedBefore)) hopeless_ = last = true;
    if (hopeless_) break;
  }
  context.report.method.passes = std::max(context.report.method.passes, pass);
  bool wild = false;
  for (std::size_t i = 0; i < islands.size() && !wild; ++i)
    wild = isWild(islands[i], solver_.impulse(i), start, options.pushOutSpeed, dt);
  settled &= !wild;
  if (!settled && !last) {
    context.report.solve = solvedBefore;
    putBack();
    return Result::Unsettled;
  }
  putBack();  // the passes only looked; finishStep moves
  if (wild || (!settled && moved > kNearlySettled)) {
    // Poses that still change by that much may be on the wrong side of something, and so may those of wild answers. Gaps of
    // the step's beginning are not.
    formulation.pushesOut = true;
    formulation.trial = nullptr;
    formulation.start = nullptr;
    bounces_.begin(system);
    formulation.normalBias = [&](const ContactTerms& contact) {
      bounces_.see(contact, settings.restitutionSpeed);
      return std::max(contact.gap / dt, -options.pushOutSpeed);
    };
    islands = buildProblems(system, settings, dt, formulation);
    context.report.solve = solvedBefore;
    if (!solver_.solve(context, islands)) return Result::Refused;
  }
  context.timer.finish(Phase::Solve);
  bounces_.note(system, islands, solver_.impulses());
  finishStep(context, islands, solver_.impulses(), dt);
  bounces_.land(context, formulation.law, settings.solver, dt);
  bounces_.store(system);
  placeColliders(system);
  context.timer.finish(Phase::Integrate);
  return settled ? Result::Settled : Result::Unsettled;
}

ImplicitStepper::Result ImplicitStepper::halve(StepContext& context, double dt, double elapsed, int halvings) {
  const bool last = halvings == 0 || hopeless_;
  Result result = advance(context, dt, elapsed, last);
  if (result == Result::Settled || result == Result::Refused || last) {
    if (result == Result::Unsettled) {
      hopeless_ = true;  // and so will the rest of this step be: shorter steps do not help it
      context.report.method.message =
          "the gaps did not settle; the step ends with what the last pass found, or with the gaps that it began with";
    }
    return result;
  }
  context.report.method.halvings =
      std::max(context.report.method.halvings, context.settings.implicit.halvings - halvings + 1);
  result = halve(context, 0.5 * dt, elapsed, halvings - 1);
  if (result == Result::Refused) return result;
  return halve(context, 0.5 * dt, elapsed + 0.5 * dt, halvings - 1);
}

void ImplicitStepper::step(StepContext& context, double dt) {
  noteContacts(context);
  noteBlindTurns(context, dt);
  context.timer.finish(Phase::Prepare);
  const std::vector<Body> start = context.system.bodies;
  hopeless_ = false;
  if (halve(context, dt, 0.0, context.settings.implicit.halvings) == Result::Refused) {
    context.system.bodies = start;
    placeColliders(context.system);
    return;
  }
}

}  // namespace cairn
