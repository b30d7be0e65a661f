// The free axes of a joint: how B can still move against A. An axis has a value (an angle or a length), a rate, and the
// Jacobian row of that rate:
//
//   rate = linear . (vB - vA) + pullA . vA + angularA . wA + angularB . wB
//
// Whatever acts along an axis is a row on it with bounds on its impulse: limits, motors, dry friction, springs. They are
// written once, for every kind of joint and every stepper. Which axes a kind has is in cairn/joint.hpp. Values are zero as
// the joint was made, save for lengths; angles count whole turns from Joint::turns on. Wheels (that roll) and skates are
// conditions on velocities; they have no axes.
//
// Joints between things that move against the world (gears, racks, pulleys) and screws hold a sum of their axes.
#pragma once

#include <limits>
#include <vector>

#include "dynamics/joint.hpp"

namespace cairn {

struct JointAxis {
  Vec3 linear = Vec3::Zero();
  Vec3 angularA = Vec3::Zero(), angularB = Vec3::Zero();
  double value = 0.0;  // rad or m
  bool turns = false;  // it is an angle
  Vec3 pullA = Vec3::Zero();

  double rate(const Vec3& velocityA, const Vec3& spinA, const Vec3& velocityB, const Vec3& spinB) const {
    return linear.dot(velocityB - velocityA) + pullA.dot(velocityA) + angularA.dot(spinA) + angularB.dot(spinB);
  }
};
// first a + second b
JointAxis sumOf(double first, const JointAxis& a, double second, const JointAxis& b);

// Returns how many there are. `elapsed`: s since the step began, for angles that count turns.
int jointAxes(const Joint& joint, const Pose& a, const Pose& b /* centres of mass */,
              std::array<JointAxis, kMostJointAxes>& axes, double elapsed = 0.0);

int axisCount(const JointKind& kind);
// Whether a motor or a spring may act on that axis: it is not one that the joint holds.
bool isFree(const JointKind& kind, int axis);
// Whether Joint::turns is kept up for it.
bool countsTurns(const JointKind& kind);
// After a step of dt: turns and rates of what counts them.
void countTurns(Joint& joint, const Body& a, const Body& b, double dt);

// What is at an end of a joint, as axisRows sees it.
struct AxisEnd {
  Pose pose;  // centre of mass
  Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
  double inverseMass = 0.0;
  Mat3 inverseInertia = Mat3::Zero();  // world axes
};

// A row on an axis. Its impulse is between `lower` and `upper`, and
//   rate - speed + pull + compliance impulse = 0    within them;   of a limit, rate + bias(gap) >= 0 besides.
struct AxisRow {
  JointAxis axis;  // a positive impulse acts along it; of an upper limit it is turned round
  AxisForce force = AxisForce::Motor;
  int index = 0;       // of the axis
  double gap = 0.0;    // m or rad, of a limit: negative beyond it
  double speed = 0.0;  // m/s or rad/s along the axis that a motor wants; friction wants 0
  double pull = 0.0;   // m/s or rad/s, of springs and motors by position
  double compliance = 0.0;  // 1/kg or 1/(kg m^2)
  double lower = 0.0, upper = std::numeric_limits<double>::infinity();  // N s or N m s

  bool isLimit() const { return force == AxisForce::LowerLimit || force == AxisForce::UpperLimit; }
  bool isBounded() const { return std::isfinite(lower) || std::isfinite(upper); }
};

// The rows of a joint's `forces` for a step of dt (s). None for joints without any. With dt = 0: what acts in no time, that
// is limits and armature.
void axisRows(const Joint& joint, const AxisEnd& a, const AxisEnd& b, double dt, std::vector<AxisRow>& rows,
              double elapsed = 0.0);

}  // namespace cairn
