#include "problem/split_problem.hpp"

#include "problem/admissible.hpp"

namespace cairn {

namespace {

// Rows of one block that go into the part, under another law.
struct Selection {
  int block, first, size;  // first: row within the block
  Law law;
};

SplitProblem split(const ContactProblem& whole, const std::vector<Selection>& selections, const Vector& impulse) {
  SplitProblem part;
  ProblemData data;
  data.name = whole.name();
  data.speedFloor = whole.data().speedFloor;
  Vector others = impulse;
  for (const Selection& selection : selections) {
    Block block;
    block.law = selection.law;
    block.first = static_cast<int>(part.rows.size());
    block.size = selection.size;
    data.blocks.push_back(block);
    const int first = whole.blocks()[selection.block].first + selection.first;
    for (int k = 0; k < selection.size; ++k) part.rows.push_back(first + k);
    others.segment(first, selection.size).setZero();
    if (!whole.hasBodies()) continue;
    BlockJacobian jacobian = whole.data().jacobians[selection.block];
    const auto cut = [&](BlockJacobian::Part& rows) {
      if (rows.rows() > 0) rows = BlockJacobian::Part(rows.middleRows(selection.first, selection.size));
    };
    cut(jacobian.partA);
    cut(jacobian.partB);
    data.jacobians.push_back(std::move(jacobian));
  }
  data.lower = part.pick(whole.data().lower);
  data.upper = part.pick(whole.data().upper);
  data.compliance = part.pick(whole.data().compliance);
  data.warmStart = part.pick(impulse);
  for (std::size_t i = 0; i < selections.size(); ++i) {
    const Block& block = whole.blocks()[selections[i].block];
    if (!isContact(block.law)) continue;
    const int first = data.blocks[i].first, tangents = selections[i].size;
    if (selections[i].first == 0) {
      data.lower[first] = 0.0;
      data.upper[first] = std::numeric_limits<double>::infinity();
      continue;
    }
    data.upper.segment(first, tangents) = frictionScale(block).tail(tangents) * std::max(impulse[block.first], 0.0);
    data.lower.segment(first, tangents) = -data.upper.segment(first, tangents);
  }
  if (whole.hasBodies()) {
    data.bias = part.pick(whole.data().bias);
    data.inverseMass = whole.data().inverseMass;
    data.freeVelocity = whole.bodyVelocity(others);
  } else {
    data.bias = part.pick(whole.velocity(others));
    std::vector<int> newRow(whole.rows(), -1);
    for (std::size_t i = 0; i < part.rows.size(); ++i) newRow[part.rows[i]] = static_cast<int>(i);
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t i = 0; i < part.rows.size(); ++i)
      for (SparseMatrix::InnerIterator entry(whole.data().delassus, part.rows[i]); entry; ++entry)
        if (newRow[entry.col()] >= 0) entries.emplace_back(static_cast<int>(i), newRow[entry.col()], entry.value());
    const int size = static_cast<int>(part.rows.size());
    data.delassus.resize(size, size);
    data.delassus.setFromTriplets(entries.begin(), entries.end());
  }
  part.problem = std::make_unique<ContactProblem>(std::move(data));
  return part;
}

}  // namespace

Vector SplitProblem::pick(const Vector& whole) const {
  Vector picked(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) picked[static_cast<Eigen::Index>(i)] = whole[rows[i]];
  return picked;
}

void SplitProblem::putBack(const Vector& part, Vector& whole) const {
  for (std::size_t i = 0; i < rows.size(); ++i) whole[rows[i]] = part[static_cast<Eigen::Index>(i)];
}

SplitProblem normalsAlone(const ContactProblem& problem, const Vector& impulse, bool withJoints) {
  std::vector<Selection> selections;
  for (int i = 0; i < static_cast<int>(problem.blocks().size()); ++i) {
    const Block& block = problem.blocks()[i];
    if (isContact(block.law)) {
      selections.push_back({i, 0, 1, Law::Interval});
    } else if (block.law == Law::Interval || withJoints) {
      selections.push_back({i, 0, block.size, block.law});
    }
  }
  return split(problem, selections, impulse);
}

SplitProblem jointsAlone(const ContactProblem& problem, const Vector& impulse) {
  std::vector<Selection> selections;
  for (int i = 0; i < static_cast<int>(problem.blocks().size()); ++i) {
    const Block& block = problem.blocks()[i];
    if (block.law == Law::Free) selections.push_back({i, 0, block.size, Law::Free});
  }
  return split(problem, selections, impulse);
}

SplitProblem frictionAlone(const ContactProblem& problem, const Vector& impulse, bool withJoints) {
  std::vector<Selection> selections;
  for (int i = 0; i < static_cast<int>(problem.blocks().size()); ++i) {
    const Block& block = problem.blocks()[i];
    if (isContact(block.law)) {
      selections.push_back({i, 1, block.size - 1, Law::Interval});
    } else if (block.law == Law::Free && withJoints) {
      selections.push_back({i, 0, block.size, Law::Free});
    }
  }
  return split(problem, selections, impulse);
}

bool hasRoundFriction(const ContactProblem& problem) {
  for (const Block& block : problem.blocks())
    if (block.size == 3 && (block.law == Law::Cone || block.law == Law::Pyramid)) return true;
  return false;
}

}  // namespace cairn
