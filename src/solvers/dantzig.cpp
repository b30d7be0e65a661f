// Dantzig's pivoting as Baraff used it for contacts (STAR section 4.2; D. Baraff 1994, "Fast contact force computation for
// nonpenetrating rigid bodies"), for boxes.
//
//   w = A x + b;  lo <= x <= hi;  F = {i: w_i = 0};  C = indices on a bound with w of the right sign;  the rest waits.
//
// Indices are taken in one by one. If w_j of the next index has the wrong sign, x_j moves off its bound while w_F stays 0:
//
//   dx_F = -A_FF^-1 A_Fj      dw_C = A_CF dx_F + A_Cj      dw_j = A_jj + A_jF dx_F
//
// (STAR prints a second dx_A for dw_C and loses the sign of A_jj.) The move stops at the first of
//
//   w_j = 0  (only if dw_j > 0, STAR eq. 64c)    j joins F, done
//   x_j at its other bound                       j joins C, done
//   x_i at a bound, i in F                       i moves to C
//   w_i = 0, i in C                              i moves to F; skipped if it depends on F: then its w does not change anyway
//
// Unlike Keller's method nothing that was settled is ever wrong again. If nothing stops the move, no x solves the problem.
// A pivot costs O(n^2): A_FF is kept as a Cholesky factor.
//
// Rank-deficient problems (more contacts than motions) can leave F so ill-conditioned that an index which depends on F keeps
// a w beyond rounding, neither a solution nor a proof that there is none, or so degenerate that pivots run in circles.
// Keeping every settled sign is what forces such bases on Dantzig's method; Keller's, which lets settled signs go and picks
// better bases, then solves the problem from the start. It is needed for about 1 in 60 of Redon's random problems, and
// solves all 1,250.
//
// Friction bounds that follow normal impulses are frozen from outside (frozen_bounds.hpp): with bounds that move along,
// sliding friction has no proof of termination. Known failures: A that is not positive semidefinite (Exit::Singular).
#include "solvers/box_pivoting.hpp"
#include "solvers/frozen_bounds.hpp"
#include "solvers/registry.hpp"

namespace cairn {

namespace {

constexpr double kTie = 1e-10;   // lengths nearer to each other tie; what moves is then placed before what waits
constexpr double kFlat = 1e-11;  // |dw_i| below is no change; at most sqrt(Schur of i times Schur of j), unit diagonal

class Dantzig final : public FrozenBoundsSolver {
 public:
  std::string_view name() const override { return "dantzig"; }

 protected:
  LcpAnswer solveBoxes(const BoxedLcp& lcp, const Vector& lo, const Vector& hi, const Vector& start,
                       const MayPivot& mayPivot) override {
    return solveDantzig(lcp, lo, hi, start, mayPivot);
  }
};

// How far until w_i of a clamped index would change its sign.
double roomForVelocity(const BoxPivoting& state, int i) {
  const bool lower = state.place(i) == BoxPivoting::Place::Lower && state.dw(i) < -kFlat;
  const bool upper = state.place(i) == BoxPivoting::Place::Upper && state.dw(i) > kFlat;
  if (!lower && !upper) return std::numeric_limits<double>::infinity();
  return std::max(lower ? state.w(i) : -state.w(i), 0.0) / std::abs(state.dw(i));
}

LcpAnswer driveOneByOne(const BoxedLcp& lcp, const Vector& lo, const Vector& hi, const Vector& start,
                        const MayPivot& mayPivot) {
  BoxPivoting state(lcp, lo, hi, start, mayPivot);
  const int n = state.size();
  const int mostPivots = pivotCap(n) / 10;
  if (!state.settle()) return state.answer(Exit::IterationLimit);
  std::vector<char> settled(n, 0);
  for (int i = 0; i < n; ++i) settled[i] = state.violated(i) ? 0 : 1;
  for (;;) {
    // Rounding may bring back what was settled: it is then driven again.
    // The most violated index is next (STAR §4.2): on rank-deficient problems the bases stay far better conditioned.
    int j = -1;
    for (int i = 0; i < n; ++i)
      if (state.violated(i) && (j < 0 || state.violation(i) > state.violation(j))) j = i;
    if (j < 0) return state.answer(Exit::Converged);
    settled[j] = 0;
    const double sign = state.w(j) < 0.0 ? 1.0 : -1.0;
    std::vector<char> skipped(n, 0);
    while (settled[j] == 0) {
      if (!state.mayPivot()) return state.answer(Exit::IterationLimit);
      if (state.work().pivots > mostPivots) return state.answer(Exit::Stalled, kTooManyPivots);
      state.aim(j, sign);
      const double schur = state.schur(j, sign);
      if (schur < -BoxPivoting::kNegative) return state.answer(Exit::Singular, kNotSemidefinite);
      const bool depends = schur <= BoxPivoting::kDependent;
      if (depends && state.negligible(j)) {
        state.retreat(j, sign);
        settled[j] = 1;
        continue;
      }
      double length = std::numeric_limits<double>::infinity();
      if (!depends) length = std::max(-sign * state.w(j), 0.0) / schur;
      int stops = j;
      bool joins = true;
      if (state.roomFor(j) < length) length = state.roomFor(j), joins = false;
      for (const int i : state.factor().members())
        if (state.roomFor(i) < length) length = state.roomFor(i), stops = i, joins = false;
      for (int i = 0; i < n; ++i)
        if (settled[i] != 0 && skipped[i] == 0 && roomForVelocity(state, i) < (1.0 - kTie) * length)
          length = roomForVelocity(state, i), stops = i, joins = true;
      if (!std::isfinite(length)) return state.answerToUnstopped(j);
      state.step(length);
      if (stops == j) {
        settled[j] = 1;
        if (!joins) {
          state.sitOnBound(j);
        } else if (!state.join(j)) {
          state.retreat(j, sign);
        }
      } else if (!joins) {
        state.leave(stops);
      } else if (!state.join(stops)) {
        skipped[stops] = 1;
      }
    }
    state.refresh();
  }
}

}  // namespace

LcpAnswer solveDantzig(const BoxedLcp& lcp, const Vector& lo, const Vector& hi, const Vector& start,
                       const MayPivot& mayPivot) {
  const LcpAnswer first = driveOneByOne(lcp, lo, hi, start, mayPivot);
  if (first.exit != Exit::Singular && first.exit != Exit::Stalled) return first;
  LcpAnswer second = solveKeller(lcp, lo, hi, start, mayPivot);
  second.work.pivots += first.work.pivots;
  second.work.factorisations += first.work.factorisations;
  second.work.multiplications += first.work.multiplications;
  return second;
}

std::unique_ptr<ContactSolver> makeDantzig(OptionReader& options) { return makeFrozenBounds<Dantzig>(options); }

}  // namespace cairn
