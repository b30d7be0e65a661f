#include "steppers/features.hpp"

namespace cairn {

std::string_view nameOf(Feature feature) {
  static constexpr std::array<std::string_view, kFeatureCount> kNames = {
      "friction",
      "static unlike dynamic friction",
      "friction with a direction",
      "patch friction (Contensou)",
      "rolling or spinning resistance",
      "restitution",
      "Poisson's impact law",
      "Stronge's impact law",
      "Chatterjee and Ruina's impact law",
      "contact stiffness",
      "joints",
      "joint springs",
      "driven joints",
      "rolling joints (wheels, skates)",
      "joint_method \"elimination\"",
      "limits of joints",
      "motors or dry friction of joints",
      "springs, armature, elastic limits or position motors of joint axes",
      "gears, racks or pulleys",
      "kinematic bodies",
      "locked degrees of freedom",
      "articulations",
  };
  return kNames[static_cast<int>(feature)];
}

Needs needsOf(const System& system, const WorldSettings& settings) {
  Needs needs;
  const auto need = [&](Feature feature, std::uint32_t body, std::uint32_t joint = kNone) {
    if ((needs.bits & bit(feature)) == 0) needs.sources[static_cast<int>(feature)] = {body, joint};
    needs.bits |= bit(feature);
  };
  const bool rubs = settings.friction.law != "none";
  const auto needMaterial = [&](const Material& material, std::uint32_t body) {
    if (rubs && material.staticFriction && *material.staticFriction != material.friction)
      need(Feature::StaticFriction, body);
    if (rubs && material.crossFriction && *material.crossFriction != material.friction)
      need(Feature::EllipticFriction, body);
    if (rubs && material.patchRadius > 0.0) need(Feature::PatchFriction, body);
    if (rubs && (material.rollingResistance > 0.0 || material.rollingForce > 0.0 || material.spinningResistance > 0.0))
      need(Feature::RollingResistance, body);
    if (material.restitution > 0.0) need(Feature::Restitution, body);
    if (material.impact == ImpactLaw::Poisson) need(Feature::PoissonImpact, body);
    if (material.impact == ImpactLaw::Stronge) need(Feature::StrongeImpact, body);
    if (material.impact == ImpactLaw::ChatterjeeRuina) need(Feature::ChatterjeeRuinaImpact, body);
    if (material.stiffness) need(Feature::ContactStiffness, body);
  };
  // Two bodies rub if surfaces of both do, and one can move.
  std::uint32_t rough = kNone, roughMover = kNone;
  bool several = false;
  for (const Collider& collider : system.colliders) {
    if (!collider.alive) continue;
    const Material& material = system.materials[collider.material];
    needMaterial(material, collider.body);
    if (material.friction <= 0.0) continue;
    several |= rough != kNone && rough != collider.body;
    rough = collider.body;
    if (roughMover == kNone && system.bodies[collider.body].kind == BodyKind::Dynamic) roughMover = collider.body;
  }
  if (rubs && several && roughMover != kNone) need(Feature::Friction, roughMover);
  for (const MaterialPair& pair : settings.pairs) {
    needMaterial(pair.material, kNone);
    if (rubs && pair.material.friction > 0.0) need(Feature::Friction, kNone);
  }
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i) {
    const Body& body = system.bodies[i];
    if (!body.alive) continue;
    if (body.kind == BodyKind::Kinematic) need(Feature::Kinematic, i);
    if (body.mechanism != kNone) need(Feature::Articulations, i);
    if (body.lockedPosition != 0 || body.lockedRotation != 0) need(Feature::Locks, i);
  }
  for (std::uint32_t i = 0; i < system.joints.size(); ++i) {
    const Joint& joint = system.joints[i];
    if (!joint.alive) continue;
    need(Feature::Joints, kNone, i);
    if (joint.spring) need(Feature::JointSprings, kNone, i);
    if (settings.jointMethod == "elimination") need(Feature::JointElimination, kNone, i);
    if (joint.drive) need(Feature::DrivenJoints, kNone, i);
    for (const AxisForces& forces : joint.forces) {
      const bool motor = forces.motorEffort > 0.0;
      const bool softMotor = motor && forces.motorKind == MotorKind::Position;
      if (forces.hasLimits()) need(Feature::JointLimits, kNone, i);
      if (forces.friction > 0.0 || (motor && forces.motorKind == MotorKind::Velocity)) need(Feature::JointMotors, kNone, i);
      if (forces.hasSpring() || softMotor || (forces.hasLimits() && forces.limitStiffness > 0.0))
        need(Feature::AxisSprings, kNone, i);
    }
    if (std::holds_alternative<GearJoint>(joint.kind) || std::holds_alternative<RackAndPinionJoint>(joint.kind) ||
        std::holds_alternative<PulleyJoint>(joint.kind))
      need(Feature::WorldJoints, kNone, i);
    if (std::holds_alternative<WheelJoint>(joint.kind) || std::holds_alternative<SkateJoint>(joint.kind))
      need(Feature::RollingJoints, kNone, i);
  }
  return needs;
}

}  // namespace cairn
