// A block of up to six rows with bounds, solved exactly: v = W l + q, lower <= l <= upper, v_i >= 0 at the lower bound,
// <= 0 at the upper, = 0 between.
//
// Principal pivoting by the least index (Murty): each row is at a bound or free; solve for the free ones; the first row that
// breaks its condition changes sides; repeat. Ends for every P-matrix, in practice after a few pivots, as the search begins
// with the rows that were free the last time. Blocks that are not positive definite get a small term on the diagonal that
// acts on the change of the impulses only, as in local_contact.hpp.
#pragma once

#include "cairn/contact_problem.hpp"

namespace cairn {

class LocalInterval {
 public:
  LocalInterval(const BlockMatrix& w, const double* lower, const double* upper);
  void solve(const double* q, double* lambda) const;  // lambda: impulses before, and after

 private:
  int size_;
  BlockMatrix w_;
  double proximal_ = 0.0;
  BlockVector lower_, upper_;
};

}  // namespace cairn
