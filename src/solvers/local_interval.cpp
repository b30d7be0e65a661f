#include "solvers/local_interval.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace cairn {

namespace {
constexpr double kSingular = 1e-10;  // smallest eigenvalue over the largest entry that is taken as it is
constexpr double kRounding = 1e-14;  // relative: bounds and signs broken by no more are kept
constexpr int kMostPivots = 729;     // 3^6: no set of sides comes twice
enum class Side { Lower, Free, Upper };
}  // namespace

LocalInterval::LocalInterval(const BlockMatrix& w, const double* lower, const double* upper)
    : size_(static_cast<int>(w.rows())), w_(w) {
  lower_ = Eigen::Map<const Vector>(lower, size_);
  upper_ = Eigen::Map<const Vector>(upper, size_);
  const Matrix symmetric = 0.5 * (w + w.transpose());
  const double smallest = Eigen::SelfAdjointEigenSolver<Matrix>(symmetric, Eigen::EigenvaluesOnly).eigenvalues()[0];
  const double largest = w.cwiseAbs().maxCoeff();
  proximal_ = std::max(0.0, kSingular * (largest > 0.0 ? largest : 1.0) - smallest);
  w_.diagonal().array() += proximal_;
}

void LocalInterval::solve(const double* q, double* lambda) const {
  const BlockVector offset = Eigen::Map<const Vector>(q, size_) - proximal_ * Eigen::Map<const Vector>(lambda, size_);
  std::array<Side, kMostBlockRows> side{};
  for (int i = 0; i < size_; ++i)
    side[i] = lambda[i] <= lower_[i] ? Side::Lower : lambda[i] >= upper_[i] ? Side::Upper : Side::Free;
  BlockVector l(size_), v(size_);
  for (int pivot = 0; pivot < kMostPivots; ++pivot) {
    std::array<int, kMostBlockRows> free{};
    int count = 0;
    for (int i = 0; i < size_; ++i) {
      l[i] = side[i] == Side::Lower ? lower_[i] : side[i] == Side::Upper ? upper_[i] : 0.0;
      if (side[i] == Side::Free) free[count++] = i;
    }
    if (count > 0) {
      const BlockVector rest = offset + w_ * l;
      BlockMatrix part(count, count);
      BlockVector right(count);
      for (int i = 0; i < count; ++i) {
        right[i] = -rest[free[i]];
        for (int k = 0; k < count; ++k) part(i, k) = w_(free[i], free[k]);
      }
      const BlockVector x = Eigen::PartialPivLU<BlockMatrix>(part).solve(right);
      for (int i = 0; i < count; ++i) l[free[i]] = x[i];
    }
    v = offset + w_ * l;
    const BlockVector size = offset.cwiseAbs() + w_.cwiseAbs() * l.cwiseAbs();
    int wrong = -1;
    Side to = Side::Free;
    for (int i = 0; i < size_ && wrong < 0; ++i) {
      const double slack = kRounding * (1.0 + std::abs(l[i]));
      if (side[i] == Side::Free) {
        if (l[i] < lower_[i] - slack) wrong = i, to = Side::Lower;
        if (l[i] > upper_[i] + slack) wrong = i, to = Side::Upper;
      } else if (lower_[i] < upper_[i]) {
        const double speed = side[i] == Side::Lower ? v[i] : -v[i];
        if (speed < -kRounding * size[i]) wrong = i;
      }
    }
    if (wrong < 0) break;
    side[wrong] = to;
  }
  for (int i = 0; i < size_; ++i) lambda[i] = std::clamp(l[i], lower_[i], upper_[i]);
}

}  // namespace cairn
