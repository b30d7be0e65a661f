// Two ways to know, while impulses change block by block, what the others do to one block:
//
//   q_c = b_c + sum over j != c of W_cj lambda_j        so that v_c = q_c + W_cc lambda_c
//
// BodyForm    keeps what the impulses have done to the bodies, dV = M^-1 J^T lambda, with T = M^-1 J^T computed once: 12
//             numbers a row to read it and 12 to change it, however many blocks meet at a body (Erleben eq. 31-33; eq. 32
//             should read minus J' dV).
// MatrixForm  walks along a row of blocks of W. For problems given by their matrix, and for bodies that are coupled.
//
// Both hold all their numbers in a few long arrays. kRows is the number of rows of every block, or 0 if they differ.
#pragma once

#include "cairn/contact_problem.hpp"

namespace cairn {

// Where the rows of block c begin, and how many there are.
template <int kRows>
class BlockRows {
 public:
  explicit BlockRows(const ContactProblem& problem) {
    if constexpr (kRows == 0)
      for (const Block& block : problem.blocks()) {
        first_.push_back(block.first);
        size_.push_back(block.size);
      }
  }
  int first(int c) const {
    if constexpr (kRows > 0) return kRows * c;
    return first_[c];
  }
  int size(int c) const {
    if constexpr (kRows > 0) return kRows;
    return size_[c];
  }

 private:
  std::vector<int> first_, size_;
};

// One small matrix, rows by columns, for each block, row after row in one array.
template <int kRows>
class BlockArray {
 public:
  void append(const BlockMatrix& matrix) {
    if constexpr (kRows == 0) start_.push_back(values_.size());
    for (Eigen::Index r = 0; r < matrix.rows(); ++r)
      for (Eigen::Index k = 0; k < matrix.cols(); ++k) values_.push_back(matrix(r, k));
  }
  const double* operator[](int c) const {
    if constexpr (kRows > 0) return values_.data() + kRows * kRows * static_cast<std::size_t>(c);
    return values_.data() + start_[c];
  }

 private:
  std::vector<double> values_;
  std::vector<std::size_t> start_;
};

template <int kRows>
class BodyForm {
 public:
  explicit BodyForm(const ContactProblem& problem);

  void start(const Vector& impulse);  // from scratch: also rids dV of the rounding of many changes
  void offset(int c, const double* impulse, double* q) const {
    const int rows = rows_.size(c), first = rows_.first(c);
    const double* j = jacobian_.data() + 12 * static_cast<std::size_t>(first);
    const double* own = own_[c];
    const double* a = dv_.data() + bodyA_[c];
    const double* b = dv_.data() + bodyB_[c];
    for (int r = 0; r < rows; ++r, j += 12) {
      const Pair sum = (pair(j) * pair(a) + pair(j + 2) * pair(a + 2) + pair(j + 4) * pair(a + 4)) +
                       (pair(j + 6) * pair(b) + pair(j + 8) * pair(b + 2) + pair(j + 10) * pair(b + 4));
      double rest = b_[first + r];
      for (int k = 0; k < rows; ++k) rest -= own[rows * r + k] * impulse[first + k];
      q[r] = rest + sum.sum();
    }
  }
  void change(int c, const double* delta) {
    const int rows = rows_.size(c);
    const double* t = response_.data() + 12 * static_cast<std::size_t>(rows_.first(c));
    double* a = dv_.data() + bodyA_[c];
    double* b = dv_.data() + bodyB_[c];
    for (int r = 0; r < rows; ++r, t += 12) {
      for (int i = 0; i < 6; i += 2) Eigen::Map<Pair>(a + i) += pair(t + i) * delta[r];
      for (int i = 0; i < 6; i += 2) Eigen::Map<Pair>(b + i) += pair(t + 6 + i) * delta[r];
    }
  }
  Vector& state() { return dv_; }  // linear in the impulses

 private:
  using Pair = Eigen::Array2d;
  static Pair pair(const double* p) { return Eigen::Map<const Pair>(p); }

  BlockRows<kRows> rows_;
  int blocks_;
  Vector b_;
  std::vector<double> jacobian_, response_;  // 12 a row: body a, body b
  BlockArray<kRows> own_;                    // J_c T_c: W_cc without compliance
  std::vector<int> bodyA_, bodyB_;           // where their numbers begin in dV; what cannot be moved comes last
  Vector dv_;
};

template <int kRows>
class MatrixForm {
 public:
  explicit MatrixForm(const ContactProblem& problem);

  void start(const Vector&) {}
  void offset(int c, const double* impulse, double* q) const {
    const int first = rows_.first(c);
    const int end = start_[c + 1];
    if constexpr (kRows == 3) {
      // Nine sums, in pairs as the block lies in memory, so that no sum waits for another.
      Eigen::Array2d s01 = Eigen::Array2d::Zero(), s23 = s01, s45 = s01, s67 = s01;
      double s8 = 0.0;
      const double* w = values_.data() + 9 * static_cast<std::size_t>(start_[c]);
      for (int e = start_[c]; e < end; ++e, w += 9) {
        const double* l = impulse + column_[e];
        const Eigen::Array2d l01 = Eigen::Map<const Eigen::Array2d>(l), l12 = Eigen::Map<const Eigen::Array2d>(l + 1);
        const Eigen::Array2d l20(l[2], l[0]);
        s01 += Eigen::Map<const Eigen::Array2d>(w) * l01;
        s23 += Eigen::Map<const Eigen::Array2d>(w + 2) * l20;
        s45 += Eigen::Map<const Eigen::Array2d>(w + 4) * l12;
        s67 += Eigen::Map<const Eigen::Array2d>(w + 6) * l01;
        s8 += w[8] * l[2];
      }
      q[0] = b_[first] + (s01[0] + s01[1] + s23[0]);
      q[1] = b_[first + 1] + (s23[1] + s45[0] + s45[1]);
      q[2] = b_[first + 2] + (s67[0] + s67[1] + s8);
    } else {
      const int rows = rows_.size(c);
      for (int r = 0; r < rows; ++r) q[r] = b_[first + r];
      for (int e = start_[c]; e < end; ++e) {
        const double* w = values_.data() + valueStart_[e];
        const double* l = impulse + column_[e];
        const int columns = columns_[e];
        for (int r = 0; r < rows; ++r, w += columns)
          for (int k = 0; k < columns; ++k) q[r] += w[k] * l[k];
      }
    }
  }
  void change(int, const double*) {}
  Vector& state() { return none_; }
  int neighbours(int c) const { return start_[c + 1] - start_[c]; }  // blocks that act on c, itself left out

 private:
  BlockRows<kRows> rows_;
  Vector b_;
  std::vector<int> start_;               // per block: its first entry
  std::vector<int> column_;              // per entry: first row of the other block
  std::vector<int> columns_;             // and how many it has; only if blocks differ
  std::vector<std::size_t> valueStart_;  // likewise
  std::vector<double> values_;
  Vector none_;
};

// Whether the bodies can be used, and whether every block has three rows.
inline bool sweepsBodies(const ContactProblem& problem) {
  return problem.hasBodies() && !problem.data().inverseMass->couplesBodies();
}
bool allBlocksHaveThreeRows(const ContactProblem& problem);

// make.template operator()<Form, kRows>() for the form that fits the problem: the one place that chooses.
template <class Make>
auto withForm(const ContactProblem& problem, const Make& make) {
  if (sweepsBodies(problem))
    return allBlocksHaveThreeRows(problem) ? make.template operator()<BodyForm<3>, 3>()
                                           : make.template operator()<BodyForm<0>, 0>();
  return allBlocksHaveThreeRows(problem) ? make.template operator()<MatrixForm<3>, 3>()
                                         : make.template operator()<MatrixForm<0>, 0>();
}

}  // namespace cairn
