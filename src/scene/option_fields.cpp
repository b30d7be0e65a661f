#include "scene/option_fields.hpp"

#include <fmt/format.h>

#include <variant>

#include "cairn/contact_problem.hpp"
#include "cairn/options.hpp"

namespace cairn {
namespace {

// A solver's name may come with options: makeSolver knows what is allowed.
RulePtr solverNameRule() {
  return checkedTextRule([](const std::string& text) -> std::string {
    try {
      makeSolver(text);
      return {};
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  });
}

std::string meaningOf(const Option& option, bool isSolverName) {
  std::string names;
  if (isSolverName)
    for (const std::string_view name : solverNames()) names += fmt::format("{}, ", name);
  return names + std::string(option.meaning);
}

Field fieldOf(const OptionGroup& group, const Option& option) {
  const WorldSettings defaults;
  const bool isSolverName = group.name == "solver" && option.name == "name";
  const auto [rule, standard] = std::visit(
      [&](const auto* value) -> std::pair<RulePtr, std::string> {
        using Value = std::remove_cvref_t<decltype(*value)>;
        if constexpr (std::is_same_v<Value, double>)
          return {numberRule({.low = option.least, .high = option.most, .unit = std::string(option.unit)}),
                  fmt::format("{}", *value)};
        if constexpr (std::is_same_v<Value, int>) return {integerRule(option.least, option.most), fmt::format("{}", *value)};
        if constexpr (std::is_same_v<Value, bool>) return {flagRule(), fmt::format("{}", *value)};
        if constexpr (std::is_same_v<Value, std::string>)
          return {isSolverName ? solverNameRule() : choiceRule({option.choices.begin(), option.choices.end()}),
                  fmt::format("\"{}\"", *value)};
      },
      option.placeIn(defaults));
  const std::string meaning = meaningOf(option, isSolverName);
  return {std::string(option.name), rule, fmt::format("{}{}default {}", meaning, meaning.empty() ? "" : "; ", standard)};
}

void readOption(const JsonValue& owner, const Option& option, WorldSettings& target) {
  const JsonValue* found = owner.find(option.name);
  if (found == nullptr) return;
  std::visit(
      [&](auto* value) {
        using Value = std::remove_cvref_t<decltype(*value)>;
        if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, int>)
          *value = static_cast<Value>(found->number);
        if constexpr (std::is_same_v<Value, bool>) *value = found->boolean;
        if constexpr (std::is_same_v<Value, std::string>) *value = found->text;
      },
      option.place(target));
}

}  // namespace

std::vector<Field> optionFields() {
  std::vector<Field> fields;
  for (const OptionGroup& group : optionGroups()) {
    std::vector<Field> options;
    for (const Option& option : group.options) options.push_back(fieldOf(group, option));
    if (group.name.empty())
      fields.insert(fields.end(), options.begin(), options.end());
    else
      fields.push_back({std::string(group.name), named(std::string(group.name), objectRule(std::move(options))),
                        std::string(group.meaning)});
  }
  return fields;
}

void readOptions(const JsonValue& settings, WorldSettings& target) {
  for (const OptionGroup& group : optionGroups()) {
    const JsonValue* owner = group.name.empty() ? &settings : settings.find(group.name);
    if (owner == nullptr) continue;
    for (const Option& option : group.options) readOption(*owner, option, target);
  }
}

std::string optionsText(std::string_view group, const WorldSettings& settings) {
  std::string text;
  const OptionGroup* described = findOptions(group);
  if (described == nullptr) return text;
  for (const Option& option : described->options) {
    text += text.empty() ? "" : ", ";
    std::visit([&](const auto* value) { text += fmt::format("{} {}", option.name, *value); }, option.placeIn(settings));
    if (!option.unit.empty()) text += fmt::format(" {}", option.unit);
  }
  return text;
}

}  // namespace cairn
