// MJCF: the order of reading, includes, options and keyframes. The parts are in mjcf/.
#include <algorithm>
#include <filesystem>

#include "import/robot/file_paths.hpp"
#include "import/robot/mjcf/mjcf_reader.hpp"
#include "import/robot/reference_state.hpp"

namespace cairn {
namespace {

constexpr int kDeepest = 500;        // levels of elements, includes counted
constexpr std::size_t kMostNodes = 4'000'000;

}  // namespace

RobotModel readMjcf(const std::string& file, const RobotReadOptions& options) { return MjcfReader(file, options).read(); }

MjcfReader::MjcfReader(const std::string& file, const RobotReadOptions& options)
    : file_(file), folder_(std::filesystem::path(file).parent_path().string()), options_(options) {}

RobotModel MjcfReader::read() {
  root_ = readXml(file_);
  if (root_.name != "mujoco") root_.fail("this is the first element; allowed: <mujoco>");
  spliceIncludes(root_, 0);
  model_.format = "MJCF";
  model_.name = root_.attribute("model");
  root_.ignore({"author", "description", "xmlns:xsi", "xsi:noNamespaceSchemaLocation"});

  readSettings();
  eachSection("default", [&](const XmlNode& node) { classes_.read(node, settings_, remarks_); });
  readAssets();
  eachSection("worldbody", [&](const XmlNode& node) { readBodyContent(node, {}); });
  sortByBody();
  computeMasses();
  resolveSpringDampers();
  readTendons();
  readContacts();
  readEqualities();
  readActuators();
  readSensors();
  readKeyframes();
  applyDisabled();
  for (const XmlNode& node : root_.children) {
    static const std::set<std::string> kRead{"compiler", "option",  "default", "asset",    "worldbody", "contact",
                                             "equality", "tendon", "actuator", "sensor", "keyframe"};
    if (kRead.contains(node.name)) continue;
    static const std::set<std::string> kHarmless{"size", "statistic", "visual", "custom", "extension"};
    if (kHarmless.contains(node.name))
      remarks_.note(node, "<" + node.name + ">: does not change the motion, not read");
    else
      remarks_.missing(node, "<" + node.name + ">: cannot be represented");
  }
  reportUnread(root_);
  if (options_.base != RobotBase::AsWritten && !model_.bodies.empty()) {
    const auto free = std::find_if(model_.joints.begin(), model_.joints.end(), [](const RobotJoint& joint) {
      return joint.body == 0 && joint.kind == RobotJointKind::Free;
    });
    const bool has = free != model_.joints.end();
    if (has != (options_.base == RobotBase::Floating))
      throw RobotFileError(model_.bodies[0].place,
                           has ? "the base of this file is floating (a free joint); allowed: the base as written"
                               : "the base of this file is fixed; allowed: the base as written, or add a <freejoint/>");
  }
  model_.floating = std::any_of(model_.joints.begin(), model_.joints.end(), [](const RobotJoint& joint) {
    return joint.body == 0 && joint.kind == RobotJointKind::Free;
  });
  finishModel(model_);
  return std::move(model_);
}

// The children of an included file's root stand where <include> stood. Paths are relative to the main file, as in MuJoCo;
// where there is nothing, to the file that includes.
void MjcfReader::spliceIncludes(XmlNode& node, int depth) {
  if (depth > kDeepest) node.fail("elements are nested too deeply; allowed: 500 levels");
  for (std::size_t i = 0; i < node.children.size();) {
    XmlNode& part = node.children[i];
    if (part.name != "include") {
      spliceIncludes(part, depth + 1);
      ++i;
      continue;
    }
    const std::string written = part.required("file");
    std::string path = fileAt(written, folder_);
    if (path.empty()) path = fileAt(written, std::filesystem::path(part.place.file).parent_path().string());
    if (path.empty()) part.fail("file", "\"" + written + "\" is not found");
    if (!included_.insert(path).second || path == std::filesystem::path(file_).lexically_normal().string())
      part.fail("file", "\"" + written + "\" is included twice; allowed: once");
    XmlNode inner = readXml(path);
    spliceIncludes(inner, depth + 1);
    const std::size_t count = inner.children.size();
    node.children.erase(node.children.begin() + static_cast<std::ptrdiff_t>(i));
    node.children.insert(node.children.begin() + static_cast<std::ptrdiff_t>(i),
                         std::make_move_iterator(inner.children.begin()), std::make_move_iterator(inner.children.end()));
    if (node.children.size() > kMostNodes) node.fail("too many elements");
    i += count;
  }
}

void MjcfReader::readSettings() {
  eachSection("compiler",
              [&](const XmlNode& node) { readCompiler(node, settings_, model_.missing, model_.notes); });
  eachSection("option", [&](const XmlNode& node) { readOption(node); });
}

void MjcfReader::readOption(const XmlNode& node) {
  RobotOptions& o = model_.options;
  if (node.has("timestep")) {
    o.timestep = node.number("timestep", 0.0);
    if (!(*o.timestep > 0.0)) node.fail("timestep", "allowed: above 0");
  }
  node.overlay("gravity", o.gravity.data(), 3, 3);
  node.overlay("wind", o.wind.data(), 3, 3);
  node.overlay("magnetic", o.magneticField.data(), 3, 3);
  o.density = node.number("density", o.density);
  o.viscosity = node.number("viscosity", o.viscosity);
  if (o.density < 0.0 || o.viscosity < 0.0) node.fail("density or viscosity is negative; allowed: 0 or more");
  o.integrator = node.attribute("integrator", o.integrator);
  o.solver = node.attribute("solver", o.solver);
  o.cone = node.attribute("cone", o.cone);
  o.frictionImpedanceRatio = node.number("impratio", o.frictionImpedanceRatio);
  node.ignore({"apirate", "iterations", "tolerance", "ls_iterations", "ls_tolerance", "noslip_iterations", "noslip_tolerance",
               "ccd_iterations", "ccd_tolerance", "mpr_iterations", "mpr_tolerance", "sdf_iterations", "sdf_initpoints",
               "jacobian", "collision", "actuatorgroupdisable", "sleep_tolerance"});
  const std::vector<double> override = node.numbers("o_margin");
  if (!override.empty()) remarks_.missing(node, "option: o_margin: contact parameters that override those of shapes");
  node.ignore({"o_solref", "o_solimp", "o_friction"});
  if (node.has("collision") && node.attribute("collision") != "all" && node.attribute("collision") != "dynamic")
    remarks_.missing(node, "option: collision=\"" + node.attribute("collision") + "\"");
  for (const XmlNode& part : node.children) {
    if (part.name != "flag") continue;
    for (const XmlAttribute& flag : part.attributes) {
      flag.read = true;
      const bool on = flag.value == "enable";
      if (!on && flag.value != "disable")
        part.fail(flag.name, "found \"" + flag.value + "\"; allowed: enable, disable");
      static const std::set<std::string> kPhysical{"constraint", "equality", "frictionloss", "limit",    "contact",
                                                   "passive",    "gravity",  "spring",       "damper",   "actuation",
                                                   "clampctrl"};
      if (flag.name == "filterparent")
        o.parentsTouchChildren = !on;
      else if (kPhysical.contains(flag.name)) {
        if (!on) o.disabled.push_back(flag.name);
      } else if (flag.name == "override" && on)
        remarks_.missing(part, "option: flag: override: contact parameters that override those of shapes");
      else
        remarks_.note(part, "option: flag: " + flag.name + ": about MuJoCo's computation, not read");
    }
  }
}

void MjcfReader::applyDisabled() {
  for (const std::string& part : model_.options.disabled) {
    const bool all = part == "constraint";
    const bool passive = part == "passive";
    if (part == "gravity") model_.options.gravity.setZero();
    if (part == "equality" || all)
      for (RobotEquality& equality : model_.equalities) equality.active = false;
    if (part == "contact" || all) {
      for (RobotGeom& geom : model_.geoms) geom.contactType = geom.contactAffinity = 0, geom.collision = false;
      model_.pairs.clear();
    }
    for (RobotJoint& joint : model_.joints) {
      if (part == "limit" || all) joint.range.reset();
      if (part == "frictionloss" || all) joint.frictionLoss = 0.0;
      if (part == "spring" || passive) joint.stiffness = 0.0;
      if (part == "damper" || passive) joint.damping = 0.0;
    }
    for (RobotTendon& tendon : model_.tendons) {
      if (part == "limit" || all) tendon.range.reset();
      if (part == "frictionloss" || all) tendon.frictionLoss = 0.0;
      if (part == "spring" || passive) tendon.stiffness = 0.0;
      if (part == "damper" || passive) tendon.damping = 0.0;
    }
    if (passive)
      for (RobotBody& body : model_.bodies) body.gravityCompensation = 0.0, body.drag.reset();
    if (part == "actuation") model_.actuators.clear();
    if (part == "clampctrl")
      for (RobotActuator& actuator : model_.actuators) actuator.controlRange.reset();
  }
}

void MjcfReader::readKeyframes() {
  std::size_t positions = 0, velocities = 0, activations = 0;
  for (const RobotJoint& joint : model_.joints) positions += coordinates(joint.kind), velocities += dofs(joint.kind);
  for (const RobotActuator& actuator : model_.actuators) activations += actuator.filterTime > 0.0;
  eachSection("keyframe", [&](const XmlNode& section) {
    for (const XmlNode& node : section.children) {
      RobotKeyframe key;
      key.name = node.attribute("name");
      key.time = node.number("time", 0.0);
      key.place = node.place;
      const auto values = [&](const char* attribute, std::size_t count) {
        std::vector<double> found = node.numbers(attribute);
        if (!found.empty() && found.size() != count) {
          remarks_.missing(node, "key \"" + key.name + "\": " + attribute + " has " + std::to_string(found.size()) +
                                     " numbers, the model " + std::to_string(count));
          found.clear();
        }
        return found;
      };
      key.positions = values("qpos", positions);
      key.velocities = values("qvel", velocities);
      key.activations = values("act", activations);
      key.controls = values("ctrl", model_.actuators.size());
      node.ignore({"mpos", "mquat"});
      model_.keyframes.push_back(std::move(key));
    }
  });
}

// What no reader asked for, wherever elements of the file change the motion.
void MjcfReader::reportUnread(const XmlNode& node) {
  static const std::set<std::string> kElsewhere{"size",   "statistic", "visual",  "custom", "extension", "light",
                                                "camera", "texture",   "deformable"};
  for (const XmlNode& part : node.children) {
    if (kElsewhere.contains(part.name)) continue;
    for (const std::string& name : part.unread())
      remarks_.missing(part, part.name + ": attribute \"" + name + "\" is not known");
    reportUnread(part);
  }
}

int MjcfReader::bodyNamed(const XmlNode& user, const char* attribute, const std::string& name) const {
  if (name == "world") return -1;
  const int index = indexOf(model_.bodies, name);
  if (index < 0) user.fail(attribute, "there is no body \"" + name + "\"");
  return index;
}

}  // namespace cairn
