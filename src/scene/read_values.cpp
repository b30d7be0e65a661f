#include <fmt/format.h>

#include <numbers>

#include "scene/rule.hpp"
#include "scene/scene_reader.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

using Type = JsonValue::Type;

double radians(double degrees) { return degrees * std::numbers::pi / 180.0; }

double numberOr(const JsonValue& owner, std::string_view key, double fallback) {
  const JsonValue* value = owner.find(key);
  return value ? value->number : fallback;
}
int intOf(const JsonValue& owner, std::string_view key) { return static_cast<int>(owner.find(key)->number); }

}  // namespace

Vec3 readVector(const JsonValue& value) { return {value.items[0].number, value.items[1].number, value.items[2].number}; }

Vec3 SceneReader::readDirection(const JsonValue& value, const std::string& path) {
  const Vec3 given = readVector(value);
  const double length = given.stableNorm();
  if (length < 1e-9) {
    problems_.add(value, path, "found a direction of no length; allowed: any that is not zero");
    return Vec3::UnitZ();
  }
  return given / length;
}

Quat SceneReader::readRotation(const JsonValue& value, const std::string& path) {
  if (value.is(Type::Array)) {
    const Quat given(value.items[0].number, value.items[1].number, value.items[2].number, value.items[3].number);
    if (given.coeffs().stableNorm() < 1e-9) {
      problems_.add(value, path, "found a quaternion of no length; allowed: [w, x, y, z] that is not zero");
      return Quat::Identity();
    }
    return given.normalized();
  }
  const JsonValue* axis = value.find("axis");
  const JsonValue* angle = value.find("angle_deg");
  const JsonValue* euler = value.find("euler_deg");
  const bool axisForm = axis && angle && !euler;
  const bool eulerForm = euler && !axis && !angle;
  if (!axisForm && !eulerForm) {
    problems_.add(
        value, path,
        "allowed: {\"axis\": [x, y, z], \"angle_deg\": a}, or {\"euler_deg\": [roll, pitch, yaw]}, or [w, x, y, z]");
    return Quat::Identity();
  }
  if (axisForm) {
    return Quat(Eigen::AngleAxisd(radians(angle->number), readDirection(*axis, joinPath(path, "axis"))));
  }
  const Vec3 angles = readVector(*euler);
  return Quat(Eigen::AngleAxisd(radians(angles.z()), Vec3::UnitZ()) * Eigen::AngleAxisd(radians(angles.y()), Vec3::UnitY()) *
              Eigen::AngleAxisd(radians(angles.x()), Vec3::UnitX()));
}

Pose SceneReader::readPose(const JsonValue& owner, const std::string& path) {
  Pose pose;
  if (const JsonValue* position = owner.find("position")) pose.position = readVector(*position);
  if (const JsonValue* rotation = owner.find("rotation"))
    pose.rotation = readRotation(*rotation, joinPath(path, "rotation"));
  return pose;
}

ReadMaterial SceneReader::readMaterial(const JsonValue& value, const std::string& path) {
  ReadMaterial read;
  read.material.friction = numberOr(value, "friction", read.material.friction);
  read.material.restitution = numberOr(value, "restitution", read.material.restitution);
  Material& material = read.material;
  const auto optional = [&](std::string_view key, std::optional<double>& target) {
    if (const JsonValue* found = value.find(key)) target = found->number;
  };
  optional("static_friction", material.staticFriction);
  optional("cross_friction", material.crossFriction);
  if (const JsonValue* axis = value.find("friction_axis"))
    material.frictionAxis = readDirection(*axis, joinPath(path, "friction_axis"));
  material.patchRadius = numberOr(value, "patch_radius", 0.0);
  material.rollingResistance = numberOr(value, "rolling_resistance", 0.0);
  material.rollingForce = numberOr(value, "rolling_force", 0.0);
  material.spinningResistance = numberOr(value, "spinning_resistance", 0.0);
  material.tangentialRestitution = numberOr(value, "tangential_restitution", 0.0);
  if (const JsonValue* law = value.find("impact")) {
    material.impact = law->text == "poisson"            ? ImpactLaw::Poisson
                      : law->text == "stronge"          ? ImpactLaw::Stronge
                      : law->text == "chatterjee_ruina" ? ImpactLaw::ChatterjeeRuina
                                                        : ImpactLaw::Newton;
  }
  if (material.staticFriction && *material.staticFriction < material.friction) {
    problems_.add(value, path,
                  fmt::format("found static_friction {} below friction {}; allowed: at least as much",
                              *material.staticFriction, material.friction));
  }
  const JsonValue* stiffness = value.find("stiffness");
  const JsonValue* damping = value.find("damping");
  if (stiffness) read.material.stiffness = stiffness->number;
  if (damping) read.material.damping = damping->number;
  if (!stiffness != !damping) {
    problems_.add(value, path, "found one of stiffness and damping; allowed: both or neither");
  }
  if (const JsonValue* density = value.find("density")) read.density = density->number;
  return read;
}

ReadMaterial SceneReader::findMaterial(const JsonValue& value, const std::string& path) {
  if (value.is(Type::Object)) return readMaterial(value, path);
  const auto known = materials_.find(value.text);
  if (known != materials_.end()) return known->second;
  std::vector<std::string_view> names;
  for (const auto& [name, material] : materials_) names.push_back(name);
  problems_.add(value, path,
                fmt::format("found \"{}\", which is no material{}{} allowed: {}", value.text, suggestion(value.text, names),
                            nearestName(value.text, names).empty() ? ";" : "",
                            names.empty() ? "names given in \"materials\" (there are none)" : listNames(names)));
  return {};
}

MassProperties SceneReader::readMassProperties(const JsonValue& value, const std::string& path) {
  MassProperties read;
  read.mass = value.find("mass")->number;
  if (const JsonValue* center = value.find("center")) read.center = readVector(*center);
  const JsonValue& inertia = *value.find("inertia");
  if (!inertia.items.empty() && inertia.items[0].is(Type::Number)) {
    read.inertia = readVector(inertia).asDiagonal();
  } else if (inertia.items.size() == 3) {
    for (int row = 0; row < 3; ++row) read.inertia.row(row) = readVector(inertia.items[row]);
  } else {
    problems_.add(inertia, joinPath(path, "inertia"),
                  fmt::format("found {} rows; allowed: three rows of three numbers", inertia.items.size()));
  }
  const double asymmetry = (read.inertia - read.inertia.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > 1e-9 * read.inertia.cwiseAbs().maxCoeff()) {
    problems_.add(inertia, joinPath(path, "inertia"), "found a matrix that is not symmetric; allowed: symmetric ones");
  }
  return read;
}

Trajectory SceneReader::readTrajectory(const JsonValue& value, const std::string& path) {
  Trajectory read;
  if (const JsonValue* keys = value.find("keys")) {
    for (std::size_t i = 0; i < keys->items.size(); ++i) {
      const std::string here = fmt::format("{}.keys[{}]", path, i);
      const double time = keys->items[i].find("time")->number;
      if (!read.keys.empty() && time <= read.keys.back().time) {
        problems_.add(*keys->items[i].find("time"), joinPath(here, "time"),
                      fmt::format("found {} s; allowed: later than the key before, {} s", time, read.keys.back().time));
      }
      read.keys.push_back({time, readPose(keys->items[i], here)});
    }
  }
  if (const JsonValue* smooth = value.find("smooth")) read.smooth = smooth->boolean;
  if (const JsonValue* repeat = value.find("repeat")) read.repeat = repeat->boolean;
  if (const JsonValue* amplitude = value.find("amplitude")) read.amplitude = readVector(*amplitude);
  if (const JsonValue* turn = value.find("turn_amplitude_deg")) read.turnAmplitude = radians(1.0) * readVector(*turn);
  read.frequency = numberOr(value, "frequency", 0.0);
  read.phase = radians(numberOr(value, "phase_deg", 0.0));
  return read;
}

JointDrive SceneReader::readDrive(const JsonValue& value, bool angular) {
  const double unit = angular ? radians(1.0) : 1.0;
  JointDrive read;
  read.start = unit * numberOr(value, "start", 0.0);
  read.rate = unit * numberOr(value, "rate", 0.0);
  read.amplitude = unit * numberOr(value, "amplitude", 0.0);
  read.frequency = numberOr(value, "frequency", 0.0);
  read.phase = radians(numberOr(value, "phase_deg", 0.0));
  if (const JsonValue* keys = value.find("keys"))
    for (const JsonValue& key : keys->items) read.keys.push_back({key.items[0].number, unit * key.items[1].number});
  return read;
}

std::vector<Pattern> SceneReader::readPatterns(const JsonValue& value, const std::string& path, const BodyDesc& body) {
  std::vector<Pattern> patterns;
  const auto readOne = [&](const JsonValue& one, const std::string& here) {
    const std::string& type = one.find("type")->text;
    if (type == "row") {
      RowPattern row;
      row.count = intOf(one, "count");
      if (const JsonValue* step = one.find("step")) row.step = readVector(*step);
      row.turn = radians(numberOr(one, "turn_deg", 0.0));
      if (const JsonValue* axis = one.find("turn_axis")) row.turnAxis = readDirection(*axis, joinPath(here, "turn_axis"));
      patterns.emplace_back(row);
    } else if (type == "grid") {
      GridPattern grid;
      const Vec3 count = readVector(*one.find("count"));
      for (int axis = 0; axis < 3; ++axis) grid.count[axis] = static_cast<int>(count[axis]);
      grid.step = readVector(*one.find("step"));
      patterns.emplace_back(grid);
    } else if (type == "ring") {
      RingPattern ring;
      ring.count = intOf(one, "count");
      ring.radius = one.find("radius")->number;
      ring.start = radians(numberOr(one, "start_deg", 0.0));
      if (const JsonValue* facing = one.find("facing")) ring.outward = facing->text == "outward";
      patterns.emplace_back(ring);
    } else if (type == "wall") {
      WallPattern wall;
      wall.columns = intOf(one, "columns");
      wall.rows = intOf(one, "rows");
      wall.gap = numberOr(one, "gap", 0.0);
      const Box* box = body.shapes.size() == 1 ? std::get_if<Box>(&body.shapes[0].geometry) : nullptr;
      const bool plain = box && body.shapes[0].local.position.isZero(0.0) &&
                         body.shapes[0].local.rotation.coeffs() == Quat::Identity().coeffs();
      if (!plain || body.massProperties || !patterns.empty()) {
        problems_.add(one, here,
                      "a wall is built of a body whose one shape is a box, without position, rotation or mass_properties, "
                      "and comes first in a list of patterns");
        return;
      }
      wall.brick = 2.0 * box->halfExtents;
      if (wall.gap >= wall.brick.x()) {
        problems_.add(*one.find("gap"), joinPath(here, "gap"),
                      fmt::format("found {}; allowed: less than the brick's length, {} m", wall.gap, wall.brick.x()));
        return;
      }
      patterns.emplace_back(wall);
    } else {
      PyramidPattern pyramid;
      pyramid.base = intOf(one, "base");
      pyramid.step = readVector(*one.find("step"));
      patterns.emplace_back(pyramid);
    }
  };
  if (value.is(Type::Object)) {
    readOne(value, path);
  } else {
    for (std::size_t i = 0; i < value.items.size(); ++i) readOne(value.items[i], fmt::format("{}[{}]", path, i));
  }
  return patterns;
}

}  // namespace cairn
