#include "solvers/active_cholesky.hpp"

#include <Eigen/Jacobi>

namespace cairn {

void ActiveCholesky::forward(Vector& right) {
  for (int i = 0; i < size(); ++i) right[i] = (right[i] - l_.row(i).head(i).dot(right.head(i))) / l_(i, i);
  multiplications_ += static_cast<std::int64_t>(size()) * size() / 2;
}

void ActiveCholesky::solve(Vector& right) {
  forward(right);
  for (int i = size() - 1; i >= 0; --i) {
    right[i] /= l_(i, i);
    right.head(i) -= right[i] * l_.row(i).head(i).transpose();
  }
  multiplications_ += static_cast<std::int64_t>(size()) * size() / 2;
}

bool ActiveCholesky::join(int index, const Vector& column, double diagonal, double least) {
  const int k = size();
  Vector row = column;
  forward(row);
  const double schur = diagonal - row.squaredNorm();
  if (!(schur > least)) return false;
  if (l_.rows() <= k) l_.conservativeResize(2 * k + 8, 2 * k + 8);
  l_.row(k).head(k) = row.transpose();
  l_(k, k) = std::sqrt(schur);
  members_.push_back(index);
  return true;
}

void ActiveCholesky::leave(int position) {
  const int k = size();
  for (int i = position; i + 1 < k; ++i) l_.row(i).head(i + 2) = l_.row(i + 1).head(i + 2);
  members_.erase(members_.begin() + position);
  for (int j = position; j + 1 < k; ++j) {
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(l_(j, j), l_(j, j + 1), &l_(j, j));
    l_(j, j + 1) = 0.0;
    for (int i = j + 1; i + 1 < k; ++i) {
      const double a = l_(i, j), b = l_(i, j + 1);
      l_(i, j) = rotation.c() * a - rotation.s() * b;
      l_(i, j + 1) = rotation.s() * a + rotation.c() * b;
    }
    if (l_(j, j) < 0.0) {  // a factor has a positive diagonal
      for (int i = j; i + 1 < k; ++i) l_(i, j) = -l_(i, j);
    }
  }
  multiplications_ += 2 * static_cast<std::int64_t>(k - position) * (k - position);
}

}  // namespace cairn
