// A joint as the engine keeps it. Its rows are in mechanics/joint_rows.hpp, its free axes in mechanics/joint_axis.hpp.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "cairn/joint.hpp"
#include "dynamics/body.hpp"

namespace cairn {

inline constexpr int kJointRows = 6;
using JointVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kJointRows, 1>;

// What can act along a free axis of a joint.
enum class AxisForce : std::uint8_t { LowerLimit, UpperLimit, Motor, Friction, Spring };
inline constexpr int kAxisForces = 5;
inline constexpr int kMostJointAxes = 6;

struct AxisForces {
  double lowest = -std::numeric_limits<double>::infinity();  // m or rad: where the axis ends
  double highest = std::numeric_limits<double>::infinity();
  double limitStiffness = 0.0;  // N/m or N m/rad; 0: it does not give
  double limitDamping = 0.0;    // N s/m or N m s/rad
  MotorKind motorKind = MotorKind::Velocity;
  double motorSpeed = 0.0;        // m/s or rad/s that a motor by velocity wants
  double motorTarget = 0.0;       // m or rad that a motor by position wants; N or N m of one by effort
  double motorEffort = 0.0;       // N or N m, at most; 0: there is no motor
  double motorStiffness = 0.0;    // N/m or N m/rad, of motors by position
  double motorBase = 0.0;              // the target without `motorKeys`
  std::vector<std::array<double, 2>> motorKeys;
  std::optional<double> motorDamping;  // N s/m or N m s/rad; unset: critical
  double friction = 0.0;          // N or N m, dry, at most
  double springStiffness = 0.0, springDamping = 0.0, springRest = 0.0;
  double armature = 0.0;  // kg or kg m^2
  // N s or N m s, by AxisForce: where the next solve starts, and sums over the last step.
  std::array<double, kAxisForces> impulse{}, total{};

  bool hasSpring() const { return springStiffness > 0.0 || springDamping > 0.0 || armature > 0.0; }
  bool hasLimits() const { return std::isfinite(lowest) || std::isfinite(highest); }
};

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
  Pose startA, startB;           // centres of mass when the joint was made, for kinds that measure against the world
  bool bodiesCollide = false;
  bool alive = false;    // and enabled: what steppers look at
  bool exists = false;   // its id is valid, enabled or not
  bool broken = false;
  double breakForce = std::numeric_limits<double>::infinity();   // N
  double breakTorque = std::numeric_limits<double>::infinity();  // N m
  std::uint32_t generation = 0;
  std::shared_ptr<const class JointCurve> curve;  // of a CurveJoint, from A's centre of mass
  std::vector<AxisForces> forces;  // by axis; empty: nothing acts along any
  // Angles of axes that count turns, and places on curves: values when the step begins (of curves the parameter), and rates.
  std::array<double, kMostJointAxes> turns{}, turnRates{};

  std::array<double, kJointRows> impulse{};  // N s or N m s per System::impulseSeconds: where the next solve starts
  double error = 0.0;                        // m, as the last step left it; kept by the stepper "soft"
  // Of the last step, on B: sums over the step.
  std::array<double, kJointRows> totalRows{};  // N s or N m s per row
  Vec3 totalImpulse = Vec3::Zero();            // N s
  Vec3 totalAngularImpulse = Vec3::Zero();     // N m s
};

double driveAt(const JointDrive& drive, double time);
// Of keys of time and value: straight between them, constant outside; 0 if there are none.
double valueAt(const std::vector<std::array<double, 2>>& keys, double time);

}  // namespace cairn
