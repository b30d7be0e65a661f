#include "collision/broad_phase.hpp"

#include <algorithm>
#include <utility>

namespace cairn {

namespace {

// A fat box is larger than its collider's reach by a share of the collider's size, so that a slow body asks the tree seldom.
constexpr double kFatShare = 0.1;      // of the collider's radius
constexpr double kFatLimit = 0.05;     // m, at most
constexpr double kFatLookAhead = 2.0;  // steps of motion

Aabb fatBox(const Collider& collider, const Aabb& reached, double dt) {
  Aabb fat = reached.grown(std::min(kFatLimit, kFatShare * collider.radius));
  const Vec3 ahead = kFatLookAhead * dt * collider.velocity;
  fat.lower += ahead.cwiseMin(0.0);
  fat.upper += ahead.cwiseMax(0.0);
  return fat;
}

// Puts colliders that left their fat box (or have none) back into the tree and lists them.
void refitTree(BroadPhase& broad, std::vector<Collider>& colliders, double speculativeDistance, double dt,
               std::vector<std::uint32_t>& moved) {
  moved.clear();
  for (std::uint32_t index = 0; index < colliders.size(); ++index) {
    Collider& collider = colliders[index];
    if (!collider.enabled) continue;
    const bool isNew = collider.node == DynamicTree::kNull;
    const bool wasEdited = std::exchange(collider.stale, false);
    if (!isNew && !collider.active && !wasEdited) continue;
    const Aabb reached = boundingBox(collider.shape, collider.pose).grown(reach(collider, speculativeDistance, dt));
    if (!isNew && !wasEdited && broad.tree.box(collider.node).contains(reached)) continue;
    const Aabb fat = fatBox(collider, reached, dt);
    if (isNew) {
      collider.node = broad.tree.insert(fat, index);
    } else {
      broad.tree.move(collider.node, fat);
    }
    collider.moved = true;
    moved.push_back(index);
  }
}

}  // namespace

bool mayCollide(const BroadPhase& broad, const Collider& a, const Collider& b) {
  if (a.body == b.body || !(a.dynamic || b.dynamic)) return false;
  if ((a.group & b.collidesWith) == 0 || (b.group & a.collidesWith) == 0) return false;
  if (a.shape.type == ShapeType::Plane && b.shape.type == ShapeType::Plane) return false;
  return broad.excluded.empty() ||
         !std::binary_search(broad.excluded.begin(), broad.excluded.end(), pairKey(a.body, b.body));
}

void updatePairs(BroadPhase& broad, std::vector<Collider>& colliders, ContactCache& contacts, double speculativeDistance,
                 double dt, BroadPhaseScratch& scratch, std::vector<ContactParties>& endings) {
  refitTree(broad, colliders, speculativeDistance, dt, scratch.moved);

  scratch.found.clear();
  for (const std::uint32_t index : scratch.moved) {
    const Collider& collider = colliders[index];
    broad.tree.query(broad.tree.box(collider.node), [&](std::uint32_t other) {
      if (other == index || (colliders[other].moved && other < index)) return;  // found from the other side
      if (mayCollide(broad, collider, colliders[other])) scratch.found.push_back(pairKey(index, other));
    });
  }
  std::sort(scratch.found.begin(), scratch.found.end());

  const auto isStale = [&](const Pair& pair) {
    const Collider& a = colliders[pair.a];
    const Collider& b = colliders[pair.b];
    if (!a.enabled || !b.enabled) return true;
    if (!a.moved && !b.moved) return false;
    return !broad.tree.box(a.node).overlaps(broad.tree.box(b.node)) || !mayCollide(broad, a, b);
  };

  // Pairs that ended go; what was found and is new comes in, merged from the back so that no second table is needed.
  std::vector<Pair>& pairs = broad.pairs;
  std::size_t kept = 0, fresh = 0;
  auto found = scratch.found.begin();
  for (const Pair& pair : pairs) {
    if (isStale(pair)) {
      if (pair.contact == kNone) continue;
      const Contact& contact = contacts.slots[pair.contact];
      if (contact.touching) endings.push_back(partiesOf(contact, colliders));
      contacts.release(pair.contact);
      continue;
    }
    for (; found != scratch.found.end() && *found < pair.key(); ++found) scratch.found[fresh++] = *found;
    if (found != scratch.found.end() && *found == pair.key()) ++found;
    pairs[kept++] = pair;
  }
  for (; found != scratch.found.end(); ++found) scratch.found[fresh++] = *found;
  resizeGently(pairs, kept + fresh);
  for (std::size_t to = kept + fresh; fresh > 0;) {
    const std::uint64_t key = scratch.found[fresh - 1];
    if (kept > 0 && pairs[kept - 1].key() > key) {
      pairs[--to] = pairs[--kept];
    } else {
      pairs[--to] = {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), kNone};
      --fresh;
    }
  }
  for (const std::uint32_t index : scratch.moved) colliders[index].moved = false;
}

void removeCollider(BroadPhase& broad, Collider& collider) {
  if (collider.node != DynamicTree::kNull) broad.tree.remove(collider.node);
  collider.node = DynamicTree::kNull;
  collider.enabled = false;
}

}  // namespace cairn
