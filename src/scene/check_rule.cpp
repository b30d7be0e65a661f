// Holds a value against its rule and says everything that is wrong with it.
#include <fmt/format.h>

#include "scene/rule.hpp"
#include "scene/suggest.hpp"
#include "scene/synonyms.hpp"

namespace cairn {
namespace {

using Type = JsonValue::Type;

void refuse(const Rule& rule, const JsonValue& value, const std::string& path, ProblemList& problems) {
  problems.add(value, path, fmt::format("found {}; allowed: {}", describeFound(value), rule.describe()));
}

std::string withArticle(const std::string& noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiou").find(noun[0]) != std::string_view::npos;
  return (vowel ? "an " : "a ") + noun;
}

// "; did you mean ...?", or how the word is said here, up to what is allowed.
std::string hintOf(const std::string& word, const std::vector<std::string_view>& names) {
  if (const Synonym* synonym = typeSynonym(word, names)) return explain(*synonym) + ";";
  const std::string near = suggestion(word, names);
  return near.empty() ? ";" : near;
}

// `owner` is how a message calls the object: "a sphere".
void checkFields(const std::vector<const Field*>& fields, const std::string& owner, const JsonValue& value,
                 const std::string& path, ProblemList& problems) {
  std::vector<std::string_view> suggested;  // a misspelt field is not also missing
  for (const JsonMember& member : value.members) {
    const auto known = std::find_if(fields.begin(), fields.end(), [&](const Field* f) { return f->name == member.key; });
    const std::string here = joinPath(path, member.key);
    if (known != fields.end()) {
      checkRule(*(*known)->rule, member.value, here, problems);
      continue;
    }
    std::vector<std::string_view> names;
    for (const Field* field : fields) names.push_back(field->name);
    const Synonym* synonym = fieldSynonym(member.key, names);
    suggested.push_back(synonym ? synonym->ours : nearestName(member.key, names));
    const std::string hint = synonym ? explain(*synonym) + ";" : hintOf(member.key, names);
    problems.addAtKey(
        value, member, here,
        fmt::format("unknown field{} allowed{}: {}", hint, owner.empty() ? "" : " in " + owner, listNames(names)));
  }
  for (const Field* field : fields) {
    if (!field->required || value.find(field->name)) continue;
    if (std::find(suggested.begin(), suggested.end(), field->name) != suggested.end()) continue;
    const bool version = path.empty() && field->name == "cairn";
    problems.add(value, joinPath(path, field->name),
                 version ? std::string("missing: the version of the format; add \"cairn\": 1")
                         : fmt::format("missing{}; allowed: {}", owner.empty() ? "" : ": " + owner + " needs it",
                                       field->rule->describe()));
  }
}

void checkTagged(const Rule& rule, const JsonValue& value, const std::string& path, ProblemList& problems) {
  std::vector<std::string_view> tags;
  for (const Alternative& alternative : rule.alternatives) tags.push_back(alternative.tag);
  const JsonValue* tag = value.find("type");
  if (!tag) {
    problems.add(value, joinPath(path, "type"), fmt::format("missing; allowed: {}", listNames(tags)));
    return;
  }
  if (!tag->is(Type::String)) {
    problems.add(*tag, joinPath(path, "type"), fmt::format("found {}; allowed: {}", describeFound(*tag), listNames(tags)));
    return;
  }
  for (const Alternative& alternative : rule.alternatives) {
    if (alternative.tag != tag->text) continue;
    const Field type{.name = "type", .rule = textRule(), .what = {}, .required = true};
    std::vector<const Field*> fields{&type};
    for (const Field& field : alternative.fields) fields.push_back(&field);
    for (const Field& field : rule.fields) fields.push_back(&field);
    checkFields(fields, withArticle(alternative.tag), value, path, problems);
    return;
  }
  problems.add(*tag, joinPath(path, "type"),
               fmt::format("found {}{} allowed: {}", describeFound(*tag), hintOf(tag->text, tags), listNames(tags)));
}

bool couldBe(const Rule& rule, const JsonValue& value) {
  switch (rule.kind) {
    case Rule::Kind::Number:
    case Rule::Kind::Integer:
      return value.is(Type::Number);
    case Rule::Kind::Flag:
      return value.is(Type::Boolean);
    case Rule::Kind::Text:
    case Rule::Kind::Choice:
      return value.is(Type::String);
    case Rule::Kind::Numbers:
      return value.is(Type::Array) && (value.items.empty() || !value.items[0].is(Type::Array));
    case Rule::Kind::List:
      return value.is(Type::Array) && (value.items.empty() || couldBe(*rule.item, value.items[0]));
    case Rule::Kind::Map:
    case Rule::Kind::Object:
    case Rule::Kind::Tagged:
      return value.is(Type::Object);
    case Rule::Kind::Either:
      return std::any_of(rule.either.begin(), rule.either.end(), [&](const RulePtr& r) { return couldBe(*r, value); });
  }
  return false;
}

bool isWhole(double x) { return std::floor(x) == x; }

bool hasControlCharacter(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

}  // namespace

std::string joinPath(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

void checkRule(const Rule& rule, const JsonValue& value, const std::string& path, ProblemList& problems) {
  switch (rule.kind) {
    case Rule::Kind::Number:
      if (!value.is(Type::Number) || !rule.range.contains(value.number)) refuse(rule, value, path, problems);
      return;
    case Rule::Kind::Integer:
      if (!value.is(Type::Number) || !rule.range.contains(value.number) || !isWhole(value.number)) {
        refuse(rule, value, path, problems);
      }
      return;
    case Rule::Kind::Flag:
      if (!value.is(Type::Boolean)) refuse(rule, value, path, problems);
      return;
    case Rule::Kind::Text:
      if (!value.is(Type::String) || value.text.empty() || value.text.size() > rule.longest) {
        refuse(rule, value, path, problems);
      } else if (hasControlCharacter(value.text)) {
        problems.add(value, path, "found a text with control characters; allowed: printable characters on one line");
      } else if (rule.objection) {
        const std::string wrong = rule.objection(value.text);
        if (!wrong.empty()) problems.add(value, path, wrong);
      }
      return;
    case Rule::Kind::Choice: {
      if (!value.is(Type::String)) return refuse(rule, value, path, problems);
      if (std::find(rule.choices.begin(), rule.choices.end(), value.text) != rule.choices.end()) return;
      const std::vector<std::string_view> names(rule.choices.begin(), rule.choices.end());
      problems.add(value, path,
                   fmt::format("found {}{} allowed: {}", describeFound(value), hintOf(value.text, names), rule.describe()));
      return;
    }
    case Rule::Kind::Numbers:
      if (!value.is(Type::Array) || value.items.size() != rule.count) {
        const bool angles = rule.count == 4 && value.is(Type::Array) && value.items.size() == 3 && path.ends_with("rotation");
        if (!angles) return refuse(rule, value, path, problems);
        problems.add(value, path,
                     "found a list of 3; three angles are written {\"euler_deg\": [roll, pitch, yaw]}, in degrees; allowed: " +
                         rule.describe() + ", or an object with axis and angle_deg, or euler_deg");
        return;
      }
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        const JsonValue& item = value.items[i];
        const bool good = item.is(Type::Number) && rule.range.contains(item.number);
        if (good && (!rule.whole || isWhole(item.number))) continue;
        const std::string allowed = rule.range.describe();
        problems.add(item, fmt::format("{}[{}]", path, i),
                     fmt::format("found {}; allowed: a {}number{}{}", describeFound(item), rule.whole ? "whole " : "",
                                 allowed.empty() ? "" : " ", allowed));
      }
      return;
    case Rule::Kind::List:
      if (!value.is(Type::Array) || value.items.size() < rule.least || (rule.most > 0 && value.items.size() > rule.most)) {
        return refuse(rule, value, path, problems);
      }
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        checkRule(*rule.item, value.items[i], fmt::format("{}[{}]", path, i), problems);
      }
      return;
    case Rule::Kind::Map:
      if (!value.is(Type::Object)) return refuse(rule, value, path, problems);
      for (const JsonMember& member : value.members) {
        const std::string here = joinPath(path, member.key);
        if (member.key.empty() || hasControlCharacter(member.key)) {
          problems.addAtKey(value, member, here, "found an empty or unprintable name; allowed: printable characters");
        }
        checkRule(*rule.item, member.value, here, problems);
      }
      return;
    case Rule::Kind::Object: {
      if (!value.is(Type::Object)) return refuse(rule, value, path, problems);
      std::vector<const Field*> fields;
      for (const Field& field : rule.fields) fields.push_back(&field);
      checkFields(fields, {}, value, path, problems);
      return;
    }
    case Rule::Kind::Tagged:
      if (!value.is(Type::Object)) return refuse(rule, value, path, problems);
      checkTagged(rule, value, path, problems);
      return;
    case Rule::Kind::Either:
      for (const RulePtr& choice : rule.either) {
        if (couldBe(*choice, value)) return checkRule(*choice, value, path, problems);
      }
      refuse(rule, value, path, problems);
      return;
  }
}

}  // namespace cairn
