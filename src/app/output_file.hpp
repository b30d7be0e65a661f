// Files that a run writes. Both kinds are opened before the simulation starts, so that a wrong path costs no waiting.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace cairn {

// Refuses, with BadInput, a path that is a directory or whose directory does not exist. `option` is how the message calls
// it.
void checkOutputPath(const std::string& option, const std::string& path);

// What is left of a file that could not be written to its end, as on a full disk. Leaves devices and pipes alone.
void removePartial(const std::string& path);

// Appears at once and whole, or not at all: written beside its place and moved there by commit().
class WholeFile {
 public:
  WholeFile(std::string option, std::string path);  // throws BadInput
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void commit(std::string_view text);  // throws OutputFailure

 private:
  std::string option_;
  std::string path_;       // where it goes, links followed
  std::string temporary_;  // empty: it has no name, or is written in place, for /dev/stdout and the like
  bool isNameless_ = false;
  std::FILE* file_ = nullptr;
};

// Grows as the run goes and is good up to its last whole block at any time. One that cannot be written is removed.
class StreamFile {
 public:
  StreamFile(std::string option, std::string path);  // throws BadInput
  ~StreamFile();
  StreamFile(const StreamFile&) = delete;
  StreamFile& operator=(const StreamFile&) = delete;

  void write(std::string_view block);  // throws OutputFailure
  void close();                        // throws OutputFailure

 private:
  [[noreturn]] void fail();
  std::string option_;
  std::string path_;
  std::FILE* file_ = nullptr;
};

}  // namespace cairn
