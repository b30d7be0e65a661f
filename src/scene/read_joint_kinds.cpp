// Kinds of joints that are put together from axes, and what acts along axes.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "scene/rule.hpp"
#include "scene/scene_reader.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

double degrees(double value) { return value * std::numbers::pi / 180.0; }

bool turns(const JointKind& kind, std::size_t axis) {
  const std::string_view name = jointAxisNames(kind)[axis];
  return name.starts_with("turn") || name.starts_with("angle") || name.starts_with("swing") || name == "twist" ||
         name == "cone" || name == "steering" || name == "spin";
}

}  // namespace

bool SceneReader::placeAnchors(const JsonValue& value, const std::string& path, const Pose& a, const Pose& b,
                               JointDesc& desc) {
  const std::string& type = value.find("type")->text;
  const JsonValue* anchor = value.find("anchor");
  const JsonValue* anchorA = value.find("anchor_a");
  const JsonValue* anchorB = value.find("anchor_b");
  const bool isAlone = type == "gear" || type == "rack_and_pinion";  // no anchors at all
  if (isAlone || type == "pulley" || type == "curve") {
    if (const JsonValue* wrong = anchor ? anchor : isAlone ? (anchorA ? anchorA : anchorB) : nullptr) {
      problems_.add(*wrong, joinPath(path, anchor ? "anchor" : anchorA ? "anchor_a" : "anchor_b"),
                    isAlone ? fmt::format("found on a {} joint, which has none", type)
                            : std::string("allowed: anchor_a and anchor_b"));
      return false;
    }
    return true;
  }
  if (anchor && (anchorA || anchorB)) {
    problems_.add(*anchor, joinPath(path, "anchor"),
                  "found together with anchor_a or anchor_b; allowed: one way or the other");
    return false;
  }
  if (anchor) {
    desc.anchorA = a.inversePoint(readVector(*anchor));
    desc.anchorB = b.inversePoint(readVector(*anchor));
  } else if (anchorA && !anchorB) {
    desc.anchorB = b.inversePoint(a.point(desc.anchorA));
  } else if (!anchorA) {
    // Without an anchor, b's origin.
    desc.anchorA = a.inversePoint(b.point(desc.anchorB));
  }
  return true;
}

JointKind SceneReader::readJointKind(const JsonValue& value, const std::string& path, const Pose& a, const Pose& b) {
  const std::string& type = value.find("type")->text;
  const auto direction = [&](const char* field, const Vec3& otherwise) -> Vec3 {
    const JsonValue* given = value.find(field);
    return given ? readDirection(*given, joinPath(path, field)) : otherwise;
  };
  const auto number = [&](const char* field, double otherwise) {
    const JsonValue* given = value.find(field);
    return given ? given->number : otherwise;
  };
  const auto across = [&](const Vec3& axis) {
    const JsonValue* given = value.find("side");
    if (!given) return Vec3(axis.unitOrthogonal());
    const Vec3 side = readDirection(*given, joinPath(path, "side"));
    const Vec3 part = side - side.dot(axis) * axis;
    if (part.norm() > 1e-6) return Vec3(part.normalized());
    problems_.add(*given, joinPath(path, "side"), "is along the axis; allowed: a direction across it");
    return Vec3(axis.unitOrthogonal());
  };
  const Vec3 axis = direction("axis", Vec3::UnitZ());
  if (type == "slider") return SliderJoint{a.inverseDirection(axis)};
  if (type == "cylindrical") return CylindricalJoint{a.inverseDirection(axis), b.inverseDirection(axis)};
  if (type == "universal")
    return UniversalJoint{a.inverseDirection(direction("axis_a", axis)), b.inverseDirection(direction("axis_b", axis))};
  if (type == "cone_twist") {
    ConeTwistJoint cone{a.inverseDirection(axis), b.inverseDirection(direction("axis_b", axis)),
                        a.inverseDirection(across(axis)), {}};
    if (const JsonValue* half = value.find("cone_deg"))
      cone.cone = half->items.empty() ? std::array<double, 2>{degrees(half->number), degrees(half->number)}
                                      : std::array<double, 2>{degrees(half->items[0].number), degrees(half->items[1].number)};
    return cone;
  }
  if (type == "suspension") return SuspensionJoint{a.inverseDirection(axis), b.inverseDirection(direction("axle", axis))};
  if (type == "planar") {
    const Vec3 normal = direction("normal", Vec3::UnitZ());
    return PlanarJoint{a.inverseDirection(normal), b.inverseDirection(normal), a.inverseDirection(across(normal))};
  }
  if (type == "gear") {
    const Vec3 first = direction("axis_a", axis);
    if (const JsonValue* ratio = value.find("ratio"); std::abs(ratio->number) < 1e-6)
      problems_.add(*ratio, joinPath(path, "ratio"), "is too near to 0; allowed: from 1e-6 on, or -1e-6 down");
    return GearJoint{a.inverseDirection(first), b.inverseDirection(direction("axis_b", first)), number("ratio", 1.0)};
  }
  if (type == "rack_and_pinion")
    return RackAndPinionJoint{a.inverseDirection(axis), b.inverseDirection(direction("axle", axis)), number("radius", 0.1)};
  if (type == "screw") return ScrewJoint{a.inverseDirection(axis), b.inverseDirection(axis), number("pitch", 0.01)};
  if (type == "pulley") {
    PulleyJoint pulley;
    pulley.groundA = readVector(*value.find("ground_a"));
    pulley.groundB = readVector(*value.find("ground_b"));
    pulley.ratio = number("ratio", 1.0);
    if (const JsonValue* length = value.find("length")) pulley.length = length->number;
    if (const JsonValue* slack = value.find("slack")) pulley.slack = slack->boolean;
    return pulley;
  }
  if (type == "curve") {
    CurveJoint curve;
    for (const JsonValue& point : value.find("points")->items) curve.points.push_back(readVector(point));
    if (const JsonValue* closed = value.find("closed")) curve.closed = closed->boolean;
    return curve;
  }
  SixDofJoint six;
  if (const JsonValue* frame = value.find("frame"))
    six.frameA = a.rotation.conjugate() * readRotation(*frame, joinPath(path, "frame"));
  else
    six.frameA = a.rotation.conjugate();
  if (const JsonValue* free = value.find("free")) {
    for (const JsonValue& one : free->items) {
      const auto& names = jointAxisNames(six);
      const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), one.text) - names.begin());
      (at < 3 ? six.holdsTravel[at] : six.holdsTurn[at - 3]) = false;
    }
  }
  return six;
}

void SceneReader::readAxes(const JsonValue& axes, const std::string& path, JointDesc& desc) {
  const std::vector<std::string_view> names = jointAxisNames(desc.kind);
  for (const JsonMember& member : axes.members) {
    const std::string& name = member.key;
    const JsonValue& value = member.value;
    const std::string here = joinPath(path, name);
    const auto found = std::find(names.begin(), names.end(), std::string_view(name));
    if (found == names.end()) {
      problems_.add(value, here,
                    names.empty() ? fmt::format("a {} joint has no free axes", jointKindName(desc.kind))
                                  : fmt::format("is no axis of a {} joint{}{} allowed: {}", jointKindName(desc.kind),
                                                suggestion(name, names), nearestName(name, names).empty() ? ";" : "",
                                                listNames(names, 12)));
      continue;
    }
    const auto at = static_cast<std::size_t>(found - names.begin());
    const double unit = turns(desc.kind, at) ? degrees(1.0) : 1.0;
    const auto number = [](const JsonValue& owner, const char* field, double otherwise) {
      const JsonValue* given = owner.find(field);
      return given ? given->number : otherwise;
    };
    desc.axes.resize(std::max(desc.axes.size(), at + 1));
    JointAxisDesc& axis = desc.axes[at];
    if (const JsonValue* limits = value.find("limits")) {
      AxisLimits read;
      if (limits->items.empty()) {
        if (const JsonValue* lower = limits->find("lower")) read.lower = unit * lower->number;
        if (const JsonValue* upper = limits->find("upper")) read.upper = unit * upper->number;
        read.stiffness = number(*limits, "stiffness", 0.0);
        read.damping = number(*limits, "damping", 0.0);
      } else {
        read.lower = unit * limits->items[0].number;
        read.upper = unit * limits->items[1].number;
      }
      if (read.lower > read.upper) problems_.add(*limits, joinPath(here, "limits"), "lower is above upper");
      axis.limits = read;
    }
    if (const JsonValue* motor = value.find("motor")) {
      AxisMotor read;
      const std::string& kind = motor->find("kind")->text;
      read.kind = kind == "velocity" ? MotorKind::Velocity : kind == "position" ? MotorKind::Position : MotorKind::Effort;
      read.target = (read.kind == MotorKind::Effort ? 1.0 : unit) * number(*motor, "target", 0.0);
      if (const JsonValue* most = motor->find("maximum_effort")) read.maximumEffort = most->number;
      read.stiffness = number(*motor, "stiffness", 0.0);
      if (const JsonValue* keys = motor->find("keys")) {
        for (const JsonValue& key : keys->items) {
          const double value = (read.kind == MotorKind::Effort ? 1.0 : unit) * key.items[1].number;
          if (!read.keys.empty() && key.items[0].number <= read.keys.back()[0])
            problems_.add(key, joinPath(joinPath(here, "motor"), "keys"), "times must rise");
          read.keys.push_back({key.items[0].number, value});
        }
      }
      if (const JsonValue* damping = motor->find("damping")) read.damping = damping->number;
      if (read.kind == MotorKind::Position && !(read.stiffness > 0.0))
        problems_.add(*motor, joinPath(joinPath(here, "motor"), "stiffness"),
                      "missing; a motor by position needs one above 0 N m/rad or N/m");
      axis.motor = read;
    }
    if (const JsonValue* spring = value.find("spring"))
      axis.spring = AxisSpring{number(*spring, "stiffness", 0.0), number(*spring, "damping", 0.0),
                               unit * number(*spring, "rest", 0.0)};
    axis.friction = number(value, "friction", 0.0);
    axis.armature = number(value, "armature", 0.0);
  }
}

}  // namespace cairn
