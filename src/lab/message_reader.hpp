// Reading one JSON object that somebody else wrote: sizes bounded, numbers finite and in range, and for whatever is wrong a
// message that says what was found and what is allowed.
#pragma once

#include <rapidjson/document.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/math.hpp"

namespace cairn {

class BadMessage : public std::runtime_error {
 public:
  explicit BadMessage(const std::string& text) : std::runtime_error(text) {}
};

struct NumberRange {
  double low = std::numeric_limits<double>::lowest();
  double high = std::numeric_limits<double>::max();
  const char* unit = "";
};

inline constexpr std::size_t kMaximumMessageBytes = 64u << 10;

// A JSON object. Throws BadMessage from everything; names in messages are the members' own.
class MessageReader {
 public:
  explicit MessageReader(std::string_view text, std::size_t mostBytes = kMaximumMessageBytes);

  bool has(const char* name) const { return find(name) != nullptr; }
  std::string text(const char* name, std::size_t mostBytes) const;  // not empty
  double number(const char* name, const NumberRange& range) const;
  long whole(const char* name, long low, long high) const;
  bool truth(const char* name, bool otherwise) const;  // `otherwise` if it is not there
  Vec3 vector(const char* name, const NumberRange& range) const;
  // A text, a number or a truth value, as the text that --set would take.
  std::string value(const char* name, std::size_t mostBytes) const;
  // The members of an object of such values.
  std::vector<std::pair<std::string, std::string>> values(const char* name, std::size_t most, std::size_t mostBytes) const;
  const rapidjson::Value* find(const char* name) const;

 private:
  const rapidjson::Value& need(const char* name, const char* allowed) const;
  rapidjson::Document document_;
};

// "the text \"red\"", "-3", "a list": what a message says it found.
std::string foundIn(const rapidjson::Value& value);

}  // namespace cairn
