#include "scene/rule.hpp"

#include <fmt/format.h>

namespace cairn {
namespace {

std::shared_ptr<Rule> make(Rule::Kind kind) {
  auto rule = std::make_shared<Rule>();
  rule->kind = kind;
  return rule;
}

std::string quotedChoices(const std::vector<std::string>& choices) {
  std::string all;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) all += i + 1 == choices.size() ? " or " : ", ";
    all += '"' + choices[i] + '"';
  }
  return all;
}

}  // namespace

std::string Range::describe() const {
  std::string text;
  const bool hasLow = std::isfinite(low);
  const bool hasHigh = std::isfinite(high);
  if (hasLow && hasHigh) {
    text = lowOpen ? fmt::format("above {:g} and at most {:g}", low, high) : fmt::format("from {:g} to {:g}", low, high);
  } else if (hasLow) {
    text = fmt::format("{} {:g}", lowOpen ? "above" : "at least", low);
  } else if (hasHigh) {
    text = fmt::format("at most {:g}", high);
  }
  if (!unit.empty()) text += text.empty() ? fmt::format("in {}", unit) : fmt::format(" {}", unit);
  return text;
}

std::string Rule::describe() const {
  const auto with = [](std::string noun, const std::string& detail) {
    return detail.empty() ? noun : fmt::format("{} {}", noun, detail);
  };
  switch (kind) {
    case Kind::Number:
      return with("a number", range.describe());
    case Kind::Integer:
      return with("a whole number", range.describe());
    case Kind::Flag:
      return "true or false";
    case Kind::Text:
      return fmt::format("a text of 1 to {} characters", longest);
    case Kind::Choice:
      return quotedChoices(choices);
    case Kind::Numbers:
      return with(fmt::format("a list of {} {}numbers", count, whole ? "whole " : ""),
                  range.describe().empty() ? "" : "each " + range.describe());
    case Kind::List: {
      std::string size = least > 0 ? fmt::format(" of at least {}", least) : "";
      if (most > 0) size += fmt::format("{} at most {}", size.empty() ? " of" : " and", most);
      return fmt::format("a list{}, each item {}", size, item->describe());
    }
    case Kind::Map:
      return "an object that gives each name " + item->describe();
    case Kind::Object:
    case Kind::Tagged:
      return "an object { ... }";
    case Kind::Either: {
      std::string text;
      for (std::size_t i = 0; i < either.size(); ++i) text += (i > 0 ? ", or " : "") + either[i]->describe();
      return text;
    }
  }
  return {};
}

RulePtr numberRule(Range range) {
  auto rule = make(Rule::Kind::Number);
  rule->range = std::move(range);
  return rule;
}
RulePtr integerRule(double low, double high) {
  auto rule = make(Rule::Kind::Integer);
  rule->range = {.low = low, .high = high};
  return rule;
}
RulePtr flagRule() { return make(Rule::Kind::Flag); }
RulePtr textRule(std::size_t longest) {
  auto rule = make(Rule::Kind::Text);
  rule->longest = longest;
  return rule;
}
RulePtr checkedTextRule(std::function<std::string(const std::string&)> objection) {
  auto rule = make(Rule::Kind::Text);
  rule->objection = std::move(objection);
  return rule;
}
RulePtr choiceRule(std::vector<std::string> choices) {
  auto rule = make(Rule::Kind::Choice);
  rule->choices = std::move(choices);
  return rule;
}
RulePtr numbersRule(std::size_t count, Range range) {
  auto rule = make(Rule::Kind::Numbers);
  rule->count = count;
  rule->range = std::move(range);
  return rule;
}
RulePtr wholeNumbersRule(std::size_t count, double low, double high) {
  auto rule = make(Rule::Kind::Numbers);
  rule->count = count;
  rule->range = {.low = low, .high = high};
  rule->whole = true;
  return rule;
}
RulePtr listRule(RulePtr item, std::size_t least, std::size_t most) {
  auto rule = make(Rule::Kind::List);
  rule->item = std::move(item);
  rule->least = least;
  rule->most = most;
  return rule;
}
RulePtr mapRule(RulePtr item) {
  auto rule = make(Rule::Kind::Map);
  rule->item = std::move(item);
  return rule;
}
RulePtr objectRule(std::vector<Field> fields) {
  auto rule = make(Rule::Kind::Object);
  rule->fields = std::move(fields);
  return rule;
}
RulePtr taggedRule(std::vector<Field> common, std::vector<Alternative> alternatives) {
  auto rule = make(Rule::Kind::Tagged);
  rule->fields = std::move(common);
  rule->alternatives = std::move(alternatives);
  return rule;
}
RulePtr eitherRule(std::vector<RulePtr> rules) {
  auto rule = make(Rule::Kind::Either);
  rule->either = std::move(rules);
  return rule;
}
RulePtr named(std::string definition, const RulePtr& rule) {
  auto copy = std::make_shared<Rule>(*rule);
  copy->definition = std::move(definition);
  return copy;
}

}  // namespace cairn
