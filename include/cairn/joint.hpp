// Joints hold two bodies together. Anchors and axes are in each body's own frame.
#pragma once

#include <optional>
#include <string>
#include <variant>

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

using JointKind = std::variant<BallJoint, HingeJoint, FixedJoint, DistanceJoint>;

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
  bool bodiesCollide = false;  // whether A and B still collide with each other
};

// What a joint did in the last step.
struct JointReaction {
  Vec3 force;         // N, on B at the anchor, mean over the step
  Vec3 torque;        // N m, on B
  double error;       // m, how far the anchors (or the distance) are off
  double angleError;  // rad
};

}  // namespace cairn
