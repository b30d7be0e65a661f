// When the next step and the next frame are due.
#pragma once

#include <chrono>

namespace cairn {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

inline Clock::duration seconds(double count) { return std::chrono::duration_cast<Clock::duration>(Seconds(count)); }

// Steps in real time, times a speed. What the machine cannot do in time is not caught up with: the motion slows down
// instead.
class StepPace {
 public:
  void start(Clock::time_point now) { due_ = now; }
  void stepped(double dt, double speed, Clock::time_point now) {
    constexpr double kMostLag = 0.1;  // s that a step may be late and still be caught up with
    due_ = speed == 0.0 ? now : due_ + seconds(dt / speed);
    if (due_ < now - seconds(kMostLag)) due_ = now;
  }
  // A step must not wait out a pace that no longer holds.
  void changed(Clock::time_point now) { due_ = std::min(due_, now); }
  Clock::time_point due() const { return due_; }

 private:
  Clock::time_point due_{};
};

// At most so many in a second, evenly, and without losing every second one to a clock that ticks a little early.
class RateLimit {
 public:
  explicit RateLimit(double perSecond) : interval_(seconds(1.0 / perSecond)) {}
  Clock::time_point due() const { return next_ - interval_ / 4; }
  bool isDue(Clock::time_point now) {
    if (now < due()) return false;
    next_ = std::max(next_ + interval_, now + interval_ / 2);
    return true;
  }

 private:
  Clock::duration interval_;
  Clock::time_point next_{};
};

// Allows a measurement only while all of them together cost at most a share of the time that is spent on steps.
class MeasureBudget {
 public:
  explicit MeasureBudget(double share) : share_(share) {}
  void earn(double stepSeconds) { credit_ = std::min(credit_ + share_ * stepSeconds, 10.0 * cost_ + 1e-3); }
  bool allows() const { return credit_ >= cost_; }
  void spend(double secondsSpent) {
    cost_ = secondsSpent;
    credit_ -= secondsSpent;
  }

 private:
  double share_;
  double credit_ = 0.0;  // s
  double cost_ = 0.0;    // s, of the last measurement
};

}  // namespace cairn
