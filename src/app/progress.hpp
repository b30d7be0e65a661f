// A progress bar on a terminal; silence elsewhere.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <string_view>

namespace cairn {

// The line that is drawn over, at most ten times a second.
class ProgressLine {
 public:
  ProgressLine(std::ostream& out, bool on) : out_(out), on_(on) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool isDue();                                         // to be asked before a line is made
  void draw(double share, const std::string& text);     // 0 to 1
  double elapsed() const;                               // s
  std::string timeLeft(double done, double all) const;  // at the speed so far
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::ostream& out_;
  bool on_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

// Of a simulation.
class Progress {
 public:
  Progress(std::ostream& out, bool on, double seconds) : line_(out, on), seconds_(seconds) {}
  void show(double simulated);  // s
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  double seconds_;
};

// Of a list of things to do.
class CountProgress {
 public:
  CountProgress(std::ostream& out, bool on, int all) : line_(out, on), all_(all) {}
  void show(double done, std::string_view now);  // with the share of the one that is being done

 private:
  ProgressLine line_;
  int all_;
};

}  // namespace cairn
