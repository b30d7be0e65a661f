// The two methods as Redon §5.3 compares them: by the same guidelines, one tolerance, a Cholesky factorisation from scratch
// of a submatrix of J M^-1 J^T for each system. And both with that factor updated, as Baraff suggests and the paper leaves
// out. For the comparison only: they count on problems that have a solution.
#pragma once

#include "solvers/nnls.hpp"  // RowMatrix

namespace cairn::bench {

struct PaperRun {
  Vector lambda;
  int systems = 0;  // linear systems solved
};

// A sparse W whose entries are asked for one by one, as the formula has it: da_i = sum of W(i, k) df_k over the k in use,
// for every contact i, whether W(i, k) is zero or not. Each is found at once. Systems are sparse.
struct EntryAccess {
  explicit EntryAccess(const SparseMatrix& w) : entries(w), table(w) {}
  double coeff(int row, int column) const { return table(row, column); }
  Eigen::Index rows() const { return table.rows(); }
  const SparseMatrix& entries;
  RowMatrix table;
};

// Dantzig's algorithm as Baraff gives it (SIGGRAPH 94) on a = W f + b, a >= 0, f >= 0, a.f = 0. `w` is used as a dense
// matrix or as a sparse one. A contact counts as violated if a_i < -tolerance sqrt(w_ii).
PaperRun dantzigOfPaper(const Matrix& w, const Vector& b, double tolerance);
PaperRun dantzigOfPaper(const SparseMatrix& w, const Vector& b, double tolerance);
PaperRun dantzigOfPaper(const EntryAccess& w, const Vector& b, double tolerance);
PaperRun updatedDantzig(const Matrix& w, const Vector& b, double tolerance);
PaperRun updatedDantzig(const SparseMatrix& w, const Vector& b, double tolerance);

// Wilhelmsen's algorithm on min |J^T f - s|, f >= 0, with systems of the same matrices. A row may enter if J_i.(s - x) >
// tolerance |J_i|.
PaperRun wilhelmsenOfPaper(const RowMatrix& jacobian, const Vector& s, double tolerance);
PaperRun wilhelmsenOfPaper(const SparseMatrix& jacobian, const Vector& s, double tolerance);
PaperRun updatedWilhelmsen(const RowMatrix& jacobian, const Vector& s, double tolerance);
PaperRun updatedWilhelmsen(const SparseMatrix& jacobian, const Vector& s, double tolerance);

}  // namespace cairn::bench
