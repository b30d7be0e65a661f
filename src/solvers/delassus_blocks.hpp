// W = J M^-1 J^T + Gamma by blocks, with friction scaled out (S W S; problem/admissible.hpp): a row of blocks is a contact
// or joint and all it shares a body with.
#pragma once

#include "cairn/contact_problem.hpp"

namespace cairn {

class DelassusBlocks {
 public:
  // scale: S, by row. Bodies that are not coupled are put together here, without the detour over a sparse matrix.
  DelassusBlocks(const ContactProblem& problem, const Vector& scale);

  int count() const { return static_cast<int>(size_.size()); }
  int first(int block) const { return first_[block]; }
  int size(int block) const { return size_[block]; }

  // Entries of block row r are those from begin(r) to begin(r + 1), in no certain order.
  int begin(int r) const { return begin_[r]; }
  int column(int entry) const { return column_[entry]; }
  const double* values(int entry) const { return values_.data() + offset_[entry]; }  // row after row

  void multiply(const Vector& x, Vector& out) const;

 private:
  void fromBodies(const ContactProblem& problem);
  void fromMatrix(const ContactProblem& problem);
  int append(int column, int rows, int columns);

  std::vector<int> first_, size_, begin_, column_;
  std::vector<std::size_t> offset_;
  std::vector<double> values_;
  bool allThree_ = false;  // rows in every block
};

}  // namespace cairn
