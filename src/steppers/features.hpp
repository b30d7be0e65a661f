// What a world asks of its stepper, and which steppers can do it: one table instead of a check in each of them.
#pragma once

#include <optional>
#include <string>

#include "dynamics/system.hpp"

namespace cairn {

enum class Feature : std::uint8_t {
  Friction,
  StaticFriction,     // unlike the dynamic one
  EllipticFriction,   // a direction of its own
  PatchFriction,      // Contensou
  RollingResistance,  // and spinning
  Restitution,
  PoissonImpact,
  StrongeImpact,
  ChatterjeeRuinaImpact,
  ContactStiffness,
  Joints,
  JointSprings,
  DrivenJoints,   // rheonomic
  RollingJoints,  // non-holonomic: wheels and skates
  JointElimination,
  JointLimits,
  JointMotors,   // by velocity, and dry friction on axes
  AxisSprings,   // springs, armature, limits that give, motors by position
  WorldJoints,   // gears, racks, pulleys: each body against the world
  Kinematic,
  Locks,
  Articulations,  // reduced coordinates
};
inline constexpr int kFeatureCount = 22;
std::string_view nameOf(Feature feature);

using FeatureBits = std::uint32_t;
constexpr FeatureBits bit(Feature feature) { return FeatureBits{1} << static_cast<int>(feature); }

// What the stepper of that name takes.
FeatureBits featuresOf(std::string_view stepper);
// The names of the steppers that take all of these, with commas.
std::string steppersWith(FeatureBits features);

// What the world needs, and for each of that the first body or joint that asks for it.
struct Needs {
  FeatureBits bits = 0;
  struct Source {
    std::uint32_t body = kNone, joint = kNone;
  };
  std::array<Source, kFeatureCount> sources{};
};
Needs needsOf(const System& system, const WorldSettings& settings);

}  // namespace cairn
