// Ctrl-C asks the run to end after the current step; a second one kills the program as usual.
#pragma once

#include <csignal>

namespace cairn {

// Listens to SIGINT and SIGTERM while it lives.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  int signal() const;  // 0: none came

 private:
  struct sigaction oldInterrupt_ {};
  struct sigaction oldTerminate_ {};
};

}  // namespace cairn
