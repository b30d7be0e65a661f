#include "solvers/block_step.hpp"

#include <Eigen/QR>
#include <map>

namespace cairn {

template <int kRows>
BlockStep<kRows>::BlockStep(const ContactProblem& problem, LocalSolver local)
    : local_(local), problem_(&problem), weight_(problem.rows()) {
  std::map<std::pair<Law, int>, std::shared_ptr<const Corners>> corners;
  int frees = 0;
  for (std::size_t c = 0; c < problem.blocks().size(); ++c) {
    const Block& block = problem.blocks()[c];
    const BlockMatrix& w = problem.diagonal(static_cast<int>(c));
    weight_.segment(block.first, block.size) = w.diagonal().cwiseMax(0.0);
    Item item{Kind::Immovable, block.first, block.size, 0};
    if (block.law == Law::Free) {
      item.kind = Kind::Free;
      item.index = frees++;
      w_.append(w);
      inverse_.append(Eigen::CompleteOrthogonalDecomposition<Matrix>(Matrix(w)).pseudoInverse());
    } else if (block.law == Law::Interval) {
      const double* lower = problem.data().lower.data() + block.first;
      const double* upper = problem.data().upper.data() + block.first;
      if (block.size == 1) {
        item.kind = Kind::Row;
        item.index = static_cast<int>(intervalRows_.size());
        intervalRows_.push_back({w(0, 0), lower[0], upper[0]});
      } else {
        item.kind = Kind::Interval;
        item.index = static_cast<int>(intervals_.size());
        intervals_.emplace_back(w, lower, upper);
      }
    } else if (w(0, 0) > 0.0) {
      item.kind = Kind::Contact;
      item.index = static_cast<int>(contacts_.size());
      std::shared_ptr<const Corners> shared;
      if (block.law != Law::Cone && block.size == 3) {
        shared = corners[{block.law, block.facets}];
        if (shared == nullptr) shared = corners[{block.law, block.facets}] = cornersOf(block);
      }
      contacts_.emplace_back(block, w, std::move(shared));
    }
    items_.push_back(item);
  }
}

// A convex set keeps what lies between two of its points: only going further than the whole way leaves it.
template <int kRows>
void BlockStep<kRows>::restore(int c, double* l) const {
  const Block& block = problem_->blocks()[c];
  if (block.law == Law::Free) return;
  if (block.law == Law::Interval) {
    for (int i = 0; i < block.size; ++i)
      l[i] = std::clamp(l[i], problem_->data().lower[block.first + i], problem_->data().upper[block.first + i]);
    return;
  }
  l[0] = std::max(l[0], 0.0);
  const BlockVector scale = frictionScale(block);
  double t[2] = {0.0, 0.0};
  for (int i = 1; i < block.size; ++i) t[i - 1] = scale[i] > 0.0 ? l[i] / scale[i] : 0.0;
  projectTangents(block, l[0], t);
  for (int i = 1; i < block.size; ++i) l[i] = scale[i] * t[i - 1];
}

template class BlockStep<0>;
template class BlockStep<3>;

std::unique_ptr<Sweeper> makeBlockSweeper(const ContactProblem& problem, const SweepOrder& order, LocalSolver local) {
  return withForm(problem, [&]<class Form, int kRows>() -> std::unique_ptr<Sweeper> {
    return std::make_unique<GaussSeidel<Form, BlockStep<kRows>, kRows>>(problem, order, BlockStep<kRows>(problem, local));
  });
}

}  // namespace cairn
