// A sparse LDL^T factorisation for joints alone: W lambda = -b.
//
// Redundant joints make W singular, and W given as a matrix may be a little unsymmetric. So what is factorised is
// A = (W + W^T)/2 + eps diag(W) with a tiny eps, and the answer is refined against W itself,
//
//   lambda <- lambda - A^-1 (W lambda + b),
//
// which leaves the share eps/(eps + sigma) of the error in a direction with the (relative) eigenvalue sigma: two or three
// passes, if no direction is soft without being singular. What remains in the end cannot be changed by any impulse: the
// joints contradict each other (Inconsistent, naming the row with the largest speed left). Redundant joints share their
// loads nearly with least norm.
//
// Fails: soft directions with sigma below eps/100 need more passes than there are (Stalled).
#include "solvers/monitor.hpp"
#include "solvers/registry.hpp"
#include "solvers/sparse_solve.hpp"

namespace cairn {
namespace {

constexpr double kRegularisation = 1e-10;  // of each diagonal entry
constexpr double kProgress = 0.9;
constexpr double kProductRounding = 1e-12;  // of |W| |lambda|
constexpr int kPatience = 5;                // passes without progress

class Ldlt final : public ContactSolver {
 public:
  std::string_view name() const override { return "ldlt"; }
  Capabilities capabilities() const override {
    Capabilities can;
    can.laws[static_cast<int>(Law::Free)] = true;
    return can;
  }

 private:
  int iterationLimit() const override { return 200; }

  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    if (problem.b().isZero(0.0)) impulse.setZero();  // nothing moves, nothing has to
    if (monitor.judgeNow(impulse)) return Exit::Converged;
    const SparseMatrix& w = problem.delassus();
    const double largest = w.diagonal().cwiseAbs().maxCoeff();
    SparseMatrix transposed = w.transpose();
    SparseMatrix a = 0.5 * (w + transposed);
    for (int i = 0; i < problem.rows(); ++i) {
      const double diagonal = w.coeff(i, i);
      a.coeffRef(i, i) += kRegularisation * (diagonal > 0.0 ? diagonal : largest > 0.0 ? largest : 1.0);
    }
    const auto factors = factorised<SparseLdltFactors>(Eigen::SparseMatrix<double>(a));
    if (factors->info() != Eigen::Success) {
      monitor.explain("the factorisation met a pivot of zero");
      return Exit::Singular;
    }
    Vector best = impulse;
    Vector speed = problem.velocity(impulse);
    double bestSpeed = speed.norm(), lastSpeed = bestSpeed;
    int idle = 0;
    while (!monitor.stop()) {
      impulse -= factors->solve(speed);
      if (!impulse.allFinite()) {
        impulse = best;
        monitor.explain("the factorisation broke down");
        return Exit::Singular;
      }
      if (monitor.solved(impulse)) return Exit::Converged;
      speed = problem.velocity(impulse);
      const double size = speed.norm();
      idle = size < kProgress * bestSpeed ? 0 : idle + 1;
      if (size < bestSpeed) {
        bestSpeed = size;
        best = impulse;
      }
      // Contradicting rows: the rest stays what it is, to the digit, and is more than rounding.
      const double rounding = kProductRounding * (w.cwiseAbs() * impulse.cwiseAbs()).norm();
      const bool settled = std::abs(size - lastSpeed) <= 1e-3 * size && size > rounding;
      lastSpeed = size;
      if (idle < kPatience) continue;
      impulse = best;
      int row = 0;
      problem.velocity(best).cwiseAbs().maxCoeff(&row);
      monitor.explain((settled ? "joints contradict each other: row " : "passes do not help any more: row ") +
                      std::to_string(row) + " keeps a speed that no impulse takes away");
      return settled ? Exit::Inconsistent : Exit::Stalled;
    }
    impulse = best;
    return monitor.exit();
  }
};

}  // namespace

std::unique_ptr<ContactSolver> makeLdlt(OptionReader&) { return std::make_unique<Ldlt>(); }

}  // namespace cairn
