// Lemke's complementary pivoting (Cottle, Pang and Stone, The Linear Complementarity Problem, section 4.4; STAR section 4.2
// names it only).
//
//   I y - A x - d t = b,  x, y, t >= 0, x_i y_i = 0.   A path of bases from large t to t = 0.
//
//   start  y basic. t enters just enough to make all basic unknowns >= 0; the last row to become so leaves.
//   pivot  The complement of what left last enters. With direction e = B^-1 (its column), the row with the least
//          (B^-1 b)_r / e_r over e_r > 0 leaves. t leaves: solved. No e_r > 0: a ray.
//
// Ties, the rule in contact problems, are broken lexicographically: b is thought of as b + eps g_1 + eps^2 g_2 + eps^3 e_1 +
// eps^4 e_2 + ..., and tied rows are compared by their entries of B^-1 [g_1 g_2 I] over e_r. No basis can then return. The
// textbook has the columns of I only; the generic columns g before them settle nearly every tie at O(n) cost.
//
// A ray with direction x^ proves that there is no solution if u = x^ has A^T u <= 0 and b . u < 0 (then u . y = u . (A x +
// b) < 0 for every x >= 0). For copositive-plus A, positive semidefinite ones among them, every ray is such a proof.
// Otherwise one other cover vector d is tried, and then it is Exit::Ray. Friction LCPs are copositive, and solvable if no
// joint and no gap term speaks against it.
//
// Rows and columns are equilibrated first, so that d = 1 covers rows of any unit alike. If the start suggests a basis that
// is not singular, the path begins there, with d chosen such that every row of it is covered alike.
//
// O(n^2) a pivot. Known failures: exponentially long paths exist; nearly singular bases lose digits, which the refinement at
// the end and Exit::Inaccurate account for.
#include "base/stop.hpp"
#include "solvers/complementary_basis.hpp"
#include "solvers/lcp_solver.hpp"
#include "solvers/registry.hpp"

namespace cairn {

namespace {

constexpr double kZero = 1e-12;         // basic values below, over the largest, are zero: they tie
constexpr double kPivot = 1e-9;         // smallest entry of a direction that is pivoted on, over the largest
constexpr double kSameRatio = 1e-9;     // relative, between entries of generic columns
constexpr double kLostFeasible = 1e-6;  // below minus this, over the largest, a basic value shows that digits were lost
constexpr double kSolved = 1e-9;        // residual of the equilibrated problem, over the largest b or x
constexpr double kCertain = 1e-9;       // A^T u over -b.u of a certificate, equilibrated and b of size 1
constexpr int kGeneric = 2;             // columns g

// A' = R A C with rows and columns of largest entry about 1; b' = R b / size.
struct Equilibrated {
  Matrix a;
  Vector b, rows, columns;
  double size = 1.0;

  explicit Equilibrated(const Lcp& lcp) : a(lcp.a), rows(Vector::Ones(lcp.size())), columns(Vector::Ones(lcp.size())) {
    for (int pass = 0; pass < 5; ++pass) {
      for (int i = 0; i < lcp.size(); ++i) {
        const double largest = a.row(i).cwiseAbs().maxCoeff();
        if (largest > 0.0) rows[i] /= std::sqrt(largest), a.row(i) /= std::sqrt(largest);
      }
      for (int i = 0; i < lcp.size(); ++i) {
        const double largest = a.col(i).cwiseAbs().maxCoeff();
        if (largest > 0.0) columns[i] /= std::sqrt(largest), a.col(i) /= std::sqrt(largest);
      }
    }
    b = rows.cwiseProduct(lcp.b);
    if (b.size() > 0 && b.cwiseAbs().maxCoeff() > 0.0) size = b.cwiseAbs().maxCoeff();
    b /= size;
  }
  Vector toScaled(const Vector& x) const { return x.cwiseQuotient(columns) / size; }
  Vector fromScaled(const Vector& x) const { return x.cwiseProduct(columns) * size; }
  // A direction of x as weights of rows: C x' of the unscaled problem, which weighs the scaled rows by R^-1 C x'.
  Vector asWeights(const Vector& x) const { return x.cwiseProduct(columns).cwiseQuotient(rows); }
};

class LemkePath {
 public:
  LemkePath(const Equilibrated& lcp, const std::vector<char>& startBasis, const Vector& coverOfSlots,
            const MayPivot& mayPivot, PivotWork& work)
      : lcp_(lcp),
        b_(lcp.b),
        mayPivot_(mayPivot),
        work_(work),
        basis_(lcp.a, startBasis, work),
        cover_(coverOfSlots),
        first_(lcp.a, startBasis, work) {}

  // Leaves the answer in x() if Converged, a certificate or nothing if Infeasible or Ray.
  Exit follow(int mostPivots) {
    if (!basis_.factorise() || !first_.factorise()) return Exit::Singular;
    values_ = b_;
    basis_.solve(values_);
    if (values_.minCoeff() >= -kZero * largestValue()) return finish();
    basis_.setCover(basis_.multiply(cover_));  // B^-1 d = cover
    // Generic numbers from a fixed rule, between 1 and 2: the fractional parts of multiples of irrational numbers.
    generic_.resize(size(), kGeneric);
    for (int i = 0; i < size(); ++i)
      for (int k = 0; k < kGeneric; ++k)
        generic_(i, k) = 1.0 + std::fmod((i + 1) * (k == 0 ? 0.6180339887 : 0.4142135624), 1.0);
    startGeneric_.resize(size(), kGeneric);
    for (int k = 0; k < kGeneric; ++k) startGeneric_.col(k) = basis_.multiply(generic_.col(k));

    // t enters by force: the row that it covers last leaves.
    if (mayPivot_ && !mayPivot_()) return Exit::IterationLimit;
    Vector direction = -cover_;
    int leaving = lexicographicLeast([&](int slot) { return std::pair(values_[slot], cover_[slot]); }, {});
    int left = basis_.unknown(leaving);
    pivot(leaving, basis_.cover(), std::move(direction));
    for (int count = 1; left != basis_.cover(); ++count) {
      if (mayPivot_ && !mayPivot_()) return Exit::IterationLimit;
      if (count > mostPivots) return Exit::Stalled;
      if (basis_.needsFactor() && !refresh()) return Exit::Singular;
      const int entering = basis_.complement(left);
      direction = basis_.column(entering);
      basis_.solve(direction);
      leaving = ratioTest(direction);
      if (leaving < 0) return ray(entering, direction);
      left = basis_.unknown(leaving);
      pivot(leaving, entering, std::move(direction));
    }
    return finish();
  }
  const Vector& x() const { return x_; }

 private:
  int size() const { return static_cast<int>(b_.size()); }
  double largestValue() const { return std::max(1.0, values_.cwiseAbs().maxCoeff()); }

  // Of the given slots (all if empty), the one whose row of B^-1 [b g I] over its divisor is lexicographically least.
  // `ratio` gives the first entry and the divisor.
  template <class Ratio>
  int lexicographicLeast(const Ratio& ratio, std::vector<int> tied) {
    if (tied.empty())
      for (int slot = 0; slot < size(); ++slot) tied.push_back(slot);
    double least = std::numeric_limits<double>::infinity();
    for (const int slot : tied) least = std::min(least, ratio(slot).first / ratio(slot).second);
    std::erase_if(tied, [&](int slot) { return ratio(slot).first - least * ratio(slot).second > kZero * largestValue(); });
    for (int k = 0; k < kGeneric && tied.size() > 1; ++k) {
      double first = std::numeric_limits<double>::infinity(), largest = 0.0;
      for (const int slot : tied) {
        first = std::min(first, generic_(slot, k) / ratio(slot).second);
        largest = std::max(largest, std::abs(generic_(slot, k) / ratio(slot).second));
      }
      std::erase_if(tied, [&](int slot) { return generic_(slot, k) / ratio(slot).second > first + kSameRatio * largest; });
    }
    // What is left needs rows of B^-1 B_start.
    int best = tied.front();
    Vector bestRow;
    for (std::size_t k = 1; k < tied.size(); ++k) {
      if (bestRow.size() == 0) bestRow = startRow(best) / ratio(best).second;
      const Vector row = startRow(tied[k]) / ratio(tied[k]).second;
      const double same = kSameRatio * std::max(bestRow.cwiseAbs().maxCoeff(), row.cwiseAbs().maxCoeff());
      for (int j = 0; j < size(); ++j) {
        if (std::abs(row[j] - bestRow[j]) <= same) continue;
        if (row[j] < bestRow[j]) best = tied[k], bestRow = row;
        break;
      }
    }
    return best;
  }

  Vector startRow(int slot) const {
    const Vector row = basis_.inverseRow(slot);
    Vector out(size());
    for (int j = 0; j < size(); ++j) {
      pollStop();  // a row is O(n^2), and hundreds may tie
      out[j] = row.dot(first_.column(first_.unknown(j)));
    }
    work_.multiplications += static_cast<std::int64_t>(size()) * size();
    return out;
  }

  int ratioTest(const Vector& direction) {
    const double smallest = kPivot * std::max(direction.cwiseAbs().maxCoeff(), 1e-3);
    std::vector<int> open;
    for (int slot = 0; slot < size(); ++slot)
      if (direction[slot] > smallest) open.push_back(slot);
    if (open.empty()) return -1;
    const auto ratio = [&](int slot) { return std::pair(std::max(values_[slot], 0.0), direction[slot]); };
    // t leaves as soon as it may: that ends the path.
    double least = std::numeric_limits<double>::infinity();
    for (const int slot : open) least = std::min(least, ratio(slot).first / ratio(slot).second);
    const int t = basis_.slotOf(basis_.cover());
    if (direction[t] > smallest && values_[t] - least * direction[t] <= kZero * largestValue()) return t;
    return lexicographicLeast(ratio, std::move(open));
  }

  void pivot(int slot, int entering, Vector direction) {
    ++work_.pivots;
    const double length = values_[slot] / direction[slot];
    values_ -= length * direction;
    values_[slot] = length;
    for (int k = 0; k < kGeneric; ++k) {
      const double share = generic_(slot, k) / direction[slot];
      generic_.col(k) -= share * direction;
      generic_(slot, k) = share;
    }
    work_.multiplications += (1 + kGeneric) * static_cast<std::int64_t>(size());
    basis_.exchange(slot, entering, std::move(direction));
  }

  bool refresh() {
    if (!basis_.factorise()) return false;
    values_ = b_;
    basis_.solve(values_);
    if (!values_.allFinite() || values_.minCoeff() < -kLostFeasible * largestValue()) return false;
    for (int k = 0; k < kGeneric; ++k) {
      Vector column = startGeneric_.col(k);
      basis_.solve(column);
      generic_.col(k) = column;
    }
    return true;
  }

  // The last basis is all that is needed: its values from scratch, refined.
  Exit finish() {
    if (!basis_.factorise()) return Exit::Singular;
    values_ = b_;
    basis_.solve(values_);
    for (int pass = 0; pass < 2; ++pass) {
      Vector left = b_ - basis_.multiply(values_);
      basis_.solve(left);
      values_ += left;
    }
    if (!values_.allFinite()) return Exit::Singular;
    x_ = Vector::Zero(size());
    for (int i = 0; i < size(); ++i)
      if (basis_.slotOf(size() + i) >= 0) x_[i] = std::max(values_[basis_.slotOf(size() + i)], 0.0);
    return Exit::Converged;
  }

  Exit ray(int entering, const Vector& direction) {
    Vector u = Vector::Zero(size());
    if (entering >= size()) u[entering - size()] = 1.0;
    for (int slot = 0; slot < size(); ++slot) {
      const int unknown = basis_.unknown(slot);
      if (unknown >= size() && unknown < 2 * size()) u[unknown - size()] = std::max(-direction[slot], 0.0);
    }
    u = lcp_.asWeights(u);
    const double gain = -b_.dot(u);
    const Vector slopes = lcp_.a.transpose() * u;
    return gain > 1e-12 * u.sum() && slopes.maxCoeff() <= kCertain * gain ? Exit::Infeasible : Exit::Ray;
  }

  const Equilibrated& lcp_;
  const Vector& b_;
  const MayPivot& mayPivot_;
  PivotWork& work_;
  ComplementaryBasis basis_;
  Vector cover_;                   // B_start^-1 d
  ComplementaryBasis first_;       // B_start
  Vector values_, x_;              // B^-1 b by slot; the answer
  Matrix generic_, startGeneric_;  // B^-1 g by slot; g, chosen such that B_start^-1 g > 0
};

class LemkeSolver final : public LcpSolver {
 public:
  std::string_view name() const override { return "lemke"; }

 protected:
  LcpAnswer solveLcp(const Lcp& lcp, const Vector& start, const MayPivot& mayPivot) override {
    return solveLemke(lcp, start, mayPivot);
  }
};

// The basis that a start suggests: x_i where x_i > y_i. A row of that block may have nothing but zeros, when its unknown is
// a multiplier whose partners are all zero (friction of a contact that carries nothing): the partner nearest to y_j = 0
// joins, or the basis would be singular.
std::vector<char> suggestBasis(const Equilibrated& lcp, const Vector& x) {
  const int n = static_cast<int>(x.size());
  const Vector y = lcp.a * x + lcp.b;
  std::vector<char> suggested(n, 0);
  for (int i = 0; i < n; ++i) suggested[i] = x[i] > 0.0 && x[i] > y[i] ? 1 : 0;
  for (int i = 0; i < n; ++i) {
    if (suggested[i] == 0) continue;
    int partner = -1;
    bool empty = true;
    for (int j = 0; j < n && empty; ++j) {
      if (lcp.a(i, j) == 0.0) continue;
      if (suggested[j] != 0) empty = false;
      if (partner < 0 || std::abs(y[j]) < std::abs(y[partner])) partner = j;
    }
    if (empty && partner >= 0) suggested[partner] = 1;
  }
  return suggested;
}

double relativeResidual(const Equilibrated& scaled, const Vector& x) {
  const Vector y = scaled.a * x + scaled.b;
  return x.cwiseMin(y).cwiseAbs().maxCoeff() / std::max(1.0, x.cwiseAbs().maxCoeff());
}

}  // namespace

LcpAnswer solveLemke(const Lcp& lcp, const Vector& start, const MayPivot& mayPivot) {
  LcpAnswer answer;
  const int n = lcp.size();
  answer.x = Vector::Zero(n);
  if (n == 0 || lcp.b.minCoeff() >= 0.0) {
    answer.exit = Exit::Converged;
    return answer;
  }
  const Equilibrated scaled(lcp);
  const std::vector<char> suggested = suggestBasis(scaled, scaled.toScaled(start)), cold(n, 0);

  struct Attempt {
    const std::vector<char>* basis;
    Vector cover;
  };
  std::vector<Attempt> attempts;
  if (suggested != cold) attempts.push_back({&suggested, Vector::Ones(n)});
  attempts.push_back({&cold, Vector::Ones(n)});
  // Far from the first: rows that need much are covered much.
  attempts.push_back({&cold, Vector::Constant(n, 0.05) + scaled.b.cwiseAbs()});
  for (const Attempt& attempt : attempts) {
    LemkePath path(scaled, *attempt.basis, attempt.cover, mayPivot, answer.work);
    const Exit exit = path.follow(pivotCap(n));
    if (exit == Exit::Converged) {
      const double residual = relativeResidual(scaled, path.x());
      answer.exit = residual <= kSolved ? Exit::Converged : Exit::Inaccurate;
      answer.x = scaled.fromScaled(path.x());
      if (answer.exit == Exit::Converged) return answer;
      continue;
    }
    if (answer.exit != Exit::Inaccurate) answer.exit = exit;
    if (exit == Exit::Infeasible || exit == Exit::IterationLimit) {
      answer.exit = exit;
      if (exit == Exit::Infeasible) answer.message = "Lemke's method ended on a ray that proves that there is no solution";
      return answer;
    }
  }
  if (answer.exit == Exit::Ray) answer.message = "Lemke's method ended on a ray with two covers";
  if (answer.exit == Exit::Stalled) answer.message = kTooManyPivots;
  return answer;
}

std::unique_ptr<ContactSolver> makeLemke(OptionReader&) { return std::make_unique<LemkeSolver>(); }

}  // namespace cairn
