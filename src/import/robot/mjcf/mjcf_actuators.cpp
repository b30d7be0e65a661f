// Actuators: every affine one is a motor, a position servo or a velocity servo with a scaled and shifted control.
#include <algorithm>
#include <cmath>

#include "import/robot/mjcf/mjcf_reader.hpp"
#include "import/robot/reference_state.hpp"

namespace cairn {

void MjcfReader::readActuators() {
  const std::vector<double> inertia = referenceInertia(model_);
  eachSection("actuator", [&](const XmlNode& section) {
    for (const XmlNode& node : section.children) {
      MjcfActuator record = classes_.find(node.attribute("class"), node).actuator;
      if (!readAttributes(node, record, remarks_)) {
        for (const XmlAttribute& a : node.attributes) a.read = true;
        remarks_.missing(node, "actuator: <" + node.name + "> \"" + node.attribute("name") + "\": cannot be represented");
        continue;
      }
      RobotActuator& actuator = record.actuator;
      actuator.name = node.attribute("name");
      claimName(node, "actuator", actuator.name);
      actuator.place = node.place;
      if (!findTarget(node, actuator)) continue;
      if (record.gainType != "fixed" && !(record.gainType == "affine" && record.gain[1] == 0.0 && record.gain[2] == 0.0)) {
        remarks_.missing(node, "actuator \"" + actuator.name + "\": gaintype=\"" + record.gainType + "\"");
        continue;
      }
      if (record.biasType != "none" && record.biasType != "affine") {
        remarks_.missing(node, "actuator \"" + actuator.name + "\": biastype=\"" + record.biasType + "\"");
        continue;
      }
      if (record.dynamicsType == "filter" || record.dynamicsType == "filterexact") {
        actuator.filterTime = record.dynamics[0];
      } else if (record.dynamicsType != "none") {
        remarks_.missing(node, "actuator \"" + actuator.name + "\": dyntype=\"" + record.dynamicsType + "\"");
        continue;
      }
      if (record.biasType == "none") std::fill(std::begin(record.bias), std::end(record.bias), 0.0);
      // A damping ratio stands where damping would be negative; it waits for the inertia (see setPosition).
      if (record.gain[0] == -record.bias[1] && record.bias[2] > 0.0) {
        const double mass = reflectedInertia(actuator, inertia);
        if (mass < 0.0) {
          remarks_.missing(node, "actuator \"" + actuator.name + "\": dampratio for a spatial tendon or a site");
          record.bias[2] = 0.0;
        } else {
          record.bias[2] = -record.bias[2] * 2.0 * std::sqrt(record.gain[0] * mass);
        }
      }
      resolveGains(node, record);
      const auto range = [&](MjcfAuto limited, const double values[2]) -> std::optional<RobotRange> {
        if (limited == MjcfAuto::Auto && !settings_.autoLimits) return std::nullopt;
        if (!isLimited(limited, values)) return std::nullopt;
        return RobotRange{values[0], values[1]};
      };
      actuator.controlRange = range(record.controlLimited, record.control);
      actuator.forceRange = range(record.forceLimited, record.force);
      actuator.activationRange = range(record.activationLimited, record.activation);
      if (record.inheritRange > 0.0) {
        std::optional<RobotRange> from;
        if (actuator.target == RobotTarget::Joint || actuator.target == RobotTarget::JointInParent)
          from = model_.joints[actuator.index].range;
        else if (actuator.target == RobotTarget::Tendon)
          from = model_.tendons[actuator.index].range;
        if (!from) node.fail("inheritrange", "the joint or tendon has no range to inherit");
        const double middle = 0.5 * (from->lower + from->upper);
        const double radius = 0.5 * (from->upper - from->lower) * record.inheritRange;
        actuator.controlRange = RobotRange{middle - radius, middle + radius};
      }
      model_.actuators.push_back(actuator);
    }
  });
}

bool MjcfReader::findTarget(const XmlNode& node, RobotActuator& actuator) {
  if (node.has("joint") || node.has("jointinparent")) {
    const bool inParent = !node.has("joint");
    actuator.target = inParent ? RobotTarget::JointInParent : RobotTarget::Joint;
    actuator.index = required(model_.joints, node, inParent ? "jointinparent" : "joint", "joint");
  } else if (node.has("tendon")) {
    actuator.target = RobotTarget::Tendon;
    actuator.index = required(model_.tendons, node, "tendon", "tendon");
  } else if (node.has("site")) {
    actuator.target = RobotTarget::Site;
    actuator.index = required(model_.sites, node, "site", "site");
    if (node.has("refsite")) actuator.referenceSite = required(model_.sites, node, "refsite", "site");
  } else if (node.has("cranksite") || node.has("body")) {
    node.ignore({"cranksite", "slidersite", "cranklength", "body"});
    remarks_.missing(node, "actuator \"" + actuator.name + "\": acts on a slider-crank or a body");
    return false;
  } else {
    node.fail("\"" + actuator.name + "\" acts on nothing; allowed: joint, jointinparent, tendon, site");
  }
  node.ignore({"cranklength"});
  return true;
}

// gain u + b0 + b1 l + b2 v in the form of RobotActuator.
void MjcfReader::resolveGains(const XmlNode& node, MjcfActuator& record) {
  RobotActuator& a = record.actuator;
  const double gain = record.gain[0], *bias = record.bias;
  if (bias[1] != 0.0) {
    a.kind = RobotActuatorKind::Position;
    a.stiffness = -bias[1];
    a.damping = -bias[2];
    a.scale = gain / a.stiffness;
    a.offset = bias[0] / a.stiffness;
  } else if (bias[2] != 0.0) {
    a.kind = RobotActuatorKind::Velocity;
    a.damping = -bias[2];
    a.scale = gain / a.damping;
    a.offset = bias[0] / a.damping;
  } else {
    a.kind = RobotActuatorKind::Motor;
    a.scale = gain;
    a.offset = bias[0];
  }
  if (a.stiffness < 0.0 || a.damping < 0.0)
    remarks_.warn(node, "actuator \"" + a.name + "\": its stiffness or damping is negative; kept as written");
}

// What the actuator feels of the inertia at the reference; -1 if that depends on the geometry of a path.
double MjcfReader::reflectedInertia(const RobotActuator& actuator, const std::vector<double>& inertia) const {
  const std::vector<int> offsets = dofOffsets(model_);
  double mass = 0.0;
  const auto add = [&](int joint, double gear) {
    if (gear * gear > 1e-15) mass += inertia[offsets[joint]] / (gear * gear);
  };
  if (actuator.target == RobotTarget::Joint || actuator.target == RobotTarget::JointInParent) {
    if (dofs(model_.joints[actuator.index].kind) != 1) return -1.0;
    add(actuator.index, actuator.gear[0]);
    return mass;
  }
  if (actuator.target != RobotTarget::Tendon || model_.tendons[actuator.index].joints.empty()) return -1.0;
  for (const auto& [joint, coefficient] : model_.tendons[actuator.index].joints) add(joint, coefficient * actuator.gear[0]);
  return mass;
}

}  // namespace cairn
