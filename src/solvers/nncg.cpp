// Nonsmooth nonlinear conjugate gradients (Silcowitz-Hansen, Niebe and Erleben): a sweep of Gauss-Seidel is taken for a
// preconditioned step downhill, and Fletcher and Reeves' rule makes conjugate directions of such steps.
//
//   r_k = sweep(x_k) - x_k,   beta = |r_k|^2/|r_{k-1}|^2
//   beta > 1 (the steps grow):  x_{k+1} = sweep(x_k), p_k = 0: begin again
//   otherwise                   x_{k+1} = sweep(x_k) + beta p_{k-1}, p_k = beta p_{k-1} + r_k
//
// Norms weigh rows by W_ii, so that units do not matter. It is sweep(x_k) that is judged: it obeys the bounds, which x need
// not. `sweep` chooses pgs (row_step.hpp) or bgs (block_step.hpp).
//
// Sweeps that go round in circles are shortened (CircleWatch in sweep.hpp).
//
// Known failures: not monotone, so it ends with the best that was judged. No proof of convergence; where friction is
// strong and contacts are many it may restart so often that it is plain Gauss-Seidel.
#include "solvers/registry.hpp"
#include "solvers/sweep.hpp"

namespace cairn {

namespace {

enum class SweepKind { Rows, Blocks };

struct NncgOptions {
  SweepKind sweep = SweepKind::Rows;
  SweepOrder order;
};

class Nncg final : public ContactSolver {
 public:
  explicit Nncg(const NncgOptions& options) : options_(options) {}
  std::string_view name() const override { return "nncg"; }
  Capabilities capabilities() const override { return {.laws = {true, true, true, true, true}}; }

 protected:
  int iterationLimit() const override { return kSweepLimit; }
  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    const auto sweeper = options_.sweep == SweepKind::Rows ? makeRowSweeper(problem, options_.order)
                                                           : makeBlockSweeper(problem, options_.order, LocalSolver::Auto);
    sweeper->start(impulse);
    monitor.keepBest(true);
    SweepWatch watch(monitor);
    CircleWatch circles(1.0);
    Vector x = impulse;
    Vector direction = Vector::Zero(x.size()), before(x.size());
    Vector stateDirection = Vector::Zero(sweeper->state().size()), stateBefore(sweeper->state().size());
    double previous = 0.0;
    Exit exit = Exit::Converged;
    while (true) {
      if (monitor.stop()) {
        exit = monitor.exit();
        break;
      }
      before = x;
      stateBefore = sweeper->state();
      const SweepChange change = sweeper->sweep(x);
      if (watch.last(x, change)) {
        exit = watch.exit();
        break;
      }
      impulse = x;
      sweeper->damp(circles.relaxation(change), 0.0);
      const double beta = previous > 0.0 ? change.change / previous : 0.0;
      previous = change.change;
      if (beta > 1.0) {
        direction.setZero();
        stateDirection.setZero();
        continue;
      }
      direction *= beta;
      stateDirection *= beta;
      before = x - before;
      stateBefore = sweeper->state() - stateBefore;
      x += direction;
      sweeper->state() += stateDirection;
      direction += before;
      stateDirection += stateBefore;
    }
    if (exit == Exit::Converged) {
      impulse = x;
      return exit;
    }
    if (exit != Exit::Diverged) monitor.judgeNow(impulse);  // the last sweep may not have been looked at
    monitor.restoreBest(impulse);
    return exit;
  }

 private:
  NncgOptions options_;
};

}  // namespace

std::unique_ptr<ContactSolver> makeNncg(OptionReader& options) {
  NncgOptions read;
  options.choice("sweep", read.sweep, {{"pgs", SweepKind::Rows}, {"bgs", SweepKind::Blocks}});
  read.order.read(options);
  return std::make_unique<Nncg>(read);
}

}  // namespace cairn
