// C = Q R of a set of columns that changes by one column at a time, at O(coordinates x columns) a change.
//
// Appending orthogonalises the new column against Q (Gram-Schmidt, repeated when much of it cancels), removing one turns R
// back into a triangle by Givens rotations (Golub and Van Loan, Matrix Computations, 6.5). Q is kept: the Cholesky factor R
// of C^T C alone would be cheaper, but tells dependent columns from independent ones to half the digits only.
//
// Columns are sparse. Q holds only the coordinates that some column touched so far: contacts that carry nothing cost
// nothing.
#pragma once

#include "cairn/contact_problem.hpp"

namespace cairn {

class UpdatedQr {
 public:
  explicit UpdatedQr(int coordinates) : place_(coordinates, -1) {}

  int columns() const { return columns_; }

  // Appends a column of length 1. False, and nothing changes, if what it adds to the span is shorter than `dependent`.
  bool append(std::span<const int> coordinates, std::span<const double> values, double dependent);
  void remove(int column);  // those behind it move up

  // The y of least |C y - r|, for r with all coordinates.
  void leastSquares(const Vector& r, Vector& y);
  // The same for an r that is orthogonal to all columns but the last.
  void leastSquaresOfLast(const Vector& r, Vector& y) const;
  // The y with C^T C y = g. Squares the condition of C: to be followed by a correction.
  void solveNormal(const Vector& g, Vector& y) const;

 private:
  int touch(int coordinate);
  void grow();

  std::vector<int> place_;    // by coordinate: row of Q, -1 while untouched
  std::vector<int> touched_;  // coordinate by row of Q
  int columns_ = 0;
  Matrix q_, r_;  // larger than in use; unused rows of Q are zero
  Vector column_, part_, again_;
};

}  // namespace cairn
