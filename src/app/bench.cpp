// cairn bench: hands over to the program cairn-bench, so that this one does not depend on other engines.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "app/bad_input.hpp"
#include "app/command.hpp"
#include "app/commands.hpp"

extern char** environ;

namespace cairn {
namespace {

namespace fs = std::filesystem;

// Ctrl-C reaches both programs; this one waits for what the other makes of it.
class LeaveSignalsAlone {
 public:
  LeaveSignalsAlone() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt_);
    sigaction(SIGQUIT, &ignore, &quit_);
  }
  ~LeaveSignalsAlone() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
  }
  bool interruptWasIgnored() const { return interrupt_.sa_handler == SIG_IGN; }
  bool quitWasIgnored() const { return quit_.sa_handler == SIG_IGN; }

 private:
  struct sigaction interrupt_ {};
  struct sigaction quit_ {};
};

}  // namespace

int runBenchProgram(const std::string& program, const std::vector<std::string>& arguments, std::ostream& err) {
  std::error_code error;
  if (!fs::exists(program, error)) {
    throw BadInput(
        "bench: the program cairn-bench, which links the engines that Cairn is compared with, is not built; `./cairn bench` "
        "in the source folder installs them (libbullet-dev, libode-dev, libmujoco-dev) and builds it, or build the target "
        "cairn_bench where they are installed");
  }
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  const LeaveSignalsAlone signals;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  if (!signals.interruptWasIgnored()) sigaddset(&usual, SIGINT);
  if (!signals.quitWasIgnored()) sigaddset(&usual, SIGQUIT);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failed = posix_spawn(&child, program.c_str(), nullptr, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    err << fmt::format("cairn: {} cannot be started: {}\n", program, std::strerror(failed));
    return kExitInternal;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int commandBench(const std::vector<std::string>& arguments, std::ostream& err) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return runBenchProgram((self.parent_path() / "cairn-bench").string(), arguments, err);
}

}  // namespace cairn
