// Joints hold two bodies together. Anchors and axes are in each body's own frame.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cairn/ids.hpp"
#include "cairn/math.hpp"

namespace cairn {

// Holds a point of A on a point of B.
struct BallJoint {};
// Holds a point and an axis together; leaves rotation about the axis.
struct HingeJoint {
  Vec3 axisA = Vec3::UnitZ();
  Vec3 axisB = Vec3::UnitZ();
};
// Holds everything: B keeps the pose that it has relative to A when the joint is made (or the one given).
struct FixedJoint {
  std::optional<Quat> rotation{};  // orientation of B in A's frame
};
// Holds two points at a distance.
struct DistanceJoint {
  std::optional<double> length{};  // m; unset: the distance when the joint is made
};

// B is a wheel that rolls on a plane of A without slipping, along or sideways: a constraint on velocities, not on positions.
// The plane goes through A's anchor, the wheel's centre is B's anchor.
struct WheelJoint {
  Vec3 normalA = Vec3::UnitZ();  // of the plane
  Vec3 axisB = Vec3::UnitY();    // of the wheel
  double radius = 0.5;           // m
};
// B's anchor is a blade on A: it does not move sideways, that is along axisB, and is free otherwise.
struct SkateJoint {
  Vec3 axisB = Vec3::UnitY();
};

using JointKind = std::variant<BallJoint, HingeJoint, FixedJoint, DistanceJoint, WheelJoint, SkateJoint>;

// Prescribed motion of a hinge (angle of B about the axis, rad, zero as the joint is made) or a distance (m, added to its
// length): start + rate t + amplitude sin(2 pi frequency t + phase).
struct JointDrive {
  double start = 0.0;      // rad or m
  double rate = 0.0;       // rad/s or m/s
  double amplitude = 0.0;  // rad or m
  double frequency = 0.0;  // Hz
  double phase = 0.0;      // rad
  // Or through these values at these times (s, rising), straight between them and at rest outside; added to the above.
  std::vector<std::array<double, 2>> keys{};
};

// Compliance of a joint in its held directions. Unset: as stiff as the step can resolve.
struct JointSpring {
  double stiffness = 0.0;  // N/m (N m/rad for held rotations)
  double damping = 0.0;    // N s/m (N m s/rad)
};

struct JointDesc {
  std::string name{};
  BodyId a{};
  BodyId b{};
  Vec3 anchorA = Vec3::Zero();  // m, in A's frame
  Vec3 anchorB = Vec3::Zero();  // m, in B's frame
  JointKind kind = BallJoint{};
  std::optional<JointSpring> spring{};
  std::optional<JointDrive> drive{};  // hinges and distances
  bool bodiesCollide = false;         // whether A and B still collide with each other
};

// What a joint did in the last step.
struct JointReaction {
  Vec3 force;         // N, on B at the anchor, mean over the step
  Vec3 torque;        // N m, on B
  double error;       // m, how far the anchors (or the distance) are off
  double angleError;  // rad
};

}  // namespace cairn
