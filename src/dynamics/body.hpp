// A rigid body as the engine keeps it: double precision, about its centre of mass, world axes unless said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/body.hpp"
#include "collision/collider.hpp"

namespace cairn {

// Seven lines of a cache, of which the first two have what is asked for most.
struct alignas(64) Body {
  Vec3 center = Vec3::Zero();        // m, centre of mass
  double inverseMass = 0.0;          // 1/kg; here because there would be a hole
  Quat rotation = Quat::Identity();  // body's frame to world
  Vec3 velocity = Vec3::Zero();      // m/s
  Vec3 spin = Vec3::Zero();          // rad/s
  std::uint32_t island = kNone;      // as of the last step
  BodyKind kind = BodyKind::Static;
  bool alive = false;
  bool awake = true;
  bool quarantined = false;
  std::uint8_t lockedPosition = 0;  // bit per world axis: it does not move along it
  std::uint8_t lockedRotation = 0;  // bit per world axis: it does not turn about it
  Vec3 force = Vec3::Zero();        // N, for the next step
  Vec3 torque = Vec3::Zero();       // N m, for the next step

  Vec3 localCenter = Vec3::Zero();  // m, centre of mass in the body's frame
  double mass = 0.0;                // kg; 0 if it cannot be moved
  Mat3 inertia = Mat3::Zero();      // kg m^2, body axes
  Mat3 inverseInertia = Mat3::Zero();
  double anisotropy = 0.0;  // of the principal moments: 0 for a ball, towards 1 for a needle
  float size = 0.0f;        // m: a radius that most of it is within
  float thickness = 0.0f;   // m: how thick it is, as if it were a box
  double gravityScale = 1.0;
  double linearDamping = 0.0;   // 1/s
  double angularDamping = 0.0;  // 1/s
  double stillSeconds = 0.0;    // s, how long it has been slow enough to sleep

  std::uint32_t generation = 0;
  std::uint32_t firstCollider = kNone;
  std::uint32_t extras = kNone;     // in System::extras, for the few bodies that have any
  std::uint32_t mechanism = kNone;  // in System::mechanisms, if it is a link of one
  bool canSleep = true;

  bool isDynamic() const { return kind == BodyKind::Dynamic && !quarantined; }
  bool moves() const { return alive && awake && !quarantined && kind != BodyKind::Static; }
  Pose pose() const { return {center - rotation * localCenter, rotation}; }
};

// v without the components whose bits are set.
inline Vec3 without(const Vec3& v, std::uint8_t bits) {
  return {(bits & 1) != 0 ? 0.0 : v.x(), (bits & 2) != 0 ? 0.0 : v.y(), (bits & 4) != 0 ? 0.0 : v.z()};
}

// What only few bodies have.
struct BodyExtras {
  Drag drag{};
  Locks locks{};
  std::optional<Trajectory> trajectory{};
  Pose home{};  // of the body's frame when it was made: what a trajectory without keys swings about
};

}  // namespace cairn
