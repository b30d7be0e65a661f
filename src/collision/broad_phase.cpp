#include "collision/broad_phase.hpp"

#include <algorithm>
#include <utility>

namespace cairn {

namespace {

// A fat box is larger than its collider's reach by a share of the collider's size, so that a slow body asks the tree seldom.
constexpr double kFatShare = 0.1;      // of the collider's radius
constexpr double kFatLimit = 0.05;     // m, at most
constexpr double kFatLookAhead = 2.0;  // steps of motion

double fatMargin(const Collider& collider) { return std::min(kFatLimit, kFatShare * collider.radius); }

Aabb fatBox(const Collider& collider, const Aabb& reached, double dt) {
  Aabb fat = reached.grown(fatMargin(collider));
  const Vec3 ahead = kFatLookAhead * dt * collider.velocity;
  fat.lower += ahead.cwiseMin(0.0);
  fat.upper += ahead.cwiseMax(0.0);
  return fat;
}

constexpr std::size_t kColliderGrain = 64, kMovedGrain = 32, kPairGrain = 512, kSparePieces = 8;
constexpr std::size_t kUsualPiece = 256;  // keys
// From so many colliders, and so few of them to each that moved, it pays to copy the tree.
constexpr std::size_t kManyLeaves = 64, kLeavesPerQuestion = 8;
constexpr std::uint8_t kIsOff = 1, kHasMoved = 2;  // flags of colliders

// Puts colliders that left their fat box (or have none) back into the tree, lists and flags them.
void refitTree(BroadPhase& broad, std::vector<Collider>& colliders, double speculativeDistance, double dt,
               const Tasks& tasks, BroadPhaseScratch& scratch) {
  const auto reachedBy = [&](const Collider& collider) {
    return boundingBox(collider.shape, collider.pose).grown(reach(collider, speculativeDistance, dt));
  };
  resizeGently(scratch.flags, colliders.size());
  tasks.parallelFor(colliders.size(), kColliderGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Collider& collider = colliders[i];
      scratch.flags[i] = collider.enabled ? 0 : kIsOff;
      if (!collider.enabled) continue;
      const bool wasEdited = std::exchange(collider.stale, false);
      const bool isNew = collider.node == DynamicTree::kNull;
      if (!isNew && !collider.active && !wasEdited) continue;
      // Most bodies have not gone far enough for the question.
      if (!isNew && !wasEdited && collider.travel + reach(collider, speculativeDistance, dt) <= collider.boxedUntil)
        continue;
      if (isNew || wasEdited || !broad.tree.box(collider.node).contains(reachedBy(collider))) scratch.flags[i] = kHasMoved;
    }
  });
  scratch.moved.clear();
  for (std::uint32_t index = 0; index < colliders.size(); ++index) {
    if (scratch.flags[index] != kHasMoved) continue;
    Collider& collider = colliders[index];
    const Aabb fat = fatBox(collider, reachedBy(collider), dt);
    collider.boxedUntil = collider.travel + reach(collider, speculativeDistance, dt) + fatMargin(collider);
    if (collider.node == DynamicTree::kNull) {
      collider.node = broad.tree.insert(fat, index);
    } else {
      broad.tree.move(collider.node, fat);
    }
    scratch.moved.push_back(index);
  }
}

// Keys are sorted from runs[i] to runs[i + 1]; neighbours are merged until all is one.
void mergeRuns(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& spare, std::vector<std::size_t>& runs) {
  resizeAnew(spare, keys.size());
  while (runs.size() > 2) {
    std::size_t left = 0;
    for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
      const std::size_t begin = runs[i], middle = runs[i + 1], end = i + 2 < runs.size() ? runs[i + 2] : middle;
      std::merge(keys.data() + begin, keys.data() + middle, keys.data() + middle, keys.data() + end, spare.data() + begin);
      runs[left++] = begin;
    }
    runs[left++] = keys.size();
    runs.resize(left);
    keys.swap(spare);
  }
}

bool isBefore(const Pair& pair, std::uint64_t key) { return pair.key() < key; }

// Sorted keys of all pairs that colliders which moved are in, and that are not in the table yet.
void findPairs(const BroadPhase& broad, const std::vector<Collider>& colliders, const Tasks& tasks,
               BroadPhaseScratch& scratch) {
  const std::size_t pieces = (scratch.moved.size() + kMovedGrain - 1) / kMovedGrain;
  if (scratch.foundPieces.size() < pieces) scratch.foundPieces.resize(pieces);
  if (scratch.foundPieces.size() > kSparePieces + 4 * pieces) scratch.foundPieces.resize(kSparePieces + 2 * pieces);
  const std::size_t leaves = broad.tree.leafCount();
  const bool many = leaves >= kManyLeaves && scratch.moved.size() * kLeavesPerQuestion > leaves && broad.tree.mayBeCopied();
  if (many) {
    broad.tree.copyTo(scratch.wideTree);
  } else {
    scratch.wideTree = {};  // what rests needs the memory for other things
  }
  tasks.parallelFor(scratch.moved.size(), kMovedGrain, [&](std::size_t first, std::size_t last) {
    auto& [found, most, near] = scratch.foundPieces[first / kMovedGrain];
    shrinkGently(found, 2 * most + kUsualPiece);
    found.clear();
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t index = scratch.moved[i];
      const Collider& collider = colliders[index];
      const Aabb& box = broad.tree.box(collider.node);
      const auto visit = [&, &keys = found](std::uint32_t other) {
        if (other == index || (scratch.flags[other] == kHasMoved && other < index)) return;  // found from the other side
        if (mayCollide(broad, collider, colliders[other])) keys.push_back(pairKey(index, other));
      };
      if (many) {
        broad.tree.query(scratch.wideTree, box, near, visit);
      } else {
        broad.tree.query(box, visit);
      }
    }
    most = found.size();
    std::sort(found.begin(), found.end());
    auto from = broad.pairs.begin();
    std::erase_if(found, [&](std::uint64_t key) {
      from = std::lower_bound(from, broad.pairs.end(), key, isBefore);
      return from != broad.pairs.end() && from->key() == key;
    });
  });
  std::size_t total = 0;
  for (std::size_t i = 0; i < pieces; ++i) total += scratch.foundPieces[i].keys.size();
  resizeAnew(scratch.found, total);
  scratch.found.clear();
  scratch.runs.assign(1, 0);
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::vector<std::uint64_t>& keys = scratch.foundPieces[i].keys;
    scratch.found.insert(scratch.found.end(), keys.begin(), keys.end());
    scratch.runs.push_back(scratch.found.size());
  }
  mergeRuns(scratch.found, scratch.merged, scratch.runs);
}

}  // namespace

bool mayCollide(const BroadPhase& broad, const Collider& a, const Collider& b) {
  if (a.body == b.body || !(a.dynamic || b.dynamic)) return false;
  if ((a.group & b.collidesWith) == 0 || (b.group & a.collidesWith) == 0) return false;
  if (a.shape.type == ShapeType::Plane && b.shape.type == ShapeType::Plane) return false;
  return broad.excluded.empty() ||
         !std::binary_search(broad.excluded.begin(), broad.excluded.end(), pairKey(a.body, b.body));
}

void releaseContacts(Pair& pair, ContactCache& contacts, const std::vector<Collider>& colliders,
                     std::vector<ContactParties>& endings) {
  contacts.forEachOf(pair, [&](std::uint32_t slot) {
    if ((contacts.touch[slot] & Touch::kTold) != 0) endings.push_back(partiesOf(contacts.slots[slot], colliders));
    contacts.release(pair, slot);
  });
}

void updatePairs(BroadPhase& broad, std::vector<Collider>& colliders, ContactCache& contacts, double speculativeDistance,
                 double dt, const Tasks& tasks, BroadPhaseScratch& scratch, std::vector<ContactParties>& endings) {
  refitTree(broad, colliders, speculativeDistance, dt, tasks, scratch);
  findPairs(broad, colliders, tasks, scratch);

  const auto isStale = [&](const Pair& pair) {
    const std::uint8_t flags = scratch.flags[pair.a] | scratch.flags[pair.b];
    if (flags == 0) return false;
    if ((flags & kIsOff) != 0) return true;
    const Collider& a = colliders[pair.a];
    const Collider& b = colliders[pair.b];
    return !broad.tree.box(a.node).overlaps(broad.tree.box(b.node)) || !mayCollide(broad, a, b);
  };
  std::vector<Pair>& pairs = broad.pairs;
  scratch.stalePieces.assign((pairs.size() + kPairGrain - 1) / kPairGrain, 0);
  tasks.parallelFor(pairs.size(), kPairGrain, [&](std::size_t first, std::size_t last) {
    scratch.stalePieces[first / kPairGrain] = std::any_of(pairs.begin() + first, pairs.begin() + last, isStale) ? 1 : 0;
  });

  // Pairs that ended go. Most pieces of the table have none, and move as a whole.
  std::size_t kept = 0;
  for (std::size_t piece = 0; piece < scratch.stalePieces.size(); ++piece) {
    const std::size_t first = piece * kPairGrain, last = std::min(first + kPairGrain, pairs.size());
    if (scratch.stalePieces[piece] == 0) {
      if (kept != first) std::copy(pairs.begin() + first, pairs.begin() + last, pairs.begin() + kept);
      kept += last - first;
      continue;
    }
    for (std::size_t i = first; i < last; ++i) {
      if (!isStale(pairs[i])) {
        pairs[kept++] = pairs[i];
        continue;
      }
      releaseContacts(pairs[i], contacts, colliders, endings);
    }
  }
  pairs.resize(kept);

  // What was found comes in, from the back so that no second table is needed. (None of it was in the table and went: pairs
  // that are found are not stale.)
  std::size_t fresh = scratch.found.size();
  shrinkGently(pairs, kept + fresh);
  resizeGently(pairs, kept + fresh);
  for (; fresh > 0; --fresh) {
    const std::uint64_t key = scratch.found[fresh - 1];
    const auto end = pairs.begin() + kept;
    const auto at = std::lower_bound(pairs.begin(), end, key, isBefore);
    std::copy_backward(at, end, end + fresh);
    kept = static_cast<std::size_t>(at - pairs.begin());
    pairs[kept + fresh - 1] = {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), kNone};
  }
}

void removeCollider(BroadPhase& broad, Collider& collider) {
  if (collider.node != DynamicTree::kNull) broad.tree.remove(collider.node);
  collider.node = DynamicTree::kNull;
  collider.enabled = false;
}

}  // namespace cairn
