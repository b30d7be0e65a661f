#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "lab/input_log.hpp"

namespace cairn {
namespace {

std::string hex(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

}  // namespace

InputLogWriter::InputLogWriter(const std::string& path, const SceneOrigin& origin, double dt, std::uint64_t hash, bool isNew)
    : path_(path) {
  file_ = std::fopen(path.c_str(), isNew ? "wbx" : "wb");
  if (file_ == nullptr) throw LogWriteError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  CompactJson out;
  out.object("", [&] {
    out.value("cairnlog", kLogFormat);
    out.value("cairn", CAIRN_VERSION);
    out.value("scene", origin.scene);
    out.list("set", [&] {
      for (const Override& one : origin.set) {
        out.list("", [&] {
          out.value("", one.key);
          out.value("", one.value);
        });
      }
    });
    if (!origin.files.empty()) {
      out.object("files", [&] {
        for (const auto& [name, text] : origin.files) out.value(name, text);
      });
    }
    out.value("dt", dt);
    out.value("hash", hex(hash));
  });
  try {
    write(out.text());
    flush();
  } catch (...) {
    std::fclose(file_);
    throw;
  }
}

InputLogWriter::~InputLogWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void InputLogWriter::write(const std::string& line) {
  if (file_ == nullptr) return;
  if (std::fwrite(line.data(), 1, line.size(), file_) != line.size() || std::fputc('\n', file_) == EOF) {
    throw LogWriteError(fmt::format("{}: cannot be written any further: {}", path_, std::strerror(errno)));
  }
}

void InputLogWriter::edit(long step, const Edit& edit) {
  CompactJson out;
  out.object("", [&] {
    out.value("step", step);
    writeEdit(out, edit);
  });
  write(out.text());
}

void InputLogWriter::refused(long step, std::string_view why) {
  CompactJson out;
  out.object("", [&] {
    out.value("step", step);
    out.value("refused", why);
  });
  write(out.text());
}

void InputLogWriter::step(long step, std::uint64_t hash) {
  steps_ = step;
  write(fmt::format("{{\"step\":{},\"hash\":\"{}\"}}", step, hex(hash)));
}

void InputLogWriter::flush() {
  if (file_ != nullptr && std::fflush(file_) != 0) {
    throw LogWriteError(fmt::format("{}: cannot be written any further: {}", path_, std::strerror(errno)));
  }
}

void InputLogWriter::close() {
  if (file_ == nullptr) return;
  write(fmt::format("{{\"end\":{}}}", steps_));
  const bool isFlushed = std::fflush(file_) == 0;
  const bool isClosed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (!isFlushed || !isClosed) throw LogWriteError(fmt::format("{}: its end could not be written", path_));
}

}  // namespace cairn
