// run.cairnlog: the scene, every edit at its step, and the hash of the state after every step. Lines of JSON, so that a log
// which was cut off is good up to its last whole line. docs/lab.md describes the format.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "lab/edit.hpp"
#include "lab/scene_origin.hpp"

namespace cairn {

inline constexpr long kLogFormat = 1;
inline constexpr std::size_t kMaximumHeaderBytes = 64u << 20;  // a header may hold the text of scene files

// A log that cannot be written: a full disk, a path that does not exist.
class LogWriteError : public std::runtime_error {
 public:
  explicit LogWriteError(const std::string& text) : std::runtime_error(text) {}
};
// A log that cannot be read; the message names the line.
class LogReadError : public std::runtime_error {
 public:
  explicit LogReadError(const std::string& text) : std::runtime_error(text) {}
};

class InputLogWriter {
 public:
  // `dt` and `hash` are those of the scene before its first step; a replay checks that it builds the same. With `isNew` a
  // file that exists is not overwritten. Throws LogWriteError.
  InputLogWriter(const std::string& path, const SceneOrigin& origin, double dt, std::uint64_t hash, bool isNew = false);
  ~InputLogWriter();  // without the last line unless close() was called: a log that was cut off
  InputLogWriter(const InputLogWriter&) = delete;
  InputLogWriter& operator=(const InputLogWriter&) = delete;

  // Each throws LogWriteError. Steps count from 1; an edit after step n, before step n + 1, is at step n.
  void edit(long step, const Edit& edit);
  void refused(long step, std::string_view why);  // the step after `step` was tried, and the method did not take the world
  void step(long step, std::uint64_t hash);
  void flush();
  void close();

  const std::string& path() const { return path_; }

 private:
  void write(const std::string& line);
  std::string path_;
  std::FILE* file_ = nullptr;
  long steps_ = 0;
};

struct LogHeader {
  SceneOrigin origin;
  std::string version;     // of the cairn that wrote it
  double dt = 0.0;         // s
  std::uint64_t hash = 0;  // before the first step
};
struct LoggedEdit {
  long step;
  Edit edit;
};
struct LoggedStep {
  long step;
  std::uint64_t hash;
};
struct LoggedRefusal {
  long step;
};
struct LogEnd {
  long steps;
};
using LogLine = std::variant<LoggedEdit, LoggedStep, LoggedRefusal, LogEnd>;

class InputLogReader {
 public:
  explicit InputLogReader(const std::string& path);  // throws LogReadError
  ~InputLogReader();
  InputLogReader(const InputLogReader&) = delete;
  InputLogReader& operator=(const InputLogReader&) = delete;

  const LogHeader& header() const { return header_; }
  std::optional<LogLine> next();                          // none: no whole line is left. Throws LogReadError.
  bool isComplete() const { return hasEnd_; }             // its last line was read
  long line() const { return line_; }                     // that was read last, from 1
  double share() const;                                   // of the file that has been read, 0 to 1
  [[noreturn]] void fail(const std::string& what) const;  // LogReadError at the last line

 private:
  bool readLine(std::size_t mostBytes);  // false: no whole line is left
  void readHeader();

  std::string path_;
  std::FILE* file_ = nullptr;
  std::size_t bytes_ = 0, bytesRead_ = 0;
  std::string text_;
  long line_ = 0;
  bool hasEnd_ = false;
  LogHeader header_;
};

}  // namespace cairn
