// What happened between shapes in the last step.
#pragma once

#include "cairn/ids.hpp"
#include "cairn/math.hpp"

namespace cairn {

enum class ContactPhase : std::uint8_t { Begin, Persist, End };

// One per touching pair of shapes, in the order of the shapes' ids. Impulses are sums over the step: divide by dt for
// forces.
struct ContactEvent {
  ContactPhase phase = ContactPhase::Begin;
  ShapeId shapeA, shapeB;
  BodyId bodyA, bodyB;
  Vec3 point = Vec3::Zero();            // m, world, mean of the contact points weighted by impulse
  Vec3 normal = Vec3::Zero();           // from A to B
  double normalImpulse = 0.0;           // N s, on B along the normal
  Vec3 frictionImpulse = Vec3::Zero();  // N s, on B, tangential
  double twistImpulse = 0.0;            // N m s, on B about the normal
  double approachSpeed = 0.0;           // m/s, before the contact was first felt in the step; positive when closing
  int points = 0;
};

// A joint that broke: it is disabled. In the order of ids.
struct JointEvent {
  JointId joint;
  Vec3 force = Vec3::Zero();   // N, on B, that was too much
  Vec3 torque = Vec3::Zero();  // N m
};

}  // namespace cairn
