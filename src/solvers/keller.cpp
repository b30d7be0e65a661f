// Keller's principal pivoting method for symmetric positive semidefinite problems, in its form for boxes
// (E. L. Keller 1973; Cottle, Pang and Stone, The Linear Complementarity Problem, section 4.4).
//
//   w = A x + b;  lo <= x <= hi;  F = {i: w_i = 0}; all others on a bound.   x stays between its bounds throughout.
//
//   1  s = the index whose w_s has the wrong sign most.  None: solved.
//   2  Move x_s off its bound while w_F stays 0:  dx_F = -A_FF^-1 A_Fs,  dw_s = A_ss - A_sF A_FF^-1 A_Fs >= 0.
//      Stop at the first of
//        w_s = 0            s joins F, go to 1
//        x_s at its other bound, go to 1
//        x_i, i in F, at a bound     i leaves F, go to 2
//      The second and third do not care about dw_s; if dw_s = 0 and nothing stops the move, the direction d has A d = 0 and
//      b . d < 0, and no x solves the problem: a certificate.
//
// Each pass lowers x.Ax/2 + b.x, of which the solution is the minimum, unless its length is zero; after many such passes in
// a row the least index is taken instead of the worst (Bland's rule). A pivot costs O(n^2): A_FF is kept as a Cholesky
// factor. Redundant rows never join F, because their Schur complement dw_s vanishes.
//
// Friction bounds that follow normal impulses are frozen from outside (frozen_bounds.hpp). Known failures: A that is not
// positive semidefinite (Exit::Singular).
#include "solvers/box_pivoting.hpp"
#include "solvers/frozen_bounds.hpp"
#include "solvers/registry.hpp"

namespace cairn {

namespace {

int mostViolated(const BoxPivoting& state, bool leastIndex) {
  int found = -1;
  double worst = 0.0;
  for (int i = 0; i < state.size(); ++i) {
    if (state.violation(i) <= worst) continue;
    worst = state.violation(i);
    found = i;
    if (leastIndex) break;
  }
  return found;
}

class Keller final : public FrozenBoundsSolver {
 public:
  std::string_view name() const override { return "keller"; }

 protected:
  LcpAnswer solveBoxes(const BoxedLcp& lcp, const Vector& lo, const Vector& hi, const Vector& start,
                       const MayPivot& mayPivot) override {
    return solveKeller(lcp, lo, hi, start, mayPivot);
  }
};

}  // namespace

LcpAnswer solveKeller(const BoxedLcp& lcp, const Vector& lo, const Vector& hi, const Vector& start,
                      const MayPivot& mayPivot) {
  BoxPivoting state(lcp, lo, hi, start, mayPivot);
  const int mostPivots = pivotCap(lcp.size());
  int idlePasses = 0;  // without any movement, one after the other
  if (!state.settle()) return state.answer(Exit::IterationLimit);
  for (;;) {
    const int s = mostViolated(state, idlePasses > state.size());
    if (s < 0) return state.answer(Exit::Converged);
    const double sign = state.w(s) < 0.0 ? 1.0 : -1.0;
    double moved = 0.0;
    for (bool placed = false; !placed;) {
      if (!state.mayPivot()) return state.answer(Exit::IterationLimit);
      if (state.work().pivots > mostPivots) return state.answer(Exit::Stalled, kTooManyPivots);
      state.aim(s, sign);
      const double schur = state.schur(s, sign);
      if (schur < -BoxPivoting::kNegative) return state.answer(Exit::Singular, kNotSemidefinite);
      const bool depends = schur <= BoxPivoting::kDependent;
      if (depends && state.negligible(s)) {
        state.retreat(s, sign);
        placed = true;
        continue;
      }
      double length = std::numeric_limits<double>::infinity();
      if (!depends) length = std::max(-sign * state.w(s), 0.0) / schur;
      int stops = s;
      bool joins = true;
      if (state.roomFor(s) < length) length = state.roomFor(s), joins = false;
      for (const int i : state.factor().members())
        if (state.roomFor(i) < length) length = state.roomFor(i), stops = i;
      if (!std::isfinite(length)) return state.answerToUnstopped(s);
      state.step(length);
      moved += length;
      if (stops != s) {
        state.leave(stops);
      } else {
        placed = true;
        if (!joins) {
          state.sitOnBound(s);
        } else if (!state.join(s)) {
          state.retreat(s, sign);
        }
      }
    }
    idlePasses = moved > 0.0 ? 0 : idlePasses + 1;
    state.refresh();
  }
}

std::unique_ptr<ContactSolver> makeKeller(OptionReader& options) { return makeFrozenBounds<Keller>(options); }

}  // namespace cairn
