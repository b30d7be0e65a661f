// What a value in a scene file may be. The tables in format.cpp are written in these, and everything that must agree with
// them is derived: the checks (checkRule), the JSON schema (writeSchema) and the reference in the documentation.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scene/located_json.hpp"
#include "scene/scene_error.hpp"

namespace cairn {

struct Rule;
using RulePtr = std::shared_ptr<const Rule>;

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool lowOpen = false;   // `low` itself is not allowed
  std::string unit = {};  // "m", "kg", ...; empty: a pure number

  bool contains(double x) const { return (lowOpen ? x > low : x >= low) && x <= high; }  // false for NaN
  std::string describe() const;  // "above 0 and at most 1e6 m"; empty if anything goes
};

struct Field {
  std::string name;
  RulePtr rule;
  std::string what;  // one sentence for people, with the default
  bool required = false;
};

// One of several objects, told apart by the text in their field "type".
struct Alternative {
  std::string tag;
  std::string what;
  std::vector<Field> fields;
};

struct Rule {
  enum class Kind { Number, Integer, Flag, Text, Choice, Numbers, List, Map, Object, Tagged, Either };

  Kind kind = Kind::Text;
  std::string definition;                                    // its name in the schema; empty: written in place
  Range range;                                               // Number, Integer, Numbers (each)
  std::size_t count = 0;                                     // Numbers: how many
  bool whole = false;                                        // Numbers: whole ones only
  std::size_t least = 0;                                     // List: how many at least
  std::size_t most = 0;                                      // List: how many at most; 0: any number
  std::size_t longest = 1000;                                // Text: bytes at most
  std::function<std::string(const std::string&)> objection;  // Text: what is wrong with it, or nothing
  std::vector<std::string> choices;                          // Choice
  RulePtr item;                                              // List, Map
  std::vector<Field> fields;                                 // Object; Tagged: those that all alternatives have
  std::vector<Alternative> alternatives;                     // Tagged
  std::vector<RulePtr> either;                               // Either: told apart by their JSON type

  std::string describe() const;  // "a number above 0 (m)": what a message says is allowed
};

RulePtr numberRule(Range range);
RulePtr integerRule(double low, double high);
RulePtr flagRule();
RulePtr textRule(std::size_t longest = 1000);
RulePtr checkedTextRule(std::function<std::string(const std::string&)> objection);
RulePtr choiceRule(std::vector<std::string> choices);
RulePtr numbersRule(std::size_t count, Range range);
RulePtr wholeNumbersRule(std::size_t count, double low, double high);
RulePtr listRule(RulePtr item, std::size_t least = 0, std::size_t most = 0);
RulePtr mapRule(RulePtr item);
RulePtr objectRule(std::vector<Field> fields);
RulePtr taggedRule(std::vector<Field> common, std::vector<Alternative> alternatives);
RulePtr eitherRule(std::vector<RulePtr> rules);
RulePtr named(std::string definition, const RulePtr& rule);

// Reports every place where the value breaks the rule. `path` is the value's field path.
void checkRule(const Rule& rule, const JsonValue& value, const std::string& path, ProblemList& problems);
std::string joinPath(const std::string& path, std::string_view key);

}  // namespace cairn
