#include "lab/message_reader.hpp"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <charconv>
#include <cmath>

namespace cairn {
namespace {

// Iterative: text that opens a million brackets must not use up the stack.
constexpr unsigned kParseFlags =
    rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
constexpr std::size_t kMostShown = 40;  // bytes of a text that is quoted in a message

// Builds a document, with numbers read by the standard library: what was written with the fewest digits comes back to the
// bit. (RapidJSON's own exact reader shifts by an undefined amount for a number that is zero in very many digits.)
class ExactNumbers {
 public:
  explicit ExactNumbers(rapidjson::Document& document) : document_(document) {}

  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    const char* end = text + length;
    const bool isWhole = std::none_of(text, end, [](char c) { return c == '.' || c == 'e' || c == 'E'; });
    std::int64_t whole = 0;
    if (isWhole && std::from_chars(text, end, whole).ec == std::errc{} && (whole != 0 || *text != '-')) {
      return document_.Int64(whole);
    }
    double number = 0.0;
    const auto result = std::from_chars(text, end, number);
    hasBadNumber_ = result.ec != std::errc{} || result.ptr != end;
    return !hasBadNumber_ && document_.Double(number);
  }
  bool hasBadNumber() const { return hasBadNumber_; }

  bool Null() { return document_.Null(); }
  bool Bool(bool value) { return document_.Bool(value); }
  bool Int(int value) { return document_.Int(value); }
  bool Uint(unsigned value) { return document_.Uint(value); }
  bool Int64(std::int64_t value) { return document_.Int64(value); }
  bool Uint64(std::uint64_t value) { return document_.Uint64(value); }
  bool Double(double value) { return document_.Double(value); }
  bool String(const char* text, rapidjson::SizeType length, bool copy) { return document_.String(text, length, copy); }
  bool Key(const char* text, rapidjson::SizeType length, bool copy) { return document_.Key(text, length, copy); }
  bool StartObject() { return document_.StartObject(); }
  bool EndObject(rapidjson::SizeType count) { return document_.EndObject(count); }
  bool StartArray() { return document_.StartArray(); }
  bool EndArray(rapidjson::SizeType count) { return document_.EndArray(count); }

 private:
  rapidjson::Document& document_;
  bool hasBadNumber_ = false;
};

std::string shortened(std::string_view text) {
  if (text.size() <= kMostShown) return std::string(text);
  std::size_t end = kMostShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not within a character
  return std::string(text.substr(0, end)) + "...";
}

std::string_view viewOf(const rapidjson::Value& value) { return {value.GetString(), value.GetStringLength()}; }

[[noreturn]] void refuse(std::string_view name, const std::string& found, std::string_view allowed) {
  throw BadMessage(fmt::format("{}: found {}; allowed: {}", name, found, allowed));
}

double checkedNumber(std::string_view name, const rapidjson::Value& value, const NumberRange& range) {
  const bool isNumber = value.IsNumber() && std::isfinite(value.GetDouble());
  if (isNumber && value.GetDouble() >= range.low && value.GetDouble() <= range.high) return value.GetDouble();
  refuse(name, foundIn(value),
         fmt::format("a number from {:g} to {:g}{}{}", range.low, range.high, *range.unit ? " " : "", range.unit));
}

std::string settingText(std::string_view name, const rapidjson::Value& value, std::size_t mostBytes) {
  if (value.IsBool()) return value.GetBool() ? "true" : "false";
  if (value.IsNumber() && std::isfinite(value.GetDouble())) return fmt::format("{}", value.GetDouble());
  if (value.IsString() && value.GetStringLength() > 0 && value.GetStringLength() <= mostBytes) {
    return std::string(viewOf(value));
  }
  refuse(name, foundIn(value), fmt::format("a number, true, false, or a text of 1 to {} bytes", mostBytes));
}

}  // namespace

std::string foundIn(const rapidjson::Value& value) {
  switch (value.GetType()) {
    case rapidjson::kNullType:
      return "null";
    case rapidjson::kFalseType:
      return "false";
    case rapidjson::kTrueType:
      return "true";
    case rapidjson::kObjectType:
      return "an object";
    case rapidjson::kArrayType:
      return fmt::format("a list of {}", value.Size());
    case rapidjson::kStringType:
      if (value.GetStringLength() > kMostShown) {
        return fmt::format("a text of {} bytes, \"{}\"", value.GetStringLength(), shortened(viewOf(value)));
      }
      return fmt::format("the text \"{}\"", viewOf(value));
    case rapidjson::kNumberType:
      break;
  }
  return fmt::format("{:g}", value.GetDouble());
}

MessageReader::MessageReader(std::string_view text, std::size_t mostBytes) {
  if (text.size() > mostBytes) {
    throw BadMessage(fmt::format("found a message of {} bytes; allowed: at most {}", text.size(), mostBytes));
  }
  rapidjson::ParseResult result;
  bool hasBadNumber = false;
  const auto generate = [&](rapidjson::Document& document) {
    rapidjson::MemoryStream stream(text.data(), text.size());
    ExactNumbers numbers(document);
    rapidjson::Reader reader;
    result = reader.Parse<kParseFlags>(stream, numbers);
    hasBadNumber = numbers.hasBadNumber();
    return !result.IsError();
  };
  document_.Populate(generate);
  if (result.IsError()) {
    const char* what = hasBadNumber ? "a number is too large, or too small to be told from zero"
                                    : rapidjson::GetParseError_En(result.Code());
    throw BadMessage(fmt::format("this is no JSON: {} (byte {} of {})", what, result.Offset(), text.size()));
  }
  if (!document_.IsObject()) throw BadMessage(fmt::format("found {}; allowed: a JSON object", foundIn(document_)));
}

const rapidjson::Value* MessageReader::find(const char* name) const {
  const auto member = document_.FindMember(name);
  return member == document_.MemberEnd() ? nullptr : &member->value;
}

const rapidjson::Value& MessageReader::need(const char* name, const char* allowed) const {
  if (const rapidjson::Value* value = find(name)) return *value;
  refuse(name, "nothing", allowed);
}

std::string MessageReader::text(const char* name, std::size_t mostBytes) const {
  const rapidjson::Value& value = need(name, "a text");
  if (value.IsString() && value.GetStringLength() > 0 && value.GetStringLength() <= mostBytes) {
    return std::string(viewOf(value));
  }
  refuse(name, foundIn(value), fmt::format("a text of 1 to {} bytes", mostBytes));
}

double MessageReader::number(const char* name, const NumberRange& range) const {
  return checkedNumber(name, need(name, "a number"), range);
}

long MessageReader::whole(const char* name, long low, long high) const {
  const rapidjson::Value& value = need(name, "a whole number");
  if (value.IsInt64() && value.GetInt64() >= low && value.GetInt64() <= high) return value.GetInt64();
  refuse(name, foundIn(value), fmt::format("a whole number from {} to {}", low, high));
}

bool MessageReader::truth(const char* name, bool otherwise) const {
  const rapidjson::Value* value = find(name);
  if (value == nullptr) return otherwise;
  if (value->IsBool()) return value->GetBool();
  refuse(name, foundIn(*value), "true or false");
}

Vec3 MessageReader::vector(const char* name, const NumberRange& range) const {
  const rapidjson::Value& value = need(name, "a list of 3 numbers");
  if (!value.IsArray() || value.Size() != 3) refuse(name, foundIn(value), "a list of 3 numbers");
  Vec3 result;
  for (rapidjson::SizeType k = 0; k < 3; ++k) result[k] = checkedNumber(name, value[k], range);
  return result;
}

std::string MessageReader::value(const char* name, std::size_t mostBytes) const {
  return settingText(name, need(name, "a number, a text, true or false"), mostBytes);
}

std::vector<std::pair<std::string, std::string>> MessageReader::values(const char* name, std::size_t most,
                                                                       std::size_t mostBytes) const {
  std::vector<std::pair<std::string, std::string>> found;
  const rapidjson::Value* object = find(name);
  if (object == nullptr) return found;
  if (!object->IsObject() || object->MemberCount() > most) {
    refuse(name, foundIn(*object), fmt::format("an object of at most {} members", most));
  }
  for (const auto& member : object->GetObject()) {
    const std::string_view key = viewOf(member.name);
    if (key.empty() || key.size() > mostBytes) refuse(name, foundIn(member.name), "names that are not empty and shorter");
    found.emplace_back(key, settingText(fmt::format("{}.{}", name, key), member.value, mostBytes));
  }
  return found;
}

}  // namespace cairn
