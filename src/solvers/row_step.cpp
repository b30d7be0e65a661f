#include "solvers/row_step.hpp"

namespace cairn {

template <int kRows>
RowStep<kRows>::RowStep(const ContactProblem& problem, const std::vector<BlockMatrix>& diagonal)
    : blocks_(&problem.blocks()),
      weight_(problem.rows()),
      step_(problem.rows()),
      lower_(problem.data().lower),
      upper_(problem.data().upper) {
  for (std::size_t c = 0; c < blocks_->size(); ++c) {
    const Block& block = (*blocks_)[c];
    const BlockMatrix& w = diagonal[c];
    w_.append(w);
    Item item{Kind::Free, block.first, block.size, {0.0, 0.0}, 0.0, static_cast<int>(c)};
    for (int i = 0; i < block.size; ++i) {
      weight_[block.first + i] = std::max(w(i, i), 0.0);
      step_[block.first + i] = w(i, i) > 0.0 ? 1.0 / w(i, i) : 0.0;
    }
    if (block.law == Law::Interval) item.kind = Kind::Interval;
    if (isContact(block.law)) {
      const BlockVector scale = frictionScale(block);
      for (int i = 1; i < block.size; ++i) item.friction[i - 1] = scale[i];
      const int tangents = block.size - 1;
      const bool together = tangents == 2 && block.law != Law::Box;
      item.kind = !together ? Kind::Box : block.law == Law::Cone ? Kind::Disc : Kind::Polygon;
      if (step_[block.first] == 0.0) item.kind = Kind::Immovable;
      // A tangent that its own impulse cannot move still has to oppose the slip; any length of step will do.
      for (int i = 1; i < block.size; ++i)
        if (step_[block.first + i] == 0.0) step_[block.first + i] = step_[block.first];
      if (together) {
        const BlockMatrix tangential = w.bottomRightCorner(2, 2);
        const BlockVector tangentScale = scale.tail(2);
        const bool moves = tangential.diagonal().cwiseProduct(tangentScale).maxCoeff() > 0.0;
        item.tangentStep = moves ? naturalStep(tangential, tangentScale) : step_[block.first];
      }
    }
    items_.push_back(item);
  }
}

template class RowStep<0>;
template class RowStep<3>;

std::unique_ptr<Sweeper> makeRowSweeper(const ContactProblem& problem, const SweepOrder& order) {
  std::vector<BlockMatrix> diagonal;
  for (std::size_t c = 0; c < problem.blocks().size(); ++c) diagonal.push_back(problem.diagonal(static_cast<int>(c)));
  return withForm(problem, [&]<class Form, int kRows>() -> std::unique_ptr<Sweeper> {
    return std::make_unique<GaussSeidel<Form, RowStep<kRows>, kRows>>(problem, order, RowStep<kRows>(problem, diagonal));
  });
}

}  // namespace cairn
