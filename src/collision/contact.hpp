// Pairs of colliders whose fat boxes overlap, and the contacts of those that (nearly) touch. Contacts live from step to step:
// they carry the impulses that start the next solve. Lengths and impulses are relative to the pair, so single precision does.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collision/collider.hpp"
#include "collision/manifold.hpp"

namespace cairn {

using Float3 = Eigen::Vector3f;

struct ContactPoint {
  Float3 anchorA = Float3::Zero();  // m, from A's centre of mass, world axes
  Float3 anchorB = Float3::Zero();  // m, from B's centre of mass, world axes
  float separation = 0.0f;          // m
  float normalImpulse = 0.0f;       // N s per substep: where the next solve starts
  float totalImpulse = 0.0f;        // N s over the last step
  std::uint32_t feature = 0;
  bool isOld = false;               // it was there in the last step too
};

struct Contact {
  std::uint32_t colliderA = kNone, colliderB = kNone;
  std::uint32_t bodyA = kNone, bodyB = kNone;
  int count = 0;
  Float3 normal = Float3::UnitZ();               // from A to B
  Float3 frictionImpulse = Float3::Zero();       // N s per substep, on B
  float twistImpulse = 0.0f;                     // N m s per substep, on B about the normal
  Float3 totalFriction = Float3::Zero();         // N s over the last step
  float totalTwist = 0.0f;
  float approachSpeed = 0.0f;                    // m/s at the beginning of the step
  float friction = 0.0f, restitution = 0.0f;
  float stiffness = 0.0f, damping = 0.0f;        // N/m, N s/m; 0: not stated
  bool touching = false;                         // in the last step
  bool began = false;                            // it touches since the last step
  std::array<ContactPoint, kManifoldPoints> points;
};

struct Pair {
  std::uint32_t a = kNone, b = kNone;   // colliders, a < b
  std::uint32_t contact = kNone;        // slot in ContactCache, if the two are close
  std::uint64_t key() const { return (std::uint64_t{a} << 32) | b; }
};

// Slots for contacts. A slot stays where it is while the pair stays close.
struct ContactCache {
  std::vector<Contact> slots;
  std::vector<std::uint32_t> freeSlots;

  std::uint32_t acquire() {
    if (freeSlots.empty()) {
      slots.emplace_back();
      return static_cast<std::uint32_t>(slots.size() - 1);
    }
    const std::uint32_t slot = freeSlots.back();
    freeSlots.pop_back();
    return slot;
  }
  void release(std::uint32_t slot) {
    slots[slot] = Contact{};
    freeSlots.push_back(slot);
  }
};

}  // namespace cairn
