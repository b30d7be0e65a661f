// The free axes of a joint: how B can still move against A. An axis has a value (an angle or a length), a rate, and the
// Jacobian row of that rate:
//
//   rate = linear . (vB - vA) + angularA . wA + angularB . wB
//
// Whatever acts along an axis is a row on it with bounds on its impulse: limits, motors, dry friction. They are written
// once, for every kind of joint and every stepper.
//
//   ball       three turns: the rotation vector of B against A, in A's axes, zero as the joint was made
//   hinge      one turn about its axis, zero as the joint was made
//   distance   the length between the anchors, which the joint holds itself unless something drives it
//   fixed, wheel, skate: none (a wheel's and a skate's conditions are on velocities; they have no value)
#pragma once

#include <limits>
#include <vector>

#include "dynamics/joint.hpp"

namespace cairn {

inline constexpr int kMostJointAxes = 3;

struct JointAxis {
  Vec3 linear = Vec3::Zero();
  Vec3 angularA = Vec3::Zero(), angularB = Vec3::Zero();
  double value = 0.0;  // rad or m
  bool turns = false;  // it is an angle
};

// Returns how many there are.
int jointAxes(const Joint& joint, const Pose& a, const Pose& b /* centres of mass */,
              std::array<JointAxis, kMostJointAxes>& axes);

// A row on an axis. Its impulse is between `lower` and `upper`; a limit's row is complementary to its gap.
struct AxisRow {
  JointAxis axis;  // a positive impulse acts along it; of an upper limit it is turned round
  AxisForce force = AxisForce::Motor;
  int index = 0;       // of the axis
  double gap = 0.0;    // m or rad, of a limit: negative beyond it
  double speed = 0.0;  // m/s or rad/s along the axis that a motor wants; friction wants 0
  double lower = 0.0, upper = std::numeric_limits<double>::infinity();  // N s or N m s

  bool isLimit() const { return force == AxisForce::LowerLimit || force == AxisForce::UpperLimit; }
};

// The rows of a joint's `forces` for a step of dt (s). None for joints without any.
void axisRows(const Joint& joint, const Pose& a, const Pose& b, double dt, std::vector<AxisRow>& rows);

}  // namespace cairn
