#include "steppers/gauss.hpp"

#include "math/rotation.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/warm_start.hpp"
#include "steppers/island_impacts.hpp"
#include "steppers/turning_pairs.hpp"

namespace cairn {

namespace {

constexpr double kPushOutSpeed = 3.0;  // m/s, at most, out of penetration
constexpr const char* kSolver = "nnls";

// Velocities that forces alone mean where nothing has inertia.
void relax(Body& body, const Vec3& gravity, double relaxation) {
  const Vec3 pull = gravity * body.gravityScale + body.force * body.inverseMass;
  body.velocity = relaxation * without(pull, body.lockedPosition);
  body.spin = relaxation * (inWorldAxes(body.rotation, body.inverseInertia) * body.torque);
}

}  // namespace

void GaussStepper::step(StepContext& context, double dt) {
  System& system = context.system;
  const WorldSettings& settings = context.settings;
  const GaussOptions& options = settings.gauss;
  const bool firstOrder = options.order == "first";
  const std::vector<Body> start = system.bodies;
  noteContacts(context);
  noteBlindTurns(context, dt);

  if (const auto meetings = turningMeetings(system, dt, settings.speculativeDistance); !meetings.empty())
    context.report.method.message = "a body turns by " + std::to_string(meetings[0].turn) +
                                    " rad in the step and meets another on its way: the contact may have been missed";
  std::vector<IslandProblem> colliding;
  std::vector<Vector> knocks;
  if (firstOrder) {
    for (Body& body : system.bodies)
      if (body.moves() && body.isDynamic()) relax(body, settings.gravity, options.relaxation);
  } else {
    // A contact that the step reaches collides when the step begins.
    colliding = impactProblems(context, dt, Law::Interval, [&](const ContactTerms& contact) {
      return contact.gap <= options.slop || contact.gap + dt * contact.freeApproach <= 0.0;
    });
    bool bounces = false;
    for (const IslandProblem& island : colliding)
      for (const IslandProblem::Origin& origin : island.origins)
        bounces |= origin.restitution > 0.0 && origin.approach < -settings.restitutionSpeed;
    if (bounces) knocks = resolveIslandImpacts(context, colliding, kSolver);
  }

  Formulation formulation;
  formulation.law = Law::Interval;
  formulation.unloaded = firstOrder;
  formulation.pushesOut = true;
  formulation.jointRate = 1.0 / dt;
  if (!firstOrder) formulation.jointSpeed = kPushOutSpeed;
  formulation.speedFloor = dt * settings.gravity.norm();
  formulation.normalBias = [&](const ContactTerms& contact) {
    if (contact.gap >= 0.0) return contact.gap / dt;
    return std::max(std::min(contact.gap + options.slop, 0.0) / dt, -kPushOutSpeed);
  };
  SolverSettings solver = settings.solver;
  solver.name = kSolver;
  std::vector<IslandProblem> islands = buildProblems(system, settings, dt, formulation);
  context.timer.finish(Phase::Prepare);
  const bool solved = solver_.solve(context, islands, solver);
  if (!solved) {
    system.bodies = start;
    return;
  }
  context.timer.finish(Phase::Solve);

  if (firstOrder) {
    // What nothing touches moves as its forces say, without gathering speed.
    std::vector<char> touched(system.bodies.size(), 0);
    for (const IslandProblem& island : islands)
      for (const std::uint32_t body : island.bodies) touched[body] = 1;
    for (std::size_t i = 0; i < system.bodies.size(); ++i) {
      Body& body = system.bodies[i];
      if (!body.moves() || !body.isDynamic() || touched[i] != 0) continue;
      advance(body, dt);
    }
    finishStep(context, islands, solver_.impulses(), dt, false);
  } else {
    finishStep(context, islands, solver_.impulses(), dt);
  }
  for (std::size_t i = 0; i < knocks.size(); ++i) storeImpulses(system, colliding[i], knocks[i], false);
  context.timer.finish(Phase::Integrate);
}

}  // namespace cairn
