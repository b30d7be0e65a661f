#include "import/robot/xml_node.hpp"

#include <tinyxml2.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cairn {
namespace {

constexpr double kLargest = 1e30;  // no number of a robot is larger, and products of a few still are numbers
constexpr std::uintmax_t kLargestFile = 256u << 20;  // bytes: a robot file is text, meshes are elsewhere

XmlNode converted(const tinyxml2::XMLElement& element, const std::string& file) {
  XmlNode node;
  node.name = element.Name();
  node.place = {file, element.GetLineNum()};
  for (const tinyxml2::XMLAttribute* a = element.FirstAttribute(); a; a = a->Next())
    node.attributes.push_back({a->Name(), a->Value(), a->GetLineNum()});
  for (const tinyxml2::XMLNode* child = element.FirstChild(); child; child = child->NextSibling()) {
    if (const tinyxml2::XMLElement* inner = child->ToElement())
      node.children.push_back(converted(*inner, file));
    else if (const tinyxml2::XMLText* text = child->ToText())
      node.text += text->Value();
  }
  return node;
}

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string inQuotes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return "\"" + std::string(text.substr(0, kMost)) + (text.size() > kMost ? "...\"" : "\"");
}

}  // namespace

std::string parseNumbers(std::string_view text, std::vector<double>& numbers, bool allowInfinite) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    while (at != end && isSpace(*at)) ++at;
    if (at == end) return "";
    const char* first = at;
    if (*first == '+' && first + 1 != end && first[1] != '-') ++first;
    double value = 0.0;
    const auto [stop, error] = std::from_chars(first, end, value);
    const bool whole = stop == end || isSpace(*stop);
    if (error == std::errc::result_out_of_range && whole) {
      // Too small for a double is zero; too large is no number of a robot.
      std::string word(first, stop);
      value = std::strtod(word.c_str(), nullptr);
    } else if (error != std::errc() || !whole) {
      if (text.find("${") != std::string_view::npos)
        return "found " + inQuotes(text) + ": this is xacro, not expanded; run `xacro FILE > robot.urdf` first";
      return "found " + inQuotes(text) + "; allowed: numbers separated by spaces";
    }
    if (std::isnan(value) || (std::isinf(value) && !allowInfinite))
      return "found " + inQuotes(text) + "; allowed: finite numbers";
    if (!allowInfinite && std::abs(value) > kLargest) return "found " + inQuotes(text) + "; allowed: numbers up to 1e30";
    numbers.push_back(value);
    at = stop;
  }
}

const XmlNode* XmlNode::child(std::string_view tag) const {
  for (const XmlNode& inner : children)
    if (inner.name == tag) return &inner;
  return nullptr;
}

const std::string* XmlNode::find(std::string_view attribute) const {
  for (const XmlAttribute& a : attributes)
    if (a.name == attribute) {
      a.read = true;
      return &a.value;
    }
  return nullptr;
}

bool XmlNode::has(std::string_view attribute) const {
  for (const XmlAttribute& a : attributes)
    if (a.name == attribute) return true;
  return false;
}

std::string XmlNode::attribute(std::string_view key, std::string_view otherwise) const {
  const std::string* value = find(key);
  return value ? *value : std::string(otherwise);
}

const std::string& XmlNode::required(std::string_view attribute) const {
  const std::string* value = find(attribute);
  if (!value) fail("attribute " + inQuotes(attribute) + " is missing");
  return *value;
}

std::vector<std::string> XmlNode::unread() const {
  std::vector<std::string> names;
  for (const XmlAttribute& a : attributes)
    if (!a.read) names.push_back(a.name);
  return names;
}

void XmlNode::ignore(std::initializer_list<std::string_view> names) const {
  for (const std::string_view key : names) find(key);
}

std::vector<double> XmlNode::numbers(std::string_view attribute) const {
  std::vector<double> values;
  if (const std::string* written = find(attribute))
    if (const std::string wrong = parseNumbers(*written, values); !wrong.empty()) fail(attribute, wrong);
  return values;
}

std::size_t XmlNode::overlay(std::string_view attribute, double* values, std::size_t most, std::size_t least) const {
  if (!has(attribute)) return 0;
  const std::vector<double> found = numbers(attribute);
  if (found.empty()) return 0;  // rgba="" is in real files
  if (found.size() > most || found.size() < least) {
    const std::string allowed = least == most ? std::to_string(most) : std::to_string(least) + " to " + std::to_string(most);
    fail(attribute, "found " + std::to_string(found.size()) + " numbers; allowed: " + allowed);
  }
  std::copy(found.begin(), found.end(), values);
  return found.size();
}

double XmlNode::number(std::string_view attribute, double otherwise) const {
  overlay(attribute, &otherwise, 1);
  return otherwise;
}

int XmlNode::integer(std::string_view attribute, int otherwise) const {
  const double value = number(attribute, otherwise);
  if (value != std::floor(value) || std::abs(value) > 2e9)
    fail(attribute, "found " + inQuotes(this->attribute(attribute)) + "; allowed: a whole number");
  return static_cast<int>(value);
}

bool XmlNode::boolean(std::string_view attribute, bool otherwise) const {
  const std::string* written = find(attribute);
  if (!written) return otherwise;
  if (*written == "true" || *written == "1" || *written == "True") return true;
  if (*written == "false" || *written == "0" || *written == "False") return false;
  fail(attribute, "found " + inQuotes(*written) + "; allowed: true, false");
}

std::optional<Vec3> XmlNode::vector(std::string_view attribute) const {
  Vec3 value;
  if (overlay(attribute, value.data(), 3, 3) == 0) return std::nullopt;
  return value;
}

std::size_t XmlNode::choice(std::string_view attribute, std::initializer_list<std::string_view> words,
                            std::size_t otherwise) const {
  const std::string* written = find(attribute);
  if (!written) return otherwise;
  std::string allowed;
  std::size_t index = 0;
  for (const std::string_view word : words) {
    if (*written == word) return index;
    allowed += (index++ ? ", " : "") + std::string(word);
  }
  fail(attribute, "found " + inQuotes(*written) + "; allowed: " + allowed);
}

void XmlNode::fail(const std::string& message) const { throw RobotFileError(place, name + ": " + message); }

void XmlNode::fail(std::string_view attribute, const std::string& message) const {
  RobotPlace where = place;
  for (const XmlAttribute& a : attributes)
    if (a.name == attribute && a.line > 0) where.line = a.line;
  throw RobotFileError(where, name + ": " + std::string(attribute) + ": " + message);
}

XmlNode readXml(const std::string& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (error || !std::filesystem::exists(status)) throw RobotFileError({file, 0}, "there is no such file");
  if (!std::filesystem::is_regular_file(status)) throw RobotFileError({file, 0}, "this is not a file");
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error || size > kLargestFile) throw RobotFileError({file, 0}, "larger than 256 MB; allowed: robot descriptions");
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw RobotFileError({file, 0}, size == 0 ? "the file is empty" : "cannot be read");
  const std::string bytes = text.str();
  tinyxml2::XMLDocument document;
  if (document.Parse(bytes.data(), bytes.size()) != tinyxml2::XML_SUCCESS) {
    if (document.ErrorID() == tinyxml2::XML_ERROR_EMPTY_DOCUMENT) throw RobotFileError({file, 0}, "the file is empty");
    if (document.ErrorID() == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED)
      throw RobotFileError({file, document.ErrorLineNum()}, "elements are nested too deeply; allowed: 500 levels");
    std::string what = document.ErrorName();  // XML_ERROR_MISMATCHED_ELEMENT
    if (what.starts_with("XML_ERROR_")) what = what.substr(10);
    for (char& c : what) c = c == '_' ? ' ' : static_cast<char>(std::tolower(c));
    throw RobotFileError({file, document.ErrorLineNum()}, "not well-formed XML: " + what);
  }
  const tinyxml2::XMLElement* root = document.RootElement();
  if (!root) throw RobotFileError({file, 0}, "there is no element in this file");
  return converted(*root, file);
}

}  // namespace cairn
