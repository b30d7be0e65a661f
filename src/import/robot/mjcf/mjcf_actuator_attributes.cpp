// MuJoCo's actuator shortcuts: each sets a few numbers of one general actuator, whose force is
//   gain(l, v) u + bias(l, v),   gain = g0 (+ g1 l + g2 v),   bias = b0 + b1 l + b2 v.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "import/robot/mjcf/mjcf_classes.hpp"

namespace cairn {
namespace {

void setMotor(MjcfActuator& a) {
  std::fill(std::begin(a.gain), std::end(a.gain), 0.0);
  std::fill(std::begin(a.bias), std::end(a.bias), 0.0);
  a.gain[0] = 1.0;
  a.gainType = "fixed", a.biasType = "none", a.dynamicsType = "none";
}

// bias[2] below zero is damping, above zero a damping ratio that waits for the inertia.
void setPosition(const XmlNode& node, MjcfActuator& a) {
  a.gain[0] = node.number("kp", a.gain[0]);
  if (a.gain[0] < 0.0) node.fail("kp", "is negative; allowed: 0 or more");
  a.bias[1] = -a.gain[0];
  if (node.has("kv") && node.has("dampratio")) node.fail("kv and dampratio are both given; allowed: one of them");
  if (node.has("kv")) a.bias[2] = -node.number("kv", 0.0);
  if (node.has("dampratio")) a.bias[2] = node.number("dampratio", 0.0);
  if (node.has("timeconst")) {
    a.dynamics[0] = node.number("timeconst", 0.0);
    a.dynamicsType = a.dynamics[0] > 0.0 ? "filterexact" : "none";
  }
  if (node.has("ctrlrange")) a.inheritRange = 0.0;
  a.inheritRange = node.number("inheritrange", a.inheritRange);
  a.gainType = "fixed", a.biasType = "affine";
}

void setVelocity(const XmlNode& node, MjcfActuator& a) {
  const double kv = node.number("kv", a.gain[0]);
  std::fill(std::begin(a.bias), std::end(a.bias), 0.0);
  a.gain[0] = kv;
  a.bias[2] = -kv;
  a.gainType = "fixed", a.biasType = "affine", a.dynamicsType = "none";
}

void setCylinder(const XmlNode& node, MjcfActuator& a) {
  a.dynamics[0] = node.number("timeconst", a.dynamics[0]);
  a.gain[0] = node.number("area", a.gain[0]);
  if (node.has("diameter")) a.gain[0] = std::numbers::pi / 4.0 * std::pow(node.number("diameter", 0.0), 2);
  node.overlay("bias", a.bias, 3);
  a.gainType = "fixed", a.biasType = "affine", a.dynamicsType = "filter";
}

void setGeneral(const XmlNode& node, MjcfActuator& a) {
  a.gainType = node.attribute("gaintype", a.gainType);
  a.biasType = node.attribute("biastype", a.biasType);
  a.dynamicsType = node.attribute("dyntype", a.dynamicsType);
  node.overlay("gainprm", a.gain, 10);
  node.overlay("biasprm", a.bias, 10);
  node.overlay("dynprm", a.dynamics, 10);
  node.ignore({"actdim", "actearly"});
}

// Shortcuts that RobotActuator cannot hold. They are read, because general actuators may be of a class that one of them made.
bool setOther(const XmlNode& node, MjcfActuator& a) {
  if (node.name == "muscle") {
    a.gainType = a.biasType = a.dynamicsType = "muscle";
    node.ignore({"timeconst", "tausmooth", "range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"});
  } else if (node.name == "intvelocity") {
    a.gainType = "fixed", a.biasType = "affine", a.dynamicsType = "integrator";
    node.ignore({"kp", "kv", "dampratio", "inheritrange"});
  } else if (node.name == "damper") {
    a.gainType = "affine", a.biasType = "none", a.dynamicsType = "none";
    a.gain[2] = -node.number("kv", 1.0);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool readAttributes(const XmlNode& node, MjcfActuator& a, MjcfRemarks&) {
  if (node.name == "general")
    setGeneral(node, a);
  else if (node.name == "motor")
    setMotor(a);
  else if (node.name == "position")
    setPosition(node, a);
  else if (node.name == "velocity")
    setVelocity(node, a);
  else if (node.name == "cylinder")
    setCylinder(node, a);
  else if (!setOther(node, a))
    return false;
  a.controlLimited = readAuto(node, "ctrllimited", a.controlLimited);
  a.forceLimited = readAuto(node, "forcelimited", a.forceLimited);
  a.activationLimited = readAuto(node, "actlimited", a.activationLimited);
  node.overlay("ctrlrange", a.control, 2, 2);
  node.overlay("forcerange", a.force, 2, 2);
  node.overlay("actrange", a.activation, 2, 2);
  node.overlay("gear", a.actuator.gear.data(), 6);
  node.ignore({"name", "class", "group", "user", "lengthrange"});
  return true;
}

}  // namespace cairn
