// Projected Jacobi (STAR §4.3; with N = -(L + U)): all blocks step at once, from the same velocities.
//
// Undamped it diverges as soon as two contacts share a body. Here each block c steps as if its own matrix were D_c, with
// blockdiag(D_c) - W positive semidefinite, so that the steps of all blocks together never overshoot:
//
//   bodies   D_c = sum over its bodies k of n_k J_ck M_k^-1 J_ck^T + Gamma, n_k the number of blocks at body k: each body is
//            split into as many as there are blocks that push it (n sum x_i^2 >= (sum x_i)^2);
//   matrix   D_c = n_c W_cc, n_c the number of blocks in block row c (2 |x_c W_cj x_j| <= x_c W_cc x_c + x_j W_jj x_j).
//
// Inside the block the rows step one after the other, as in pgs (row_step.hpp), with D_c for W_cc. The objective of a
// problem without friction then falls with every sweep. The answer does not depend on the order of the blocks.
//
// Known failures: slow, by about the number of blocks at the busiest body compared with pgs. An unsymmetric W has no such
// bound.
#include "solvers/registry.hpp"
#include "solvers/row_step.hpp"

namespace cairn {

namespace {

std::vector<BlockMatrix> boundFromBodies(const ContactProblem& problem) {
  const ProblemData& data = problem.data();
  std::vector<int> blocksAt(data.inverseMass->bodies(), 0);
  for (const BlockJacobian& jacobian : data.jacobians)
    for (const int body : {jacobian.a, jacobian.b})
      if (body >= 0) ++blocksAt[body];
  std::vector<BlockMatrix> bound;
  for (std::size_t c = 0; c < data.blocks.size(); ++c) {
    const Block& block = data.blocks[c];
    BlockMatrix d = BlockMatrix::Zero(block.size, block.size);
    const auto add = [&](int body, const BlockJacobian::Part& part) {
      if (body >= 0) d += blocksAt[body] * (part * data.inverseMass->block(body) * part.transpose());
    };
    add(data.jacobians[c].a, data.jacobians[c].partA);
    add(data.jacobians[c].b, data.jacobians[c].partB);
    d.diagonal() += data.compliance.segment(block.first, block.size);
    bound.push_back(d);
  }
  return bound;
}

std::vector<BlockMatrix> boundFromMatrix(const ContactProblem& problem) {
  const MatrixForm<0> form(problem);
  std::vector<BlockMatrix> bound;
  for (std::size_t c = 0; c < problem.blocks().size(); ++c)
    bound.push_back((1 + form.neighbours(static_cast<int>(c))) * problem.diagonal(static_cast<int>(c)));
  return bound;
}

template <class Form, int kRows>
class JacobiPass final : public Sweeper {
 public:
  JacobiPass(const ContactProblem& problem, const std::vector<BlockMatrix>& bound)
      : blocks_(static_cast<int>(problem.blocks().size())), rows_(problem), form_(problem), step_(problem, bound) {
    for (int c = 0; c < blocks_; ++c) excess_.append(problem.diagonal(c) - bound[c]);
    next_.resize(problem.rows());
  }
  void start(const Vector& impulse) override { form_.start(impulse); }
  Vector& state() override { return form_.state(); }
  void damp(double relaxation, double regularisation) override { damping_ = {relaxation, regularisation}; }

  SweepChange sweep(Vector& impulse) override {
    next_ = impulse;
    for (int c = 0; c < blocks_; ++c) {
      const int first = rows_.first(c), size = rows_.size(c);
      double q[kMostBlockRows];
      form_.offset(c, impulse.data(), q);
      const double* excess = excess_[c];  // v = q + W l = (q + (W - D) l) + D l
      for (int r = 0; r < size; ++r)
        for (int k = 0; k < size; ++k) q[r] += excess[size * r + k] * impulse[first + k];
      step_.update(c, q, next_.data() + first, damping_);
    }
    SweepChange total;
    total.change = (step_.weight().array() * (next_ - impulse).array().square()).sum();
    total.size = (step_.weight().array() * next_.array().square()).sum();
    impulse.swap(next_);
    form_.start(impulse);
    return total;
  }

 private:
  int blocks_;
  BlockRows<kRows> rows_;
  Form form_;
  RowStep<kRows> step_;
  BlockArray<kRows> excess_;
  Vector next_;
  Damping damping_;
};

struct JacobiOptions {
  double relaxation = 1.0;
};

class Jacobi final : public ContactSolver {
 public:
  explicit Jacobi(const JacobiOptions& options) : options_(options) {}
  std::string_view name() const override { return "jacobi"; }
  Capabilities capabilities() const override { return {.laws = {true, true, true, true, true}}; }

 protected:
  int iterationLimit() const override { return kSweepLimit; }
  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    const std::vector<BlockMatrix> bound = sweepsBodies(problem) ? boundFromBodies(problem) : boundFromMatrix(problem);
    const auto pass = withForm(problem, [&]<class Form, int kRows>() -> std::unique_ptr<Sweeper> {
      return std::make_unique<JacobiPass<Form, kRows>>(problem, bound);
    });
    pass->damp(options_.relaxation, 0.0);
    pass->start(impulse);
    SweepWatch watch(monitor);
    CircleWatch circles(options_.relaxation);
    while (!monitor.stop()) {
      const SweepChange change = pass->sweep(impulse);
      if (watch.last(impulse, change)) return watch.exit();
      pass->damp(circles.relaxation(change), 0.0);
    }
    return monitor.exit();
  }

 private:
  JacobiOptions options_;
};

}  // namespace

std::unique_ptr<ContactSolver> makeJacobi(OptionReader& options) {
  JacobiOptions read;
  options.number("relaxation", read.relaxation, 0.01, 1.99);
  return std::make_unique<Jacobi>(read);
}

}  // namespace cairn
