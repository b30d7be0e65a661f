#include "solvers/updated_qr.hpp"

#include <Eigen/Jacobi>

namespace cairn {

namespace {
// What is left of a column after one orthogonalisation is orthogonal to working accuracy unless much of it cancelled
// (Daniel, Gragg, Kaufman and Stewart 1976). Two passes are then enough, as long as something is left at all. Smaller limits
// save work, but the loss grows from change to change: with 0.1, eight digits are gone after 600 changes.
constexpr double kMuchCancelled = 0.5;
}  // namespace

int UpdatedQr::touch(int coordinate) {
  if (place_[coordinate] < 0) {
    place_[coordinate] = static_cast<int>(touched_.size());
    touched_.push_back(coordinate);
  }
  return place_[coordinate];
}

void UpdatedQr::grow() {
  const Eigen::Index rows = static_cast<Eigen::Index>(touched_.size());
  const Eigen::Index columns = columns_ + 1;
  if (rows > q_.rows() || columns > q_.cols()) {
    const Eigen::Index most = static_cast<Eigen::Index>(place_.size());
    const Eigen::Index newRows = rows > q_.rows() ? std::min(most, 2 * rows) : q_.rows();
    const Eigen::Index newColumns = columns > q_.cols() ? std::min(most, std::max<Eigen::Index>(8, 2 * columns)) : q_.cols();
    q_.conservativeResizeLike(Matrix::Zero(newRows, newColumns));
  }
  if (columns > r_.cols()) {
    const Eigen::Index size = std::max<Eigen::Index>(8, 2 * columns);
    r_.conservativeResizeLike(Matrix::Zero(size, size));
  }
}

bool UpdatedQr::append(std::span<const int> coordinates, std::span<const double> values, double dependent) {
  if (columns_ == static_cast<int>(place_.size())) return false;  // the columns span everything
  for (const int coordinate : coordinates) touch(coordinate);
  grow();
  const Eigen::Index rows = static_cast<Eigen::Index>(touched_.size());
  const auto q = q_.topLeftCorner(rows, columns_);
  column_.setZero(rows);
  part_.setZero(columns_);
  const bool few = 4 * coordinates.size() < touched_.size();
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const int row = place_[coordinates[i]];
    column_[row] = values[i];
    if (few) part_ += values[i] * q.row(row).transpose();
  }
  if (!few) part_.noalias() = q.transpose() * column_;
  column_.noalias() -= q * part_;
  double left = column_.norm();
  if (left < kMuchCancelled) {
    again_.noalias() = q.transpose() * column_;
    column_.noalias() -= q * again_;
    part_ += again_;
    left = column_.norm();
  }
  if (!(left >= dependent)) return false;
  r_.col(columns_).head(columns_) = part_;
  r_(columns_, columns_) = left;
  q_.col(columns_).head(rows) = column_ / left;
  ++columns_;
  return true;
}

void UpdatedQr::remove(int column) {
  --columns_;
  const Eigen::Index rows = static_cast<Eigen::Index>(touched_.size());
  for (int j = column; j < columns_; ++j) r_.col(j).head(j + 2) = r_.col(j + 1).head(j + 2);
  for (int j = column; j < columns_; ++j) {
    Eigen::JacobiRotation<double> turn;
    turn.makeGivens(r_(j, j), r_(j + 1, j), &r_(j, j));
    r_(j + 1, j) = 0.0;
    for (int k = j + 1; k < columns_; ++k) {
      const double upper = r_(j, k), lower = r_(j + 1, k);
      r_(j, k) = turn.c() * upper - turn.s() * lower;
      r_(j + 1, k) = turn.s() * upper + turn.c() * lower;
    }
    double* first = q_.col(j).data();
    double* second = q_.col(j + 1).data();
    for (Eigen::Index i = 0; i < rows; ++i) {
      const double a = first[i], b = second[i];
      first[i] = turn.c() * a - turn.s() * b;
      second[i] = turn.s() * a + turn.c() * b;
    }
  }
}

void UpdatedQr::leastSquares(const Vector& r, Vector& y) {
  const Eigen::Index rows = static_cast<Eigen::Index>(touched_.size());
  column_.resize(rows);
  for (Eigen::Index i = 0; i < rows; ++i) column_[i] = r[touched_[i]];
  y.noalias() = q_.topLeftCorner(rows, columns_).transpose() * column_;
  r_.topLeftCorner(columns_, columns_).triangularView<Eigen::Upper>().solveInPlace(y);
}

void UpdatedQr::leastSquaresOfLast(const Vector& r, Vector& y) const {
  const double* last = q_.col(columns_ - 1).data();
  double product = 0.0;
  for (std::size_t i = 0; i < touched_.size(); ++i) product += last[i] * r[touched_[i]];
  y.setZero(columns_);
  y[columns_ - 1] = product;
  r_.topLeftCorner(columns_, columns_).triangularView<Eigen::Upper>().solveInPlace(y);
}

void UpdatedQr::solveNormal(const Vector& g, Vector& y) const {
  const auto r = r_.topLeftCorner(columns_, columns_);
  y = g;
  r.triangularView<Eigen::Upper>().transpose().solveInPlace(y);
  r.triangularView<Eigen::Upper>().solveInPlace(y);
}

}  // namespace cairn
