// Joints out of a mixed LCP (STAR eq. 50-54, put for impulses instead of velocities, so that B = -G M^-1 G^T is -A_FF here).
// With free rows F and bounded rows B,
//
//   0   = A_FF x_F + A_FB x_B + b_F      x_F = -A_FF^+ (A_FB x_B + b_F)
//   y_B = A_BF x_F + A_BB x_B + b_B          = (A_BB - A_BF A_FF^+ A_FB) x_B + b_B - A_BF A_FF^+ b_F
//
// STAR needs joints of full row rank. Here A_FF may be singular: it is scaled to a unit diagonal, and the pseudo-inverse
// of that gives the reactions of least norm. The row of a redundant joint is then met if b_F lies in the range of A_FF;
// that A_FB does is a property of positive semidefinite matrices.
#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "problem/lcp.hpp"

namespace cairn {

namespace {

constexpr double kRankTolerance = 1e-12;  // of A_FF with unit diagonal: what is below counts as zero
constexpr double kContradiction = 1e-9;   // speed left over, over the largest speed
constexpr double kRounding = 1e-13;       // of a sum, over its largest terms
constexpr double kEntanglement = 1e-8;    // what free unknowns cannot cancel in a row of A_FB, unit diagonals
constexpr double kCholeskyIsSafe = 1e-9;  // smallest pivot of a factorisation without pivoting that is relied upon

// A^+ right for A of unit diagonal, refined once: heavy bodies between light ones cost digits.
template <class Factor>
Matrix refinedSolve(const Factor& factor, const Matrix& a, const Matrix& right) {
  Matrix x = factor.solve(right);
  const Matrix left = right - a * x;
  x += factor.solve(left);
  return x;
}

Matrix pseudoSolve(const Matrix& a, const Matrix& right, bool& redundant) {
  const bool symmetric = (a - a.transpose()).cwiseAbs().maxCoeff() <= 1e-13;
  if (symmetric) {
    const Eigen::LLT<Matrix> factor(a);
    if (factor.info() == Eigen::Success && factor.matrixLLT().diagonal().cwiseAbs2().minCoeff() > kCholeskyIsSafe)
      return refinedSolve(factor, a, right);
  }
  Eigen::CompleteOrthogonalDecomposition<Matrix> factor;
  factor.setThreshold(kRankTolerance);
  factor.compute(a);
  redundant = factor.rank() < a.rows();
  return refinedSolve(factor, a, right);
}

}  // namespace

Vector StandardLcp::toMixed(const Vector& x) const {
  Vector all(boundedRows.size() + freeRows.size());
  for (std::size_t i = 0; i < boundedRows.size(); ++i) all[boundedRows[i]] = x[static_cast<Eigen::Index>(i)];
  const Vector free = freeFromBounded * x + freeOffset;
  for (std::size_t i = 0; i < freeRows.size(); ++i) all[freeRows[i]] = free[static_cast<Eigen::Index>(i)];
  return all;
}

StandardLcp eliminateJoints(const MixedLcp& mixed, double speedFloor) {
  StandardLcp out;
  for (int i = 0; i < mixed.size(); ++i) (mixed.isFree[i] != 0 ? out.freeRows : out.boundedRows).push_back(i);
  const int freeCount = static_cast<int>(out.freeRows.size()), boundedCount = static_cast<int>(out.boundedRows.size());
  std::vector<int> place(mixed.size());
  for (int i = 0; i < freeCount; ++i) place[out.freeRows[i]] = i;
  for (int i = 0; i < boundedCount; ++i) place[out.boundedRows[i]] = i;

  Matrix ff = Matrix::Zero(freeCount, freeCount), fb = Matrix::Zero(freeCount, boundedCount);
  Matrix bf = Matrix::Zero(boundedCount, freeCount), bb = Matrix::Zero(boundedCount, boundedCount);
  for (int row = 0; row < mixed.size(); ++row) {
    for (SparseMatrix::InnerIterator entry(mixed.a, row); entry; ++entry) {
      const int column = static_cast<int>(entry.col());
      Matrix& part = mixed.isFree[row] != 0 ? (mixed.isFree[column] != 0 ? ff : fb) : (mixed.isFree[column] != 0 ? bf : bb);
      part(place[row], place[column]) += entry.value();
    }
  }
  Vector bFree(freeCount), bBounded(boundedCount);
  for (int i = 0; i < freeCount; ++i) bFree[i] = mixed.b[out.freeRows[i]];
  for (int i = 0; i < boundedCount; ++i) bBounded[i] = mixed.b[out.boundedRows[i]];
  out.lcp.a = std::move(bb);
  out.lcp.b = bBounded;
  out.freeFromBounded = Matrix::Zero(freeCount, boundedCount);
  out.freeOffset = Vector::Zero(freeCount);
  if (freeCount == 0) return out;

  Vector scale(freeCount);
  for (int i = 0; i < freeCount; ++i) scale[i] = ff(i, i) > 0.0 ? 1.0 / std::sqrt(ff(i, i)) : 1.0;
  const Matrix scaled = scale.asDiagonal() * ff * scale.asDiagonal();
  Matrix right(freeCount, boundedCount + 1);
  right << -(scale.asDiagonal() * fb), -scale.cwiseProduct(bFree);
  const Matrix solved = scale.asDiagonal() * pseudoSolve(scaled, right, out.redundant);
  out.freeFromBounded = solved.leftCols(boundedCount);
  out.freeOffset = solved.col(boundedCount);
  out.lcp.a.noalias() += bf * out.freeFromBounded;
  out.lcp.b.noalias() += bf * out.freeOffset;
  if (!out.redundant) return out;

  double speed = std::max(speedFloor, bFree.cwiseAbs().maxCoeff());
  for (int row = 0; row < mixed.lift.rows(); ++row)  // what is no multiplier is a speed
    for (SparseMatrix::InnerIterator entry(mixed.lift, row); entry; ++entry)
      speed = std::max(speed, std::abs(mixed.b[entry.col()]));
  int worst = 0;
  const Vector left = (ff * out.freeOffset + bFree).cwiseAbs();
  const Vector rounding = kRounding * (ff.cwiseAbs() * out.freeOffset.cwiseAbs());
  if ((left - rounding).maxCoeff(&worst) > kContradiction * speed) out.inconsistent = out.freeRows[worst];
  const Matrix entangled = (ff * out.freeFromBounded + fb).cwiseAbs();
  const Matrix whole = ff.cwiseAbs() * out.freeFromBounded.cwiseAbs() + fb.cwiseAbs();
  for (int j = 0; j < boundedCount && !out.singular; ++j)
    if (entangled.col(j).maxCoeff(&worst) > kEntanglement * whole.col(j).maxCoeff()) out.singular = out.freeRows[worst];
  return out;
}

}  // namespace cairn
