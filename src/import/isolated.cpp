#include "import/isolated.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>

namespace cairn {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kLimitsMemory = false;  // its shadow takes terabytes of address space
#else
constexpr bool kLimitsMemory = true;
#endif

// The first byte of the answer.
constexpr char kGood = 'k', kBad = 'e';

bool writeAll(int file, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

[[noreturn]] void childMain(const std::function<std::string()>& work, const IsolatedLimits& limits, int out) {
  const int nothing = ::open("/dev/null", O_RDWR);
  if (nothing >= 0) {
    for (int file : {0, 1, 2}) ::dup2(nothing, file);
  }
  // Signals end the child as they would end any program: no handler of the parent's runs, no core is written.
  for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGINT, SIGTERM, SIGPIPE, SIGXCPU}) ::signal(number, SIG_DFL);
  const auto limit = [](__rlimit_resource what, rlim_t value) {
    const rlimit both{value, value};
    ::setrlimit(what, &both);
  };
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(limits.seconds)));
  if (kLimitsMemory) limit(RLIMIT_AS, limits.bytes);
  std::string answer;
  try {
    answer = kGood + work();
  } catch (const std::bad_alloc&) {
    answer = std::string(1, kBad) + "it takes too much memory";
  } catch (const std::exception& error) {
    answer = kBad + std::string(error.what());
  } catch (...) {
    answer = std::string(1, kBad) + "unknown failure";
  }
  ::_exit(writeAll(out, answer.data(), answer.size()) ? 0 : 1);
}

}  // namespace

std::string runIsolated(const std::function<std::string()>& work, const IsolatedLimits& limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw IsolatedFailure(std::string("no pipe: ") + std::strerror(errno));
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw IsolatedFailure(std::string("no process: ") + std::strerror(errno));
  }
  if (child == 0) {
    ::close(ends[0]);
    childMain(work, limits, ends[1]);
  }
  ::close(ends[1]);
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(2.0 * limits.seconds + 1.0));
  std::string answer, buffer(1 << 16, '\0');
  std::string failure;
  while (failure.empty()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd file{ends[0], POLLIN, 0};
    const int ready = left > 0 ? ::poll(&file, 1, static_cast<int>(std::min<long long>(left, 1000))) : 0;
    if (left <= 0) {
      failure = "it takes too long";
    } else if (ready > 0) {
      const ssize_t got = ::read(ends[0], buffer.data(), buffer.size());
      if (got == 0) break;
      if (got < 0 && errno != EINTR) failure = "its answer cannot be read";
      if (got > 0) answer.append(buffer.data(), static_cast<std::size_t>(got));
      if (answer.size() > limits.bytes) failure = "its answer is too large";
    }
  }
  ::close(ends[0]);
  if (!failure.empty()) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!failure.empty()) throw IsolatedFailure(failure);
  if (WIFSIGNALED(status)) {
    throw IsolatedFailure(WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? "it takes too long"
                                                                                     : "the reader fails on it (signal " + std::to_string(WTERMSIG(status)) + ")");
  }
  if (answer.empty()) throw IsolatedFailure("the reader fails on it");
  if (answer[0] != kGood) throw IsolatedFailure(answer.substr(1));
  return answer.substr(1);
}

}  // namespace cairn
