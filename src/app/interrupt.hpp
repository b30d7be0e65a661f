// Ctrl-C asks the work to end, within the step or solve that is under way; a second one kills the program as usual.
#pragma once

#include <atomic>
#include <csignal>

namespace cairn {

// Listens to SIGINT, SIGTERM and SIGHUP while it lives.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  int signal() const;                      // 0: none came
  int exitCode() const;                    // of a program that ended because of it: 128 + signal
  static const std::atomic<bool>* flag();  // raised when one comes: for World::setStopFlag and SolveLimits::stop

 private:
  struct sigaction oldInterrupt_ {};
  struct sigaction oldTerminate_ {};
  struct sigaction oldHangUp_ {};
};

}  // namespace cairn
