// A joint as the engine keeps it. Its rows are in mechanics/joint_rows.hpp, its free axes in mechanics/joint_axis.hpp.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "cairn/joint.hpp"
#include "dynamics/body.hpp"

namespace cairn {

inline constexpr int kJointRows = 6;
using JointVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kJointRows, 1>;

// What can act along a free axis of a joint.
enum class AxisForce : std::uint8_t { LowerLimit, UpperLimit, Motor, Friction };
inline constexpr int kAxisForces = 4;

struct AxisForces {
  double lowest = -std::numeric_limits<double>::infinity();  // m or rad: where the axis ends
  double highest = std::numeric_limits<double>::infinity();
  double motorSpeed = 0.0;   // m/s or rad/s that a motor wants
  double motorEffort = 0.0;  // N or N m, at most; 0: there is no motor
  double friction = 0.0;     // N or N m, dry, at most
  // N s or N m s, by AxisForce: where the next solve starts, and sums over the last step.
  std::array<double, kAxisForces> impulse{}, total{};
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
  bool bodiesCollide = false;
  bool alive = false;
  std::uint32_t generation = 0;
  std::vector<AxisForces> forces;  // by axis; empty: nothing acts along any

  std::array<double, kJointRows> impulse{};  // N s or N m s per System::impulseSeconds: where the next solve starts
  double spareEnergy = 0.0;                  // J that its tree of joints lost lately, see soft/tree/soft_tree.hpp
  double error = 0.0;                        // m, as the last step left it; kept by the stepper "soft"
  // Of the last step, on B: sums over the step.
  std::array<double, kJointRows> totalRows{};  // N s or N m s per row
  Vec3 totalImpulse = Vec3::Zero();            // N s
  Vec3 totalAngularImpulse = Vec3::Zero();     // N m s
};

double driveAt(const JointDrive& drive, double time);

}  // namespace cairn
