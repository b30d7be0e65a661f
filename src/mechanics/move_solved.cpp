// Moves all bodies by dt once the impulses of their islands are known.
#include "math/rotation.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/solve_islands.hpp"

namespace cairn {

namespace {

constexpr double kSameWay = 1e-6;  // of the speed that gravity gives in a step

// By body: no impulse reached it, so that it flies as if alone (x + h (u- + u+)/2, exact under constant loads, where x + h
// u+ loses m (g h)^2/2 in every step near the ground). Not if that were nearer to something than what the rows allow.
std::vector<char> findFliers(const System& system, const std::vector<IslandProblem>& islands,
                             const std::vector<Vector>& impulses) {
  std::vector<char> flies(system.bodies.size(), 0);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const IslandProblem& island = islands[i];
    const ProblemData& data = island.problem->data();
    std::vector<char> pushed(island.bodies.size(), 0);
    std::vector<Vec6> bend(island.bodies.size());  // (u- - u+)/2
    for (std::size_t k = 0; k < island.bodies.size(); ++k) {
      const Body& body = system.bodies[island.bodies[k]];
      bend[k] << body.velocity, body.spin;
      bend[k] = 0.5 * (bend[k] - data.freeVelocity.segment<6>(6 * static_cast<Eigen::Index>(k)));
    }
    const auto push = [&](const BlockJacobian& jacobian) {
      if (jacobian.a >= 0) pushed[jacobian.a] = 1;
      if (jacobian.b >= 0) pushed[jacobian.b] = 1;
    };
    for (const IslandProblem::Eliminated& joint : island.eliminated) push(joint.jacobian);
    for (std::size_t k = 0; k < data.blocks.size(); ++k) {
      const Block& block = data.blocks[k];
      if (block.law == Law::Free || !impulses[i].segment(block.first, block.size).isZero(0.0)) push(data.jacobians[k]);
    }
    bool nearer = false;
    for (std::size_t k = 0; k < data.blocks.size() && !nearer; ++k) {
      const BlockJacobian& jacobian = data.jacobians[k];
      double separation = 0.0;
      if (jacobian.a >= 0 && pushed[jacobian.a] == 0) separation += jacobian.partA.row(0).dot(bend[jacobian.a]);
      if (jacobian.b >= 0 && pushed[jacobian.b] == 0) separation += jacobian.partB.row(0).dot(bend[jacobian.b]);
      nearer = separation < -kSameWay * data.speedFloor;
    }
    if (nearer) continue;
    for (std::size_t k = 0; k < island.bodies.size(); ++k)
      flies[island.bodies[k]] = pushed[k] == 0 && system.bodies[island.bodies[k]].mechanism == kNone ? 1 : 0;
  }
  return flies;
}

// By mechanism: no impulse reached it, and no contact is near.
bool fliesFree(const IslandProblem& island, const IslandProblem::Articulated& one, const Vector& impulse) {
  const ProblemData& data = island.problem->data();
  const auto isOwn = [&](int body) { return body >= one.first && body < one.first + one.movers->bodies(); };
  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    if (!isOwn(data.jacobians[i].a) && !isOwn(data.jacobians[i].b)) continue;
    if (island.origins[i].mechanism == kNone || !impulse.segment(data.blocks[i].first, data.blocks[i].size).isZero(0.0))
      return false;
  }
  return true;
}

// Where joints take articulations: by the velocities that they end with, if something pushed them, as other bodies; else by
// the midpoint rule. Their bodies follow.
void moveMechanisms(StepContext& context, const std::vector<IslandProblem>& islands, const std::vector<Vector>& impulses,
                    double dt, bool movesFree) {
  System& system = context.system;
  if (system.mechanisms.empty()) return;
  std::vector<char> solved(system.mechanisms.size(), 0);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    for (const IslandProblem::Articulated& one : islands[i].articulations) {
      Mechanism& mechanism = system.mechanisms[one.mechanism];
      solved[one.mechanism] = 1;
      if (fliesFree(islands[i], one, impulses[i])) {
        mechanism.v = one.movers->startJoints();
        solved[one.mechanism] = 0;
      } else {
        mechanism.model->integrate(mechanism.q, mechanism.v, dt, mechanism.q);
      }
    }
  }
  for (std::size_t i = 0; i < system.mechanisms.size(); ++i) {
    Mechanism& mechanism = system.mechanisms[i];
    const auto moves = [&](std::uint32_t body) { return system.bodies[body].moves() && system.bodies[body].isDynamic(); };
    if (!mechanism.alive || std::none_of(mechanism.bodies.begin(), mechanism.bodies.end(), moves)) continue;
    if (solved[i] == 0 && movesFree && !moveFree(system, mechanism, context.settings.gravity, dt) &&
        context.report.method.message.empty())
      context.report.method.message = "articulation " + std::to_string(i) + ": dt is too long for its motion";
    if (solved[i] != 0 || movesFree) placeLinks(system, mechanism);
  }
}

}  // namespace

void moveSolved(StepContext& context, const std::vector<IslandProblem>& islands, const std::vector<Vector>& impulses,
                double dt, bool movesFree) {
  System& system = context.system;
  const FreeMotion motion = freeMotion(context.settings);
  std::vector<char> solved(system.bodies.size(), 0), flies;
  if (movesFree) flies = findFliers(system, islands, impulses);
  std::vector<Body> flown;
  for (std::size_t i = 0; i < flies.size(); ++i)
    if (flies[i] != 0) moveFree(flown.emplace_back(system.bodies[i]), motion, dt, 1);
  for (std::size_t i = 0; i < islands.size(); ++i) setVelocities(system, islands[i], impulses[i], solved);
  for (std::size_t i = 0, next = 0; i < flies.size(); ++i)
    if (flies[i] != 0) system.bodies[i] = flown[next++];
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    Body& body = system.bodies[i];
    if (!body.moves() || body.mechanism != kNone || (movesFree && flies[i] != 0)) continue;
    if (body.isDynamic() && solved[i] == 0) {
      if (movesFree) moveFree(body, motion, dt, 1);
      continue;
    }
    advance(body, dt);
  }
  moveMechanisms(context, islands, impulses, dt, movesFree);
}

}  // namespace cairn
