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
  std::vector<FreshContact>* fresh = nullptr;  // where contacts with immovable shapes are put down
  struct Patch {
    Children children;
    Manifold manifold;
    bool isPlaced;
  };
  double midPhase = 0.0;  // s
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

// Puts down a contact of a moving body with an immovable shape, before it is written over.
void noteFresh(std::uint32_t slot, std::uint32_t pair, const Manifold* manifold, const NarrowPhaseInput& input,
               const ContactCache& cache, Workplace& work) {
  const Contact& contact = cache.slots[slot];
  const bool movesA = input.gates[contact.colliderA].dynamic;
  if (movesA == input.gates[contact.colliderB].dynamic || work.fresh == nullptr) return;
  FreshContact& one = work.fresh->emplace_back();
  one.body = movesA ? contact.bodyA : contact.bodyB;
  one.slot = slot;
  one.pair = pair;
  one.isKept = manifold == nullptr;
  if (one.isKept) return;
  one.manifold = *manifold;
  one.before = contact;
  one.features = cache.kept[slot].features;
}

// The contact of two convex shapes. False if they are no longer close: it has no points.
bool updateContact(const Pair& pair, std::uint32_t index, ContactCache& cache, const NarrowPhaseInput& input,
                   Workplace& work) {
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
    noteFresh(pair.contact, index, nullptr, input, cache, work);
    return true;
  }
  distance = margin(a, b, input);
  touchChildren(a.shape, a.pose, b.shape, b.pose, {}, distance, work.manifold);
  if (work.manifold.count > 0) noteFresh(pair.contact, index, &work.manifold, input, cache, work);
  contact.isWhole = false;
  if (keeps) rememberManifold(placeA, placeB, distance, work.manifold, kept);
  return writeManifold(pair.contact, work.manifold, a, b, cache, input, work.mixture);
}

constexpr std::size_t kMostPushes = 16;
constexpr double kSamePatch = 0.9;    // cosine less what being away takes off
constexpr double kPatchAway = 0.05;   // for being away by the smaller body's radius or more

bool isSameChild(Children a, Children b) {
  const auto alike = [](std::uint32_t x, std::uint32_t y) { return x == y || (x & y & kPatch) != 0; };
  return alike(a.a, b.a) && alike(a.b, b.b);
}
Children numbered(Children children, std::uint32_t number) {
  if ((children.a & kPatch) != 0) children.a = kPatch | number;
  if ((children.b & kPatch) != 0) children.b = kPatch | number;
  return children;
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
  std::array<Vec3, kMostPushes> pushes;
  std::size_t pushCount = 0;
  cache.forEachOf(pair, [&](std::uint32_t slot) {
    cache.links[slot].seen = false;
    cache.resting.set(slot, false);
    if (pushCount < pushes.size() && cache.slots[slot].count > 0)
      pushes[pushCount++] = cache.slots[slot].normal.cast<double>();
  });
  TouchHints hints;
  if (input.weldDistance > 0.0) hints.weldDistance = input.weldDistance;
  hints.pushes = {pushes.data(), pushCount};
  hints.midPhaseSeconds = &work.midPhase;
  const std::size_t before = wanted.size();
  static thread_local std::vector<Workplace::Patch> patches;
  patches.clear();
  const auto place = [&](std::uint32_t slot, const Manifold& manifold) {
    cache.links[slot].seen = true;
    noteFresh(slot, index, &manifold, input, cache, work);
    writeManifold(slot, manifold, a, b, cache, input, work.mixture);
    cache.slots[slot].isWhole = true;
  };
  const double clearance =
      input.composites(a, b, hints, distance, work.manifold, [&](Children children, const Manifold& manifold) {
        if (((children.a | children.b) & kPatch) != 0) {
          patches.push_back({children, manifold, false});
          return;
        }
        const std::uint32_t slot = cache.find(pair.contact, children);
        if (slot == kNone) return wanted.push_back({index, children, manifold});
        place(slot, manifold);
      });
  // A patch is known again by its normal and its place: of two that would do for a contact, by the nearer.
  for (Workplace::Patch& patch : patches) {
    std::uint32_t best = kNone;
    double bestScore = kSamePatch;
    const Vec3 normal = patch.manifold.normal, middle = patch.manifold.points[0].position;
    cache.forEachOf(pair, [&](std::uint32_t slot) {
      if (cache.links[slot].seen || !isSameChild(cache.links[slot].children, patch.children)) return;
      const Contact& contact = cache.slots[slot];
      const double cosine = contact.normal.cast<double>().dot(normal);
      const Vec3 old = input.places[contact.bodyA].center + contact.anchorA(0).cast<double>();
      const double away = std::min(1.0, (old - middle).norm() / std::min(a.radius, b.radius));
      if (cosine - kPatchAway * away > bestScore) bestScore = cosine - kPatchAway * away, best = slot;
    });
    patch.isPlaced = best != kNone;
    if (patch.isPlaced) place(best, patch.manifold);
  }
  for (const Workplace::Patch& patch : patches) {
    if (patch.isPlaced) continue;
    Children children = numbered(patch.children, 0);
    const auto isTaken = [&](Children one) {
      if (cache.find(pair.contact, one) != kNone) return true;
      return std::any_of(wanted.begin() + static_cast<std::ptrdiff_t>(before), wanted.end(),
                         [&](const NarrowPhaseScratch::Wanted& other) { return other.children == one; });
    };
    for (std::uint32_t number = 1; isTaken(children); ++number) children = numbered(patch.children, number);
    wanted.push_back({index, children, patch.manifold});
  }
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
void beginContact(std::uint32_t slot, const NarrowPhaseScratch::Begun& begun, ContactCache& cache,
                  const NarrowPhaseInput& input, Workplace& work) {
  const Contact& contact = cache.slots[slot];
  if (begun.wanted == nullptr) {
    const Pair pair{contact.colliderA, contact.colliderB, slot};
    updateContact(pair, begun.pair, cache, input, work);
    return;
  }
  const Manifold& manifold = begun.wanted->manifold;
  noteFresh(slot, begun.pair, &manifold, input, cache, work);
  writeManifold(slot, manifold, input.colliders[contact.colliderA], input.colliders[contact.colliderB], cache, input,
                work.mixture);
  cache.slots[slot].isWhole = true;
}

// Puts contacts of moving bodies right that touch several immovable shapes, and marks pieces where some have ended.
void weld(ContactCache& cache, const NarrowPhaseInput& input, const Tasks& tasks, NarrowPhaseScratch& scratch) {
  scratch.fresh.clear();
  scratch.members.clear();
  for (const std::vector<FreshContact>& piece : scratch.freshByPiece)
    for (const FreshContact& one : piece) {
      scratch.members.push_back({one.body, static_cast<std::uint32_t>(scratch.fresh.size())});
      scratch.fresh.push_back(&one);
    }
  if (scratch.members.size() < 2) return;
  std::sort(scratch.members.begin(), scratch.members.end(), [](const auto& x, const auto& y) {
    return x.body != y.body ? x.body < y.body : x.contact < y.contact;
  });
  scratch.contactsOfBodies.clear();
  scratch.bodies.clear();
  for (std::size_t i = 0; i < scratch.members.size();) {
    std::size_t end = i;
    bool anyNew = false;
    while (end < scratch.members.size() && scratch.members[end].body == scratch.members[i].body)
      anyNew |= !scratch.fresh[scratch.members[end++].contact]->isKept;
    if (end - i > 1 && anyNew) {
      scratch.bodies.push_back(static_cast<std::uint32_t>(scratch.contactsOfBodies.size()));
      for (std::size_t k = i; k < end; ++k) scratch.contactsOfBodies.push_back(scratch.members[k].contact);
    }
    i = end;
  }
  if (scratch.bodies.empty()) return;
  const std::size_t count = scratch.bodies.size();
  scratch.bodies.push_back(static_cast<std::uint32_t>(scratch.contactsOfBodies.size()));
  const std::size_t pieces = (count + kBegunGrain - 1) / kBegunGrain;
  if (scratch.welded.size() < pieces) scratch.welded.resize(pieces);
  tasks.parallelFor(count, kBegunGrain, [&](std::size_t first, std::size_t last) {
    std::vector<Welded>& changes = scratch.welded[first / kBegunGrain];
    changes.clear();
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t* members = scratch.contactsOfBodies.data() + scratch.bodies[i];
      const Contact& contact = cache.slots[scratch.fresh[members[0]]->slot];
      const double reach = margin(input.colliders[contact.colliderA], input.colliders[contact.colliderB], input);
      weldContacts(scratch.fresh, members, scratch.bodies[i + 1] - scratch.bodies[i], input.colliders, cache,
                   input.weldDistance, reach, changes);
    }
    Mixture mixture;
    for (const Welded& change : changes) {
      const FreshContact& one = *scratch.fresh[change.contact];
      Contact& contact = cache.slots[one.slot];
      cache.kept[one.slot].margin = -1.0f;  // it has no manifold of its own to keep
      if (change.isDropped) {
        contact.count = 0;
        continue;
      }
      const auto children = cache.links[one.slot].children;
      contact = one.before;
      cache.kept[one.slot].features = one.features;
      writeManifold(one.slot, change.manifold, input.colliders[contact.colliderA], input.colliders[contact.colliderB], cache,
                    input, mixture);
      cache.links[one.slot].children = children;
      contact.isWhole = true;
    }
  });
  for (std::size_t piece = 0; piece < pieces; ++piece)
    for (const Welded& change : scratch.welded[piece])
      if (change.isDropped) scratch.marks[scratch.fresh[change.contact]->pair / kPairGrain] |= kSomeEnd;
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

double touchColliders(const Collider& a, const Collider& b, const TouchHints& hints, double margin, Manifold& room,
                      ManifoldVisitor visit) {
  return touch(a.shape, a.pose, b.shape, b.pose, hints, margin, room, visit);
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
  const bool welds = input.weldDistance > 0.0;
  if (welds && scratch.freshByPiece.size() < pieces) scratch.freshByPiece.resize(pieces);
  for (std::vector<FreshContact>& piece : scratch.freshByPiece) piece.clear();
  scratch.midPhaseSeconds.assign(anyComposite ? pieces : 0, 0.0);
  cache.resting.begin();
  tasks.parallelFor(pairs.size(), kPairGrain, [&](std::size_t begin, std::size_t end) {
    Workplace work;
    std::uint8_t mark = 0;
    std::uint32_t count = 0;
    const std::size_t piece = begin / kPairGrain;
    if (anyComposite) scratch.wanted[piece].clear();
    if (welds) work.fresh = &scratch.freshByPiece[piece];
    for (std::size_t i = begin; i < end; ++i) {
      fetchContacts(pairs, i, end, cache, input);
      if (anyComposite && (input.gates[pairs[i].a].composite || input.gates[pairs[i].b].composite)) {
        cache.forEachOf(pairs[i], [&](std::uint32_t) { ++count; });
        if (!updateContacts(pairs[i], static_cast<std::uint32_t>(i), cache, input, work, scratch.wanted[piece]))
          mark |= kSomeEnd;
      } else if (pairs[i].contact != kNone) {
        ++count;
        if (!updateContact(pairs[i], static_cast<std::uint32_t>(i), cache, input, work)) mark |= kSomeEnd;
      } else if (wantsContact(pairs[i], input, work.manifold)) {
        pairs[i].contact = kWanted;
        mark |= kSomeBegin;
      }
    }
    if (anyComposite && !scratch.wanted[piece].empty()) mark |= kSomeBegin;
    scratch.marks[piece] = mark;
    if (anyComposite) scratch.midPhaseSeconds[piece] = work.midPhase;
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
  const auto begin = [&](std::size_t index, Children children, std::size_t piece, const NarrowPhaseScratch::Wanted* wanted) {
    Pair& pair = pairs[index];
    scratch.begun.push_back(cache.acquire(pair, children, input.colliders[pair.a].body, input.colliders[pair.b].body));
    scratch.beginnings.push_back({static_cast<std::uint32_t>(index), wanted});
    ++scratch.contacts[piece + 1];
  };
  scratch.begun.clear();
  scratch.beginnings.clear();
  forMarked(kSomeBegin, [&](std::size_t i, std::size_t piece) {
    if (pairs[i].contact != kWanted) return;
    pairs[i].contact = kNone;
    begin(i, {}, piece, nullptr);
  });
  if (anyComposite)
    for (std::size_t piece = 0; piece < pieces; ++piece)
      for (const NarrowPhaseScratch::Wanted& one : scratch.wanted[piece]) begin(one.pair, one.children, piece, &one);
  const std::size_t begunPieces = (scratch.begun.size() + kBegunGrain - 1) / kBegunGrain;
  if (welds && scratch.freshByPiece.size() < pieces + begunPieces) scratch.freshByPiece.resize(pieces + begunPieces);
  tasks.parallelFor(scratch.begun.size(), kBegunGrain, [&](std::size_t first, std::size_t last) {
    Workplace work;
    if (welds) work.fresh = &scratch.freshByPiece[pieces + first / kBegunGrain];
    for (std::size_t i = first; i < last; ++i)
      beginContact(scratch.begun[i], scratch.beginnings[i], cache, input, work);
  });
  if (welds) weld(cache, input, tasks, scratch);
  scratch.midPhase = 0.0;
  for (const double seconds : scratch.midPhaseSeconds) scratch.midPhase += seconds;
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
