// The JSON schema and the reference tables, both written from the rules.
#include <fmt/format.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <map>

#include "scene/format.hpp"

namespace cairn {
namespace {

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

class SchemaWriter {
 public:
  explicit SchemaWriter(Writer& out) : out_(out) {}

  void document(const Rule& root) {
    collect(root);
    out_.StartObject();
    text("$schema", "http://json-schema.org/draft-07/schema#");
    text("title", "Cairn scene");
    text("description",
         "Bodies, joints and settings of one simulation. SI units; z is up. Comments and trailing commas are "
         "allowed in scene files, though not in JSON.");
    members(root);
    key("definitions");
    out_.StartObject();
    key("parameter");
    out_.StartObject();
    text("type", "string");
    text("pattern", "\\$[A-Za-z_]");
    text("description", "an expression of numbers in \"parameters\": \"$n\", \"$n*2 - 0.1\"");
    out_.EndObject();
    for (const auto& [name, rule] : definitions_) {
      if (rule == &root) continue;
      key(name);
      out_.StartObject();
      members(*rule);
      out_.EndObject();
    }
    out_.EndObject();
    out_.EndObject();
  }

 private:
  void key(std::string_view name) { out_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size())); }
  void string(std::string_view value) { out_.String(value.data(), static_cast<rapidjson::SizeType>(value.size())); }
  void text(std::string_view name, std::string_view value) {
    key(name);
    string(value);
  }
  void number(std::string_view name, double value) {
    key(name);
    const std::string digits = fmt::format("{}", value);
    out_.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
  }

  void collect(const Rule& rule) {
    if (!rule.definition.empty() && !definitions_.emplace(rule.definition, &rule).second) return;
    if (rule.item) collect(*rule.item);
    for (const Field& field : rule.fields) collect(*field.rule);
    for (const Alternative& alternative : rule.alternatives) {
      for (const Field& field : alternative.fields) collect(*field.rule);
    }
    for (const RulePtr& one : rule.either) collect(*one);
  }

  void reference(std::string_view definition) { text("$ref", fmt::format("#/definitions/{}", definition)); }

  // A rule where it is used: a reference if it has a name.
  void use(const Rule& rule) {
    out_.StartObject();
    rule.definition.empty() ? members(rule) : reference(rule.definition);
    out_.EndObject();
  }

  void scalar(const Range& range, bool whole) {
    key("anyOf");
    out_.StartArray();
    out_.StartObject();
    text("type", whole ? "integer" : "number");
    if (std::isfinite(range.low)) number(range.lowOpen ? "exclusiveMinimum" : "minimum", range.low);
    if (std::isfinite(range.high)) number("maximum", range.high);
    out_.EndObject();
    out_.StartObject();
    reference("parameter");
    out_.EndObject();
    out_.EndArray();
  }

  void object(const std::vector<const Field*>& fields, const std::string* tag, const std::string* tagWhat) {
    text("type", "object");
    if (tagWhat) text("description", *tagWhat);
    key("properties");
    out_.StartObject();
    if (tag) {
      key("type");
      out_.StartObject();
      text("const", *tag);
      out_.EndObject();
    }
    for (const Field* field : fields) {
      key(field->name);
      out_.StartObject();
      const std::string& unit = field->rule->range.unit;
      text("description", unit.empty() ? field->what : fmt::format("{} ({})", field->what, unit));
      if (field->rule->definition.empty()) {
        members(*field->rule);
      } else {
        // Beside a $ref, draft 7 ignores everything, the description included.
        key("allOf");
        out_.StartArray();
        use(*field->rule);
        out_.EndArray();
      }
      out_.EndObject();
    }
    out_.EndObject();
    key("required");
    out_.StartArray();
    if (tag) string("type");
    for (const Field* field : fields) {
      if (field->required) string(field->name);
    }
    out_.EndArray();
    key("additionalProperties");
    out_.Bool(false);
  }

  void members(const Rule& rule) {
    switch (rule.kind) {
      case Rule::Kind::Number:
        return scalar(rule.range, false);
      case Rule::Kind::Integer:
        return scalar(rule.range, true);
      case Rule::Kind::Flag:
        return text("type", "boolean");
      case Rule::Kind::Text:
        text("type", "string");
        number("minLength", 1);
        return number("maxLength", static_cast<double>(rule.longest));
      case Rule::Kind::Choice:
        text("type", "string");
        key("enum");
        out_.StartArray();
        for (const std::string& choice : rule.choices) string(choice);
        out_.EndArray();
        return;
      case Rule::Kind::Numbers:
        text("type", "array");
        number("minItems", static_cast<double>(rule.count));
        number("maxItems", static_cast<double>(rule.count));
        key("items");
        out_.StartObject();
        scalar(rule.range, rule.whole);
        out_.EndObject();
        return;
      case Rule::Kind::List:
        text("type", "array");
        if (rule.least > 0) number("minItems", static_cast<double>(rule.least));
        if (rule.most > 0) number("maxItems", static_cast<double>(rule.most));
        key("items");
        return use(*rule.item);
      case Rule::Kind::Map:
        text("type", "object");
        key("additionalProperties");
        return use(*rule.item);
      case Rule::Kind::Object: {
        std::vector<const Field*> fields;
        for (const Field& field : rule.fields) fields.push_back(&field);
        return object(fields, nullptr, nullptr);
      }
      case Rule::Kind::Tagged:
        key("oneOf");
        out_.StartArray();
        for (const Alternative& alternative : rule.alternatives) {
          std::vector<const Field*> fields;
          for (const Field& field : alternative.fields) fields.push_back(&field);
          for (const Field& field : rule.fields) fields.push_back(&field);
          out_.StartObject();
          object(fields, &alternative.tag, &alternative.what);
          out_.EndObject();
        }
        out_.EndArray();
        return;
      case Rule::Kind::Either:
        key("anyOf");
        out_.StartArray();
        for (const RulePtr& one : rule.either) use(*one);
        out_.EndArray();
        return;
    }
  }

  Writer& out_;
  std::map<std::string, const Rule*> definitions_;
};

// One table per object, in the order a reader meets them.
class ReferenceWriter {
 public:
  std::string document(const Rule& root) {
    text_ =
        "# Every field of a scene file\n\nWritten by `cairn schema --reference`; [scene-format.md](scene-format.md) "
        "explains with "
        "examples.\n";
    section("scene", "The whole file", root);
    return std::move(text_);
  }

 private:
  static std::string cell(const Rule& rule) {
    switch (rule.kind) {
      case Rule::Kind::Number:
      case Rule::Kind::Integer:
      case Rule::Kind::Flag:
      case Rule::Kind::Choice:
      case Rule::Kind::Numbers:
        return rule.describe();
      case Rule::Kind::Text:
        return "text";
      case Rule::Kind::List:
        return "list of: " + (rule.item->definition.empty() ? cell(*rule.item) : link(*rule.item));
      case Rule::Kind::Map:
        return "names, each with: " + (rule.item->definition.empty() ? cell(*rule.item) : link(*rule.item));
      case Rule::Kind::Object:
      case Rule::Kind::Tagged:
        return rule.definition.empty() ? "object" : link(rule);
      case Rule::Kind::Either: {
        std::string all;
        for (const RulePtr& one : rule.either) all += (all.empty() ? "" : "; or ") + cell(*one);
        return all;
      }
    }
    return {};
  }
  static bool hasSection(const Rule& rule) {
    return rule.kind == Rule::Kind::Object || rule.kind == Rule::Kind::Tagged ||
           (rule.kind == Rule::Kind::Either && !rule.definition.empty());
  }
  static std::string link(const Rule& rule) {
    return hasSection(rule) ? fmt::format("[{0}](#{0})", rule.definition) : cell(rule);
  }

  void rows(const std::vector<Field>& fields) {
    text_ += "\n| field | value | meaning |\n|---|---|---|\n";
    for (const Field& field : fields) {
      const std::string value = field.rule->definition.empty() ? cell(*field.rule) : link(*field.rule);
      text_ += fmt::format("| `{}`{} | {} | {} |\n", field.name, field.required ? " (required)" : "", value, field.what);
      later(*field.rule);
    }
  }

  void later(const Rule& rule) {
    if (hasSection(rule) && !rule.definition.empty()) waiting_.push_back(&rule);
    if (rule.item) later(*rule.item);
    for (const RulePtr& one : rule.either) later(*one);
  }

  void section(const std::string& name, const std::string& heading, const Rule& rule) {
    if (!done_.emplace(name, true).second) return;
    text_ += fmt::format("\n## {}\n", heading);
    if (rule.kind == Rule::Kind::Object) rows(rule.fields);
    if (rule.kind == Rule::Kind::Either) {
      text_ += fmt::format("\n{}.\n", cell(rule));
      for (const RulePtr& one : rule.either) {
        if (one->kind == Rule::Kind::Object) rows(one->fields);
      }
    }
    if (rule.kind == Rule::Kind::Tagged) {
      for (const Alternative& alternative : rule.alternatives) {
        text_ += fmt::format("\n**`\"type\": \"{}\"`**: {}\n", alternative.tag, alternative.what);
        if (!alternative.fields.empty()) rows(alternative.fields);
      }
      if (!rule.fields.empty()) {
        text_ += "\nAll of them also take:\n";
        rows(rule.fields);
      }
    }
    const std::vector<const Rule*> next = std::move(waiting_);
    waiting_.clear();
    for (const Rule* one : next) section(one->definition, one->definition, *one);
  }

  std::string text_;
  std::map<std::string, bool> done_;
  std::vector<const Rule*> waiting_;
};

}  // namespace

std::string sceneSchema() {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.SetIndent(' ', 2);
  out.SetFormatOptions(rapidjson::kFormatSingleLineArray);
  SchemaWriter(out).document(sceneRule());
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

std::string sceneReference() { return ReferenceWriter().document(sceneRule()); }

}  // namespace cairn
