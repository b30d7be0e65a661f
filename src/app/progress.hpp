// A progress bar on a terminal; silence elsewhere.
#pragma once

#include <chrono>
#include <iosfwd>

namespace cairn {

class Progress {
 public:
  Progress(std::ostream& out, bool on, double seconds);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(double simulated);  // s; draws at most ten times a second
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::ostream& out_;
  bool on_;
  bool drawn_ = false;
  double seconds_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace cairn
