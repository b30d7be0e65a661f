// JSON as text: two spaces deep, numbers as short as they can be, null for what is not finite.
#pragma once

#include <fmt/format.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace cairn {

class JsonOut {
 public:
  JsonOut() : writer_(buffer_) { writer_.SetIndent(' ', 2); }

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
  void value(std::string_view name, double number) {
    key(name);
    if (!std::isfinite(number)) {
      writer_.Null();
      return;
    }
    const std::string digits = fmt::format("{}", number);  // the shortest that reads back the same
    writer_.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
  }
  void flag(std::string_view name, std::optional<bool> on) {
    key(name);
    if (on) {
      writer_.Bool(*on);
    } else {
      writer_.Null();
    }
  }
  template <class Number>
  void value(std::string_view name, const std::optional<Number>& number) {
    if (number) return value(name, *number);
    key(name);
    writer_.Null();
  }
  std::string text() const { return std::string(buffer_.GetString(), buffer_.GetSize()) + "\n"; }

 private:
  void key(std::string_view name) {
    if (!name.empty()) writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  }
  rapidjson::StringBuffer buffer_;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer_;
};

}  // namespace cairn
