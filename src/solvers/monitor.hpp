// Watches a solver while it works: counts iterations, keeps to the limits, judges and logs.
//
//   while (!monitor.stop()) {
//     ... one iteration on `impulse` ...
//     if (monitor.solved(impulse)) return Exit::Converged;
//   }
//   return monitor.exit();
//
// Judging costs about as much as a sweep. A solver that knows by itself (from the size of its last change, say) that it is
// not there yet calls monitor.solved(impulse, estimate): the judge is then asked only when the estimate is small enough,
// when it has not been asked for a while, or when a log is kept.
#pragma once

#include <chrono>

#include "cairn/contact_problem.hpp"

namespace cairn {

class Monitor {
 public:
  Monitor(const ContactProblem& problem, const SolveLimits& limits, int iterationLimit, IterationLog* log);

  // Whether a limit was reached; to be asked before each iteration. exit() then says which. Throws Stopped if the flag of
  // whoever waits for the answer is raised (base/stop.hpp).
  bool stop();
  Exit exit() const { return exit_; }

  // One iteration is done. True when the judge finds the impulses within the tolerance.
  bool solved(const Vector& impulse);
  bool solved(const Vector& impulse, double estimate);  // estimate of Residual::forTolerance(); may be rough

  // The same for steps that are no iteration of their own (a start, a last polish).
  bool judgeNow(const Vector& impulse);
  void record(const Vector& impulse);  // a log entry if a log is kept, nothing else

  int iterations() const { return iterations_; }
  void countIterations(int more) { iterations_ += more; }  // done by a solver that works inside this one
  double tolerance() const { return limits_.tolerance; }
  bool logging() const { return log_ != nullptr; }
  const Residual& residual() const { return residual_; }  // the last one that was judged
  double milliseconds() const;                            // spent, without the judging for the log
  SolveLimits remaining() const;                          // for a solver inside this one
  void explain(std::string message) { message_ = std::move(message); }
  const std::string& message() const { return message_; }

  // The best that was judged so far; solvers that do not descend monotonically end with it.
  void keepBest(bool on) { keepBest_ = on; }
  bool restoreBest(Vector& impulse) const;  // false if nothing was kept

 private:
  using Clock = std::chrono::steady_clock;
  const ContactProblem& problem_;
  SolveLimits limits_;
  int iterationLimit_;
  IterationLog* log_;
  int iterations_ = 0;
  int sinceJudged_ = 0;
  int patience_ = 1;
  Exit exit_ = Exit::Converged;
  Residual residual_{};
  Clock::time_point start_ = Clock::now();
  double judgingMs_ = 0.0;  // for the log only
  std::string message_;
  bool keepBest_ = false;
  double bestValue_ = std::numeric_limits<double>::infinity();
  Vector best_;
};

}  // namespace cairn
