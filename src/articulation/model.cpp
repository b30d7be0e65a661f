#include "articulation/model.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

namespace cairn {

namespace {

constexpr double kRightAngle = 1e-6;  // cosine: axes of a joint may be off by so much
constexpr double kMostNumber = 1e12;  // of any length, mass, stiffness

constexpr std::array<std::string_view, kLinkJoints> kNames = {"fixed",     "revolute", "prismatic",   "spherical",
                                                              "universal", "planar",   "cylindrical", "free"};
constexpr std::array<int, kLinkJoints> kDegrees = {0, 1, 1, 3, 2, 3, 2, 6};
constexpr std::array<int, kLinkJoints> kPositions = {0, 1, 1, 4, 2, 3, 2, 7};

[[noreturn]] void fail(const std::string& what) { throw std::invalid_argument(what); }
bool isSmall(double x) { return std::isfinite(x) && std::abs(x) <= kMostNumber; }
bool isSmall(const Vec3& v) { return isSmall(v.x()) && isSmall(v.y()) && isSmall(v.z()); }

// A rotation that takes z to the axis.
Quat zTo(const Vec3& axis) {
  if (axis == Vec3(Vec3::UnitZ())) return Quat::Identity();
  return Quat::FromTwoVectors(Vec3::UnitZ(), axis);
}

}  // namespace

std::string_view nameOf(LinkJoint joint) { return kNames[static_cast<std::size_t>(joint)]; }
int degreesOf(LinkJoint joint) { return kDegrees[static_cast<std::size_t>(joint)]; }
int positionsOf(LinkJoint joint) { return kPositions[static_cast<std::size_t>(joint)]; }

ArticulationModel::ArticulationModel(const ArticulationDesc& desc) : desc_(desc) {
  if (desc_.links.empty()) fail("links: an articulation has at least one");
  if (!isSmall(desc_.base.position) || !(std::abs(desc_.base.rotation.norm() - 1.0) < 1e-3))
    fail("base: found a pose that is none; allowed: finite numbers and a unit quaternion");
  desc_.base.rotation.normalize();
  baseTurn_ = desc_.base.rotation.toRotationMatrix();
  for (std::size_t i = 0; i < desc_.links.size(); ++i) addLink(desc_.links[i], static_cast<int>(i));
  if (!desc_.positions.empty() && static_cast<int>(desc_.positions.size()) != positions_)
    fail("positions: found " + std::to_string(desc_.positions.size()) + " numbers; allowed: none or " +
         std::to_string(positions_));
  if (!desc_.velocities.empty() && static_cast<int>(desc_.velocities.size()) != degrees())
    fail("velocities: found " + std::to_string(desc_.velocities.size()) + " numbers; allowed: none or " +
         std::to_string(degrees()));
}

std::string ArticulationModel::nameOf(int link) const {
  const std::string& name = desc_.links[static_cast<std::size_t>(link)].name;
  return "links[" + std::to_string(link) + "]" + (name.empty() ? "" : " (\"" + name + "\")");
}

int ArticulationModel::addNode(int parent, NodeKind kind, const Pose& placement) {
  ArticulationNode node;
  node.parent = parent;
  node.kind = kind;
  node.turn = placement.rotation.toRotationMatrix();
  node.place = placement.position;
  node.q = positions_;
  node.v = degrees();
  if (node.degrees() > 1) node.wide = wideNodes_++;
  positions_ += kind == NodeKind::Spherical ? 4 : kind == NodeKind::Free ? 7 : 1;
  for (int k = 0; k < node.degrees(); ++k) {
    axes_.emplace_back();
    nodeOf_.push_back(static_cast<int>(nodes_.size()));
  }
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

void ArticulationModel::addLink(const LinkDesc& link, int index) {
  const std::string who = nameOf(index);
  if (link.parent < -1 || link.parent >= index)
    fail(who + ".parent: found " + std::to_string(link.parent) + "; allowed: -1, or a link before this one");
  if (static_cast<int>(link.joint) >= kLinkJoints) fail(who + ".joint: there is no such kind");
  if (!isSmall(link.placement.position) || !(std::abs(link.placement.rotation.norm() - 1.0) < 1e-3))
    fail(who + ".placement: found a pose that is none; allowed: finite numbers and a unit quaternion");
  if (!isSmall(link.anchor)) fail(who + ".anchor: allowed: finite numbers");
  const bool turns = link.joint != LinkJoint::Fixed && link.joint != LinkJoint::Spherical && link.joint != LinkJoint::Free;
  const bool two = link.joint == LinkJoint::Universal || link.joint == LinkJoint::Planar;
  if (turns && !(isSmall(link.axis) && link.axis.norm() > 1e-9)) fail(who + ".axis: allowed: a direction");
  const Vec3 axis = turns ? Vec3(link.axis.normalized()) : Vec3(Vec3::UnitZ());
  if (two && !(isSmall(link.secondAxis) && link.secondAxis.norm() > 1e-9 &&
               std::abs(link.secondAxis.normalized().dot(axis)) < kRightAngle))
    fail(who + ".secondAxis: allowed: a direction at right angles to axis");
  if (link.joint == LinkJoint::Free && !link.anchor.isZero(0.0)) fail(who + ".anchor: a free joint has none");

  // The parent's frame in its node's.
  Pose outer = desc_.base;
  int parent = -1;
  if (link.parent >= 0) {
    const ArticulationLink& from = links_[static_cast<std::size_t>(link.parent)];
    parent = from.node;
    outer = {from.place, Quat(from.turn)};
  } else {
    outer = Pose{};  // nodes of the base are placed in the base's frame
  }
  Pose placement = link.placement;
  placement.rotation.normalize();
  Pose frame = outer * placement;  // of the link at zero, in the parent node's
  ArticulationLink out;
  out.firstQ = positions_;
  out.firstV = degrees();
  const Pose anchor{link.anchor, Quat::Identity()};
  const Vec3 second = two ? Vec3((link.secondAxis - link.secondAxis.dot(axis) * axis).normalized()) : Vec3(Vec3::UnitX());
  std::vector<std::pair<NodeKind, Vec3>> chain;
  switch (link.joint) {
    case LinkJoint::Fixed:
      break;
    case LinkJoint::Revolute:
      chain = {{NodeKind::Revolute, axis}};
      break;
    case LinkJoint::Prismatic:
      chain = {{NodeKind::Prismatic, axis}};
      break;
    case LinkJoint::Spherical:
      chain = {{NodeKind::Spherical, Vec3::UnitZ()}};
      break;
    case LinkJoint::Universal:
      chain = {{NodeKind::Revolute, axis}, {NodeKind::Revolute, second}};
      break;
    case LinkJoint::Planar:
      chain = {{NodeKind::Prismatic, second}, {NodeKind::Prismatic, axis.cross(second)}, {NodeKind::Revolute, axis}};
      break;
    case LinkJoint::Cylindrical:
      chain = {{NodeKind::Prismatic, axis}, {NodeKind::Revolute, axis}};
      break;
    case LinkJoint::Free:
      chain = {{NodeKind::Free, Vec3::UnitZ()}};
      break;
  }
  Pose inner = chain.empty() ? frame : frame * anchor;  // where the joint is, in the frame of the node before
  int node = parent;
  for (const auto& [kind, direction] : chain) {
    const Quat align = zTo(direction);
    node = addNode(node, kind, inner * Pose{Vec3::Zero(), align});
    if (out.firstNode < 0) out.firstNode = node;
    inner = {Vec3::Zero(), align.conjugate()};
  }
  if (!chain.empty()) inner = inner * anchor.inverse();
  out.node = node;
  out.turn = inner.rotation.toRotationMatrix();
  out.place = inner.position;
  if (link.massProperties) out.mass = *link.massProperties;
  const MassProperties& mass = out.mass;
  if (!(isSmall(mass.mass) && mass.mass >= 0.0)) fail(who + ".massProperties.mass: allowed: 0 kg or more");
  if (!isSmall(mass.center) || !mass.inertia.allFinite()) fail(who + ".massProperties: allowed: finite numbers");
  if ((mass.inertia - mass.inertia.transpose()).norm() > 1e-9 * mass.inertia.norm())
    fail(who + ".massProperties.inertia: allowed: a symmetric matrix");
  links_.push_back(out);
  if (node >= 0) {
    ArticulationNode& body = nodes_[static_cast<std::size_t>(node)];
    const Vec3 center = out.place + out.turn * mass.center;
    body.mass += mass.mass;
    body.moment += mass.mass * center;
    body.inertia += out.turn * mass.inertia * out.turn.transpose() + pointInertia(mass.mass, center).full();
  }
  if (static_cast<int>(link.axes.size()) > degreesOf(link.joint))
    fail(who + ".axes: found " + std::to_string(link.axes.size()) + "; allowed: at most " +
         std::to_string(degreesOf(link.joint)) + " for a joint that is " + std::string(cairn::nameOf(link.joint)));
  for (std::size_t k = 0; k < link.axes.size(); ++k) {
    try {
      checkAxis(link.axes[k], out.firstV + static_cast<int>(k));
    } catch (const std::invalid_argument& error) {
      fail(who + ".axes[" + std::to_string(k) + "]." + error.what());
    }
    axes_[static_cast<std::size_t>(out.firstV) + k] = link.axes[k];
  }
}

bool ArticulationModel::hasValue(int degree) const {
  const NodeKind kind = nodes_[static_cast<std::size_t>(nodeOf_[static_cast<std::size_t>(degree)])].kind;
  return kind == NodeKind::Revolute || kind == NodeKind::Prismatic;
}

int ArticulationModel::positionOf(int degree) const {
  return nodes_[static_cast<std::size_t>(nodeOf_[static_cast<std::size_t>(degree)])].q;
}

void ArticulationModel::checkAxis(const AxisDesc& axis, int degree) const {
  const auto atLeastZero = [](double x, const char* field) {
    if (!(isSmall(x) && x >= 0.0)) fail(std::string(field) + ": allowed: 0 or more");
  };
  atLeastZero(axis.armature, "armature");
  atLeastZero(axis.damping, "damping");
  atLeastZero(axis.friction, "friction");
  atLeastZero(axis.limitDamping, "limitDamping");
  if (std::isnan(axis.lower) || std::isnan(axis.upper) || axis.lower > axis.upper)
    fail("upper: found less than lower, or not a number");
  if (axis.limitStiffness && !(isSmall(*axis.limitStiffness) && *axis.limitStiffness > 0.0))
    fail("limitStiffness: allowed: more than 0");
  const LinkMotor& motor = axis.motor;
  if (!isSmall(motor.target)) fail("motor.target: allowed: a finite number");
  atLeastZero(motor.stiffness, "motor.stiffness");
  if (motor.damping) atLeastZero(*motor.damping, "motor.damping");
  if (!(motor.maxEffort >= 0.0)) fail("motor.maxEffort: allowed: 0 or more");
  if (hasValue(degree)) return;
  if (std::isfinite(axis.lower) || std::isfinite(axis.upper)) fail("lower: spherical and free joints have no limits");
  if (motor.mode == LinkMotor::Mode::Position) fail("motor.mode: spherical and free joints are not driven to a position");
}

void ArticulationModel::checkState(const Vector& q, const Vector& v) const {
  if (q.size() != positions_)
    fail("q: found " + std::to_string(q.size()) + " numbers; allowed: " + std::to_string(positions_));
  if (v.size() != degrees())
    fail("v: found " + std::to_string(v.size()) + " numbers; allowed: " + std::to_string(degrees()));
  if (!q.allFinite() || !v.allFinite()) fail("q, v: allowed: finite numbers");
  for (const ArticulationNode& node : nodes_) {
    const int at = node.kind == NodeKind::Spherical ? node.q : node.kind == NodeKind::Free ? node.q + 3 : -1;
    if (at >= 0 && !(q.segment<4>(at).norm() > 1e-6)) fail("q: a quaternion is zero");
  }
}

}  // namespace cairn
