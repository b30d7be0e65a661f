#include "mechanics/push_out.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {

namespace {

// What is driven may carry others along, and throw them with a lever: so many times the energy that all bodies have at the
// speed of the drive.
constexpr double kThrow = 10.0;

constexpr double kLeeway = 2.0;

bool isShift(const BlockJacobian& jacobian, int k) {
  return (jacobian.a >= 0 && !jacobian.partA.row(k).head<3>().isZero(0.0)) ||
         (jacobian.b >= 0 && !jacobian.partB.row(k).head<3>().isZero(0.0));
}

// Calls use(row, block, k) for the rows that errors are taken back by: normals of contacts, and joints.
template <class Use>
void forEachPushed(const IslandProblem& island, Use&& use) {
  const std::vector<Block>& blocks = island.problem->blocks();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool isLimit = island.origins[i].mechanism != kNone && island.origins[i].force != AxisForce::Friction;
    if (island.origins[i].joint == kNone && island.origins[i].point < 0 && !isLimit) continue;  // friction of a whole patch
    const int rows = blocks[i].law == Law::Free ? blocks[i].size : 1;
    for (int k = 0; k < rows; ++k) use(blocks[i].first + k, static_cast<int>(i), k);
  }
}

// Rows with `driven` times the velocities that are prescribed, and no errors to be taken back.
std::shared_ptr<const ContactProblem> rebuilt(const IslandProblem& island, double driven) {
  ProblemData data = island.problem->data();
  const Vector errors = data.bias - island.driven;
  data.bias = errors + driven * island.driven;
  forEachPushed(island, [&](int row, int block, int) {
    const bool isOpen = data.blocks[block].law != Law::Free && errors[row] > 0.0;
    if (!isOpen) data.bias[row] -= errors[row];
  });
  data.warmStart.setZero();
  return std::make_shared<const ContactProblem>(std::move(data));
}

}  // namespace

bool pushesTooHard(const IslandProblem& island, const Vector& impulse) {
  const ContactProblem& problem = *island.problem;
  const ProblemData& data = problem.data();
  const double gain = stepEnergy(problem, impulse).total();
  if (!island.pushesOut || !(gain > 0.0)) return false;
  double allowed = 0.0, shift = 0.0, fastest = 0.0, mass = 0.0;
  for (int i = 0; i < data.inverseMass->bodies(); ++i) mass += 1.0 / std::max(data.inverseMass->block(i)(0, 0), 1e-300);
  bool hasSpring = false;  // it gives what it has stored
  for (const IslandProblem::Origin& origin : island.origins)
    hasSpring |= origin.mechanism != kNone && origin.force == AxisForce::Motor;  // what a motor gives is wanted
  forEachPushed(island, [&](int row, int block, int k) {
    hasSpring |= data.compliance.size() > 0 && data.compliance[row] > 0.0;
    fastest = std::max(fastest, std::abs(island.driven[row]));
    const double error = data.bias[row] - island.driven[row], mobility = problem.diagonal(block)(k, k);
    if (data.blocks[block].law != Law::Free && error >= 0.0) return;
    if (isShift(data.jacobians[block], k)) {
      shift = std::max(shift, std::abs(error));
    } else if (mobility > 0.0) {
      allowed += 0.5 * error * error / mobility;
    }
  });
  allowed += 0.5 * mass * (kLeeway * shift * shift + kThrow * fastest * fastest);
  return !hasSpring && gain > allowed;
}

std::shared_ptr<const ContactProblem> withoutPushingOut(const IslandProblem& island) { return rebuilt(island, 1.0); }
std::shared_ptr<const ContactProblem> withoutDrives(const IslandProblem& island) { return rebuilt(island, 0.0); }

}  // namespace cairn
