// Wall-clock time of the phases of a step.
#pragma once

#include <array>
#include <chrono>

#include "cairn/report.hpp"

namespace cairn {

using PhaseTimes = std::array<double, kPhaseCount>;  // ms

class PhaseTimer {
 public:
  explicit PhaseTimer(PhaseTimes& phases) : phases_(phases), start_(Clock::now()), last_(start_) {}

  // Books the time since the last call (or the beginning) under `phase`.
  void finish(Phase phase) { phases_[static_cast<std::size_t>(phase)] += lap(); }

  // Books it under several phases, in proportion to `parts`: for work that ran side by side.
  void finish(const PhaseTimes& parts) {
    double sum = 0.0;
    for (const double part : parts) sum += part;
    const double scale = lap() / (sum > 0.0 ? sum : 1.0);
    for (std::size_t i = 0; i < parts.size(); ++i) phases_[i] += scale * parts[i];
  }

  // Leaves the time since the last call out of everything.
  void skip() {
    const Clock::time_point now = Clock::now();
    start_ += now - last_;
    last_ = now;
  }

  double totalMs() const { return milliseconds(last_ - start_); }

 private:
  using Clock = std::chrono::steady_clock;
  static double milliseconds(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }
  double lap() {
    const Clock::time_point now = Clock::now();
    const double ms = milliseconds(now - last_);
    last_ = now;
    return ms;
  }

  PhaseTimes& phases_;
  Clock::time_point start_;
  Clock::time_point last_;
};

}  // namespace cairn
