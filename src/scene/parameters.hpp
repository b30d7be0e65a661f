// The numbers of a scene that have a name: "$n" and expressions of them stand wherever a number may.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scene/located_json.hpp"
#include "scene/scene_file.hpp"

namespace cairn {

class ParameterTable {
 public:
  ParameterTable(std::vector<SceneParameter>& list, ProblemList& problems) : list_(list), problems_(problems) {}

  // The top-level field "parameters" of a file. What is there already stays: read the outermost file first.
  void read(const JsonValue& block);
  // --set decides over all files.
  void apply(const std::vector<Override>& overrides);
  // One of those that were read.
  SceneParameter* find(std::string_view name);
  void set(const std::string& name, double value);
  // Gives those their values that are expressions of others.
  void evaluate();
  // Replaces every expression in the value by its number.
  void substitute(JsonValue& value, const std::string& path);

 private:
  SceneParameter readOne(const JsonMember& member);
  std::optional<double> valueOf(std::string_view name);
  std::optional<double> evaluate(const JsonValue& value, const std::string& path);

  std::vector<SceneParameter>& list_;
  ProblemList& problems_;
  std::map<std::string, JsonValue, std::less<>> expressions_;  // of those that have no value yet
  std::vector<std::string> open_;                              // being evaluated: a circle is refused
};

}  // namespace cairn
