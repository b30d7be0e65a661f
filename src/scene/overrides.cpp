// What `--set key=value` means.
#include <fmt/format.h>

#include <charconv>

#include "scene/format.hpp"
#include "scene/scene_file.hpp"
#include "scene/scene_reader.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

constexpr std::string_view kSettingsPrefix = "settings.";

std::shared_ptr<const SourceText> sourceOf(const Override& given) {
  return std::make_shared<SourceText>(SourceText{fmt::format("--set {}={}", given.key, given.value), given.value, false});
}

// A value as JSON; what is not JSON is text, so that --set settings.stepper=soft needs no quotes.
JsonValue parseValue(const Override& given) {
  const auto source = sourceOf(given);
  try {
    return parseJson(source);
  } catch (const SceneError&) {
    JsonValue text;
    text.type = JsonValue::Type::String;
    text.source = source;
    text.text = given.value;
    return text;
  }
}

// {"soft": {"substeps": value}} for settings.soft.substeps.
JsonValue nested(std::string_view key, JsonValue value) {
  JsonValue object;
  object.type = JsonValue::Type::Object;
  object.source = value.source;
  const std::size_t dot = key.find('.');
  JsonMember member;
  member.key = std::string(key.substr(0, dot));
  member.value = dot == std::string_view::npos ? std::move(value) : nested(key.substr(dot + 1), std::move(value));
  object.members.push_back(std::move(member));
  return object;
}

void collectKeys(const Rule& rule, const std::string& prefix, std::vector<std::string>& keys) {
  for (const Field& field : rule.fields) {
    if (field.rule->kind == Rule::Kind::Object) {
      collectKeys(*field.rule, prefix + field.name + ".", keys);
    } else {
      keys.push_back(prefix + field.name);
    }
  }
}

}  // namespace

bool isSettingKey(const std::string& key) { return key.rfind(kSettingsPrefix, 0) == 0; }

void applySettingOverrides(const std::vector<Override>& overrides, SceneModel& model, ProblemList& problems) {
  for (const Override& given : overrides) {
    if (!isSettingKey(given.key)) continue;
    const std::string_view key = std::string_view(given.key).substr(kSettingsPrefix.size());
    if (std::count(key.begin(), key.end(), '.') > 8) {
      problems.add(unknownOverride(given, model.parameters));
      continue;
    }
    const JsonValue settings = nested(key, parseValue(given));
    ProblemList found;
    checkRule(settingsRule(), settings, "settings", found);
    if (!problems.takeFrom(found)) readSettings(settings, model);
  }
}

double readParameter(const Override& given, const SceneParameter& parameter, ProblemList& problems) {
  double value = 0.0;
  const char* end = given.value.data() + given.value.size();
  const auto result = std::from_chars(given.value.data(), end, value);
  const bool isNumber = result.ec == std::errc{} && result.ptr == end && std::isfinite(value);
  const Range range{.low = parameter.least, .high = parameter.most, .unit = parameter.unit};
  if (isNumber && range.contains(value) && (!parameter.whole || std::floor(value) == value)) return value;
  const std::string allowed = range.describe();
  problems.add(problemAt({sourceOf(given), 0, {}},
                         fmt::format("found \"{}\"; allowed: a {}number{}{}", given.value, parameter.whole ? "whole " : "",
                                     allowed.empty() ? "" : " ", allowed)));
  return parameter.value;
}

SceneProblem unknownOverride(const Override& given, const std::vector<SceneParameter>& parameters) {
  std::vector<std::string> settings;
  collectKeys(settingsRule(), std::string(kSettingsPrefix), settings);
  std::vector<std::string_view> names;
  for (const SceneParameter& parameter : parameters) names.push_back(parameter.name);
  const std::string own = names.empty() ? "this scene has no parameters" : "parameters of this scene: " + listNames(names);
  names.insert(names.end(), settings.begin(), settings.end());
  return problemAt(
      {sourceOf(given), 0, {}},
      fmt::format("unknown key \"{}\"{}{} {}; settings: {}", given.key, suggestion(given.key, names),
                  nearestName(given.key, names).empty() ? ";" : "", own, listNames({settings.begin(), settings.end()})));
}

}  // namespace cairn
