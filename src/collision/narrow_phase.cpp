#include "collision/narrow_phase.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/fetch_ahead.hpp"
#include "base/stop.hpp"
#include "collision/carry_over.hpp"

namespace cairn {

namespace {

constexpr std::size_t kPairGrain = 128, kBegunGrain = 8;
enum Mark : std::uint8_t { kSomeBegin = 1, kSomeEnd = 2 };  // what is to be done in a piece of the table of pairs
constexpr std::size_t kAhead = 24;            // pairs: what belongs to them is asked for before they have their turn
constexpr std::uint32_t kWanted = kNone - 1;  // a pair that is to get a contact slot
// Something can come of this pair now: a body that contacts can move is awake, or a sleeping one is being driven into.
bool isLive(const ColliderGate& a, const ColliderGate& b) { return (a.dynamic || b.dynamic) && (a.active || b.active); }

double margin(const Collider& a, const Collider& b, const NarrowPhaseInput& input) {
  return contactMargin(a, b, input.speculativeDistance, input.dt);
}

// As a float that is not larger.
float roundedDown(double x) { return std::nextafter(static_cast<float>(x), -std::numeric_limits<float>::infinity()); }

// How far apart two boxes are along the axis that separates them most; negative if they overlap.
double distanceOf(const Aabb& a, const Aabb& b) { return (b.lower - a.upper).cwiseMax(a.lower - b.upper).maxCoeff(); }

// Whether a pair without a contact needs one. A pair that was apart is not looked at again until its two shapes could have
// come together. Most boxes that overlap belong to shapes that do not touch, and a slot for each would cost more memory than
// everything else.
bool wantsContact(Pair& pair, const NarrowPhaseInput& input, Manifold& manifold) {
  const ColliderGate& gateA = input.gates[pair.a];
  const ColliderGate& gateB = input.gates[pair.b];
  const double travelled = gateA.travel + gateB.travel;
  // The margin is no more than the two reaches, and these are at hand.
  if (travelled + input.speculativeDistance + gateA.reach + gateB.reach < pair.quietUntil) return false;
  if (!isLive(gateA, gateB)) return false;
  const Collider& a = input.colliders[pair.a];
  const Collider& b = input.colliders[pair.b];
  const double distance = margin(a, b, input);
  if (travelled + distance < pair.quietUntil) return false;
  const bool balls = a.shape.type == ShapeType::Sphere && b.shape.type == ShapeType::Sphere;  // as quick as boxes
  double clearance = balls ? 0.0 : distanceOf(boundingBox(a.shape, a.pose), boundingBox(b.shape, b.pose));
  if (clearance <= distance) {
    touchChildren(a.shape, a.pose, b.shape, b.pose, {}, distance, manifold);
    if (manifold.count > 0) return true;
    clearance = std::max(clearance, manifold.clearance);
  }
  pair.quietUntil = roundedDown(travelled + clearance);
  return false;
}

// The combined properties of two surfaces. Those of the last two are remembered: mostly, the next two are alike.
class Mixture {
 public:
  void give(std::uint32_t a, std::uint32_t b, const NarrowPhaseInput& input, Contact& contact) {
    if (a != a_ || b != b_) {
      const Material mixed = mixMaterials(input.materials[a], input.materials[b], input.pairs);
      a_ = a;
      b_ = b;
      friction_ = static_cast<float>(mixed.friction);
      restitution_ = static_cast<float>(mixed.restitution);
      stiffness_ = static_cast<float>(mixed.stiffness.value_or(0.0));
      damping_ = static_cast<float>(mixed.damping.value_or(0.0));
    }
    contact.mixed = true;
    contact.friction = friction_;
    contact.restitution = restitution_;
    contact.stiffness = stiffness_;
    contact.damping = damping_;
    contact.special = restitution_ > 0.0f || stiffness_ > 0.0f;
  }

 private:
  std::uint32_t a_ = kNone, b_ = kNone;
  float friction_ = 0.0f, restitution_ = 0.0f, stiffness_ = 0.0f, damping_ = 0.0f;
};

// What it takes to bring contacts up to date.
struct Workplace {
  Manifold manifold;
  MovedManifold moved;
  Mixture mixture;
};

// Writes a new manifold over a contact. False if it has no points.
bool writeManifold(std::uint32_t slot, const Manifold& manifold, const Collider& a, const Collider& b, ContactCache& cache,
                   const NarrowPhaseInput& input, Mixture& mixture) {
  Contact& contact = cache.slots[slot];
  KeptManifold& kept = cache.kept[slot];
  const Vec3& centerA = input.places[contact.bodyA].center;
  const Vec3& centerB = input.places[contact.bodyB].center;
  mixture.give(a.material, b.material, input, contact);
  contact.centralA = input.gates[contact.colliderA].ball > 0.0;
  contact.centralB = input.gates[contact.colliderB].ball > 0.0;
  if (carryOverSingle(contact, manifold, kept, centerA, centerB)) return true;
  carryOver(contact, manifold, kept, centerA, centerB, static_cast<float>(std::min(a.radius, b.radius)));
  return contact.count > 0;
}

// The contact of two convex shapes. False if they are no longer close: it has no points.
bool updateContact(const Pair& pair, ContactCache& cache, const NarrowPhaseInput& input, Workplace& work) {
  const ColliderGate& gateA = input.gates[pair.a];
  const ColliderGate& gateB = input.gates[pair.b];
  if (!isLive(gateA, gateB)) return true;  // asleep: the contact stays as it is
  if (cache.resting[pair.contact]) {
    if (!gateA.edited && !gateB.edited) return true;
    cache.resting.set(pair.contact, false);
  }
  Contact& contact = cache.slots[pair.contact];
  const Placement& placeA = input.places[contact.bodyA];
  const Placement& placeB = input.places[contact.bodyB];
  if (gateA.ball > 0.0 && gateB.ball > 0.0 && !gateA.edited && !gateB.edited &&
      moveBalls(contact, gateA.ball, placeA.center, gateB.ball, placeB.center, input.speculativeDistance))
    return true;
  const Collider& a = input.colliders[pair.a];
  const Collider& b = input.colliders[pair.b];
  KeptManifold& kept = cache.kept[pair.contact];
  const bool keeps = gateA.flat && gateB.flat;
  // The margin is no more than the two reaches, and these are at hand.
  double distance = input.speculativeDistance + gateA.reach + gateB.reach;
  if (keeps && !kept.isGoodFor(distance)) distance = margin(a, b, input);
  if (keeps && kept.isGoodFor(distance) &&
      moveManifold(kept, contact.count, std::min(gateA.radius, gateB.radius), placeA, placeB, work.moved)) {
    keepPoints(contact, work.moved);
    return true;
  }
  distance = margin(a, b, input);
  touchChildren(a.shape, a.pose, b.shape, b.pose, {}, distance, work.manifold);
  if (keeps) rememberManifold(placeA, placeB, distance, work.manifold, kept);
  return writeManifold(pair.contact, work.manifold, a, b, cache, input, work.mixture);
}

// The contacts of a pair of which one shape is composite. Each is known by its children: it is updated if these still touch,
// and has no points if not. Children without a contact are appended to `wanted`. False if some contact has no points.
bool updateContacts(Pair& pair, std::uint32_t index, ContactCache& cache, const NarrowPhaseInput& input, Workplace& work,
                    std::vector<NarrowPhaseScratch::Wanted>& wanted) {
  const ColliderGate& gateA = input.gates[pair.a];
  const ColliderGate& gateB = input.gates[pair.b];
  if (!isLive(gateA, gateB)) return true;
  bool resting = pair.contact != kNone && !gateA.edited && !gateB.edited;
  cache.forEachOf(pair, [&](std::uint32_t slot) { resting = resting && cache.resting[slot]; });
  if (resting) return true;
  const Collider& a = input.colliders[pair.a];
  const Collider& b = input.colliders[pair.b];
  const double distance = margin(a, b, input), travelled = gateA.travel + gateB.travel;
  if (pair.contact == kNone && travelled + distance < pair.quietUntil) return true;
  cache.forEachOf(pair, [&](std::uint32_t slot) { cache.links[slot].seen = false, cache.resting.set(slot, false); });
  const std::size_t before = wanted.size();
  const double clearance =
      input.composites(a, b, nullptr, distance, work.manifold, [&](Children children, const Manifold& manifold) {
        const std::uint32_t slot = cache.find(pair.contact, children);
        if (slot == kNone) return wanted.push_back({index, children});
        cache.links[slot].seen = true;
        writeManifold(slot, manifold, a, b, cache, input, work.mixture);
      });
  if (pair.contact == kNone && wanted.size() == before) pair.quietUntil = roundedDown(travelled + clearance);
  bool whole = true;
  cache.forEachOf(pair, [&](std::uint32_t slot) {
    if (cache.links[slot].seen) return;
    cache.slots[slot].count = 0;
    whole = false;
  });
  return whole;
}

// The first manifold of a contact that there was none of.
void beginContact(std::uint32_t slot, ContactCache& cache, const NarrowPhaseInput& input, Workplace& work) {
  const Contact& contact = cache.slots[slot];
  if (!input.gates[contact.colliderA].composite && !input.gates[contact.colliderB].composite) {
    const Pair pair{contact.colliderA, contact.colliderB, slot};
    updateContact(pair, cache, input, work);
    return;
  }
  const Collider& a = input.colliders[contact.colliderA];
  const Collider& b = input.colliders[contact.colliderB];
  input.composites(
      a, b, &cache.links[slot].children, margin(a, b, input), work.manifold,
      [&](Children, const Manifold& manifold) { writeManifold(slot, manifold, a, b, cache, input, work.mixture); });
}

// Of pairs to come, before `end`: first the contact and what is known of its second collider, then what the contact points
// to.
void fetchContacts(const std::vector<Pair>& pairs, std::size_t now, std::size_t end, const ContactCache& cache,
                   const NarrowPhaseInput& input) {
  if (now + kAhead >= end) return;
  if (const Pair& ahead = pairs[now + kAhead]; ahead.contact != kNone) {
    if (!cache.resting[ahead.contact]) prefetch(cache.slots[ahead.contact]);
    prefetch(input.gates[ahead.b]);
  }
  const Pair& next = pairs[now + kAhead / 2];
  if (next.contact == kNone || cache.resting[next.contact]) return;
  prefetch(input.places[cache.slots[next.contact].bodyB]);
  if (input.gates[next.b].flat) prefetch(cache.kept[next.contact]);
}

}  // namespace

ColliderGate gateOf(const Collider& collider, double dt) {
  return {collider.travel,
          dt * (collider.velocity.norm() + collider.spinReach),
          collider.shape.type == ShapeType::Sphere && collider.centred ? collider.radius : 0.0,
          static_cast<float>(collider.radius),
          collider.dynamic,
          collider.active,
          isFlat(collider.shape),
          collider.stale,
          isComposite(collider.shape)};
}

double touchColliders(const Collider& a, const Collider& b, const Children* only, double margin, Manifold& room,
                      ManifoldVisitor visit) {
  if (only == nullptr) return touch(a.shape, a.pose, b.shape, b.pose, margin, room, visit);
  touchChildren(a.shape, a.pose, b.shape, b.pose, *only, margin, room);
  if (room.count > 0) visit(*only, room);
  return room.clearance;
}

double contactMargin(const Collider& a, const Collider& b, double speculativeDistance, double dt) {
  return speculativeDistance + dt * ((a.velocity - b.velocity).norm() + a.spinReach + b.spinReach);
}

Material mixMaterials(const Material& a, const Material& b, const std::vector<MaterialPair>& pairs) {
  for (const MaterialPair& pair : pairs)
    if ((pair.a == a.kind && pair.b == b.kind) || (pair.a == b.kind && pair.b == a.kind)) return pair.material;
  const auto series = [](const std::optional<double>& x, const std::optional<double>& y) -> std::optional<double> {
    if (x && y) return 1.0 / (1.0 / *x + 1.0 / *y);
    return x ? x : y;
  };
  Material mixed;
  mixed.friction = std::sqrt(a.friction * b.friction);
  if (a.staticFriction || b.staticFriction)
    mixed.staticFriction = std::sqrt(a.staticFriction.value_or(a.friction) * b.staticFriction.value_or(b.friction));
  if (a.crossFriction || b.crossFriction)
    mixed.crossFriction = std::sqrt(a.crossFriction.value_or(a.friction) * b.crossFriction.value_or(b.friction));
  mixed.patchRadius = std::max(a.patchRadius, b.patchRadius);
  mixed.rollingResistance = std::max(a.rollingResistance, b.rollingResistance);
  mixed.rollingForce = std::max(a.rollingForce, b.rollingForce);
  mixed.spinningResistance = std::max(a.spinningResistance, b.spinningResistance);
  mixed.restitution = std::max(a.restitution, b.restitution);
  mixed.tangentialRestitution = std::max(a.tangentialRestitution, b.tangentialRestitution);
  mixed.impact = std::max(a.impact, b.impact);
  mixed.stiffness = series(a.stiffness, b.stiffness);
  mixed.damping = series(a.damping, b.damping);
  return mixed;
}

void updateContacts(std::vector<Pair>& pairs, ContactCache& cache, const NarrowPhaseInput& input, const Tasks& tasks,
                    NarrowPhaseScratch& scratch, std::vector<ContactParties>& endings) {
  const std::size_t pieces = (pairs.size() + kPairGrain - 1) / kPairGrain;
  scratch.marks.assign(pieces, 0);
  scratch.contacts.assign(pieces + 1, 0);
  const bool anyComposite = input.anyComposite;
  if (anyComposite && scratch.wanted.size() < pieces) scratch.wanted.resize(pieces);
  cache.resting.begin();
  tasks.parallelFor(pairs.size(), kPairGrain, [&](std::size_t begin, std::size_t end) {
    Workplace work;
    std::uint8_t mark = 0;
    std::uint32_t count = 0;
    const std::size_t piece = begin / kPairGrain;
    if (anyComposite) scratch.wanted[piece].clear();
    for (std::size_t i = begin; i < end; ++i) {
      fetchContacts(pairs, i, end, cache, input);
      if (anyComposite && (input.gates[pairs[i].a].composite || input.gates[pairs[i].b].composite)) {
        cache.forEachOf(pairs[i], [&](std::uint32_t) { ++count; });
        if (!updateContacts(pairs[i], static_cast<std::uint32_t>(i), cache, input, work, scratch.wanted[piece]))
          mark |= kSomeEnd;
      } else if (pairs[i].contact != kNone) {
        ++count;
        if (!updateContact(pairs[i], cache, input, work)) mark |= kSomeEnd;
      } else if (wantsContact(pairs[i], input, work.manifold)) {
        pairs[i].contact = kWanted;
        mark |= kSomeBegin;
      }
    }
    if (anyComposite && !scratch.wanted[piece].empty()) mark |= kSomeBegin;
    scratch.marks[piece] = mark;
    scratch.contacts[piece + 1] = count;
  });

  // Slots are handed out and taken back one after another in pair order, so that which contact gets which does not depend on
  // threads. Only pieces of the table are looked at where there is something to do.
  const auto forMarked = [&](std::uint8_t mark, auto&& use) {
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      if ((scratch.marks[piece] & mark) == 0) continue;
      pollStop();
      for (std::size_t i = piece * kPairGrain; i < std::min((piece + 1) * kPairGrain, pairs.size()); ++i) use(i, piece);
    }
  };
  const auto begin = [&](Pair& pair, Children children, std::size_t piece) {
    scratch.begun.push_back(cache.acquire(pair, children, input.colliders[pair.a].body, input.colliders[pair.b].body));
    ++scratch.contacts[piece + 1];
  };
  scratch.begun.clear();
  forMarked(kSomeBegin, [&](std::size_t i, std::size_t piece) {
    if (pairs[i].contact != kWanted) return;
    pairs[i].contact = kNone;
    begin(pairs[i], {}, piece);
  });
  if (anyComposite)
    for (std::size_t piece = 0; piece < pieces; ++piece)
      for (const NarrowPhaseScratch::Wanted& one : scratch.wanted[piece]) begin(pairs[one.pair], one.children, piece);
  tasks.parallelFor(scratch.begun.size(), kBegunGrain, [&](std::size_t first, std::size_t last) {
    Workplace work;
    for (std::size_t i = first; i < last; ++i) beginContact(scratch.begun[i], cache, input, work);
  });
  forMarked(kSomeEnd, [&](std::size_t i, std::size_t piece) {
    cache.forEachOf(pairs[i], [&](std::uint32_t slot) {
      if (cache.slots[slot].count > 0) return;
      if ((cache.touch[slot] & Touch::kTold) != 0) endings.push_back(partiesOf(cache.slots[slot], input.colliders));
      cache.release(pairs[i], slot);
      --scratch.contacts[piece + 1];
    });
  });

  if (std::exchange(cache.isListed, true)) return;
  for (std::size_t piece = 1; piece <= pieces; ++piece) scratch.contacts[piece] += scratch.contacts[piece - 1];
  resizeGently(cache.inUse, scratch.contacts.back());
  tasks.parallelFor(pairs.size(), kPairGrain, [&](std::size_t first, std::size_t last) {
    std::uint32_t* to = cache.inUse.data() + scratch.contacts[first / kPairGrain];
    if (cache.chained > 0) {
      for (std::size_t i = first; i < last; ++i) cache.forEachOf(pairs[i], [&](std::uint32_t slot) { *to++ = slot; });
      return;
    }
    // Who has a contact follows no rule: without a branch on it, none is guessed wrong.
    std::array<std::uint32_t, kPairGrain> some;
    std::size_t count = 0;
    for (std::size_t i = first; i < last; ++i) {
      some[count] = pairs[i].contact;
      count += pairs[i].contact != kNone ? 1 : 0;
    }
    std::copy_n(some.begin(), count, to);
  });
}

}  // namespace cairn
