#include "app/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/bad_input.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& option, const std::string& path, std::string_view why) {
  throw BadInput(fmt::format("{} {}: cannot be written: {}", option, path, why));
}

std::string temporaryFor(const std::string& path) { return fmt::format("{}.{}.part", path, getpid()); }

// A file without a name in the folder of `path`: whatever kills the program, nothing of it stays. Negative where the system
// or the file system has no such files.
int openNameless(const std::string& path) {
#ifdef O_TMPFILE
  if (access("/proc/self/fd", X_OK) != 0) return -1;  // the way to give it a name
  const std::string folder = fs::path(path).parent_path().string();
  return open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#else
  return -1;
#endif
}

}  // namespace

void removePartial(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) unlink(path.c_str());
}

void checkOutputPath(const std::string& option, const std::string& path) {
  if (path.empty()) throw BadInput(fmt::format("{}: found an empty path; allowed: the path of a file to write", option));
  std::error_code error;
  if (fs::is_directory(path, error)) refuse(option, path, "it is a directory");
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty() && !fs::is_directory(parent, error)) {
    refuse(option, path, fmt::format("there is no directory {}", parent.string()));
  }
}

WholeFile::WholeFile(std::string option, std::string path) : option_(std::move(option)), path_(std::move(path)) {
  checkOutputPath(option_, path_);
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    file_ = std::fopen(path_.c_str(), "w");  // a device or a pipe has no "beside" and must not be replaced
    if (!file_) refuse(option_, path_, std::strerror(errno));
    return;
  }
  if (fs::exists(status)) {
    if (access(path_.c_str(), W_OK) != 0) refuse(option_, path_, std::strerror(errno));
    if (const fs::path real = fs::canonical(path_, error); !error) path_ = real.string();
  }
  int descriptor = openNameless(path_);
  isNameless_ = descriptor >= 0;
  if (!isNameless_) {
    temporary_ = temporaryFor(path_);
    descriptor = open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  }
  if (descriptor < 0) {
    const std::string why = std::strerror(errno);
    temporary_.clear();
    refuse(option_, path_, why);
  }
  file_ = fdopen(descriptor, "w");
}

WholeFile::~WholeFile() {
  if (file_) std::fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void WholeFile::commit(std::string_view text) {
  bool good = std::fwrite(text.data(), 1, text.size(), file_) == text.size() && std::fflush(file_) == 0;
  if (good && isNameless_) {
    const std::string own = fmt::format("/proc/self/fd/{}", fileno(file_));
    temporary_ = temporaryFor(path_);
    good = linkat(AT_FDCWD, own.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0;
    if (!good) temporary_.clear();
  }
  const int error = errno;
  good = std::fclose(std::exchange(file_, nullptr)) == 0 && good;
  if (error != 0) errno = error;  // the first is the one that matters
  if (good && !temporary_.empty()) {
    good = std::rename(temporary_.c_str(), path_.c_str()) == 0;
    if (good) temporary_.clear();
  }
  if (!good) throw OutputFailure(fmt::format("{} {}: writing failed: {}", option_, path_, std::strerror(errno)));
}

StreamFile::StreamFile(std::string option, std::string path) : option_(std::move(option)), path_(std::move(path)) {
  checkOutputPath(option_, path_);
  file_ = std::fopen(path_.c_str(), "w");
  if (!file_) refuse(option_, path_, std::strerror(errno));
}

StreamFile::~StreamFile() {
  if (file_) std::fclose(file_);
}

void StreamFile::fail() {
  const std::string why = std::strerror(errno);
  if (file_) std::fclose(std::exchange(file_, nullptr));
  removePartial(path_);
  throw OutputFailure(fmt::format("{} {}: writing failed: {}", option_, path_, why));
}

void StreamFile::write(std::string_view block) {
  if (std::fwrite(block.data(), 1, block.size(), file_) != block.size() || std::fflush(file_) != 0) fail();
}

void StreamFile::close() {
  std::FILE* file = file_;
  file_ = nullptr;
  if (file && std::fclose(file) != 0) fail();
}

}  // namespace cairn
