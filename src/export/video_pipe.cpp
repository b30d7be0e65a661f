#include "export/video_pipe.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include "export/recording.hpp"

extern char** environ;

namespace cairn {
namespace {

constexpr int kPatienceMs = 60'000;       // without ffmpeg taking a byte
constexpr double kPatienceAtEnd = 600.0;  // s, while it writes what it has
constexpr std::size_t kMostWords = 400;   // bytes of ffmpeg's own in a message

std::vector<std::string> argumentsFor(const std::string& path, const VideoFormat& format) {
  std::vector<std::string> words{"ffmpeg",    "-hide_banner",
                                 "-loglevel", "error",
                                 "-nostdin",  "-y",
                                 "-f",        "rawvideo",
                                 "-pix_fmt",  "rgb24",
                                 "-s",        fmt::format("{}x{}", format.width, format.height),
                                 "-r",        fmt::format("{}", format.rate),
                                 "-i",        "pipe:0",
                                 "-an",       "-pix_fmt",
                                 "yuv420p"};
  // Good to the eye, not large: 1 to 2 MB for 15 s of bricks.
  const std::vector<std::string> mp4{"-c:v",   "libx264",   "-crf",       "20", "-preset",
                                     "medium", "-movflags", "+faststart", "-f", "mp4"};
  const std::vector<std::string> webm{"-c:v", "libvpx-vp9", "-crf", "32",        "-b:v", "0",  "-row-mt",
                                      "1",    "-deadline",  "good", "-cpu-used", "4",    "-f", "webm"};
  const auto& coder = format.isWebm ? webm : mp4;
  words.insert(words.end(), coder.begin(), coder.end());
  words.push_back("file:" + path);  // whatever the path begins with
  return words;
}

}  // namespace

std::string findFfmpeg() {
  const char* list = std::getenv("PATH");
  std::string_view rest = list ? list : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string path = std::string(rest.substr(0, colon)) + "/ffmpeg";
    if (access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path)) return path;
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
  }
  return {};
}

VideoPipe::VideoPipe(const std::string& ffmpeg, std::string path, const VideoFormat& format)
    : path_(std::move(path)), temporary_(fmt::format("{}.{}.part", path_, getpid())) {
  try {
    start(ffmpeg, format);
  } catch (...) {
    release();
    throw;
  }
}

void VideoPipe::start(const std::string& ffmpeg, const VideoFormat& format) {
  // A socket, since writing to one whose reader is gone can be told to be an error; writing to a pipe kills the writer.
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail(std::strerror(errno));
  socket_ = ends[0];
  std::FILE* words = std::tmpfile();
  words_ = words ? fcntl(fileno(words), F_DUPFD_CLOEXEC, 3) : open("/dev/null", O_RDWR | O_CLOEXEC);
  if (words) std::fclose(words);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, words_, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // In a group of its own, so that Ctrl-C reaches us and not it: it ends well when its input does.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);

  std::vector<std::string> arguments = argumentsFor(temporary_, format);
  std::vector<char*> pointers;
  for (std::string& one : arguments) pointers.push_back(one.data());
  pointers.push_back(nullptr);
  pid_t process = -1;
  const int error = posix_spawn(&process, ffmpeg.c_str(), &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (error != 0) fail(fmt::format("{} cannot be started: {}", ffmpeg, std::strerror(error)));
  process_ = process;
}

VideoPipe::~VideoPipe() { release(); }

void VideoPipe::release() {
  if (socket_ >= 0) close(socket_);
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  if (words_ >= 0) close(words_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

std::string VideoPipe::complaint() const {
  char text[kMostWords];
  const ssize_t count = words_ >= 0 ? pread(words_, text, sizeof text, 0) : 0;
  std::string words(text, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  for (char& c : words)
    if (c < ' ' || c > '~') c = ' ';
  while (!words.empty() && words.back() == ' ') words.pop_back();
  return words;
}

void VideoPipe::fail(const std::string& why) {
  const std::string words = complaint();
  throw ExportFailure(fmt::format("{}: the video could not be written: {}{}", path_, why,
                                  words.empty() ? "" : fmt::format(" (it said: {})", words)));
}

void VideoPipe::write(std::span<const std::uint8_t> rgb) {
  while (!rgb.empty()) {
    pollfd one{socket_, POLLOUT, 0};
    const int ready = poll(&one, 1, kPatienceMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) fail("ffmpeg takes no more frames");
    const ssize_t sent = send(socket_, rgb.data(), rgb.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      rgb = rgb.subspan(static_cast<std::size_t>(sent));
    } else if (errno != EINTR && errno != EAGAIN) {
      const int error = errno;
      waitForEnd(1.0);  // for its last words
      fail(error == EPIPE || error == ECONNRESET ? "ffmpeg ended early" : std::strerror(error));
    }
  }
}

bool VideoPipe::waitForEnd(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (process_ > 0) {
    int status = 0;
    const pid_t ended = waitpid(process_, &status, WNOHANG);
    if (ended == process_ || (ended < 0 && errno != EINTR)) {
      process_ = -1;
      return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

void VideoPipe::finish() {
  close(socket_);
  socket_ = -1;
  if (!waitForEnd(kPatienceAtEnd)) fail(process_ > 0 ? "ffmpeg does not come to an end" : "ffmpeg failed");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(std::strerror(errno));
  temporary_.clear();
}

}  // namespace cairn
