// Cholesky factor L L^T of a principal block A_FF, kept up to date while indices join and leave F.
//
//   join   a new last row: L l = a, l_kk^2 = A_kk - l . l, the Schur complement of the index; O(|F|^2)
//   leave  the row goes; Givens rotations of neighbouring columns make L triangular again; O(|F|^2)
#pragma once

#include "cairn/contact_problem.hpp"

namespace cairn {

class ActiveCholesky {
 public:
  int size() const { return static_cast<int>(members_.size()); }
  const std::vector<int>& members() const { return members_; }  // in the order of the factor

  // `column` holds A between the members, in their order, and the new index. False, and nothing changes, if the Schur
  // complement is not above `least`.
  bool join(int index, const Vector& column, double diagonal, double least);
  void leave(int position);
  void clear() { members_.clear(); }
  // A_FF^-1 right, in place.
  void solve(Vector& right);

  std::int64_t multiplications() const { return multiplications_; }

 private:
  void forward(Vector& right);
  std::vector<int> members_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> l_;  // top left corner in use
  std::int64_t multiplications_ = 0;
};

}  // namespace cairn
