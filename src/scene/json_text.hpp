// Writing JSON: numbers as short as they can be and still read back to the bit, null for what is not finite.
#pragma once

#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn {

template <class Writer>
class JsonText {
 public:
  JsonText() : writer_(buffer_) {}

  // An empty name: an item of a list, or the whole.
  template <class Fill>
  void object(std::string_view name, Fill fill) {
    key(name);
    writer_.StartObject();
    fill();
    writer_.EndObject();
  }
  template <class Fill>
  void list(std::string_view name, Fill fill) {
    key(name);
    writer_.StartArray();
    fill();
    writer_.EndArray();
  }
  void value(std::string_view name, std::string_view text) {
    key(name);
    writer_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }
  void value(std::string_view name, const char* text) { value(name, std::string_view(text)); }
  void value(std::string_view name, long number) {
    key(name);
    writer_.Int64(number);
  }
  void value(std::string_view name, int number) { value(name, static_cast<long>(number)); }
  void value(std::string_view name, std::uint32_t number) { value(name, static_cast<long>(number)); }
  void value(std::string_view name, bool truth) {
    key(name);
    writer_.Bool(truth);
  }
  void value(std::string_view name, double number) {
    key(name);
    if (!std::isfinite(number)) {
      writer_.Null();
      return;
    }
    const fmt::memory_buffer digits = shortest(number);
    writer_.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
  }
  template <class Value>
  void value(std::string_view name, const std::optional<Value>& maybe) {
    if (maybe) return value(name, *maybe);
    null(name);
  }
  void null(std::string_view name) {
    key(name);
    writer_.Null();
  }
  // Text that is JSON already.
  void raw(std::string_view name, std::string_view json) {
    key(name);
    writer_.RawValue(json.data(), json.size(), rapidjson::kObjectType);
  }
  std::string text() const { return std::string(buffer_.GetString(), buffer_.GetSize()); }

 protected:
  void key(std::string_view name) {
    if (!name.empty()) writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  }
  static fmt::memory_buffer shortest(double number) {
    fmt::memory_buffer digits;
    fmt::format_to(std::back_inserter(digits), "{}", number);
    if (number == 0.0 && std::signbit(number)) digits.append(std::string_view(".0"));  // "-0" would be read as the integer 0
    return digits;
  }
  rapidjson::StringBuffer buffer_;
  Writer writer_;
};

// Without any white space: for lines and messages.
using CompactJson = JsonText<rapidjson::Writer<rapidjson::StringBuffer>>;

}  // namespace cairn
