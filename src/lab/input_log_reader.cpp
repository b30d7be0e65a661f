#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "lab/input_log.hpp"
#include "lab/session.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

constexpr long kMostSteps = 1L << 40;
constexpr std::size_t kHashDigits = 16;

std::uint64_t readHash(const MessageReader& message) {
  const std::string digits = message.text("hash", kHashDigits);
  std::uint64_t hash = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  if (digits.size() != kHashDigits || result.ec != std::errc{} || result.ptr != digits.data() + digits.size()) {
    throw BadMessage(fmt::format("hash: found \"{}\"; allowed: {} hexadecimal digits", digits, kHashDigits));
  }
  return hash;
}

std::string textOf(const char* name, const rapidjson::Value& value) {
  if (!value.IsString()) throw BadMessage(fmt::format("{}: found {}; allowed: a text", name, foundIn(value)));
  return {value.GetString(), value.GetStringLength()};
}

}  // namespace

InputLogReader::InputLogReader(const std::string& path) : path_(path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw LogReadError(fmt::format("{}: this is a directory; allowed: a log", path));
  file_ = std::fopen(path.c_str(), "rb");
  if (file_ == nullptr) throw LogReadError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  bytes_ = static_cast<std::size_t>(fs::file_size(path, error));
  if (error) bytes_ = 0;  // a pipe
  try {
    readHeader();
  } catch (...) {
    std::fclose(file_);
    throw;
  }
}

InputLogReader::~InputLogReader() { std::fclose(file_); }

double InputLogReader::share() const {
  return bytes_ == 0 ? 0.0 : std::min(1.0, static_cast<double>(bytesRead_) / static_cast<double>(bytes_));
}

void InputLogReader::fail(const std::string& what) const {
  throw LogReadError(fmt::format("{}:{}: {}", path_, line_, what));
}

bool InputLogReader::readLine(std::size_t mostBytes) {
  text_.clear();
  for (int c; (c = std::fgetc(file_)) != EOF;) {
    if (c == '\n') {
      ++line_;
      bytesRead_ += text_.size() + 1;
      return true;
    }
    text_.push_back(static_cast<char>(c));
    if (text_.size() > mostBytes) {
      ++line_;
      fail(fmt::format("found a line of more than {} bytes; allowed: shorter ones", mostBytes));
    }
  }
  if (std::ferror(file_) != 0) throw LogReadError(fmt::format("{}: cannot be read to its end", path_));
  return false;  // what is left is part of a line whose rest was never written
}

void InputLogReader::readHeader() {
  if (!readLine(kMaximumHeaderBytes)) {
    throw LogReadError(fmt::format("{}: it has no whole first line; allowed: a log that cairn wrote", path_));
  }
  try {
    const MessageReader message(text_, kMaximumHeaderBytes);
    if (!message.has("cairnlog")) throw BadMessage("found no \"cairnlog\"; allowed: a log that cairn wrote");
    if (const long format = message.whole("cairnlog", 1, kMostSteps); format > kLogFormat) {
      throw BadMessage(
          fmt::format("cairnlog: found format {}; allowed: up to {}; a newer cairn wrote it", format, kLogFormat));
    }
    header_.version = message.text("cairn", kMaximumKeyBytes);
    header_.origin.scene = message.text("scene", 4096);
    header_.dt = message.number("dt", {0.0, kMaximumTimeStep, "s"});
    header_.hash = readHash(message);
    if (const rapidjson::Value* set = message.find("set")) {
      if (!set->IsArray()) throw BadMessage(fmt::format("set: found {}; allowed: a list", foundIn(*set)));
      for (const rapidjson::Value& pair : set->GetArray()) {
        if (!pair.IsArray() || pair.Size() != 2) throw BadMessage("set: allowed: a list of pairs of texts");
        header_.origin.set.push_back({textOf("set", pair[0]), textOf("set", pair[1])});
      }
    }
    if (const rapidjson::Value* files = message.find("files")) {
      if (!files->IsObject()) throw BadMessage(fmt::format("files: found {}; allowed: an object", foundIn(*files)));
      for (const auto& file : files->GetObject()) {
        header_.origin.files[textOf("files", file.name)] = textOf("files", file.value);
      }
    }
  } catch (const BadMessage& error) {
    fail(error.what());
  }
}

std::optional<LogLine> InputLogReader::next() {
  if (!readLine(kMaximumMessageBytes)) return std::nullopt;
  if (hasEnd_) fail("found a line after the last one");
  try {
    const MessageReader message(text_);
    if (message.has("end")) {
      hasEnd_ = true;
      return LogEnd{message.whole("end", 0, kMostSteps)};
    }
    const long step = message.whole("step", 0, kMostSteps);
    if (message.has("hash")) return LoggedStep{step, readHash(message)};
    if (message.has("refused")) return LoggedRefusal{step};
    const std::string name = message.text("do", kMaximumKeyBytes);
    if (auto edit = readEdit(name, message)) return LoggedEdit{step, std::move(*edit)};
    throw BadMessage(fmt::format("do: found \"{}\", which is no edit", name));
  } catch (const BadMessage& error) {
    fail(error.what());
  }
}

}  // namespace cairn
