// JSON that remembers where every value stood, so that a message about any of them can name its line.
//
// Comments (// and /* */) and trailing commas are allowed; everything else is JSON. Numbers keep the text they were written
// with.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

struct SourceText {
  std::string name;  // as the user knows it: a path, or "--set friction"
  std::string text;
  bool isFile = true;  // lines and columns mean something
};

// Line and column count from 1; a column is a character, not a byte.
struct LineColumn {
  int line = 1;
  int column = 1;
};
LineColumn lineColumn(std::string_view text, std::size_t offset);

struct JsonMember;

struct JsonValue {
  enum class Type { Null, Boolean, Number, String, Array, Object };

  Type type = Type::Null;
  std::shared_ptr<const SourceText> source;
  std::size_t offset = 0;  // of the value's first byte in source
  bool boolean = false;
  double number = 0.0;
  std::string text;  // of a string; of a number as it was written
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;

  bool is(Type wanted) const { return type == wanted; }
  const JsonValue* find(std::string_view key) const;  // null if absent
};

struct JsonMember {
  std::string key;
  std::size_t keyOffset = 0;
  JsonValue value;
};

// Deeper nesting than this is refused: no scene needs it, and it bounds every recursion over the values.
inline constexpr int kMaximumJsonDepth = 64;
inline constexpr std::size_t kMaximumSceneBytes = 16u << 20;
inline constexpr std::size_t kMaximumMembers = 10000;  // of one object

// Throws SceneError for text that is not JSON, naming line and column.
JsonValue parseJson(std::shared_ptr<const SourceText> source);

// "the text \"red\"", "-3", "a list of 2": what a message says it found.
std::string describeFound(const JsonValue& value);

}  // namespace cairn
