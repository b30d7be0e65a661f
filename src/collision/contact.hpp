// Pairs of colliders whose fat boxes overlap, and the contacts of those that (nearly) touch. Contacts live from step to
// step: they carry the impulses that start the next solve. Lengths and impulses are relative to the pair, so single
// precision does.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/growth.hpp"
#include "collision/kept_manifold.hpp"
#include "collision/resting_contacts.hpp"
#include "collision/touch.hpp"

namespace cairn {

struct ContactPoint {
  Float3 anchor = Float3::Zero();  // m, on the surface of one of the two: see Contact::anchorA
  float separation = 0.0f;         // m
  float normalImpulse = 0.0f;      // N s per System::impulseSeconds: where the next solve starts
  float totalImpulse = 0.0f;       // N s over the last step
};

// Three lines of a cache, of which the first two have all that a single point needs.
struct alignas(64) Contact {
  std::uint32_t colliderA = kNone, colliderB = kNone;
  std::uint32_t bodyA = kNone, bodyB = kNone;
  std::uint8_t count = 0;
  std::uint8_t oldPoints = 0;  // bit per point: it was there in the last step too
  bool centralA : 1 = false;   // the normal goes through A's centre of mass wherever A is touched: it is a ball
  bool centralB : 1 = false;
  bool mixed : 1 = false;       // friction and the like are those of the two materials as they are now
  bool anchorsOnB : 1 = false;  // anchors are from B's centre of mass: it is the nearer one
  bool special : 1 = false;     // it may bounce, or has a stiffness of its own
  // What the two shapes are to each other does not tell all of it: neighbours had a say, or it is a patch of many triangles.
  bool isWhole : 1 = false;
  // Eight numbers that wide::fill takes up at once, then three that it takes with whatever follows.
  Float3 normal = Float3::UnitZ();  // from A to B
  Float3 between = Float3::Zero();  // m: from B's centre of mass to A's
  float friction = 0.0f;
  float twistImpulse = 0.0f;                // N m s per System::impulseSeconds, on B about the normal
  Float3 frictionImpulse = Float3::Zero();  // N s likewise, on B
  float approachSpeed = 0.0f;               // m/s at the beginning of the step
  float totalTwist = 0.0f;                  // N m s over the last step
  Float3 totalFriction = Float3::Zero();    // N s over the last step
  std::array<ContactPoint, kManifoldPoints> points;
  float restitution = 0.0f;
  float stiffness = 0.0f, damping = 0.0f;  // N/m, N s/m; 0: not stated

  bool touches() const {
    return std::any_of(points.begin(), points.begin() + count,
                       [](const ContactPoint& point) { return point.totalImpulse > 0.0f || point.separation <= 0.0f; });
  }

  // Where a point is on each body's own surface: m, from its centre of mass, world axes. Half way across a wide gap the
  // lever arms of friction would be far longer than the bodies. The one from the nearer centre is stored, so that a pebble
  // on a continent has its arm to all digits.
  Float3 anchorA(int i) const { return anchorsOnB ? Float3(points[i].anchor - across(i)) : points[i].anchor; }
  Float3 anchorB(int i) const { return anchorsOnB ? points[i].anchor : Float3(points[i].anchor + across(i)); }

 private:
  Float3 across(int i) const { return between + points[i].separation * normal; }
};

static_assert(sizeof(Contact) == 3 * 64);
static_assert(offsetof(Contact, points) + sizeof(ContactPoint) <= 2 * 64);

// For prefetch(): what there is of a contact of so many points.
constexpr std::size_t bytesOfContact(int points) { return points == 1 ? 2 * 64 : sizeof(Contact); }

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

// How a contact touches: bits.
struct Touch {
  static constexpr std::uint8_t kNow = 1;    // as the stepper left it
  static constexpr std::uint8_t kTold = 2;   // and users of the world are told so
  static constexpr std::uint8_t kBegan = 4;  // since the last step
  static constexpr std::uint8_t kFresh = 8;  // the slot was handed out since a stepper last took note of it
  static constexpr std::uint8_t kBond = 16;  // it holds its island together: see dynamics/islands.cpp
  static constexpr std::uint8_t kTouching = kNow | kTold | kBegan;
};

struct Pair {
  std::uint32_t a = kNone, b = kNone;  // colliders, a < b
  std::uint32_t contact = kNone;       // first of its slots in ContactCache, if the two are close
  float quietUntil = 0.0f;             // m: they cannot touch before Collider::travel of the two adds up to this
  std::uint64_t key() const { return (std::uint64_t{a} << 32) | b; }
};

// Slots for contacts. A slot stays what it is within a step, while the pair stays close.
struct ContactCache {
  struct Ends {
    std::uint32_t a = kNone, b = kNone;  // bodies
  };
  // A pair has a contact for each pair of children that are close: a list, in the order of the children.
  struct Link {
    std::uint32_t next = kNone;  // slot
    Children children{};
    bool seen = false;  // in this step: see narrow_phase.cpp
  };
  std::vector<Contact> slots;
  std::vector<Ends> ends;          // by slot: apart, for those who ask for no more than who touches whom
  std::vector<KeptManifold> kept;  // by slot: apart, because only the narrow phase looks at them
  std::vector<Link> links;         // by slot
  std::size_t chained = 0;         // contacts that are not the first of their pair: 0 while all shapes are convex
  RestingContacts resting;         // by slot
  // By slot: bits of Touch. Steppers that have set kNow where it is true, and taken it away where it is not, say so.
  std::vector<std::uint8_t> touch;
  bool knowsTouch = false;
  std::vector<std::uint32_t> freeSlots;
  std::vector<std::uint32_t> inUse;  // slots in the order of their pairs, as the narrow phase left them
  bool isListed = false;             // that list is true: no slot was handed out or taken back since
  std::vector<std::uint32_t> begun;  // slots that were handed out since islands were last found
  bool bondBroke = false;            // one that held an island together was taken back since
  std::size_t newcomers = 0;         // slots that were handed out since arrange()
  std::uint64_t numbering = 0;       // how often slots were renumbered

  // A slot for the contact of two bodies. It has points from the narrow phase on, or is released again.
  std::uint32_t acquire(std::uint32_t bodyA, std::uint32_t bodyB) {
    const std::uint32_t slot = freeSlots.empty() ? newSlot() : freeSlots.back();
    if (!freeSlots.empty()) freeSlots.pop_back();
    slots[slot].bodyA = bodyA;
    slots[slot].bodyB = bodyB;
    ends[slot] = {bodyA, bodyB};
    touch[slot] = Touch::kFresh;
    begun.push_back(slot);
    ++newcomers;
    isListed = false;
    return slot;
  }
  // Calls use(slot) for the contacts of a pair. It may be released by that.
  template <class Use>
  void forEachOf(const Pair& pair, Use&& use) const {
    for (std::uint32_t slot = pair.contact; slot != kNone;) {
      const std::uint32_t next = links[slot].next;
      use(slot);
      slot = next;
    }
  }
  // Among the contacts from `first` on: the one of these children, or kNone.
  std::uint32_t find(std::uint32_t first, Children children) const {
    while (first != kNone && links[first].children != children) first = links[first].next;
    return first;
  }
  // Which point of a contact has this feature; -1: none.
  int pointOf(std::uint32_t slot, std::uint32_t feature) const {
    for (int i = 0; i < slots[slot].count; ++i)
      if (kept[slot].features[i] == feature) return i;
    return -1;
  }
  // A new contact for the pair, in its list. The pair has none of these children.
  std::uint32_t acquire(Pair& pair, Children children, std::uint32_t bodyA, std::uint32_t bodyB);
  // Takes a contact out of its pair's list and releases it.
  void release(Pair& pair, std::uint32_t slot);
  // Said by steppers that know. Mostly it is what it was: then others may go on reading it.
  void note(std::uint32_t slot, bool rests, bool touches) {
    resting.set(slot, rests);
    if (((touch[slot] & Touch::kNow) != 0) != touches) touch[slot] ^= Touch::kNow;
  }
  // Once many of a large number of contacts are new, renumbers the slots in the order of their pairs: whoever goes through
  // pairs then goes through memory from one end to the other. Slots that are far too many are given back. Returns which slot
  // each of them was, or nothing if all are what they were.
  std::vector<std::uint32_t> arrange(std::vector<Pair>& pairs);
  // What manifolds depend on has changed: none is kept.
  void forgetManifolds() {
    for (KeptManifold& one : kept) one.margin = -1.0f;
    for (Contact& one : slots) one.mixed = false;
    resting.withdraw();
  }
  void release(std::uint32_t slot) {
    bondBroke |= (touch[slot] & Touch::kBond) != 0;
    slots[slot] = Contact{};
    kept[slot] = KeptManifold{};
    links[slot] = Link{};
    resting.set(slot, false);
    touch[slot] = 0;
    freeSlots.push_back(slot);
    isListed = false;
  }

 private:
  // Calls use(table) for all that go by slot, save for `slots` and `kept`.
  template <class Use>
  void forSmallTables(Use&& use) {
    use(ends);
    use(links);
    use(resting.table());
    use(touch);
  }
  std::uint32_t newSlot() {
    const std::size_t count = slots.size() + 1;
    resizeGently(slots, count);
    resizeGently(kept, count);
    forSmallTables([count](auto& table) { resizeGently(table, count); });
    return static_cast<std::uint32_t>(count - 1);
  }
};

}  // namespace cairn
