// Groups: bodies and joints that belong together, placed as often as wanted.
//
// A group is read into a model of its own, in its own frame. Every placement copies that model: poses are moved, velocities
// turned, names get the placement's name in front ("left.wheel", with a pattern "cart.3.wheel"). Joints keep their anchors,
// which are in the bodies' frames; one to the world is held by an immovable anchor at the group's origin.
#include <fmt/format.h>

#include "scene/format.hpp"
#include "scene/parameters.hpp"
#include "scene/rule.hpp"
#include "scene/scene_reader.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

constexpr std::size_t kMaximumNesting = 8;  // groups within groups

void moveBody(BodyDesc& desc, const Pose& place) {
  desc.pose = place * desc.pose;
  desc.linearVelocity = place.rotation * desc.linearVelocity;
  desc.angularVelocity = place.rotation * desc.angularVelocity;
  if (!desc.trajectory) return;
  for (Trajectory::Key& key : desc.trajectory->keys) key.pose = place * key.pose;
  desc.trajectory->amplitude = place.rotation * desc.trajectory->amplitude;
  desc.trajectory->turnAmplitude = place.rotation * desc.trajectory->turnAmplitude;
}

bool isTurned(const Pose& pose) { return pose.rotation.vec().norm() > 1e-12; }

}  // namespace

void SceneReader::readGroups(const JsonValue& groups) {
  for (const JsonMember& member : groups.members) groups_[member.key] = member.value;
}

void SceneReader::checkUnusedGroups() {
  for (const auto& [name, group] : groups_) {
    if (usedGroups_->contains(name)) continue;
    SceneModel part;
    readGroup(name, group, {}, part);
  }
}

void SceneReader::readPlacements(const JsonValue& list, const std::string& owner) {
  for (std::size_t i = 0; i < list.items.size(); ++i) readPlacement(list.items[i], fmt::format("{}[{}]", owner, i));
}

// The parameters that hold inside a group: those that the placement sets, then the group's own, then the scene's.
std::optional<std::vector<SceneParameter>> SceneReader::groupParameters(const JsonValue& group, const JsonValue& set,
                                                                        const std::string& path) {
  std::vector<SceneParameter> list;
  ParameterTable own(list, problems_);
  if (const JsonValue* block = group.find("parameters")) own.read(*block);
  std::vector<std::string_view> names;
  for (const SceneParameter& one : list) names.push_back(one.name);
  bool good = true;
  for (const JsonMember& member : set.members) {
    const std::string here = joinPath(joinPath(path, "set"), member.key);
    SceneParameter* parameter = own.find(member.key);
    if (!parameter) {
      const std::string hint = suggestion(member.key, names);
      problems_.addAtKey(set, member, here,
                         fmt::format("the group has no such parameter{}{} allowed: {}", hint, hint.empty() ? ";" : "",
                                     names.empty() ? "none" : listNames(names)));
      good = false;
      continue;
    }
    const Range range{.low = parameter->least, .high = parameter->most, .unit = parameter->unit};
    if (!range.contains(member.value.number)) {
      problems_.add(member.value, here,
                    fmt::format("found {}; allowed: {}", describeFound(member.value), range.describe()));
      good = false;
    }
    own.set(member.key, member.value.number);
  }
  for (const SceneParameter& one : model_.parameters) {
    if (!own.find(one.name)) list.push_back(one);
  }
  own.evaluate();
  if (!good) return std::nullopt;
  return list;
}

bool SceneReader::readGroup(const std::string& name, JsonValue group, const JsonValue& set, SceneModel& part,
                            const std::string& path) {
  usedGroups_->insert(name);
  if (group.is(JsonValue::Type::Object)) {
    if (const JsonValue* block = group.find("parameters")) {
      ProblemList found;
      checkRule(parametersRule(), *block, joinPath(joinPath("groups", name), "parameters"), found);
      if (problems_.takeFrom(found)) return false;
    }
    std::optional<std::vector<SceneParameter>> parameters = groupParameters(group, set, path);
    if (!parameters) return false;
    part.parameters = std::move(*parameters);
    ParameterTable table(part.parameters, problems_);
    for (JsonMember& member : group.members) {
      if (member.key != "parameters") table.substitute(member.value, joinPath(joinPath("groups", name), member.key));
    }
  }
  const std::string inside = joinPath("groups", name);
  ProblemList found;
  checkRule(groupRule(), group, inside, found);
  if (problems_.takeFrom(found)) return false;
  SceneReader reader(part, problems_);
  reader.materials_ = materials_;
  reader.groups_ = groups_;
  reader.usedGroups_ = usedGroups_;
  reader.openGroups_ = openGroups_;
  reader.openGroups_.push_back(name);
  if (const JsonValue* bodies = group.find("bodies")) reader.readBodies(*bodies, joinPath(inside, "bodies"));
  if (const JsonValue* placed = group.find("place")) reader.readPlacements(*placed, joinPath(inside, "place"));
  if (const JsonValue* joints = group.find("joints")) reader.readJoints(*joints, joinPath(inside, "joints"));
  partsOfGroup_ = reader.parts_;
  return true;
}

void SceneReader::readPlacement(const JsonValue& value, const std::string& path) {
  const JsonValue& group = *value.find("group");
  const auto known = groups_.find(group.text);
  if (known == groups_.end()) {
    std::vector<std::string_view> names;
    for (const auto& [name, one] : groups_) names.push_back(name);
    const std::string hint = suggestion(group.text, names);
    problems_.add(group, joinPath(path, "group"),
                  fmt::format("found \"{}\", which is no group{}{} allowed: {}", group.text, hint, hint.empty() ? ";" : "",
                              names.empty() ? "names given in \"groups\" (there are none)" : listNames(names)));
    return;
  }
  if (std::find(openGroups_.begin(), openGroups_.end(), group.text) != openGroups_.end()) {
    problems_.add(group, joinPath(path, "group"), fmt::format("group \"{}\" would hold itself", group.text));
    return;
  }
  if (openGroups_.size() >= kMaximumNesting) {
    problems_.add(group, joinPath(path, "group"), fmt::format("groups nested more than {} deep", kMaximumNesting));
    return;
  }
  SceneModel part;
  const JsonValue* set = value.find("set");
  if (!readGroup(known->first, known->second, set ? *set : JsonValue{}, part, path)) return;

  const Pose at = readPose(value, path);
  std::vector<Pattern> patterns;
  if (const JsonValue* pattern = value.find("pattern")) patterns = readPatterns(*pattern, joinPath(path, "pattern"), {});
  const double copies = countCopies(patterns);
  const double bodies = copies * static_cast<double>(part.bodies.size()) + static_cast<double>(model_.bodies.size());
  parts_ += copies * partsOfGroup_;
  if (bodies > static_cast<double>(kMaximumBodies) || parts_ > kMaximumParts) {
    problems_.add(value, path,
                  fmt::format("makes {} bodies and {:g} shapes and hull points in all so far; allowed: at most {} and {:g}",
                              bodies, parts_, kMaximumBodies, kMaximumParts));
    return;
  }
  const std::size_t origins = model_.origins.size();
  model_.origins.insert(model_.origins.end(), part.origins.begin(), part.origins.end());
  const JsonValue* name = value.find("name");
  const JsonValue* appear = value.find("appear");
  for (const PatternCopy& copy : expandPatterns(patterns)) {
    addPlaced(part, at * copy.pose, (name ? name->text : group.text) + copy.suffix + ".", appear ? appear->number : 0.0,
              origins, value, path);
  }
}

void SceneReader::addPlaced(const SceneModel& part, const Pose& place, const std::string& prefix, double appear,
                            std::size_t origins, const JsonValue& value, const std::string& path) {
  for (SceneBody body : part.bodies) {
    if (body.desc.locks.any() && isTurned(place)) {
      problems_.add(value, path,
                    fmt::format("\"{}\" has locked axes, which are the world's; allowed: placements that are not turned",
                                body.desc.name));
      return;
    }
    body.desc.name = prefix + body.desc.name;
    moveBody(body.desc, place);
    body.appear += appear;
    body.origin += origins;
    addBody(std::move(body), value, path);
  }
  for (SceneJoint joint : part.joints) {
    joint.a = prefix + joint.a;
    joint.b = prefix + joint.b;
    joint.desc.name = prefix + joint.desc.name;
    joint.origin += origins;
    if (!jointByName_.emplace(joint.desc.name, model_.joints.size()).second) {
      problems_.add(value, path,
                    fmt::format("makes a joint \"{}\", which another joint is called; allowed: names that are unique",
                                joint.desc.name));
      return;
    }
    model_.joints.push_back(std::move(joint));
  }
}

}  // namespace cairn
