// Adding joints: a description is checked whole before anything changes.
#include <algorithm>
#include <cmath>

#include "dynamics/joint_curve.hpp"
#include "mechanics/joint_axis.hpp"
#include "mechanics/joint_rows.hpp"
#include "world/checks.hpp"
#include "world/slots.hpp"
#include "world/state.hpp"

namespace cairn {

namespace {

constexpr double kMostStiffness = 1e15, kMostEffort = 1e15, kMostLength = 1e7;
constexpr std::size_t kMostCurvePoints = 100000;

void checkDrive(const JointDesc& desc) {
  if (!std::holds_alternative<HingeJoint>(desc.kind) && !std::holds_alternative<DistanceJoint>(desc.kind))
    refuse("drive", "only hinges and distances can be driven");
  if (desc.spring) refuse("drive", "a joint is either driven or springy, not both");
  for (const double number : {desc.drive->start, desc.drive->rate, desc.drive->amplitude, desc.drive->phase})
    requireFinite("drive", number);
  requireRange("drive.frequency", desc.drive->frequency, 0.0, 1e6, "Hz");
  for (std::size_t i = 0; i < desc.drive->keys.size(); ++i) {
    const std::array<double, 2>& key = desc.drive->keys[i];
    requireFinite("drive.keys", key[0]);
    requireFinite("drive.keys", key[1]);
    if (i > 0 && key[0] <= desc.drive->keys[i - 1][0]) refuse("drive.keys", "times must rise");
  }
}

// A direction across an axis, of unit length.
Vec3 checkedSide(const std::string& field, const Vec3& side, const Vec3& axis) {
  const Vec3 across = side - side.dot(axis) * axis;
  requireFinite(field, side);
  if (across.norm() < 1e-6 * std::max(side.norm(), 1e-12)) refuse(field, "must not be along the axis, nor zero");
  return across.normalized();
}

// Puts right what a kind says, and checks it. `a` and `b` are the bodies as they are.
struct KindChecker {
  Joint& joint;
  const Body& a;
  const Body& b;

  void operator()(BallJoint&) const {}
  void operator()(HingeJoint& hinge) const { axes(hinge); }
  void operator()(FixedJoint& fixed) const {
    fixed.rotation = fixed.rotation ? checkedRotation("rotation", *fixed.rotation) : a.rotation.conjugate() * b.rotation;
  }
  void operator()(DistanceJoint& distance) const {
    if (!distance.length)
      distance.length = (b.center + b.rotation * joint.anchorB - a.center - a.rotation * joint.anchorA).norm();
    requireRange("length", *distance.length, 0.0, kMostLength, "m");
    if (distance.shortest) requireRange("shortest", *distance.shortest, 0.0, kMostLength, "m");
    if (distance.longest) requireRange("longest", *distance.longest, distance.shortest.value_or(0.0), kMostLength, "m");
  }
  void operator()(WheelJoint& wheel) const {
    wheel.normalA = checkedAxis("normalA", wheel.normalA);
    wheel.axisB = checkedAxis("axisB", wheel.axisB);
    requireRange("radius", wheel.radius, 1e-6, 1e6, "m");
  }
  void operator()(SkateJoint& skate) const { skate.axisB = checkedAxis("axisB", skate.axisB); }
  void operator()(SliderJoint& slider) const { slider.axisA = checkedAxis("axisA", slider.axisA); }
  void operator()(CylindricalJoint& cylindrical) const { axes(cylindrical); }
  void operator()(UniversalJoint& universal) const { axes(universal); }
  void operator()(ConeTwistJoint& cone) const {
    axes(cone);
    cone.sideA = checkedSide("sideA", cone.sideA, cone.axisA);
    if (cone.cone)
      for (const double half : *cone.cone) requireRange("cone", half, 1e-3, 3.14, "rad");
    // Zero is where the axes coincide.
    joint.rest = Quat::FromTwoVectors(joint.rest * cone.axisB, cone.axisA) * joint.rest;
  }
  void operator()(SuspensionJoint& suspension) const { axes(suspension); }
  void operator()(PlanarJoint& planar) const {
    planar.normalA = checkedAxis("normalA", planar.normalA);
    planar.normalB = checkedAxis("normalB", planar.normalB);
    planar.sideA = checkedSide("sideA", planar.sideA, planar.normalA);
  }
  void operator()(GearJoint& gear) const {
    axes(gear);
    requireRange("ratio", std::abs(gear.ratio), 1e-6, 1e6, "");
  }
  void operator()(RackAndPinionJoint& rack) const {
    axes(rack);
    requireRange("radius", std::abs(rack.radius), 1e-9, 1e6, "m");
  }
  void operator()(ScrewJoint& screw) const {
    axes(screw);
    requireRange("pitch", std::abs(screw.pitch), 1e-9, 1e6, "m");
  }
  void operator()(PulleyJoint& pulley) const {
    requireFinite("groundA", pulley.groundA);
    requireFinite("groundB", pulley.groundB);
    requireRange("ratio", pulley.ratio, 1e-6, 1e6, "");
    if (!pulley.length)
      pulley.length = (a.center + a.rotation * joint.anchorA - pulley.groundA).norm() +
                      pulley.ratio * (b.center + b.rotation * joint.anchorB - pulley.groundB).norm();
    requireRange("length", *pulley.length, 1e-9, kMostLength, "m");
  }
  void operator()(CurveJoint& curve) const {
    if (curve.points.size() < 2 || curve.points.size() > kMostCurvePoints)
      refuse("points", "must be from 2 to " + std::to_string(kMostCurvePoints) + " points");
    if (curve.closed && curve.points.size() < 3) refuse("points", "a closed curve has three points or more");
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const std::string field = "points[" + std::to_string(i) + "]";
      requireFinite(field, curve.points[i]);
      requireRange(field, curve.points[i].norm(), 0.0, kMostLength, "m");
      if (i > 0 && (curve.points[i] - curve.points[i - 1]).norm() < 1e-9) refuse(field, "must not be the point before");
      points.push_back(curve.points[i] - a.localCenter);
    }
    if (curve.closed && (curve.points.front() - curve.points.back()).norm() < 1e-9)
      refuse("points", "a closed curve closes by itself: the last point must not be the first");
    const auto made = std::make_shared<const JointCurve>(std::move(points), curve.closed);
    joint.turns[0] = made->nearestOfAll(a.rotation.conjugate() * (b.center + b.rotation * joint.anchorB - a.center));
    joint.curve = made;
  }
  void operator()(SixDofJoint& six) const { six.frameA = checkedRotation("frameA", six.frameA); }

 private:
  template <class Kind>
  static void axes(Kind& kind) {
    kind.axisA = checkedAxis("axisA", kind.axisA);
    kind.axisB = checkedAxis("axisB", kind.axisB);
  }
};

// Limits that kinds have by themselves.
void addOwnLimits(Joint& joint) {
  const int count = axisCount(joint.kind);
  const auto limit = [&](int axis, double low, double high) {
    joint.forces.resize(static_cast<std::size_t>(count));
    AxisForces& forces = joint.forces[static_cast<std::size_t>(axis)];
    forces.lowest = std::max(forces.lowest, low);
    forces.highest = std::min(forces.highest, high);
  };
  constexpr double kFar = std::numeric_limits<double>::infinity();
  if (const auto* distance = std::get_if<DistanceJoint>(&joint.kind); distance && (distance->shortest || distance->longest))
    limit(0, distance->shortest.value_or(-kFar), distance->longest.value_or(kFar));
  if (const auto* cone = std::get_if<ConeTwistJoint>(&joint.kind); cone && cone->cone)
    limit(3, -kFar, std::min((*cone->cone)[0], (*cone->cone)[1]));
  if (const auto* pulley = std::get_if<PulleyJoint>(&joint.kind); pulley && pulley->slack) limit(2, -kFar, *pulley->length);
  if (joint.curve && !joint.curve->closed()) limit(0, 0.0, joint.curve->length());
}

}  // namespace

// Into `forces`, whose impulses stay.
void applyAxis(const std::string& field, const JointKind& kind, int axis, const JointAxisDesc& desc, AxisForces& forces) {
  const bool acts = desc.limits || desc.motor || desc.spring || desc.friction != 0.0 || desc.armature != 0.0;
  if (acts && !isFree(kind, axis)) refuse(field, "the joint holds this axis: nothing can act along it");
  AxisForces made;
  made.impulse = forces.impulse;
  made.total = forces.total;
  if (desc.limits) {
    const AxisLimits& limits = *desc.limits;
    if (std::isnan(limits.lower) || std::isnan(limits.upper) || !(limits.lower <= limits.upper))
      refuse(field + ".limits", "lower must not be above upper");
    requireRange(field + ".limits.stiffness", limits.stiffness, 0.0, kMostStiffness, "N/m or N m/rad");
    requireRange(field + ".limits.damping", limits.damping, 0.0, kMostStiffness, "N s/m or N m s/rad");
    made.lowest = limits.lower;
    made.highest = limits.upper;
    made.limitStiffness = limits.stiffness;
    made.limitDamping = limits.damping;
  }
  if (desc.motor) {
    const AxisMotor& motor = *desc.motor;
    requireFinite(field + ".motor.target", motor.target);
    if (!(motor.maximumEffort >= 0.0)) refuse(field + ".motor.maximumEffort", "must not be negative");
    requireRange(field + ".motor.stiffness", motor.stiffness, 0.0, kMostStiffness, "N/m or N m/rad");
    if (motor.damping) requireRange(field + ".motor.damping", *motor.damping, 0.0, kMostStiffness, "N s/m or N m s/rad");
    if (motor.kind == MotorKind::Position && !(motor.stiffness > 0.0))
      refuse(field + ".motor.stiffness", "a motor by position needs one above 0");
    if (motor.kind == MotorKind::Effort)
      requireRange(field + ".motor.target", std::abs(motor.target), 0.0, kMostEffort, "N or N m");
    for (std::size_t i = 0; i < motor.keys.size(); ++i) {
      requireFinite(field + ".motor.keys", motor.keys[i][0]);
      requireFinite(field + ".motor.keys", motor.keys[i][1]);
      if (i > 0 && motor.keys[i][0] <= motor.keys[i - 1][0]) refuse(field + ".motor.keys", "times must rise");
    }
    made.motorKind = motor.kind;
    made.motorBase = motor.target;
    made.motorKeys = motor.keys;
    (motor.kind == MotorKind::Velocity ? made.motorSpeed : made.motorTarget) = motor.target;
    made.motorEffort = std::min(motor.maximumEffort, kMostEffort);
    made.motorStiffness = motor.stiffness;
    made.motorDamping = motor.damping;
  }
  if (desc.spring) {
    requireRange(field + ".spring.stiffness", desc.spring->stiffness, 0.0, kMostStiffness, "N/m or N m/rad");
    requireRange(field + ".spring.damping", desc.spring->damping, 0.0, kMostStiffness, "N s/m or N m s/rad");
    requireFinite(field + ".spring.rest", desc.spring->rest);
    made.springStiffness = desc.spring->stiffness;
    made.springDamping = desc.spring->damping;
    made.springRest = desc.spring->rest;
  }
  requireRange(field + ".friction", desc.friction, 0.0, kMostEffort, "N or N m");
  requireRange(field + ".armature", desc.armature, 0.0, 1e15, "kg or kg m^2");
  made.friction = desc.friction;
  made.armature = desc.armature;
  forces = made;
}

JointId World::addJoint(const JointDesc& desc) {
  WorldState& state = impl_->state;
  System& system = state.system;
  const Body* a = impl_->find(desc.a);
  const Body* b = impl_->find(desc.b);
  if (a == nullptr) refuse("a", "is not a body of this world");
  if (b == nullptr) refuse("b", "is not a body of this world");
  if (desc.a == desc.b) refuse("b", "must be another body than a");
  if (a->inverseMass == 0.0 && b->inverseMass == 0.0) refuse("a", "at least one of the two bodies must be dynamic");
  requireFinite("anchorA", desc.anchorA);
  requireFinite("anchorB", desc.anchorB);
  if (desc.spring) {
    requireRange("spring.stiffness", desc.spring->stiffness, 0.0, 1e15, "N/m");
    requireRange("spring.damping", desc.spring->damping, 0.0, 1e15, "N s/m");
    if (desc.spring->stiffness + desc.spring->damping <= 0.0)
      refuse("spring", "stiffness and damping must not both be zero");
  }
  if (desc.breakForce) requireRange("breakForce", *desc.breakForce, 0.0, kMostEffort, "N");
  if (desc.breakTorque) requireRange("breakTorque", *desc.breakTorque, 0.0, kMostEffort, "N m");

  Joint joint;
  joint.kind = desc.kind;
  joint.a = desc.a.index;
  joint.b = desc.b.index;
  joint.anchorA = desc.anchorA - a->localCenter;
  joint.anchorB = desc.anchorB - b->localCenter;
  joint.spring = desc.spring;
  if (desc.drive) checkDrive(desc);
  joint.drive = desc.drive;
  joint.rest = a->rotation.conjugate() * b->rotation;
  joint.startA = {a->center, a->rotation};
  joint.startB = {b->center, b->rotation};
  joint.bodiesCollide = desc.bodiesCollide;
  joint.alive = desc.enabled;
  joint.exists = true;
  if (desc.breakForce) joint.breakForce = *desc.breakForce;
  if (desc.breakTorque) joint.breakTorque = *desc.breakTorque;
  std::visit(KindChecker{joint, *a, *b}, joint.kind);
  const int count = axisCount(joint.kind);
  if (desc.axes.size() > static_cast<std::size_t>(count))
    refuse("axes", "a " + std::string(jointKindName(joint.kind)) + " joint has " + std::to_string(count) + ", got " +
                       std::to_string(desc.axes.size()));
  if (!desc.axes.empty()) joint.forces.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < desc.axes.size(); ++i)
    applyAxis("axes[" + std::to_string(i) + "]", joint.kind, static_cast<int>(i), desc.axes[i], joint.forces[i]);
  addOwnLimits(joint);
  if (countsTurns(joint.kind)) countTurns(joint, *a, *b, 0.0);
  impl_->refusalIsFresh = false;

  const std::uint32_t index = takeSlot(system.joints, state.freeJoints);
  joint.generation = system.joints[index].generation;
  system.joints[index] = joint;
  state.jointEnds.link(index, joint.a, joint.b);
  if (state.jointNames.size() <= index) state.jointNames.resize(index + 1);
  state.jointNames[index] = desc.name.empty() ? "joint " + std::to_string(index) : desc.name;
  if (joint.alive && !joint.bodiesCollide) impl_->exclude(joint, true);
  impl_->wakeIsland(*impl_->find(desc.a));
  impl_->wakeIsland(*impl_->find(desc.b));
  return {index, joint.generation};
}

}  // namespace cairn
