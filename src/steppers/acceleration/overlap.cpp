#include "steppers/acceleration/overlap.hpp"

#include "base/stop.hpp"

namespace cairn {

namespace {

constexpr int kPasses = 10;
constexpr double kTolerance = 1e-6;  // of the solver
constexpr int kIterations = 1000;

// Calls use(point, motion of A, motion of B) for all points that overlap.
template <class Use>
void forEachOverlap(const SmoothIsland& island, const IslandState& state, Use&& use) {
  Touches touches;
  for (int i = 0; i < static_cast<int>(island.pairs().size()); ++i) {
    const IslandPair& pair = island.pairs()[i];
    const Motion a = island.motionOf(pair.bodyA, pair.a, state), b = island.motionOf(pair.bodyB, pair.b, state);
    island.touch(i, a, b, 0.0, touches);
    for (const PairPoint& point : touches.points)
      if (point.gap < 0.0) use(point, a, b);
  }
}

}  // namespace

double deepestOverlap(const SmoothIsland& island, const IslandState& state) {
  double deepest = 0.0;
  forEachOverlap(island, state, [&](const PairPoint& point, const Motion&, const Motion&) {
    const double allowed = kOverlapShare * island.pairs()[point.pair].size;
    if (-point.gap > allowed) deepest = std::max(deepest, -point.gap);
  });
  return deepest;
}

bool takeApart(const SmoothIsland& island, IslandState& state, double mostMove) {
  double left = mostMove;
  for (int pass = 0; pass < kPasses; ++pass) {
    pollStop();
    const double deepest = deepestOverlap(island, state);
    if (deepest == 0.0) return true;
    if (!(left > 0.0)) return false;
    std::vector<ActiveContact> contacts;
    forEachOverlap(island, state, [&](const PairPoint& point, const Motion& a, const Motion& b) {
      ActiveContact contact;
      contact.pair = point.pair;
      contact.id = point.id;
      freeze(contact, point, a, b);  // rows look from farther away, where four other points may stand for the pair
      contacts.push_back(contact);
    });
    const RowSet rows = makeRows(island, state, contacts, 0.0, false);
    const IslandMass mass(island, state);
    const Matrix w = mass.delassus(rows);
    const double share = std::min(1.0, left / deepest);
    ProblemData data;
    std::vector<int> source;
    const auto add = [&](int first, int size, Law law) {
      Block block;
      block.law = law;
      block.first = static_cast<int>(source.size());
      block.size = size;
      for (int k = 0; k < size; ++k) source.push_back(first + k);
      data.blocks.push_back(block);
    };
    for (std::size_t j = 0; j + 1 < rows.firstOfJoint.size(); ++j)
      add(rows.firstOfJoint[j], rows.firstOfJoint[j + 1] - rows.firstOfJoint[j], Law::Free);
    for (std::size_t c = 0; c < contacts.size(); ++c) add(rows.normal(c), 1, Law::Interval);
    const Matrix part = w(source, source);
    data.bias = Vector::Zero(part.rows());  // joints stay as they are
    for (std::size_t c = 0; c < contacts.size(); ++c)
      data.bias[rows.jointRows() + static_cast<Eigen::Index>(c)] = share * rows.error[rows.normal(c)];
    if (!part.allFinite() || !data.bias.allFinite()) return false;
    data.name = "overlaps";
    data.delassus = part.sparseView();
    Vector y = Vector::Zero(part.rows());
    makeSolver("auto")->solve(ContactProblem(data), {kTolerance, kIterations, 0.0}, y);
    Vector all = Vector::Zero(rows.count());
    for (std::size_t k = 0; k < source.size(); ++k) all[source[k]] = y[static_cast<Eigen::Index>(k)];
    addDisplacement(state, mass.push(rows, all));
    left -= share * deepest;
  }
  return deepestOverlap(island, state) == 0.0;
}

}  // namespace cairn
