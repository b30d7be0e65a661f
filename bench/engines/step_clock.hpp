// The wall clock of single steps, and how much of it this program spent waiting for a processor.
#pragma once

#include <chrono>
#include <ctime>

namespace cairn::bench {

class StepClock {
 public:
  void start() {
    processor_ = processorSeconds();
    wall_ = Clock::now();
  }
  double stopMs() {
    const double wall = std::chrono::duration<double>(Clock::now() - wall_).count();
    wallSum_ += wall;
    processorSum_ += processorSeconds() - processor_;
    return 1e3 * wall;
  }
  double wallSum() const { return wallSum_; }            // s
  double processorSum() const { return processorSum_; }  // s, of all threads

 private:
  using Clock = std::chrono::steady_clock;
  static double processorSeconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  Clock::time_point wall_{};
  double processor_ = 0.0;
  double wallSum_ = 0.0, processorSum_ = 0.0;
};

// What other programs took from steps of one thread: 0 on a quiet machine.
struct Waiting {
  double wall = 0.0, processor = 0.0;  // s
  void add(const StepClock& clock) {
    wall += clock.wallSum();
    processor += clock.processorSum();
  }
  double share() const { return wall > 0.0 && processor < wall ? 1.0 - processor / wall : 0.0; }
};
inline constexpr double kMostWaiting = 0.05;  // of the time: beyond, results are said to be disturbed

}  // namespace cairn::bench
