// Joints as rows: every kind of joint says which relative velocities must vanish and how far off the positions are. One
// mechanism (a small dense block per joint) then holds any of them. What acts along a joint's free axes is in
// joint_axis.hpp.
#pragma once

#include <array>

#include "dynamics/joint.hpp"

namespace cairn {

// One scalar condition: direction . (vB + wB x rB - vA - wA x rA) + turnB . wB - turnA . wA = 0, written out per body.
struct JointRow {
  Vec3 linear = Vec3::Zero();    // on B; A gets the opposite
  Vec3 angularA = Vec3::Zero();  // factor of wA
  Vec3 angularB = Vec3::Zero();  // factor of wB
  double error = 0.0;            // m or rad, to be driven to zero
  double rate = 0.0;             // m/s or rad/s: dC/dt of a constraint that time moves
  bool holonomic = true;         // false: a condition on velocities only, there is no error
  Vec3 pullA = Vec3::Zero();     // on A besides, for joints that hold A to the world (pulleys, racks)

  double speed(const Vec3& velocityA, const Vec3& spinA, const Vec3& velocityB, const Vec3& spinB) const {
    return linear.dot(velocityB - velocityA) + pullA.dot(velocityA) + angularA.dot(spinA) + angularB.dot(spinB);
  }
};

// Gears, racks, pulleys: rows with parts that hold each body to the world. They cannot be part of a tree.
bool holdsToWorld(const JointKind& kind);

// Fills the rows for the bodies' present poses, `elapsed` seconds after the step began, and returns how many there are.
// Positional rows come first.
int jointRows(const Joint& joint, const Vec3& centerA, const Quat& rotationA, const Vec3& centerB, const Quat& rotationB,
              std::array<JointRow, kJointRows>& rows, double elapsed = 0.0);

// How far the joint is off: m for its positional rows, rad for its rotational ones; `elapsed` seconds after the step began,
// which matters to joints that are driven.
struct JointError {
  double distance = 0.0;
  double angle = 0.0;
};
JointError jointError(const Joint& joint, const Body& a, const Body& b, double elapsed = 0.0);
// The same in m, but what a spring gives way by is no error: it is what the spring is for.
inline double wrongBy(const Joint& joint, const Body& a, const Body& b, double elapsed = 0.0) {
  return joint.spring ? 0.0 : jointError(joint, a, b, elapsed).distance;
}

}  // namespace cairn
