#include "steppers/push_out.hpp"

#include <algorithm>

namespace cairn {

namespace {

// Whether the impulses leave more kinetic energy than the free velocities have and parting at `speed` gives.
bool pushesTooHard(const System& system, const IslandProblem& island, const Vector& impulse, double speed) {
  const Vector& before = island.problem->data().freeVelocity;
  const Vector after = island.problem->bodyVelocity(impulse);
  double free = 0.0, now = 0.0, allowed = 0.0;  // J
  for (std::size_t i = 0; i < island.bodies.size(); ++i) {
    const Body& body = system.bodies[island.bodies[i]];
    const auto energy = [&](const Vector& velocity) {
      const Vec3 linear = velocity.segment<3>(6 * static_cast<Eigen::Index>(i));
      const Vec3 spin = body.rotation.conjugate() * Vec3(velocity.segment<3>(6 * static_cast<Eigen::Index>(i) + 3));
      return 0.5 * (body.mass * linear.squaredNorm() + spin.dot(body.inertia * spin));
    };
    free += energy(before);
    now += energy(after);
    allowed += 0.5 * body.mass * speed * speed;
  }
  return now > free + allowed;
}

// Contacts keep their gaps, and whatever moves by itself stands still for them and for joints.
void letThrough(IslandProblem& island, double dt) {
  ProblemData data = island.problem->data();
  data.bias.setZero();
  for (std::size_t i = 0; i < island.origins.size(); ++i) {
    const IslandProblem::Origin& origin = island.origins[i];
    if (origin.contact != kNone && origin.point >= 0) data.bias[data.blocks[i].first] = std::max(origin.gap, 0.0) / dt;
  }
  island.problem = std::make_shared<const ContactProblem>(std::move(data));
}

bool hasNoSolution(const StepReport& report) {
  return report.solve && (report.solve->exits[static_cast<int>(Exit::Infeasible)] > 0 ||
                          report.solve->exits[static_cast<int>(Exit::Ray)] > 0);
}

}  // namespace

bool solveGently(StepContext& context, IslandSolver& solver, const SolverSettings& settings, const PushOut& push,
                 std::vector<IslandProblem>& islands) {
  std::string& message = context.report.method.message;
  const auto isHard = [&](std::size_t i) {
    return pushesTooHard(context.system, islands[i], solver.impulse(i), push.speed);
  };
  const auto anyIsHard = [&] {
    for (std::size_t i = 0; i < islands.size(); ++i)
      if (isHard(i)) return true;
    return false;
  };
  if (!solver.solve(context, islands, settings)) return false;
  const bool contradict = hasNoSolution(context.report);
  if (!contradict && !anyIsHard()) return true;
  if (message.empty())
    message = contradict ? "penetrations contradict each other: the step was taken without pushing them apart"
                         : "pushing penetrations apart would have made bodies far too fast: the step was taken without";
  islands = push.without();
  if (!solver.solve(context, islands, settings)) return false;
  if (!anyIsHard()) return true;
  for (std::size_t i = 0; i < islands.size(); ++i)
    if (isHard(i)) letThrough(islands[i], push.dt);
  message = "a kinematic body drives what cannot give way: the step was taken as if it stood still";
  return solver.solve(context, islands, settings);
}

}  // namespace cairn
