#include <fmt/format.h>

#include <charconv>

#include "scene/rule.hpp"
#include "scene/scene_reader.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

// "link.#+1" with index 3 is "link.4".
std::string withIndex(const std::string& text, int index) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '#') {
      out += text[i];
      continue;
    }
    int shift = 0;
    if (i + 2 < text.size() && (text[i + 1] == '+' || text[i + 1] == '-')) {
      const char* end = text.data() + text.size();
      const auto result = std::from_chars(text.data() + i + 2, end, shift);
      if (result.ec == std::errc{} && shift < 1000000) {
        if (text[i + 1] == '-') shift = -shift;
        i = static_cast<std::size_t>(result.ptr - text.data()) - 1;
      } else {
        shift = 0;
      }
    }
    out += std::to_string(index + shift);
  }
  return out;
}

}  // namespace

void SceneReader::readJoints(const JsonValue& joints, const std::string& owner) {
  for (std::size_t i = 0; i < joints.items.size(); ++i) {
    readJoint(joints.items[i], fmt::format("{}[{}]", owner, i));
  }
}

void SceneReader::readJoint(const JsonValue& value, const std::string& path) {
  SceneJoint joint;
  joint.origin = model_.origins.size();
  model_.origins.push_back({value.source, value.offset, path});
  joint.a = value.find("a")->text;
  joint.b = value.find("b")->text;
  if (const JsonValue* name = value.find("name")) {
    joint.desc.name = name->text;
  } else {
    joint.desc.name = fmt::format("joint {}", model_.joints.size());
  }
  if (const JsonValue* spring = value.find("spring")) {
    JointSpring read{spring->find("stiffness")->number, 0.0};
    if (const JsonValue* damping = spring->find("damping")) read.damping = damping->number;
    joint.desc.spring = read;
  }
  if (const JsonValue* force = value.find("break_force")) joint.desc.breakForce = force->number;
  if (const JsonValue* torque = value.find("break_torque")) joint.desc.breakTorque = torque->number;
  if (const JsonValue* enabled = value.find("enabled")) joint.desc.enabled = enabled->boolean;
  if (const JsonValue* collide = value.find("bodies_collide")) joint.desc.bodiesCollide = collide->boolean;

  if (const JsonValue* drive = value.find("drive")) {
    const std::string& type = value.find("type")->text;
    if (type != "hinge" && type != "distance") {
      problems_.add(*drive, joinPath(path, "drive"), fmt::format("found on a {} joint; allowed: hinge, distance", type));
    } else {
      joint.desc.drive = readDrive(*drive, type == "hinge");
    }
  }

  const JsonValue* repeat = value.find("repeat");
  if (!repeat) return addJoint(value, path, std::move(joint));
  if (joint.a.find('#') == std::string::npos && joint.b.find('#') == std::string::npos) {
    problems_.add(*repeat, joinPath(path, "repeat"), "neither a nor b has a # for the number of the copy");
    return;
  }
  for (int i = 0; i < static_cast<int>(repeat->number); ++i) {
    SceneJoint copy = joint;
    copy.a = withIndex(joint.a, i);
    copy.b = withIndex(joint.b, i);
    copy.desc.name = joint.desc.name.find('#') != std::string::npos ? withIndex(joint.desc.name, i)
                                                                    : fmt::format("{}.{}", joint.desc.name, i);
    const std::size_t before = model_.joints.size();
    addJoint(value, path, std::move(copy));
    if (model_.joints.size() == before) return;  // one message is enough for a wrong series
  }
}

std::optional<Pose> SceneReader::findBodyPose(const JsonValue& value, const std::string& path, const std::string& name) {
  const auto known = bodyByName_.find(name);
  if (known != bodyByName_.end()) return model_.bodies[known->second].desc.pose;
  if (name == kWorldBodyName) {
    SceneBody anchor;
    anchor.desc.name = std::string(kWorldBodyName);
    anchor.desc.kind = BodyKind::Static;
    anchor.origin = model_.origins.size() - 1;
    bodyByName_.emplace(anchor.desc.name, model_.bodies.size());
    model_.bodies.push_back(std::move(anchor));
    return Pose{};
  }
  std::vector<std::string_view> names;
  for (const SceneBody& body : model_.bodies) names.push_back(body.desc.name);
  if (!bodyByName_.contains(std::string(kWorldBodyName))) names.push_back(kWorldBodyName);
  problems_.add(value, path,
                fmt::format("found \"{}\", which is no body{}{} allowed: {}", name, suggestion(name, names),
                            nearestName(name, names).empty() ? ";" : "", listNames(names, 12)));
  return std::nullopt;
}

void SceneReader::addJoint(const JsonValue& value, const std::string& path, SceneJoint joint) {
  const std::optional<Pose> a = findBodyPose(*value.find("a"), joinPath(path, "a"), joint.a);
  const std::optional<Pose> b = findBodyPose(*value.find("b"), joinPath(path, "b"), joint.b);
  if (!a || !b) return;
  if (joint.a == joint.b) {
    problems_.add(*value.find("b"), joinPath(path, "b"),
                  fmt::format("found \"{}\" on both sides; allowed: two bodies", joint.b));
    return;
  }
  if (const auto [first, isNew] = jointByName_.emplace(joint.desc.name, model_.joints.size()); !isNew) {
    const JsonValue* name = value.find("name");
    problems_.add(name ? *name : value, joinPath(path, "name"),
                  fmt::format("found \"{}\", which another joint has; allowed: names that are unique", joint.desc.name));
    return;
  }

  const std::string& type = value.find("type")->text;
  const JsonValue* anchor = value.find("anchor");
  const JsonValue* anchorA = value.find("anchor_a");
  const JsonValue* anchorB = value.find("anchor_b");
  JointDesc& desc = joint.desc;
  if (anchorA) desc.anchorA = readVector(*anchorA);
  if (anchorB) desc.anchorB = readVector(*anchorB);
  if (type == "distance") {
    if (anchor) {
      problems_.add(*anchor, joinPath(path, "anchor"), "a distance is between two points; allowed: anchor_a and anchor_b");
      return;
    }
    DistanceJoint distance;
    const double now = (b->point(desc.anchorB) - a->point(desc.anchorA)).norm();
    const JsonValue* length = value.find("length");
    distance.length = length ? length->number : now;
    if (const JsonValue* shortest = value.find("shortest")) distance.shortest = shortest->number;
    if (const JsonValue* longest = value.find("longest")) distance.longest = longest->number;
    const bool isRange = distance.shortest || distance.longest;
    if (length && isRange) {
      problems_.add(*length, joinPath(path, "length"), "found together with shortest or longest; allowed: one or the other");
      return;
    }
    if (distance.shortest.value_or(0.0) > distance.longest.value_or(1e300)) {
      problems_.add(*value.find("shortest"), joinPath(path, "shortest"), "is above longest");
      return;
    }
    if (!length && !isRange && now <= 0.0) {
      problems_.add(value, joinPath(path, "length"), "missing, and the two points coincide; allowed: a number above 0 m");
      return;
    }
    desc.kind = distance;
    if (const JsonValue* axes = value.find("axes")) readAxes(*axes, joinPath(path, "axes"), desc);
    model_.joints.push_back(std::move(joint));
    return;
  }
  const bool isWheelOnPlane = type == "wheel" && anchorA && anchorB;
  if (type != "ball" && type != "hinge" && type != "wheel" && type != "skate" && type != "fixed") {
    if (!placeAnchors(value, path, *a, *b, desc)) return;
    desc.kind = readJointKind(value, path, *a, *b);
    if (const JsonValue* axes = value.find("axes")) readAxes(*axes, joinPath(path, "axes"), desc);
    model_.joints.push_back(std::move(joint));
    return;
  }

  if (anchor && (anchorA || anchorB)) {
    problems_.add(*anchor, joinPath(path, "anchor"),
                  "found together with anchor_a or anchor_b; allowed: one way or the other");
    return;
  }
  if (anchor) {
    desc.anchorA = a->inversePoint(readVector(*anchor));
    desc.anchorB = b->inversePoint(readVector(*anchor));
  } else if (anchorA && !anchorB) {
    desc.anchorB = b->inversePoint(a->point(desc.anchorA));
  } else if (isWheelOnPlane) {
    // A point of the plane and the wheel's centre, each as given.
  } else if (!anchorA && (anchorB || type == "fixed")) {
    desc.anchorA = a->inversePoint(b->point(desc.anchorB));
  } else if (!anchorA) {
    problems_.add(value, joinPath(path, "anchor"), "missing; allowed: a point [x, y, z] in m, or anchor_a, or anchor_b");
    return;
  }
  if (type == "hinge") {
    const Vec3 axis = readDirection(*value.find("axis"), joinPath(path, "axis"));
    desc.kind = HingeJoint{a->inverseDirection(axis), b->inverseDirection(axis)};
  } else if (type == "wheel") {
    const Vec3 axis = readDirection(*value.find("axis"), joinPath(path, "axis"));
    const JsonValue* given = value.find("normal");
    const Vec3 normal = given ? readDirection(*given, joinPath(path, "normal")) : Vec3(Vec3::UnitZ());
    const double radius = value.find("radius")->number;
    // One anchor given is the wheel's centre: the plane is where the wheel touches it at the start.
    if (!(anchorA && anchorB)) {
      const Vec3 down = -(normal - normal.dot(axis) * axis);
      if (down.norm() > 1e-9) desc.anchorA = a->inversePoint(b->point(desc.anchorB) + radius * down.normalized());
    }
    desc.kind = WheelJoint{a->inverseDirection(normal), b->inverseDirection(axis), radius};
  } else if (type == "skate") {
    desc.kind = SkateJoint{b->inverseDirection(readDirection(*value.find("axis"), joinPath(path, "axis")))};
  } else if (type == "fixed") {
    // Stated, so that a body which appears later is held as the file shows it.
    desc.kind = FixedJoint{(a->rotation.conjugate() * b->rotation).normalized()};
  } else {
    desc.kind = BallJoint{};
  }
  if (const JsonValue* axes = value.find("axes")) readAxes(*axes, joinPath(path, "axes"), desc);
  model_.joints.push_back(std::move(joint));
}

}  // namespace cairn
