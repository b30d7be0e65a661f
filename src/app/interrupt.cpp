#include "app/interrupt.hpp"

namespace cairn {
namespace {

volatile std::sig_atomic_t received = 0;
std::atomic<bool> raised{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // or a signal handler must not touch it

void remember(int signal) {
  received = signal;
  raised.store(true, std::memory_order_relaxed);
}

void listen(int signal, struct sigaction& old) {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, &old);
  // A shell that starts us in the background ignores Ctrl-C on our behalf, nohup the end of the terminal; leave that.
  if (old.sa_handler == SIG_IGN) sigaction(signal, &old, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  received = 0;
  raised.store(false);
  listen(SIGINT, oldInterrupt_);
  listen(SIGTERM, oldTerminate_);
  listen(SIGHUP, oldHangUp_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &oldInterrupt_, nullptr);
  sigaction(SIGTERM, &oldTerminate_, nullptr);
  sigaction(SIGHUP, &oldHangUp_, nullptr);
}

int InterruptGuard::signal() const { return received; }

int InterruptGuard::exitCode() const { return 128 + received; }

const std::atomic<bool>* InterruptGuard::flag() { return &raised; }

}  // namespace cairn
