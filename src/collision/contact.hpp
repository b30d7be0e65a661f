// Pairs of colliders whose fat boxes overlap, and the contacts of those that (nearly) touch. Contacts live from step to
// step: they carry the impulses that start the next solve. Lengths and impulses are relative to the pair, so single
// precision does.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/growth.hpp"
#include "collision/kept_manifold.hpp"

namespace cairn {

struct ContactPoint {
  Float3 anchorA = Float3::Zero();  // m, from A's centre of mass, world axes
  Float3 anchorB = Float3::Zero();  // m, from B's centre of mass, world axes
  float separation = 0.0f;          // m
  float normalImpulse = 0.0f;       // N s per System::impulseSeconds: where the next solve starts
  float totalImpulse = 0.0f;        // N s over the last step
  std::uint32_t feature = 0;
};

struct Contact {
  std::uint32_t colliderA = kNone, colliderB = kNone;
  std::uint32_t bodyA = kNone, bodyB = kNone;
  std::uint8_t count = 0;
  std::uint8_t oldPoints = 0;               // bit per point: it was there in the last step too
  bool touching = false;                    // in the last step
  bool began = false;                       // it touches since the last step
  Float3 normal = Float3::UnitZ();          // from A to B
  Float3 frictionImpulse = Float3::Zero();  // N s per System::impulseSeconds, on B
  float twistImpulse = 0.0f;                // N m s likewise, on B about the normal
  Float3 totalFriction = Float3::Zero();    // N s over the last step
  float totalTwist = 0.0f;
  float approachSpeed = 0.0f;  // m/s at the beginning of the step
  float friction = 0.0f, restitution = 0.0f;
  float stiffness = 0.0f, damping = 0.0f;  // N/m, N s/m; 0: not stated
  std::array<ContactPoint, kManifoldPoints> points;
};

// Who touches whom: what is left to say of a contact that has ended.
struct ContactParties {
  ShapeId shapeA, shapeB;
  BodyId bodyA, bodyB;
  Float3 normal = Float3::Zero();
};

inline ContactParties partiesOf(const Contact& contact, const std::vector<Collider>& colliders) {
  const Collider& a = colliders[contact.colliderA];
  const Collider& b = colliders[contact.colliderB];
  return {{contact.colliderA, a.generation},
          {contact.colliderB, b.generation},
          {a.body, a.bodyGeneration},
          {b.body, b.bodyGeneration},
          contact.normal};
}

struct Pair {
  std::uint32_t a = kNone, b = kNone;  // colliders, a < b
  std::uint32_t contact = kNone;       // slot in ContactCache, if the two are close
  float quietUntil = 0.0f;             // m: they cannot touch before Collider::travel of the two adds up to this
  std::uint64_t key() const { return (std::uint64_t{a} << 32) | b; }
};

// Slots for contacts. A slot stays where it is while the pair stays close.
struct ContactCache {
  std::vector<Contact> slots;
  std::vector<KeptManifold> kept;  // by slot: apart, because only the narrow phase looks at them
  std::vector<std::uint32_t> freeSlots;

  std::uint32_t acquire() {
    if (freeSlots.empty()) {
      makeRoom(slots, slots.size() + 1);
      slots.emplace_back();
      makeRoom(kept, slots.size());
      kept.resize(slots.size());
      return static_cast<std::uint32_t>(slots.size() - 1);
    }
    const std::uint32_t slot = freeSlots.back();
    freeSlots.pop_back();
    return slot;
  }
  // What manifolds depend on has changed: none is kept.
  void forgetManifolds() {
    for (KeptManifold& one : kept) one.margin = -1.0f;
  }
  void release(std::uint32_t slot) {
    slots[slot] = Contact{};
    kept[slot] = KeptManifold{};
    freeSlots.push_back(slot);
  }
};

}  // namespace cairn
