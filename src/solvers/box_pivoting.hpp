// The state that pivoting methods for symmetric positive semidefinite boxed problems share:
//
//   w = A x + b,  lo <= x <= hi;   F: indices with w = 0;   all others sit on a bound (or, without bounds, are loose).
//
// Inside, A is scaled to a unit diagonal (x = S x', w' = S w), so that one number says what a negligible pivot is.
#pragma once

#include "solvers/active_cholesky.hpp"
#include "solvers/lcp_methods.hpp"

namespace cairn {

inline constexpr const char* kNotSemidefinite = "the matrix is not positive semidefinite";

class BoxPivoting {
 public:
  enum class Place : std::uint8_t {
    Lower,
    Upper,
    Free,   // in F
    Fixed,  // lo = hi: nothing is asked of w
    Loose,  // without bounds, and not in F: it depends on those that are
  };
  BoxPivoting(const BoxedLcp& lcp, const Vector& lo, const Vector& hi, const Vector& start, const MayPivot& mayPivot);

  // Takes loose indices and those that start between their bounds into F, then moves x towards w_F = 0; what runs into a
  // bound stays there. Afterwards lo <= x <= hi and w_F = 0. False if pivots ran out.
  bool settle();

  int size() const { return static_cast<int>(b_.size()); }
  Place place(int i) const { return place_[i]; }
  const ActiveCholesky& factor() const { return factor_; }
  double x(int i) const { return x_[i]; }
  double w(int i) const { return w_[i]; }
  double lo(int i) const { return lo_[i]; }
  double hi(int i) const { return hi_[i]; }
  double violation(int i) const;  // of the sign of w, beyond rounding; 0: none
  bool violated(int i) const { return violation(i) > 0.0; }

  // Where everything goes while x_s moves by `sign` and w_F stays 0.
  void aim(int s, double sign);
  double dx(int i) const { return dx_[i]; }
  double dw(int i) const { return dw_[i]; }
  double schur(int s, double sign) const { return sign * dw_[s]; }  // of s with respect to F; zero: s depends on F
  // Unit diagonal: Schur complements below the first are zero; none of a semidefinite matrix is below minus the second.
  static constexpr double kDependent = 1e-13;
  static constexpr double kNegative = 1e-9;
  // How far until x_i of an index in F, or of s itself, meets a bound.
  double roomFor(int i) const;
  void step(double length);

  // Pivots. join() is refused for dependent indices.
  bool mayPivot();
  bool join(int i);
  void leave(int i);       // to the bound that x_i is nearer to
  void sitOnBound(int i);  // for an index that moved by itself from one bound to the other
  // For an index that left its bound, has w_s = 0 to rounding, and depends on F: back along the direction that changes no w,
  // until x_s is on its bound again, or until some x_i, i in F, meets a bound: s then takes its place in F.
  void retreat(int s, double sign);
  bool negligible(int i) const { return std::abs(w_[i]) <= rounding_[i]; }

  // w from scratch, and x_F corrected by what rounding left in w_F.
  void refresh();

  // The present aim d of index s is stopped by nothing. If A d = 0 and b . d < 0, nothing solves the problem, because every
  // solution had d . w = d . (A x + b) >= 0: Infeasible, or Inconsistent if only rows without bounds take part.
  LcpAnswer answerToUnstopped(int s) const;
  LcpAnswer answer(Exit exit, std::string message = {}) const;
  PivotWork& work() { return work_; }

 private:
  void gatherColumn(int i, Vector& column) const;
  void multiply(const Vector& x, Vector& out) const;

  SparseMatrix a_;
  Vector scale_, b_, lo_, hi_, x_, w_, dx_, dw_, rounding_;
  double speed_ = 0.0;  // largest speed at stake, unscaled
  std::vector<Place> place_;
  std::vector<char> unbounded_;
  std::vector<int> position_;  // in the factor, -1
  ActiveCholesky factor_;
  MayPivot mayPivot_;
  PivotWork work_;
  int updates_ = 0;  // of the factor, since it was made from scratch
  void refactor();
};

}  // namespace cairn
