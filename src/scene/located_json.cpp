#include "scene/located_json.hpp"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <charconv>

#include "scene/scene_error.hpp"

namespace cairn {
namespace {

using rapidjson::SizeType;

// Builds the values from the reader's events. The reader says what came, not where it began: a token begins where the last
// one ended, after blanks, comments, commas and colons.
class Builder {
 public:
  Builder(std::shared_ptr<const SourceText> source, const rapidjson::MemoryStream& stream, std::size_t skipped)
      : source_(std::move(source)), stream_(stream), skipped_(skipped), cursor_(skipped) {}

  bool Null() {
    return scalar(JsonValue::Type::Null, [](JsonValue&) {});
  }
  bool Bool(bool flag) {
    return scalar(JsonValue::Type::Boolean, [&](JsonValue& value) { value.boolean = flag; });
  }
  bool String(const char* text, SizeType length, bool) {
    return scalar(JsonValue::Type::String, [&](JsonValue& value) { value.text.assign(text, length); });
  }
  bool RawNumber(const char* text, SizeType length, bool) {
    bool good = true;
    scalar(JsonValue::Type::Number, [&](JsonValue& value) {
      value.text.assign(text, length);
      const auto result = std::from_chars(text, text + length, value.number);
      good = result.ec == std::errc{} && result.ptr == text + length;
      if (!good) fail(value.offset, fmt::format("found {}; allowed: numbers of at most 1.8e308", value.text));
    });
    return good;
  }
  // Numbers come as text (kParseNumbersAsStringsFlag), so these are never called; the reader needs them to exist.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

  bool Key(const char* text, SizeType length, bool) {
    const std::size_t start = tokenStart();
    cursor_ = position();
    JsonValue& object = *stack_.back();
    std::string key(text, length);
    if (const JsonValue* first = object.find(key)) {
      const LineColumn at = lineColumn(source_->text, first->offset);
      return fail(start, fmt::format("\"{}\" is given twice; the first is on line {}", key, at.line));
    }
    if (object.members.size() >= kMaximumMembers) {
      return fail(start, fmt::format("an object of more than {} fields", kMaximumMembers));
    }
    object.members.push_back({std::move(key), start, {}});
    return true;
  }
  bool StartObject() { return open(JsonValue::Type::Object); }
  bool StartArray() { return open(JsonValue::Type::Array); }
  bool EndObject(SizeType) { return close(); }
  bool EndArray(SizeType) { return close(); }

  JsonValue take() { return std::move(root_); }
  bool failed() const { return !message_.empty(); }
  const std::string& message() const { return message_; }
  std::size_t failureOffset() const { return failureOffset_; }

 private:
  std::size_t position() const { return skipped_ + const_cast<rapidjson::MemoryStream&>(stream_).Tell(); }

  std::size_t tokenStart() const {
    const std::string& text = source_->text;
    std::size_t at = cursor_;
    while (at < text.size()) {
      const char c = text[at];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == ':') {
        ++at;
      } else if (text.compare(at, 2, "//") == 0) {
        while (at < text.size() && text[at] != '\n') ++at;
      } else if (text.compare(at, 2, "/*") == 0) {
        const std::size_t end = text.find("*/", at + 2);
        at = end == std::string::npos ? text.size() : end + 2;
      } else {
        break;
      }
    }
    return at;
  }

  // Where the next value goes: the root, a new item, or the member whose key came last.
  JsonValue& place() {
    if (stack_.empty()) return root_;
    JsonValue& parent = *stack_.back();
    if (parent.type == JsonValue::Type::Array) return parent.items.emplace_back();
    return parent.members.back().value;
  }

  template <class Fill>
  bool scalar(JsonValue::Type type, Fill fill) {
    const std::size_t start = tokenStart();
    cursor_ = position();
    JsonValue& value = place();
    value.type = type;
    value.source = source_;
    value.offset = start;
    fill(value);
    return true;
  }

  bool open(JsonValue::Type type) {
    const std::size_t start = tokenStart();
    if (static_cast<int>(stack_.size()) >= kMaximumJsonDepth) {
      return fail(start, fmt::format("nested deeper than {} levels", kMaximumJsonDepth));
    }
    cursor_ = start + 1;
    JsonValue& value = place();
    value.type = type;
    value.source = source_;
    value.offset = start;
    // Safe to keep: nothing is added to the parent's vector while this value is open.
    stack_.push_back(&value);
    return true;
  }

  bool close() {
    cursor_ = tokenStart() + 1;
    stack_.pop_back();
    return true;
  }

  bool fail(std::size_t offset, std::string message) {
    failureOffset_ = offset;
    message_ = std::move(message);
    return false;
  }

  std::shared_ptr<const SourceText> source_;
  const rapidjson::MemoryStream& stream_;
  std::size_t skipped_;
  std::size_t cursor_;
  JsonValue root_;
  std::vector<JsonValue*> stack_;
  std::string message_;
  std::size_t failureOffset_ = 0;
};

std::string_view syntaxMessage(rapidjson::ParseErrorCode code) {
  using namespace rapidjson;
  switch (code) {
    case kParseErrorDocumentEmpty:
      return "nothing but blanks and comments; allowed: one object { ... }";
    case kParseErrorDocumentRootNotSingular:
      return "something follows the end of the scene; allowed: one object { ... } and comments";
    case kParseErrorValueInvalid:
      return "not a value; allowed: an object { }, a list [ ], a number, \"text\", true, false or null";
    case kParseErrorObjectMissName:
      return "a field's name in double quotes, or }, must come here";
    case kParseErrorObjectMissColon:
      return "a colon must come here, after the field's name";
    case kParseErrorObjectMissCommaOrCurlyBracket:
      return "a comma or } must come here";
    case kParseErrorArrayMissCommaOrSquareBracket:
      return "a comma or ] must come here";
    case kParseErrorStringMissQuotationMark:
      return "a text without its closing quote";
    case kParseErrorStringEscapeInvalid:
      return "an unknown escape in a text; allowed: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX";
    case kParseErrorStringUnicodeEscapeInvalidHex:
    case kParseErrorStringUnicodeSurrogateInvalid:
      return "a wrong \\u escape in a text; allowed: \\u and four hexadecimal digits, in pairs beyond U+FFFF";
    case kParseErrorStringInvalidEncoding:
      return "bytes that are not UTF-8 text";
    case kParseErrorNumberTooBig:
      return "a number too large; allowed: at most 1.8e308";
    case kParseErrorNumberMissFraction:
      return "a digit must come after the decimal point";
    case kParseErrorNumberMissExponent:
      return "a digit must come after the exponent's e";
    case kParseErrorUnspecificSyntaxError:
      return "a comment that does not end, or a stray character";
    default:
      return "not JSON";
  }
}

}  // namespace

LineColumn lineColumn(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  LineColumn at;
  for (std::size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n') {
      ++at.line;
      at.column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      ++at.column;
    }
  }
  return at;
}

const JsonValue* JsonValue::find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

JsonValue parseJson(std::shared_ptr<const SourceText> source) {
  const std::string& text = source->text;
  const auto refuse = [&](std::size_t offset, std::string message) {
    throw SceneError({problemAt({source, offset, {}}, std::move(message))});
  };
  if (text.empty()) throw SceneError({problemOfFile(source->name, "the file is empty; allowed: one object { ... }")});
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
    refuse(zero, "a zero byte: this is not a text file; allowed: JSON in UTF-8");
  }
  const std::size_t skipped = text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0;  // a byte-order mark
  rapidjson::MemoryStream stream(text.data() + skipped, text.size() - skipped);
  Builder builder(source, stream, skipped);
  rapidjson::Reader reader;
  constexpr unsigned flags = rapidjson::kParseCommentsFlag | rapidjson::kParseTrailingCommasFlag |
                             rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag |
                             rapidjson::kParseValidateEncodingFlag;
  const rapidjson::ParseResult result = reader.Parse<flags>(stream, builder);
  if (builder.failed()) refuse(builder.failureOffset(), builder.message());
  if (result.IsError()) {
    std::size_t offset = std::min(skipped + result.Offset(), text.size());
    std::string message(syntaxMessage(result.Code()));
    if (text.find_first_not_of(" \t\r\n", offset) == std::string::npos) {
      message = fmt::format("the file ends here, but it is not complete: {}", message);
    }
    refuse(offset, std::move(message));
  }
  return builder.take();
}

std::string describeFound(const JsonValue& value) {
  switch (value.type) {
    case JsonValue::Type::Null:
      return "null";
    case JsonValue::Type::Boolean:
      return value.boolean ? "true" : "false";
    case JsonValue::Type::Number:
      return value.text;
    case JsonValue::Type::String: {
      constexpr std::size_t longest = 60;
      if (value.text.size() <= longest) return fmt::format("the text \"{}\"", value.text);
      std::size_t cut = longest;
      while (cut > 0 && (static_cast<unsigned char>(value.text[cut]) & 0xC0) == 0x80) --cut;
      return fmt::format("the text \"{}...\"", value.text.substr(0, cut));
    }
    case JsonValue::Type::Array:
      return value.items.empty() ? "an empty list" : fmt::format("a list of {}", value.items.size());
    case JsonValue::Type::Object:
      return "an object { ... }";
  }
  return "something else";
}

}  // namespace cairn
