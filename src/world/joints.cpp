// What joints are asked and told between steps, and what steps do for all of them: efforts, turns, breaking.
#include <algorithm>
#include <cmath>

#include "mechanics/joint_axis.hpp"
#include "mechanics/joint_rows.hpp"
#include "world/checks.hpp"
#include "world/state.hpp"

namespace cairn {

namespace {

JointAxis axisNow(const System& system, const Joint& joint, int axis) {
  const Body &a = system.bodies[joint.a], &b = system.bodies[joint.b];
  std::array<JointAxis, kMostJointAxes> axes;
  jointAxes(joint, {a.center, a.rotation}, {b.center, b.rotation}, axes);
  return axes[static_cast<std::size_t>(axis)];
}

double effortOf(const AxisForces& forces) { return std::clamp(forces.motorTarget, -forces.motorEffort, forces.motorEffort); }

void requireAxis(const Joint& joint, int axis) {
  const int count = axisCount(joint.kind);
  if (axis < 0 || axis >= count)
    refuse("axis", "a " + std::string(jointKindName(joint.kind)) + " joint has axes 0 to " + std::to_string(count - 1) +
                       ", got " + std::to_string(axis));
}

}  // namespace

std::optional<JointReaction> World::reaction(JointId id) const {
  const Joint* joint = impl_->find(id);
  if (joint == nullptr) return std::nullopt;
  const std::vector<Body>& bodies = impl_->state.system.bodies;
  const Body &a = bodies[joint->a], &b = bodies[joint->b];
  const JointError error = cairn::jointError(*joint, a, b);
  const double dt = impl_->state.lastDt;
  JointReaction reaction{joint->totalImpulse / dt, joint->totalAngularImpulse / dt, error.distance, error.angle, {}};
  std::array<JointAxis, kMostJointAxes> axes;
  const int count = jointAxes(*joint, {a.center, a.rotation}, {b.center, b.rotation}, axes);
  for (int i = 0; i < count; ++i) {
    AxisReaction& axis = reaction.axes.emplace_back();
    axis.position = axes[i].value;
    axis.speed = axes[i].rate(a.velocity, a.spin, b.velocity, b.spin);
    if (joint->forces.empty()) continue;
    const auto mean = [&](AxisForce force) {
      return joint->forces[static_cast<std::size_t>(i)].total[static_cast<std::size_t>(force)] / dt;
    };
    axis.limit = mean(AxisForce::LowerLimit) - mean(AxisForce::UpperLimit);
    axis.motor = mean(AxisForce::Motor);
    axis.friction = mean(AxisForce::Friction);
    axis.spring = mean(AxisForce::Spring);
  }
  return reaction;
}

std::optional<AxisState> World::axis(JointId id, int axis) const {
  const Joint* joint = impl_->find(id);
  if (joint == nullptr) return std::nullopt;
  requireAxis(*joint, axis);
  const System& system = impl_->state.system;
  const JointAxis now = axisNow(system, *joint, axis);
  const Body &a = system.bodies[joint->a], &b = system.bodies[joint->b];
  return AxisState{now.value, now.rate(a.velocity, a.spin, b.velocity, b.spin)};
}

std::optional<JointKind> World::kind(JointId id) const {
  const Joint* joint = impl_->find(id);
  if (joint == nullptr) return std::nullopt;
  return joint->kind;
}

bool World::setMotorTarget(JointId id, int axis, double target) {
  Joint* joint = impl_->find(id);
  if (joint == nullptr) return false;
  requireAxis(*joint, axis);
  requireFinite("target", target);
  if (joint->forces.empty() || !(joint->forces[static_cast<std::size_t>(axis)].motorEffort > 0.0))
    refuse("axis", "there is no motor on it");
  AxisForces& forces = joint->forces[static_cast<std::size_t>(axis)];
  if (forces.motorBase == target) return true;
  forces.motorBase = target;
  (forces.motorKind == MotorKind::Velocity ? forces.motorSpeed : forces.motorTarget) = target;
  impl_->wakeIsland(impl_->state.system.bodies[joint->a]);
  impl_->wakeIsland(impl_->state.system.bodies[joint->b]);
  return true;
}

bool World::setAxis(JointId id, int axis, const JointAxisDesc& desc) {
  Joint* joint = impl_->find(id);
  if (joint == nullptr) return false;
  requireAxis(*joint, axis);
  std::vector<AxisForces> forces = joint->forces;
  forces.resize(static_cast<std::size_t>(axisCount(joint->kind)));
  AxisForces& one = forces[static_cast<std::size_t>(axis)];
  const AxisForces before = one;
  applyAxis("axis", joint->kind, axis, desc, one);
  if (!desc.limits) one.lowest = before.lowest, one.highest = before.highest;  // those of ranges, cones and ropes stay
  joint->forces = std::move(forces);
  impl_->refusalIsFresh = false;
  impl_->wakeIsland(impl_->state.system.bodies[joint->a]);
  impl_->wakeIsland(impl_->state.system.bodies[joint->b]);
  return true;
}

bool World::isEnabled(JointId id) const {
  const Joint* joint = impl_->find(id);
  return joint != nullptr && joint->alive;
}
bool World::isBroken(JointId id) const {
  const Joint* joint = impl_->find(id);
  return joint != nullptr && joint->broken;
}

bool World::setEnabled(JointId id, bool enabled) {
  Joint* joint = impl_->find(id);
  if (joint == nullptr) return false;
  if (enabled) joint->broken = false;
  impl_->enable(*joint, enabled);
  return true;
}

void WorldImpl::enable(Joint& joint, bool enabled) {
  if (joint.alive == enabled) return;
  System& system = state.system;
  wakeIsland(system.bodies[joint.a]);
  wakeIsland(system.bodies[joint.b]);
  joint.alive = enabled;
  joint.impulse.fill(0.0);
  joint.totalRows.fill(0.0);
  joint.totalImpulse.setZero();
  joint.totalAngularImpulse.setZero();
  for (AxisForces& forces : joint.forces) {
    forces.impulse.fill(0.0);
    forces.total.fill(0.0);
  }
  if (enabled && countsTurns(joint.kind)) {
    joint.turnRates.fill(0.0);
    countTurns(joint, system.bodies[joint.a], system.bodies[joint.b], 0.0);
  }
  if (!joint.bodiesCollide) exclude(joint, enabled);
  refusalIsFresh = false;
}

std::span<const JointEvent> World::jointEvents() const { return impl_->jointEvents; }

// Targets of motors that have keys, at the end of the step. One that moves wakes its bodies.
void WorldImpl::followMotorKeys(double time) {
  for (Joint& joint : state.system.joints) {
    if (!joint.alive) continue;
    for (AxisForces& forces : joint.forces) {
      if (forces.motorKeys.empty()) continue;
      double& target = forces.motorKind == MotorKind::Velocity ? forces.motorSpeed : forces.motorTarget;
      const double next = forces.motorBase + valueAt(forces.motorKeys, time);
      if (next == target) continue;
      target = next;
      wakeIsland(state.system.bodies[joint.a]);
      wakeIsland(state.system.bodies[joint.b]);
    }
  }
}

// Motors by effort are loads on their bodies, in every stepper. `sign`: -1 takes them back.
void WorldImpl::applyEfforts(double sign) {
  System& system = state.system;
  for (Joint& joint : system.joints) {
    if (!joint.alive || joint.forces.empty()) continue;
    Body &a = system.bodies[joint.a], &b = system.bodies[joint.b];
    if (!(a.moves() && a.isDynamic()) && !(b.moves() && b.isDynamic())) continue;
    for (std::size_t i = 0; i < joint.forces.size(); ++i) {
      const AxisForces& forces = joint.forces[i];
      if (forces.motorKind != MotorKind::Effort || !(forces.motorEffort > 0.0)) continue;
      const JointAxis axis = axisNow(system, joint, static_cast<int>(i));
      const double effort = sign * effortOf(forces);
      if (a.isDynamic()) {
        a.force += effort * (axis.pullA - axis.linear);
        a.torque += effort * axis.angularA;
      }
      if (b.isDynamic()) {
        b.force += effort * axis.linear;
        b.torque += effort * axis.angularB;
      }
    }
  }
}

// After a step: angles count on, and joints that bear too much break.
void WorldImpl::finishJoints(double dt) {
  System& system = state.system;
  for (std::uint32_t index = 0; index < system.joints.size(); ++index) {
    Joint& joint = system.joints[index];
    if (!joint.alive) continue;
    const Body &a = system.bodies[joint.a], &b = system.bodies[joint.b];
    if (!a.moves() && !b.moves()) continue;
    if (countsTurns(joint.kind)) countTurns(joint, a, b, dt);
    for (AxisForces& forces : joint.forces)
      if (forces.motorKind == MotorKind::Effort && forces.motorEffort > 0.0)
        forces.total[static_cast<std::size_t>(AxisForce::Motor)] = dt * effortOf(forces);
    if (!std::isfinite(joint.breakForce) && !std::isfinite(joint.breakTorque)) continue;
    Vec3 force = joint.totalImpulse / dt, torque = joint.totalAngularImpulse / dt;
    if (!joint.forces.empty()) {
      std::array<JointAxis, kMostJointAxes> axes;
      jointAxes(joint, {a.center, a.rotation}, {b.center, b.rotation}, axes);
      for (std::size_t i = 0; i < joint.forces.size(); ++i) {
        const auto total = [&](AxisForce one) { return joint.forces[i].total[static_cast<std::size_t>(one)] / dt; };
        const double limit = total(AxisForce::LowerLimit) - total(AxisForce::UpperLimit);
        force += limit * axes[i].linear;
        if (axes[i].linear.isZero(0.0)) torque += limit * axes[i].angularB;
      }
    }
    if (force.norm() <= joint.breakForce && torque.norm() <= joint.breakTorque) continue;
    joint.broken = true;
    jointEvents.push_back({{index, joint.generation}, force, torque});
    enable(joint, false);
  }
}

}  // namespace cairn
