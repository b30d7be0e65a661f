#include "scene/scene_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "scene/format.hpp"
#include "scene/parameters.hpp"
#include "scene/scene_reader.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;
using Type = JsonValue::Type;

[[noreturn]] void refuseFile(const std::string& path, std::string message) {
  throw SceneError({problemOfFile(path, std::move(message))});
}

// One text under its name; whatever it includes comes from the disk.
class TextSource : public DiskSource {
 public:
  TextSource(const std::string& name, const std::string& text) : name_(name), text_(text) {}
  std::string read(const std::string& path) const override { return path == name_ ? text_ : DiskSource::read(path); }

 private:
  const std::string& name_;
  const std::string& text_;
};

class Loader {
 public:
  Loader(const SceneSource& source, SceneModel& model, ProblemList& problems)
      : source_(source), model_(model), problems_(problems) {}

  // Reads a file and, before it, what it includes.
  void gather(const std::string& path, const SourcePlace* from) {
    const std::string identity = source_.identity(path);
    const auto refuse = [&](std::string message) {
      if (from) throw SceneError({problemAt(*from, std::move(message))});
      refuseFile(path, std::move(message));
    };
    if (std::find(open_.begin(), open_.end(), identity) != open_.end()) {
      std::string chain;
      for (auto one = std::find(open_.begin(), open_.end(), identity); one != open_.end(); ++one) chain += *one + " -> ";
      refuse(fmt::format("files include each other in a circle: {}{}", chain, identity));
    }
    if (!seen_.insert(identity).second) return;  // the second way to a file adds nothing
    if (static_cast<int>(open_.size()) >= kMaximumIncludeDepth) {
      refuse(fmt::format("files included more than {} deep", kMaximumIncludeDepth));
    }
    if (static_cast<int>(seen_.size()) > kMaximumIncludedFiles) {
      refuse(fmt::format("more than {} included files", kMaximumIncludedFiles));
    }
    if (from && !source_.isOrdinary(path)) refuse(fmt::format("cannot include {}: it is no ordinary file", path));
    std::string text;
    try {
      text = source_.read(path);
    } catch (const SceneError& error) {
      if (!from) throw;
      refuse(fmt::format("cannot include: {}", error.what()));
    }
    JsonValue root;
    try {
      root = parseJson(std::make_shared<SourceText>(SourceText{path, std::move(text)}));
    } catch (const SceneError& error) {
      if (!from) throw;
      // Without its words: a scene may name any file, and whoever reads the message may not be meant to read that one.
      const SceneProblem& first = error.problems().front();
      refuse(
          fmt::format("cannot include {}: it is no scene (no JSON at line {}, column {})", path, first.line, first.column));
    }
    if (from && root.find("cairn") == nullptr) refuse(fmt::format("cannot include {}: it is no scene", path));
    if (!root.is(Type::Object)) {
      throw SceneError({problemAt({root.source, root.offset, {}},
                                  fmt::format("found {}; allowed: one object {{ ... }}", describeFound(root)))});
    }
    open_.push_back(identity);
    if (const JsonValue* include = root.find("include"); include && include->is(Type::Array)) {
      for (std::size_t i = 0; i < include->items.size(); ++i) {
        const JsonValue& item = include->items[i];
        if (!item.is(Type::String) || item.text.empty()) continue;  // the rules will say so
        const SourcePlace place{item.source, item.offset, fmt::format("include[{}]", i)};
        gather(source_.resolve(path, item.text), &place);
      }
    }
    open_.pop_back();
    files_.push_back(std::move(root));
  }

  // The outermost file that gives a parameter decides; --set decides over all.
  void readParameters(const std::vector<Override>& overrides) {
    ParameterTable table(model_.parameters, problems_);
    for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
      const JsonValue* block = file->find("parameters");
      if (!block) continue;
      ProblemList found;
      checkRule(parametersRule(), *block, "parameters", found);
      found.throwIfAny();
      table.read(*block);
    }
    table.apply(overrides);
    problems_.throwIfAny();
    table.evaluate();
    problems_.throwIfAny();
    for (JsonValue& file : files_) {
      for (JsonMember& member : file.members) {
        const bool numeric = member.key == "settings" || member.key == "materials" || member.key == "pairs" ||
                             member.key == "bodies" || member.key == "joints" || member.key == "place";
        if (numeric) table.substitute(member.value, member.key);
      }
    }
  }

  // Groups are checked where they are placed: before, their parameters have no values.
  void takeGroups() {
    for (JsonValue& file : files_) {
      const auto groups =
          std::find_if(file.members.begin(), file.members.end(),
                       [](const JsonMember& one) { return one.key == "groups" && one.value.is(Type::Object); });
      if (groups == file.members.end()) continue;
      groups_.push_back(std::move(groups->value));
      file.members.erase(groups);
    }
  }

  void check() {
    for (const JsonValue& file : files_) checkRule(sceneRule(), file, {}, problems_);
    problems_.throwIfAny();
  }

  void build() {
    const JsonValue& main = files_.back();
    const auto text = [&](std::string_view key, std::string& target) {
      if (const JsonValue* value = main.find(key)) target = value->text;
    };
    text("name", model_.name);
    text("title", model_.title);
    text("description", model_.description);
    if (const JsonValue* stands = main.find("stands")) model_.stands = stands->boolean;
    SceneReader reader(model_, problems_);
    for (const JsonValue& file : files_) {
      if (const JsonValue* settings = file.find("settings")) readSettings(*settings, model_);
      if (const JsonValue* materials = file.find("materials")) reader.readMaterials(*materials);
    }
    for (const JsonValue& file : files_) {
      if (const JsonValue* pairs = file.find("pairs")) reader.readPairs(*pairs);
    }
    for (const JsonValue& groups : groups_) reader.readGroups(groups);
    for (const JsonValue& file : files_) {
      if (const JsonValue* bodies = file.find("bodies")) reader.readBodies(*bodies);
      if (const JsonValue* placed = file.find("place")) reader.readPlacements(*placed);
    }
    reader.checkUnusedGroups();
    problems_.throwIfAny();  // joints to bodies that failed would only repeat it
    for (const JsonValue& file : files_) {
      if (const JsonValue* joints = file.find("joints")) reader.readJoints(*joints);
    }
  }

 private:
  const SceneSource& source_;
  SceneModel& model_;
  ProblemList& problems_;
  std::vector<JsonValue> files_;   // included ones first
  std::vector<JsonValue> groups_;  // taken out of them
  std::vector<std::string> open_;
  std::set<std::string> seen_;
};

}  // namespace

std::string DiskSource::read(const std::string& path) const {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) refuseFile(path, "no such file");
  if (fs::is_directory(status)) refuseFile(path, "this is a directory; allowed: a scene file");
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) refuseFile(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string text;
  std::vector<char> block(1 << 16);
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file)) {
    text.append(block.data(), got);
    if (text.size() > kMaximumSceneBytes) break;
  }
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) refuseFile(path, "cannot be read to its end");
  if (text.size() > kMaximumSceneBytes) {
    refuseFile(path, fmt::format("larger than a scene file may be: {} MiB", kMaximumSceneBytes >> 20));
  }
  return text;
}

// A pipe would be waited for, a device never ends.
bool DiskSource::isOrdinary(const std::string& path) const {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return !fs::exists(status) || fs::is_directory(status) || fs::is_regular_file(status);  // reading says what is wrong
}

std::string DiskSource::resolve(const std::string& from, const std::string& included) const {
  const fs::path path(included);
  return path.is_absolute() ? included : (fs::path(from).parent_path() / path).lexically_normal().string();
}

std::string DiskSource::identity(const std::string& path) const {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

SceneModel loadScene(const SceneSource& source, const std::string& path, const std::vector<Override>& overrides) {
  SceneModel model;
  ProblemList problems;
  model.name = fs::path(path).stem().string();
  Loader loader(source, model, problems);
  loader.gather(path, nullptr);
  loader.readParameters(overrides);
  loader.takeGroups();
  loader.check();
  loader.build();
  applySettingOverrides(overrides, model, problems);
  problems.throwIfAny();
  return model;
}

SceneModel loadSceneFile(const std::string& path, const std::vector<Override>& overrides) {
  return loadScene(DiskSource{}, path, overrides);
}

SceneModel loadSceneText(const std::string& name, const std::string& text, const std::vector<Override>& overrides) {
  return loadScene(TextSource{name, text}, name, overrides);
}

}  // namespace cairn
