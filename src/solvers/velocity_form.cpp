#include "solvers/velocity_form.hpp"

namespace cairn {

bool allBlocksHaveThreeRows(const ContactProblem& problem) {
  return std::all_of(problem.blocks().begin(), problem.blocks().end(), [](const Block& block) { return block.size == 3; });
}

template <int kRows>
BodyForm<kRows>::BodyForm(const ContactProblem& problem)
    : rows_(problem), blocks_(static_cast<int>(problem.blocks().size())), b_(problem.b()) {
  const ProblemData& data = problem.data();
  const int bodies = data.inverseMass->bodies();
  std::vector<Mat6> inverseMass(bodies);
  for (int i = 0; i < bodies; ++i) inverseMass[i] = data.inverseMass->block(i);
  jacobian_.assign(12 * static_cast<std::size_t>(problem.rows()), 0.0);
  response_.assign(jacobian_.size(), 0.0);
  for (int c = 0; c < blocks_; ++c) {
    const Block& block = data.blocks[c];
    const BlockJacobian& jacobian = data.jacobians[c];
    const auto place = [&](int body, const BlockJacobian::Part& part, int offset) {
      if (body < 0) return;
      const BlockJacobian::Part response = part * inverseMass[body];  // row r is column r of M^-1 J^T
      for (int r = 0; r < block.size; ++r)
        for (int i = 0; i < 6; ++i) {
          jacobian_[12 * (block.first + r) + offset + i] = part(r, i);
          response_[12 * (block.first + r) + offset + i] = response(r, i);
        }
    };
    place(jacobian.a, jacobian.partA, 0);
    place(jacobian.b, jacobian.partB, 6);
    bodyA_.push_back(6 * (jacobian.a < 0 ? bodies : jacobian.a));
    bodyB_.push_back(6 * (jacobian.b < 0 ? bodies : jacobian.b));
    BlockMatrix own = problem.diagonal(c);
    own.diagonal() -= data.compliance.segment(block.first, block.size);
    own_.append(own);
  }
  dv_ = Vector::Zero(6 * (bodies + 1));
}

template <int kRows>
void BodyForm<kRows>::start(const Vector& impulse) {
  dv_.setZero();
  for (int c = 0; c < blocks_; ++c) change(c, impulse.data() + rows_.first(c));
}

template <int kRows>
MatrixForm<kRows>::MatrixForm(const ContactProblem& problem) : rows_(problem), b_(problem.b()) {
  // Compliance sits on the diagonal only, so the matrix as it was given will do.
  const SparseMatrix& w = problem.hasBodies() ? problem.delassus() : problem.data().delassus;
  const auto& blocks = problem.blocks();
  std::vector<int> blockOfRow(problem.rows());
  for (std::size_t c = 0; c < blocks.size(); ++c)
    for (int r = 0; r < blocks[c].size; ++r) blockOfRow[blocks[c].first + r] = static_cast<int>(c);
  std::vector<int> seenBy(blocks.size(), -1);
  std::vector<std::size_t> place(blocks.size());
  std::vector<int> others;
  start_.push_back(0);
  for (std::size_t c = 0; c < blocks.size(); ++c) {
    const Block& block = blocks[c];
    seenBy[c] = static_cast<int>(c);  // leaves the diagonal block out
    others.clear();
    for (int r = 0; r < block.size; ++r)
      for (SparseMatrix::InnerIterator entry(w, block.first + r); entry; ++entry) {
        const int other = blockOfRow[entry.col()];
        if (seenBy[other] == static_cast<int>(c)) continue;
        seenBy[other] = static_cast<int>(c);
        others.push_back(other);
      }
    std::sort(others.begin(), others.end());
    for (const int other : others) {
      place[other] = values_.size();
      column_.push_back(blocks[other].first);
      if constexpr (kRows == 0) {
        columns_.push_back(blocks[other].size);
        valueStart_.push_back(values_.size());
      }
      values_.resize(values_.size() + static_cast<std::size_t>(block.size * blocks[other].size), 0.0);
    }
    for (int r = 0; r < block.size; ++r)
      for (SparseMatrix::InnerIterator entry(w, block.first + r); entry; ++entry) {
        const int other = blockOfRow[entry.col()];
        if (other == static_cast<int>(c)) continue;
        values_[place[other] + static_cast<std::size_t>(r * blocks[other].size + entry.col() - blocks[other].first)] +=
            entry.value();
      }
    start_.push_back(static_cast<int>(column_.size()));
  }
}

template class BodyForm<0>;
template class BodyForm<3>;
template class MatrixForm<0>;
template class MatrixForm<3>;

}  // namespace cairn
