// Sparse LU factorisation by small blocks, A = L D U, for matrices whose pattern of blocks is symmetric.
//
// Blocks are eliminated in an order of little fill (approximate minimum degree) that is found once; the numbers may change
// as often as wanted, and so may the number of rows that a block uses, from none to its size. Towards the end everything
// left is linked to everything else: that part is factorised as one dense matrix.
//
// Pivots are chosen inside the diagonal blocks, and freely in the dense part. That suits the matrices of contacts, whose
// diagonal blocks are positive definite or nearly so. A diagonal block that turns out singular gets a small number in place
// of its pivot; the solution is then wrong, which whoever asked for it has to notice.
#pragma once

#include <cstddef>
#include <vector>

#include "cairn/contact_problem.hpp"
#include "math/polled_lu.hpp"

namespace cairn {

class BlockLu {
 public:
  // neighbours[i]: blocks j that have an entry (i, j) or (j, i). sizes: most rows of each block, at most 6.
  BlockLu(const std::vector<int>& sizes, const std::vector<std::vector<int>>& neighbours);

  // Where an entry is kept. To be asked for once; it stays the same.
  struct Place {
    std::size_t offset = 0;
    int row = 0, column = 0;  // positions, if in the dense part; else row is -1
  };
  Place place(int row, int column) const;  // of a diagonal block, or of two neighbours

  // Begins anew with zeros; used[i] rows in block i. The unknowns of the blocks follow each other in the order of i.
  void begin(const std::vector<int>& used);
  int unknowns() const { return unknowns_; }
  int firstUnknown(int block) const { return firstUnknown_[block]; }

  struct Entry {
    double* values;
    int stride;  // from row to row
  };
  Entry entry(const Place& place, int columns) {
    if (place.row < 0) return {values_.data() + place.offset, columns};
    return dense(place.row, place.column);
  }

  // scale: typical size of the diagonal of each block, to tell what is zero.
  void factor(const std::vector<double>& scale);
  void solve(Vector& x);  // in: right-hand side

  double work() const { return work_; }      // multiply-adds of factor() if all rows are used
  double memory() const { return memory_; }  // bytes, likewise; taken by the first begin(). Infinite: cannot be used

 private:
  using DenseMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  struct Link {                // a later block that the elimination of this one touches
    int position;              // in the order of elimination
    std::size_t upper, lower;  // where (this, later) and (later, this) are kept
  };
  Entry dense(int p, int q) {
    return {dense_.data() + static_cast<std::size_t>(denseFirst_[p]) * dense_.cols() + denseFirst_[q],
            static_cast<int>(dense_.cols())};
  }
  void findFill(const std::vector<std::vector<int>>& neighbours);

  std::vector<int> order_, position_;  // block by position, position by block
  std::vector<int> size_, used_;       // by position
  std::vector<int> firstUnknown_;      // by block
  std::vector<int> firstOfPosition_;   // the same by position
  std::vector<std::size_t> diagonal_;  // by position
  std::vector<int> linkBegin_;         // by position
  std::vector<Link> links_;
  std::vector<double> values_;
  int denseBegin_ = 0;           // first position of the dense part
  std::vector<int> denseFirst_;  // by position: row in the dense part
  DenseMatrix dense_;
  PolledLu denseLu_;
  Vector denseX_;
  int unknowns_ = 0;
  std::size_t room_ = 0;
  double work_ = 0.0, memory_ = 0.0;
};

}  // namespace cairn
