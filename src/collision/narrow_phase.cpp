#include "collision/narrow_phase.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/fetch_ahead.hpp"
#include "base/stop.hpp"

namespace cairn {

namespace {

constexpr std::size_t kPairGrain = 128, kBegunGrain = 8;
enum Mark : std::uint8_t { kSomeBegin = 1, kSomeEnd = 2 };  // what is to be done in a piece of the table of pairs
constexpr std::size_t kAhead = 24;            // pairs: what belongs to them is asked for before they have their turn
constexpr std::uint32_t kWanted = kNone - 1;  // a pair that is to get a contact slot
// A point without a twin by feature takes over the impulse of an old point this close to it.
constexpr float kMatchDistance = 0.01f;  // m
constexpr float kMatchShare = 0.05f;     // of the smaller body's radius, if that is less
// Impulses along a normal that turned by more than about 45 degrees say nothing about the new one.
constexpr float kSameNormal = 0.7f;

// Something can come of this pair now: a body that contacts can move is awake, or a sleeping one is being driven into.
bool isLive(const ColliderGate& a, const ColliderGate& b) { return (a.dynamic || b.dynamic) && (a.active || b.active); }

double margin(const Collider& a, const Collider& b, const NarrowPhaseInput& input) {
  return contactMargin(a, b, input.speculativeDistance, input.dt);
}

// Where the point is on the nearer body's surface.
Float3 anchorOf(const Contact& contact, const ManifoldPoint& from, const Vec3& normal, const Vec3& centerA,
                const Vec3& centerB) {
  const Vec3 half = 0.5 * from.separation * normal;
  const Vec3 anchor = contact.anchorsOnB ? Vec3(from.position + half - centerB) : Vec3(from.position - half - centerA);
  return anchor.cast<float>();
}

void placeContact(Contact& contact, const Manifold& manifold, const Vec3& centerA, const Vec3& centerB) {
  contact.normal = manifold.normal.cast<float>();
  contact.between = (centerA - centerB).cast<float>();
  const Vec3& place = manifold.points[0].position;
  contact.anchorsOnB = (place - centerB).squaredNorm() < (place - centerA).squaredNorm();
}

// The same single point as before, of curved shapes: its place is new, its impulse is not. False if it is not the same.
bool carryOverSingle(Contact& contact, const Manifold& manifold, const KeptManifold& kept, const Vec3& centerA,
                     const Vec3& centerB) {
  const ManifoldPoint& from = manifold.points[0];
  ContactPoint& to = contact.points[0];
  if (manifold.count != 1 || contact.count != 1 || from.feature != kept.features[0]) return false;
  const Float3 normal = manifold.normal.cast<float>();
  if (!(contact.normal.dot(normal) > kSameNormal)) return false;
  contact.oldPoints = 1;
  placeContact(contact, manifold, centerA, centerB);
  to.anchor = anchorOf(contact, from, manifold.normal, centerA, centerB);
  to.separation = static_cast<float>(from.separation);
  to.totalImpulse = 0.0f;
  contact.frictionImpulse -= normal * normal.dot(contact.frictionImpulse);
  return true;
}

// The same for two balls, from their places alone. False if that is not enough: they are beyond the margin, coincide, or
// have turned about each other.
bool moveBalls(Contact& contact, double radiusA, const Vec3& centerA, double radiusB, const Vec3& centerB, double margin) {
  const Vec3 between = centerB - centerA;
  const double distance = between.norm(), separation = distance - (radiusA + radiusB);
  if (!(separation <= margin) || !(distance > 0.0) || contact.count != 1 || !contact.mixed) return false;
  const Float3 normal = (between / distance).cast<float>();
  if (!(contact.normal.dot(normal) > kSameNormal)) return false;
  contact.normal = normal;
  contact.between = -between.cast<float>();
  contact.anchorsOnB = radiusB < radiusA;
  contact.oldPoints = 1;
  ContactPoint& point = contact.points[0];
  point.anchor = static_cast<float>(contact.anchorsOnB ? -radiusB : radiusA) * normal;
  point.separation = static_cast<float>(separation);
  point.totalImpulse = 0.0f;
  contact.frictionImpulse -= normal * normal.dot(contact.frictionImpulse);
  return true;
}

// Writes the manifold over the contact's points; points that were there before keep their impulses.
void carryOver(Contact& contact, const Manifold& manifold, KeptManifold& kept, const Vec3& centerA, const Vec3& centerB,
               float matchDistance) {
  const Contact old = contact;
  const auto oldFeatures = kept.features;
  const Float3 normal = manifold.normal.cast<float>();
  const int oldCount = old.normal.dot(normal) > kSameNormal ? old.count : 0;
  std::array<bool, kManifoldPoints> taken{};
  contact.oldPoints = 0;
  const auto keep = [&](int i, int j) {
    taken[j] = true;
    contact.oldPoints |= static_cast<std::uint8_t>(1u << i);
    contact.points[i].normalImpulse = old.points[j].normalImpulse;
  };

  placeContact(contact, manifold, centerA, centerB);
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& from = manifold.points[i];
    ContactPoint& to = contact.points[i];
    to = ContactPoint{};
    to.anchor = anchorOf(contact, from, manifold.normal, centerA, centerB);
    to.separation = static_cast<float>(from.separation);
    kept.features[i] = from.feature;
    for (int j = 0; j < oldCount; ++j) {
      if (taken[j] || oldFeatures[j] != from.feature) continue;
      keep(i, j);
      break;
    }
  }
  for (int i = 0; i < manifold.count; ++i) {
    if ((contact.oldPoints >> i & 1) != 0) continue;
    int best = -1;
    float nearest = matchDistance * matchDistance;
    for (int j = 0; j < oldCount; ++j) {
      if (taken[j]) continue;
      const float d =
          std::min((old.anchorA(j) - contact.anchorA(i)).squaredNorm(), (old.anchorB(j) - contact.anchorB(i)).squaredNorm());
      if (d < nearest) nearest = d, best = j;
    }
    if (best >= 0) keep(i, best);
  }

  contact.count = static_cast<std::uint8_t>(manifold.count);
  if (oldCount == 0) {
    contact.frictionImpulse.setZero();
    contact.twistImpulse = 0.0f;
  }
  contact.frictionImpulse -= normal * normal.dot(contact.frictionImpulse);
}

// The same points as before, where they are now.
void keepPoints(Contact& contact, const MovedManifold& moved) {
  contact.normal = moved.normal;
  contact.between = moved.between;
  contact.oldPoints = static_cast<std::uint8_t>((1u << contact.count) - 1u);
  for (int i = 0; i < contact.count; ++i) {
    ContactPoint& point = contact.points[i];
    point.separation = moved.separations[i];
    point.anchor = moved.anchorsA[i];
    if (contact.anchorsOnB) point.anchor += moved.between + moved.separations[i] * moved.normal;
    point.totalImpulse = 0.0f;
  }
  contact.frictionImpulse -= contact.normal * contact.normal.dot(contact.frictionImpulse);
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
    collide(a.shape, a.pose, b.shape, b.pose, distance, manifold);
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

// False if the two are no longer close: the contact has no points.
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
  collide(a.shape, a.pose, b.shape, b.pose, distance, work.manifold);
  if (keeps) rememberManifold(placeA, placeB, distance, work.manifold, kept);
  work.mixture.give(a.material, b.material, input, contact);
  contact.centralA = gateA.ball > 0.0;
  contact.centralB = gateB.ball > 0.0;
  if (carryOverSingle(contact, work.manifold, kept, placeA.center, placeB.center)) return true;
  const float size = static_cast<float>(std::min(a.radius, b.radius));
  carryOver(contact, work.manifold, kept, placeA.center, placeB.center, std::min(kMatchDistance, kMatchShare * size));
  return contact.count > 0;
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
          collider.stale};
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
  cache.resting.begin();
  tasks.parallelFor(pairs.size(), kPairGrain, [&](std::size_t begin, std::size_t end) {
    Workplace work;
    std::uint8_t mark = 0;
    std::uint32_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      fetchContacts(pairs, i, end, cache, input);
      if (pairs[i].contact != kNone) {
        ++count;
        if (!updateContact(pairs[i], cache, input, work)) mark |= kSomeEnd;
      } else if (wantsContact(pairs[i], input, work.manifold)) {
        pairs[i].contact = kWanted;
        mark |= kSomeBegin;
      }
    }
    scratch.marks[begin / kPairGrain] = mark;
    scratch.contacts[begin / kPairGrain + 1] = count;
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
  scratch.begun.clear();
  forMarked(kSomeBegin, [&](std::size_t i, std::size_t piece) {
    Pair& pair = pairs[i];
    if (pair.contact != kWanted) return;
    pair.contact = cache.acquire(input.colliders[pair.a].body, input.colliders[pair.b].body);
    Contact& contact = cache.slots[pair.contact];
    contact.colliderA = pair.a;
    contact.colliderB = pair.b;
    ++scratch.contacts[piece + 1];
    scratch.begun.push_back(static_cast<std::uint32_t>(i));
  });
  tasks.parallelFor(scratch.begun.size(), kBegunGrain, [&](std::size_t begin, std::size_t end) {
    Workplace work;
    for (std::size_t i = begin; i < end; ++i) updateContact(pairs[scratch.begun[i]], cache, input, work);
  });
  forMarked(kSomeEnd, [&](std::size_t i, std::size_t piece) {
    Pair& pair = pairs[i];
    if (pair.contact == kNone || cache.slots[pair.contact].count > 0) return;
    if ((cache.touch[pair.contact] & Touch::kTold) != 0)
      endings.push_back(partiesOf(cache.slots[pair.contact], input.colliders));
    cache.release(pair.contact);
    pair.contact = kNone;
    --scratch.contacts[piece + 1];
  });

  if (std::exchange(cache.isListed, true)) return;
  for (std::size_t piece = 1; piece <= pieces; ++piece) scratch.contacts[piece] += scratch.contacts[piece - 1];
  resizeGently(cache.inUse, scratch.contacts.back());
  tasks.parallelFor(pairs.size(), kPairGrain, [&](std::size_t begin, std::size_t end) {
    // Who has a contact follows no rule: without a branch on it, none is guessed wrong.
    std::array<std::uint32_t, kPairGrain> some;
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      some[count] = pairs[i].contact;
      count += pairs[i].contact != kNone ? 1 : 0;
    }
    std::copy_n(some.begin(), count, cache.inUse.begin() + scratch.contacts[begin / kPairGrain]);
  });
}

}  // namespace cairn
