// An XML file as a tree of values, with the line of every element and a memory of which attributes were read: what nobody
// asked for is what a reader would have dropped in silence.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/robot/robot_error.hpp"
#include "import/robot/robot_model.hpp"

namespace cairn {

struct XmlAttribute {
  std::string name{}, value{};
  int line = 0;
  mutable bool read = false;
};

struct XmlNode {
  std::string name{}, text{};
  RobotPlace place{};
  std::vector<XmlAttribute> attributes{};
  std::vector<XmlNode> children{};

  const XmlNode* child(std::string_view tag) const;
  // Null if there is none. Marks it as read.
  const std::string* find(std::string_view attribute) const;
  bool has(std::string_view attribute) const;  // does not mark it
  std::string attribute(std::string_view name, std::string_view otherwise = "") const;
  const std::string& required(std::string_view attribute) const;
  std::vector<std::string> unread() const;
  void ignore(std::initializer_list<std::string_view> names) const;

  // Numbers separated by white space. Each throws RobotFileError if the text is something else.
  std::vector<double> numbers(std::string_view attribute) const;  // empty if there is no such attribute
  // As many as there are, over the first of `values`; more than fit is an error. Returns how many there were.
  std::size_t overlay(std::string_view attribute, double* values, std::size_t most, std::size_t least = 1) const;
  double number(std::string_view attribute, double otherwise) const;
  int integer(std::string_view attribute, int otherwise) const;
  bool boolean(std::string_view attribute, bool otherwise) const;  // true, false, 1, 0
  std::optional<Vec3> vector(std::string_view attribute) const;
  std::size_t choice(std::string_view attribute, std::initializer_list<std::string_view> words, std::size_t otherwise) const;

  [[noreturn]] void fail(const std::string& message) const;                               // "element: message"
  [[noreturn]] void fail(std::string_view attribute, const std::string& message) const;  // "element: attribute: message"
};

// The whole file. Throws RobotFileError: it is not there, empty, not XML, nested too deeply.
XmlNode readXml(const std::string& file);
// Numbers in a text; a message for what is wrong, or empty.
std::string parseNumbers(std::string_view text, std::vector<double>& numbers, bool allowInfinite = false);

}  // namespace cairn
