#include "app/interrupt.hpp"

namespace cairn {
namespace {

volatile std::sig_atomic_t received = 0;

void remember(int signal) { received = signal; }

}  // namespace

InterruptGuard::InterruptGuard() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &oldInterrupt_);
  sigaction(SIGTERM, &action, &oldTerminate_);
  // A shell that starts us in the background ignores Ctrl-C on our behalf; leave that as it is.
  if (oldInterrupt_.sa_handler == SIG_IGN) sigaction(SIGINT, &oldInterrupt_, nullptr);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &oldInterrupt_, nullptr);
  sigaction(SIGTERM, &oldTerminate_, nullptr);
}

int InterruptGuard::signal() const { return received; }

}  // namespace cairn
