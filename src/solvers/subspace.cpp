// Subspace minimisation (Silcowitz-Hansen, Niebe and Erleben): a few sweeps of pgs guess which impulses stand at a bound;
// the others then solve a linear problem at once.
//
//   F    rows strictly between their bounds, and all rows of joints: v_F = 0
//   tied a tangent that slides: lambda_t = +-mu lambda_n follows its normal
//   rest at their bounds
//
//   (W_FF + W_F,tied tie + delta diag(W_FF)) dlambda_F = -v_F,   delta = 1e-10
//
// delta acts on the change only and carries over redundant contacts; it does not move solutions. The result is projected on
// the bounds and accepted only if the judge finds it better. Once the guess is right one such step ends it, whatever the
// masses; until then it is pgs. Without ties and with a symmetric W the matrix is symmetric positive definite (LDL^T),
// otherwise it is not symmetric (LU).
//
// Takes what has bounds row by row: joints, intervals, boxes, planar contacts. Known failures: many contacts on the edge of
// sliding or lifting, where the guess keeps changing; a factorisation is paid for each try.
#include "problem/admissible.hpp"
#include "solvers/registry.hpp"
#include "solvers/sparse_solve.hpp"
#include "solvers/sweep.hpp"

namespace cairn {

namespace {

constexpr double kProximal = 1e-10;      // delta
constexpr int kMostSweepsBetween = 160;  // between two tries, when they keep failing

struct SubspaceOptions {
  int sweeps = 10;  // of pgs before each try
  SweepOrder order;
};

// Which impulses are unknown, and what each row's impulse is in terms of them: coefficient times unknown.
struct Subspace {
  std::vector<int> rows;     // of the unknowns
  std::vector<int> unknown;  // per row, -1: none
  std::vector<double> coefficient;
  bool tied = false;
};

Subspace guess(const ContactProblem& problem, const Vector& impulse) {
  Subspace guess;
  guess.unknown.assign(problem.rows(), -1);
  guess.coefficient.assign(problem.rows(), 1.0);
  const auto add = [&](int row) {
    guess.unknown[row] = static_cast<int>(guess.rows.size());
    guess.rows.push_back(row);
  };
  for (const Block& block : problem.blocks()) {
    for (int i = 0; i < block.size; ++i) {
      const int row = block.first + i;
      if (block.law == Law::Free) {
        add(row);
      } else if (block.law == Law::Interval) {
        if (impulse[row] > problem.data().lower[row] && impulse[row] < problem.data().upper[row]) add(row);
      } else if (!(impulse[block.first] > 0.0)) {
        break;
      } else if (i == 0) {
        add(row);
      } else {
        const double mu = frictionScale(block)[i];
        if (std::abs(impulse[row]) < mu * impulse[block.first]) {
          add(row);
        } else if (mu > 0.0) {
          guess.unknown[row] = guess.unknown[block.first];
          guess.coefficient[row] = std::copysign(mu, impulse[row]);
          guess.tied = true;
        }
      }
    }
  }
  return guess;
}

void project(const ContactProblem& problem, Vector& impulse) {
  for (const Block& block : problem.blocks()) {
    if (block.law == Law::Free) continue;
    for (int i = 0; i < block.size; ++i) {
      const int row = block.first + i;
      if (block.law == Law::Interval) {
        impulse[row] = std::clamp(impulse[row], problem.data().lower[row], problem.data().upper[row]);
      } else if (i == 0) {
        impulse[row] = std::max(impulse[row], 0.0);
      } else {
        const double most = frictionScale(block)[i] * impulse[block.first];
        impulse[row] = std::clamp(impulse[row], -most, most);
      }
    }
  }
}

// The impulses where the guess holds, projected. False if the matrix cannot be factorised.
bool solveReduced(const ContactProblem& problem, bool symmetric, const Vector& start, Vector& result) {
  const Subspace space = guess(problem, start);
  const int unknowns = static_cast<int>(space.rows.size());
  if (unknowns == 0) return false;
  const SparseMatrix& w = problem.delassus();
  const Vector v = problem.velocity(start);
  std::vector<Eigen::Triplet<double>> entries;
  Vector right(unknowns);
  for (int i = 0; i < unknowns; ++i) {
    const int row = space.rows[i];
    right[i] = -v[row];
    double own = 0.0;
    for (SparseMatrix::InnerIterator entry(w, row); entry; ++entry) {
      const int column = static_cast<int>(entry.col());
      if (column == row) own = entry.value();
      if (space.unknown[column] >= 0)
        entries.emplace_back(i, space.unknown[column], space.coefficient[column] * entry.value());
    }
    entries.emplace_back(i, i, own > 0.0 ? kProximal * own : 1.0);
  }
  Eigen::SparseMatrix<double> matrix(unknowns, unknowns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Vector change;
  if (symmetric && !space.tied) {
    const auto factors = factorised<SparseLdltFactors>(std::move(matrix));
    if (factors->info() != Eigen::Success) return false;
    change = factors->solve(right);
  } else {
    const auto factors = factorised<SparseLuFactors>(std::move(matrix));
    if (factors->info() != Eigen::Success) return false;
    change = factors->solve(right);
  }
  if (!change.allFinite()) return false;
  result = start;
  for (int row = 0; row < problem.rows(); ++row)
    if (space.unknown[row] >= 0) result[row] += space.coefficient[row] * change[space.unknown[row]];
  project(problem, result);
  return result.allFinite();
}

class SubspaceMinimisation final : public ContactSolver {
 public:
  explicit SubspaceMinimisation(const SubspaceOptions& options) : options_(options) {}
  std::string_view name() const override { return "subspace"; }
  Capabilities capabilities() const override { return {.laws = {true, true, true, false, false}, .planarCone = true}; }

 protected:
  int iterationLimit() const override { return kSweepLimit; }
  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    const auto sweeper = makeRowSweeper(problem, options_.order);
    const bool symmetric = problem.isSymmetric();
    sweeper->start(impulse);
    SweepWatch watch(monitor);
    CircleWatch circles(1.0);
    int sweeps = options_.sweeps;
    Vector tried;
    while (true) {
      for (int i = 0; i < sweeps; ++i) {
        if (monitor.stop()) return monitor.exit();
        const SweepChange change = sweeper->sweep(impulse);
        if (watch.last(impulse, change)) return watch.exit();
        sweeper->damp(circles.relaxation(change), 0.0);
      }
      // Tries follow each other while they help: each makes a better guess for the next.
      bool helped = false;
      double value = judge(problem, impulse).forTolerance();
      while (!monitor.stop() && solveReduced(problem, symmetric, impulse, tried)) {
        const bool solved = monitor.solved(tried);
        const double now = monitor.residual().forTolerance();
        if (!(now < value)) break;
        impulse = tried;
        if (solved) return Exit::Converged;
        helped = true;
        if (now > 0.5 * value) break;
        value = now;
      }
      if (helped) sweeper->start(impulse);
      sweeps = helped ? options_.sweeps : std::min(2 * sweeps, std::max(kMostSweepsBetween, options_.sweeps));
    }
  }

 private:
  SubspaceOptions options_;
};

}  // namespace

std::unique_ptr<ContactSolver> makeSubspace(OptionReader& options) {
  SubspaceOptions read;
  options.whole("sweeps", read.sweeps, 1, 10000);
  read.order.read(options);
  return std::make_unique<SubspaceMinimisation>(read);
}

}  // namespace cairn
