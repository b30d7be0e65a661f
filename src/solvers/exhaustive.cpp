// Guessing (STAR section 4.2): of the 2^n ways to split the rows into x_i free with y_i = 0 (the set S) and x_i = 0 with y_i
// free, try all, nearest to the set of the start first.
//
//   y = A x + b;   x_S = -A_SS^-1 b_S,   accepted if x_S >= 0 and y >= 0.
//
// If A_SS is singular, the question is whether b lies in the complementary cone of S,
//
//   -A_S x_S + I y_R = b,  x_S >= 0, y_R >= 0     (R: the other rows),
//
// which non-negative least squares answers, singular or not. So when nothing fits, nothing exists: Exit::Infeasible. If some
// set was a near miss, rounding might hide a solution there, and it is Exit::Stalled. At most kMostExhaustive unknowns.
#include <Eigen/LU>
#include <Eigen/QR>
#include <bit>

#include "solvers/lcp_solver.hpp"
#include "solvers/registry.hpp"

namespace cairn {

namespace {

constexpr double kFits = 1e-11;      // what is missing of x >= 0, y >= 0 over the largest x, y: rounding
constexpr double kNearMiss = 1e-7;   // above this the set certainly does not fit
constexpr double kSingular = 1e-10;  // reciprocal condition of A_SS, equilibrated

constexpr int kMost = kMostExhaustive;
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>;

// Non-negative least squares (Lawson and Hanson): the least |G z - b|, z >= 0. Columns are added by steepest descent; those
// whose least squares turn negative are dropped on the way.
double distanceToCone(const Matrix& columns, const Vector& b, Vector& z) {
  const int count = static_cast<int>(columns.cols());
  z = Vector::Zero(count);
  std::vector<char> in(count, 0);
  for (int pass = 0; pass < 10 * count; ++pass) {
    const Vector residual = b - columns * z;
    int best = -1;
    double steepest = kFits * b.norm();
    for (int j = 0; j < count; ++j) {
      const double slope = columns.col(j).dot(residual) / std::max(columns.col(j).norm(), 1e-300);
      if (in[j] == 0 && slope > steepest) steepest = slope, best = j;
    }
    if (best < 0) break;
    in[best] = 1;
    for (;;) {
      std::vector<int> members;
      for (int j = 0; j < count; ++j)
        if (in[j] != 0) members.push_back(j);
      if (members.empty()) break;
      const Matrix part = columns(Eigen::all, members);
      const Vector wanted = part.completeOrthogonalDecomposition().solve(b);
      double length = 1.0;
      for (std::size_t k = 0; k < members.size(); ++k)
        if (wanted[k] <= 0.0) length = std::min(length, z[members[k]] / std::max(z[members[k]] - wanted[k], 1e-300));
      for (std::size_t k = 0; k < members.size(); ++k) z[members[k]] += length * (wanted[k] - z[members[k]]);
      if (length >= 1.0) break;
      for (const int j : members)
        if (z[j] <= kFits * z.maxCoeff()) in[j] = 0, z[j] = 0.0;
    }
  }
  return (b - columns * z).cwiseAbs().maxCoeff();
}

class Exhaustive {
 public:
  explicit Exhaustive(const Lcp& lcp) : n_(lcp.size()), a_(lcp.a), rows_(Vector::Ones(n_)), columns_(Vector::Ones(n_)) {
    // Equilibrated, so that tolerances mean the same in every row. Positive scales move no solution.
    for (int pass = 0; pass < 4; ++pass) {
      for (int i = 0; i < n_; ++i) {
        const double row = std::sqrt(a_.row(i).cwiseAbs().maxCoeff());
        if (row > 0.0) a_.row(i) /= row, rows_[i] /= row;
      }
      for (int i = 0; i < n_; ++i) {
        const double column = std::sqrt(a_.col(i).cwiseAbs().maxCoeff());
        if (column > 0.0) a_.col(i) /= column, columns_[i] /= column;
      }
    }
    b_ = rows_.cwiseProduct(lcp.b);
    size_ = b_.cwiseAbs().maxCoeff();
  }

  enum class Verdict : std::uint8_t { Fits, Doubtful, DoesNotFit };

  Verdict tryIndexSet(unsigned set, Vector& x, PivotWork& work) const {
    std::array<int, kMost> members{};
    int count = 0;
    for (int i = 0; i < n_; ++i)
      if (((set >> i) & 1U) != 0) members[count++] = i;
    SmallMatrix block(count, count);
    SmallVector right(count);
    for (int r = 0; r < count; ++r) {
      right[r] = -b_[members[r]];
      for (int c = 0; c < count; ++c) block(r, c) = a_(members[r], members[c]);
    }
    x.setZero(n_);
    if (count > 0) {
      const Eigen::PartialPivLU<SmallMatrix> factor(block);
      work.multiplications += static_cast<std::int64_t>(count) * count * count / 3;
      const auto pivots = factor.matrixLU().diagonal().cwiseAbs();
      // The estimate of the condition is no number if a pivot is exactly zero.
      if (!(pivots.minCoeff() > kSingular * pivots.maxCoeff()) || !(factor.rcond() > kSingular)) {
        // Most singular blocks already contradict b_S: least squares tell, far cheaper than the cone.
        const Eigen::CompleteOrthogonalDecomposition<SmallMatrix> rank(block);
        const SmallVector nearest = rank.solve(right);
        if ((block * nearest - right).cwiseAbs().maxCoeff() > kNearMiss * std::max(nearest.cwiseAbs().maxCoeff(), size_))
          return Verdict::DoesNotFit;
        return tryCone(set, x);
      }
      const SmallVector solved = factor.solve(right);
      for (int r = 0; r < count; ++r) x[members[r]] = solved[r];
    }
    const double largest = std::max(x.cwiseAbs().maxCoeff(), size_);
    double missing = 0.0;
    for (int i = 0; i < n_; ++i) {
      missing = std::max(missing, -x[i]);
      if (((set >> i) & 1U) == 0) missing = std::max(missing, -(a_.row(i).dot(x) + b_[i]));
      if (missing > kNearMiss * largest) return Verdict::DoesNotFit;
    }
    x = x.cwiseMax(0.0);
    return missing <= kFits * largest ? Verdict::Fits : Verdict::Doubtful;
  }

  Vector unscale(const Vector& x) const { return columns_.cwiseProduct(x); }
  unsigned setOf(const Vector& start) const {
    const Vector x = start.cwiseQuotient(columns_), y = a_ * x + b_;
    unsigned set = 0;
    for (int i = 0; i < n_; ++i)
      if (x[i] > y[i]) set |= 1U << i;
    return set;
  }

 private:
  Verdict tryCone(unsigned set, Vector& x) const {
    Matrix columns = Matrix::Identity(n_, n_);
    for (int i = 0; i < n_; ++i)
      if (((set >> i) & 1U) != 0) columns.col(i) = -a_.col(i);
    Vector z;
    const double distance = distanceToCone(columns, b_, z);
    for (int i = 0; i < n_; ++i) x[i] = ((set >> i) & 1U) != 0 ? z[i] : 0.0;
    if (distance <= kFits * size_) return Verdict::Fits;
    return distance <= kNearMiss * size_ ? Verdict::Doubtful : Verdict::DoesNotFit;
  }

  int n_;
  Matrix a_;
  Vector rows_, columns_, b_;
  double size_ = 0.0;
};

class ExhaustiveSolver final : public LcpSolver {
 public:
  std::string_view name() const override { return "exhaustive"; }

 protected:
  int mostUnknowns() const override { return kMostExhaustive; }
  LcpAnswer solveLcp(const Lcp& lcp, const Vector& start, const MayPivot& mayPivot) override {
    return solveExhaustive(lcp, start, mayPivot);
  }
};

}  // namespace

LcpAnswer solveExhaustive(const Lcp& lcp, const Vector& start, const MayPivot& mayPivot) {
  LcpAnswer answer;
  answer.x = start;
  const int n = lcp.size();
  if (n == 0) {
    answer.exit = Exit::Converged;
    return answer;
  }
  if (n > kMostExhaustive) {
    answer.exit = Exit::Unsupported;
    answer.message = "at most " + std::to_string(kMostExhaustive) + " unknowns; there are " + std::to_string(n);
    return answer;
  }
  const Exhaustive sets(lcp);
  const unsigned guess = sets.setOf(start), all = 1U << n;
  bool doubt = false;
  Vector x;
  for (int distance = 0; distance <= n; ++distance) {
    for (unsigned change = 0; change < all; ++change) {
      if (std::popcount(change) != distance) continue;
      if (mayPivot && !mayPivot()) {
        answer.exit = Exit::IterationLimit;
        return answer;
      }
      ++answer.work.pivots;
      const auto verdict = sets.tryIndexSet(guess ^ change, x, answer.work);
      if (verdict == Exhaustive::Verdict::Doubtful) doubt = true;
      if (verdict != Exhaustive::Verdict::Fits) continue;
      answer.exit = Exit::Converged;
      answer.x = sets.unscale(x);
      return answer;
    }
  }
  answer.exit = doubt ? Exit::Stalled : Exit::Infeasible;
  answer.message = doubt ? "no index set fits, but some nearly do" : "no index set fits";
  return answer;
}

std::unique_ptr<ContactSolver> makeExhaustive(OptionReader&) { return std::make_unique<ExhaustiveSolver>(); }

}  // namespace cairn
