#include "scene/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scene/expression.hpp"
#include "scene/rule.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

using Type = JsonValue::Type;

// Fields that hold names: a $ in them is a character like any other.
bool isText(std::string_view key) {
  static constexpr std::string_view kTexts[] = {"name", "a", "b", "material", "file", "what", "unit"};
  return std::find(std::begin(kTexts), std::end(kTexts), key) != std::end(kTexts);
}

}  // namespace

SceneParameter* ParameterTable::find(std::string_view name) {
  const auto known = std::find_if(list_.begin(), list_.end(), [&](const SceneParameter& one) { return one.name == name; });
  return known == list_.end() ? nullptr : &*known;
}

void ParameterTable::read(const JsonValue& block) {
  for (const JsonMember& member : block.members) {
    if (!find(member.key)) list_.push_back(readOne(member));
  }
}

SceneParameter ParameterTable::readOne(const JsonMember& member) {
  SceneParameter parameter;
  parameter.name = member.key;
  const JsonValue& value = member.value;
  const JsonValue& given = value.is(Type::Object) ? *value.find("default") : value;
  if (const JsonValue* least = value.find("min")) parameter.least = least->number;
  if (const JsonValue* most = value.find("max")) parameter.most = most->number;
  if (const JsonValue* unit = value.find("unit")) parameter.unit = unit->text;
  if (const JsonValue* what = value.find("what")) parameter.what = what->text;
  if (given.is(Type::String)) {
    expressions_.emplace(member.key, given);
    return parameter;
  }
  parameter.value = given.number;
  const Range range{.low = parameter.least, .high = parameter.most, .unit = parameter.unit};
  if (!range.contains(parameter.value)) {
    problems_.add(given, fmt::format("parameters.{}.default", member.key),
                  fmt::format("found {}; allowed: {}", parameter.value, range.describe()));
  }
  return parameter;
}

void ParameterTable::apply(const std::vector<Override>& overrides) {
  for (const Override& given : overrides) {
    if (isSettingKey(given.key)) continue;
    SceneParameter* parameter = find(given.key);
    if (!parameter) {
      problems_.add(unknownOverride(given, list_));
      continue;
    }
    set(given.key, readParameter(given, *parameter, problems_));
  }
}

void ParameterTable::set(const std::string& name, double value) {
  expressions_.erase(name);
  find(name)->value = value;
}

void ParameterTable::evaluate() {
  for (const SceneParameter& parameter : list_) valueOf(parameter.name);
}

std::optional<double> ParameterTable::valueOf(std::string_view name) {
  SceneParameter* parameter = find(name);
  if (!parameter) return std::nullopt;
  const auto pending = expressions_.find(name);
  if (pending == expressions_.end()) return parameter->value;
  const std::string path = fmt::format("parameters.{}", name);
  const JsonValue expression = pending->second;
  if (std::find(open_.begin(), open_.end(), name) != open_.end()) {
    expressions_.erase(pending);  // one message is enough
    problems_.add(expression, path,
                  fmt::format("found \"{}\", which needs its own value; allowed: parameters that do not go in a circle",
                              expression.text));
    return 0.0;
  }
  open_.emplace_back(name);
  const std::optional<double> value = evaluate(expression, path);
  open_.pop_back();
  expressions_.erase(std::string(name));
  parameter->value = value.value_or(0.0);
  const Range range{.low = parameter->least, .high = parameter->most, .unit = parameter->unit};
  if (value && !range.contains(*value)) {
    problems_.add(expression, path, fmt::format("found {} ({}); allowed: {}", *value, expression.text, range.describe()));
  }
  return parameter->value;
}

std::optional<double> ParameterTable::evaluate(const JsonValue& value, const std::string& path) {
  try {
    return evaluateExpression(value.text, [this](std::string_view name) { return valueOf(name); });
  } catch (const ExpressionError& error) {
    // A name that is unknown gets those that there are.
    const std::string_view rest = std::string_view(value.text).substr(std::min(error.at(), value.text.size()));
    if (rest.empty() || rest[0] != '$' || rest.size() < 2) {
      problems_.add(value, path, fmt::format("found \"{}\": at character {}: {}", value.text, error.at() + 1, error.what()));
      return std::nullopt;
    }
    std::size_t end = 1;
    while (end < rest.size() && (std::isalnum(static_cast<unsigned char>(rest[end])) || rest[end] == '_')) ++end;
    const std::string_view name = rest.substr(1, end - 1);
    std::vector<std::string_view> names;
    for (const SceneParameter& parameter : list_) names.push_back(parameter.name);
    problems_.add(value, path,
                  fmt::format("found \"{}\", where \"${}\" is no parameter{}{} allowed: {}", value.text, name,
                              suggestion(name, names), nearestName(name, names).empty() ? ";" : "",
                              names.empty() ? "names given in \"parameters\" (there are none)" : listNames(names)));
    return std::nullopt;
  }
}

void ParameterTable::substitute(JsonValue& value, const std::string& path) {
  if (value.is(Type::String) && isExpression(value.text)) {
    const std::optional<double> number = evaluate(value, path);
    if (!number) return;
    value.type = Type::Number;
    value.number = *number;
    value.text = fmt::format("{} ({})", *number, value.text);
    return;
  }
  for (std::size_t i = 0; i < value.items.size(); ++i) substitute(value.items[i], fmt::format("{}[{}]", path, i));
  for (JsonMember& member : value.members) {
    if (!isText(member.key) || !member.value.is(Type::String)) substitute(member.value, joinPath(path, member.key));
  }
}

}  // namespace cairn
