#include "solvers/anderson.hpp"

#include <Eigen/QR>

namespace cairn {

namespace {

constexpr double kDependent = 1e-8;     // relative pivot: columns that are combinations of others are left out
constexpr double kErrorProgress = 0.9;  // an error below that share of the best is progress
constexpr double kRejected = 1000.0;    // an error above that many times the best undoes the step
constexpr double kLeastDamping = 1.0 / 64;

}  // namespace

void Anderson::forget() {
  results_.clear();
  changes_.clear();
}

Vector Anderson::next(const Vector& s, const Vector& result) {
  results_.push_back(result);
  changes_.push_back(result - s);
  if (static_cast<int>(results_.size()) > memory_ + 1) {
    results_.pop_front();
    changes_.pop_front();
  }
  const int count = static_cast<int>(results_.size()) - 1;
  if (count < 1) return result;
  Matrix changeSteps(s.size(), count), resultSteps(s.size(), count);
  for (int k = 0; k < count; ++k) {
    changeSteps.col(k) = changes_[k + 1] - changes_[k];
    resultSteps.col(k) = results_[k + 1] - results_[k];
  }
  Eigen::ColPivHouseholderQR<Matrix> factors(s.size(), count);
  factors.setThreshold(kDependent);
  factors.compute(changeSteps);
  const Vector mixed = result - resultSteps * factors.solve(changes_.back());
  if (mixed.allFinite()) return mixed;
  forget();
  return result;
}

Vector FixedPointSearch::next(const Vector& s, const Vector& result, double error, bool certain) {
  idle_ = error < kErrorProgress * bestError_ ? 0 : idle_ + 1;
  if (idle_ == 0) damping_ = std::min(1.0, 2.0 * damping_);
  if (error < bestError_) {
    bestError_ = error;
    best_ = s;
    bestResult_ = result;
  }
  if (certain && error > kRejected * bestError_) {
    mix_.forget();
    damping_ = std::max(0.5 * damping_, kLeastDamping);
    return best_ + damping_ * (bestResult_ - best_);
  }
  if (idle_ == 0) inTurn_ = 0;
  if (++inTurn_ > turn_) {
    mix_.forget();
    plain_ = !plain_;
    inTurn_ = 0;
    turn_ *= plain_ ? 2 : 1;
    if (plain_ && turn_ > 4 * kFirstTurn) damping_ = std::max(0.5 * damping_, kLeastDamping);
  }
  const Vector step = s + damping_ * (result - s);
  return plain_ ? step : mix_.next(s, step);
}

}  // namespace cairn
