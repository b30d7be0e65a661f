#include "solvers/frozen_bounds.hpp"

#include <optional>

#include "math/polled_lu.hpp"

namespace cairn {

namespace {

constexpr double kStandStill = 1e-14;    // change of the bounds over the largest
constexpr double kLeastShare = 1.0 / 4;  // of the way to the new bounds
constexpr int kWander = 8;               // passes without descent after a failed search for it
constexpr std::array<double, 5> kWanderShares{0.4, 0.2, 0.6, 0.1, 0.5};
constexpr double kDescent = 0.02;  // a pass counts as better if it closes the gap by this part

enum class Row : std::uint8_t { Fixed, Solved, SlidesDown, SlidesUp };

// What each row does at x: on a bound that it keeps, w = 0, or sliding along with its normal.
std::vector<Row> rowsAt(const BoxedLcp& lcp, const Vector& lo, const Vector& hi, const Vector& x) {
  std::vector<Row> rows(lcp.size());
  for (int i = 0; i < lcp.size(); ++i) {
    rows[i] = x[i] > lo[i] && x[i] < hi[i] ? Row::Solved : Row::Fixed;
    if (lcp.follows[i] < 0 || rows[i] == Row::Solved) continue;
    const bool loaded = x[lcp.follows[i]] > 0.0 && hi[i] > lo[i];
    rows[i] = !loaded ? Row::Fixed : x[i] <= lo[i] ? Row::SlidesDown : Row::SlidesUp;
  }
  return rows;
}

// w = 0 in the solved rows, while sliding ones follow their normals. Empty if that system is singular.
Vector solveRows(const BoxedLcp& lcp, const std::vector<Row>& rows, const Vector& x) {
  std::vector<int> column(lcp.size(), -1);
  int count = 0;
  for (int i = 0; i < lcp.size(); ++i)
    if (rows[i] == Row::Solved) column[i] = count++;
  const auto coefficient = [&](int i) { return rows[i] == Row::SlidesUp ? lcp.coefficient[i] : -lcp.coefficient[i]; };
  const auto slides = [&](int i) { return rows[i] == Row::SlidesUp || rows[i] == Row::SlidesDown; };
  Matrix a = Matrix::Zero(count, count);
  Vector right = Vector::Zero(count);
  for (int i = 0; i < lcp.size(); ++i) {
    if (column[i] < 0) continue;
    right[column[i]] = -lcp.b[i];
    for (SparseMatrix::InnerIterator entry(lcp.a, i); entry; ++entry) {
      const int j = static_cast<int>(entry.col());
      const int carrier = slides(j) ? lcp.follows[j] : j;
      const double factor = slides(j) ? coefficient(j) : 1.0;
      if (column[carrier] >= 0) {
        a(column[i], column[carrier]) += factor * entry.value();
      } else {
        right[column[i]] -= factor * entry.value() * x[carrier];
      }
    }
  }
  Vector out = x;
  if (count > 0) {
    const PolledLu factor(a);
    Vector solved = factor.solve(right);
    const Vector left = right - a * solved;
    solved += factor.solve(left);
    if (!solved.allFinite()) return {};
    for (int i = 0; i < lcp.size(); ++i)
      if (column[i] >= 0) out[i] = solved[column[i]];
  }
  for (int i = 0; i < lcp.size(); ++i)
    if (slides(i)) out[i] = coefficient(i) * out[lcp.follows[i]];
  return out;
}

}  // namespace

Capabilities FrozenBoundsSolver::capabilities() const {
  Capabilities can;
  can.laws[static_cast<int>(Law::Free)] = true;
  can.laws[static_cast<int>(Law::Interval)] = true;
  can.laws[static_cast<int>(Law::Box)] = true;
  can.planarCone = true;
  can.unsymmetric = false;
  can.mostRows = kMostDenseRows;  // the matrix is made dense
  return can;
}

namespace {

// One pass: bounds from n, boxes solved, and how far the new normals are from n.
struct Pass {
  Vector normals;  // n, at their rows
  Vector lo, hi, x;
  double gap = std::numeric_limits<double>::infinity();  // |x_n - n|, each scaled by sqrt(W_ii)
};

}  // namespace

Exit FrozenBoundsSolver::iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) {
  const BoxedLcp lcp = lowerToBoxedLcp(problem);
  const Vector weight = lcp.a.diagonal().cwiseMax(0.0).cwiseSqrt();
  std::vector<char> isNormal(lcp.size(), 0);
  for (const int normal : lcp.follows)
    if (normal >= 0) isNormal[normal] = 1;
  const MayPivot mayPivot = [&monitor] {
    if (monitor.stop()) return false;
    monitor.countIterations(1);
    return true;
  };
  monitor.keepBest(true);
  monitor.judgeNow(impulse);

  std::optional<Exit> ended;  // set when nothing more is to be done
  int passes = 0;
  const auto runPass = [&](const Vector& normals, const Vector& start) {
    Pass pass{normals, lcp.lo, lcp.hi, start};
    for (int i = 0; i < lcp.size(); ++i) {
      if (lcp.follows[i] < 0) continue;
      pass.hi[i] = lcp.coefficient[i] * normals[lcp.follows[i]];
      pass.lo[i] = -pass.hi[i];
    }
    const LcpAnswer answer = solveBoxes(lcp, pass.lo, pass.hi, start, mayPivot);
    ++passes;
    if (!answer.x.allFinite()) {
      ended = Exit::Diverged;
      return pass;
    }
    pass.x = answer.x;
    if (monitor.judgeNow(pass.x)) {
      ended = Exit::Converged;
    } else if (answer.exit == Exit::IterationLimit) {
      ended = monitor.exit();
    } else if (answer.exit != Exit::Converged) {
      ended = answer.exit;
      monitor.explain(answer.message);
    }
    pass.gap = 0.0;
    for (int i = 0; i < lcp.size(); ++i)
      if (isNormal[i] != 0) pass.gap = std::max(pass.gap, weight[i] * std::abs(pass.x[i] - normals[i]));
    return pass;
  };

  std::size_t wanders = 0;
  Pass now = runPass(impulse.cwiseMax(0.0), impulse);
  while (!ended) {
    double largest = 0.0;
    for (int i = 0; i < lcp.size(); ++i)
      if (isNormal[i] != 0) largest = std::max(largest, weight[i] * now.x[i]);
    if (now.gap <= kStandStill * largest) ended = Exit::Inaccurate;
    if (monitor.stop()) ended = monitor.exit();
    if (ended) break;

    // Where to go: to the normals that this pass found, or to those that fit the present sets exactly.
    const Vector plain = now.x.cwiseMax(0.0) - now.normals;
    Vector newton;
    if (options_.finish) {
      const Vector finished = solveRows(lcp, rowsAt(lcp, now.lo, now.hi, now.x), now.x);
      if (finished.size() > 0) {
        if (monitor.judgeNow(finished)) ended = Exit::Converged;
        newton = finished.cwiseMax(0.0) - now.normals;
      }
    }
    Pass next;
    bool better = false;
    for (double share = 1.0; share >= kLeastShare && !better && !ended; share /= 2.0) {
      for (const Vector* step : {static_cast<const Vector*>(&newton), &plain}) {
        if (step->size() == 0 || better || ended) continue;
        next = runPass(now.normals + share * *step, now.x);
        better = next.gap < (1.0 - kDescent) * now.gap;
        if (passes >= options_.passes && !ended) {
          ended = Exit::Stalled;
          monitor.explain("the friction bounds did not come to rest in " + std::to_string(passes) + " passes");
        }
      }
    }
    now = std::move(next);
    // Without descent anywhere: some passes that go part of the way lead out of the corner. Another part each time, so that
    // no circle closes.
    if (better) continue;
    const double share = kWanderShares[wanders++ % kWanderShares.size()];
    for (int k = 0; k < kWander && !ended; ++k)
      now = runPass(now.normals + share * (now.x.cwiseMax(0.0) - now.normals), now.x);
  }
  monitor.restoreBest(impulse);
  return *ended;
}

}  // namespace cairn
