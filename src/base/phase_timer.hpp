// Wall-clock time of the phases of a step.
#pragma once

#include <chrono>

#include "cairn/report.hpp"

namespace cairn {

class PhaseTimer {
 public:
  explicit PhaseTimer(StepReport& report) : report_(report), start_(Clock::now()), last_(start_) {}

  // Books the time since the last call (or the beginning) under `phase`.
  void finish(Phase phase) {
    const Clock::time_point now = Clock::now();
    report_.phaseMs[static_cast<std::size_t>(phase)] += milliseconds(now - last_);
    last_ = now;
    report_.totalMs = milliseconds(now - start_);
  }

  // Leaves the time since the last call out of everything.
  void skip() {
    const Clock::time_point now = Clock::now();
    start_ += now - last_;
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double milliseconds(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

  StepReport& report_;
  Clock::time_point start_;
  Clock::time_point last_;
};

}  // namespace cairn
