// Joints as rows: every kind of joint says which relative velocities must vanish and how far off the positions are. One
// mechanism (a small dense block per joint) then holds any of them.
#pragma once

#include <array>

#include "cairn/joint.hpp"
#include "dynamics/body.hpp"

namespace cairn {

inline constexpr int kJointRows = 6;
using JointVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kJointRows, 1>;

struct Joint {
  JointKind kind;
  std::uint32_t a = kNone, b = kNone;  // bodies
  Vec3 anchorA = Vec3::Zero();         // m, from the centre of mass, body axes
  Vec3 anchorB = Vec3::Zero();
  std::optional<JointSpring> spring;
  std::optional<JointDrive> drive;
  double driveNow = 0.0;         // rad or m: where the drive wants the joint when the step begins
  double driveRate = 0.0;        // rad/s or m/s: mean over the step
  Quat rest = Quat::Identity();  // of B in A's axes when the joint was made: what a hinge's angle counts from
  bool bodiesCollide = false;
  bool alive = false;
  std::uint32_t generation = 0;

  std::array<double, kJointRows> impulse{};  // N s or N m s per System::impulseSeconds: where the next solve starts
  double error = 0.0;                        // m, as the last step left it; kept by the stepper "soft"
  // Of the last step, on B: sums over the step.
  std::array<double, kJointRows> totalRows{};  // N s or N m s per row
  Vec3 totalImpulse = Vec3::Zero();            // N s
  Vec3 totalAngularImpulse = Vec3::Zero();     // N m s
};

// One scalar condition: direction . (vB + wB x rB - vA - wA x rA) + turnB . wB - turnA . wA = 0, written out per body.
struct JointRow {
  Vec3 linear = Vec3::Zero();    // on B; A gets the opposite
  Vec3 angularA = Vec3::Zero();  // factor of wA
  Vec3 angularB = Vec3::Zero();  // factor of wB
  double error = 0.0;            // m or rad, to be driven to zero
  double rate = 0.0;             // m/s or rad/s: dC/dt of a constraint that time moves
  bool holonomic = true;         // false: a condition on velocities only, there is no error
};

double driveAt(const JointDrive& drive, double time);

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
