#include "steppers/push_limit.hpp"

#include <algorithm>

namespace cairn {

namespace {

constexpr double kLeeway = 1.0;  // of what pushing each row out by itself takes

// Calls use(row, block, k) for the rows that errors are taken back by: normals of contacts, and joints.
template <class Use>
void forEachPushed(const IslandProblem& island, Use&& use) {
  const std::vector<Block>& blocks = island.problem->blocks();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (island.origins[i].joint == kNone && island.origins[i].point < 0) continue;  // friction of a whole patch
    const int rows = blocks[i].law == Law::Free ? blocks[i].size : 1;
    for (int k = 0; k < rows; ++k) use(blocks[i].first + k, static_cast<int>(i), k);
  }
}

}  // namespace

bool pushesOutTooHard(const IslandProblem& island, const Vector& impulse) {
  const ProblemData& data = island.problem->data();
  if (!island.driven.isZero(0.0)) return false;  // energy may come from there
  const double gain = stepEnergy(*island.problem, impulse).total();
  if (!(gain > 0.0)) return false;
  double allowed = 0.0;
  bool hasSpring = false;  // it gives what it has stored
  forEachPushed(island, [&](int row, int block, int k) {
    hasSpring |= data.compliance.size() > 0 && data.compliance[row] > 0.0;
    const double bias = data.bias[row], mobility = island.problem->diagonal(block)(k, k);
    if (data.blocks[block].law != Law::Free && bias >= 0.0) return;
    if (mobility > 0.0) allowed += 0.5 * bias * bias / mobility;
  });
  return !hasSpring && gain > kLeeway * allowed;
}

std::shared_ptr<const ContactProblem> withoutPushingOut(const IslandProblem& island) {
  ProblemData data = island.problem->data();
  forEachPushed(island, [&](int row, int block, int) {
    const double error = data.bias[row] - island.driven[row];
    data.bias[row] = island.driven[row] + (data.blocks[block].law == Law::Free ? 0.0 : std::max(error, 0.0));
  });
  data.warmStart.setZero();
  return std::make_shared<const ContactProblem>(std::move(data));
}

}  // namespace cairn
