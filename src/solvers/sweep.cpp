#include "solvers/sweep.hpp"

#include <numeric>

namespace cairn {

namespace {
// Changes of this size relative to the impulses are rounding. Slow methods creep with changes far above it: a contraction
// of 1 - 1e-6 a sweep, hopeless in practice, still changes by 1e-14 when it is 1e-8 from its end.
constexpr double kRounding = 4e-16;
constexpr int kStillSweeps = 20;  // that many in a row before a method counts as stalled

constexpr int kCircleSweeps = 256;  // without a smaller change
constexpr double kShorter = 0.8;
constexpr double kLeastRelaxation = 0.3;
}  // namespace

void SweepOrder::read(OptionReader& options) {
  options.choice(
      "order", kind,
      {{"natural", Kind::Natural}, {"reverse", Kind::Reverse}, {"symmetric", Kind::Symmetric}, {"random", Kind::Random}});
  options.whole("seed", seed, 0, std::numeric_limits<int>::max());
}

BlockOrder::BlockOrder(const SweepOrder& order, int blocks)
    : kind_(order.kind), random_(static_cast<unsigned>(order.seed)), order_(blocks) {
  std::iota(order_.begin(), order_.end(), 0);
  if (kind_ == SweepOrder::Kind::Reverse) std::reverse(order_.begin(), order_.end());
}

const std::vector<int>& BlockOrder::next() {
  if (kind_ == SweepOrder::Kind::Symmetric && !first_) std::reverse(order_.begin(), order_.end());
  if (kind_ == SweepOrder::Kind::Random)
    // std::shuffle may differ from library to library. The remainder's bias, below 1e-5 for any problem, does not matter.
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_() % i]);
  first_ = false;
  return order_;
}

bool SweepWatch::last(const Vector& impulse, const SweepChange& change) {
  if (!std::isfinite(change.change) || !std::isfinite(change.size)) {
    exit_ = Exit::Diverged;
    return true;
  }
  const double size = std::sqrt(change.change);
  const double before = monitor_.residual().forTolerance();
  if (monitor_.solved(impulse, ratio_ * size)) {
    exit_ = Exit::Converged;
    return true;
  }
  const double now = monitor_.residual().forTolerance();  // another number: the judge was asked
  if (now != before && size > 0.0) ratio_ = now / size;
  still_ = change.change <= kRounding * kRounding * change.size ? still_ + 1 : 0;
  if (still_ < kStillSweeps) return false;
  exit_ = monitor_.judgeNow(impulse) ? Exit::Converged : Exit::Stalled;
  return true;
}

double CircleWatch::relaxation(const SweepChange& last) {
  // Over-relaxation has to earn its keep.
  const double smaller = relaxation_ > 1.0 ? 0.5 * least_ : least_;
  ++since_;
  if (last.change < smaller) {
    least_ = last.change;
    since_ = 0;
  }
  if (since_ < kCircleSweeps) return relaxation_;
  since_ = 0;
  least_ = std::numeric_limits<double>::infinity();
  if (relaxation_ > kLeastRelaxation)
    relaxation_ = std::max(kShorter * relaxation_, relaxation_ > 1.0 ? 1.0 : kLeastRelaxation);
  return relaxation_;
}

Exit sweepUntilSolved(Sweeper& sweeper, Monitor& monitor, Vector& impulse, double relaxation) {
  sweeper.damp(relaxation, 0.0);
  sweeper.start(impulse);
  SweepWatch watch(monitor);
  CircleWatch circles(relaxation);
  while (!monitor.stop()) {
    const SweepChange change = sweeper.sweep(impulse);
    if (watch.last(impulse, change)) return watch.exit();
    sweeper.damp(circles.relaxation(change), 0.0);
  }
  return monitor.exit();
}

}  // namespace cairn
