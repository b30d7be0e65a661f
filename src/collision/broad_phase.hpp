// Broad phase: which colliders might touch. Every collider has a fat box in a tree; only those that left theirs are looked
// up again. The pairs are exactly those whose fat boxes overlap, sorted by collider index: they depend on the boxes, not on
// the history or the shape of the tree.
#pragma once

#include <cstdint>
#include <vector>

#include "base/tasks.hpp"
#include "collision/contact.hpp"
#include "collision/dynamic_tree.hpp"

namespace cairn {

struct BroadPhase {
  DynamicTree tree;
  std::vector<Pair> pairs;              // sorted by key
  std::vector<std::uint64_t> excluded;  // sorted keys of *bodies* (smaller first) that a joint keeps from colliding
};

// Buffers that a step reuses; nothing in them outlives it.
struct FoundPairs {
  std::vector<std::uint64_t> keys;
  std::size_t most = 0;  // before those that were known already were taken out
  std::vector<std::uint32_t> near{};
};
struct BroadPhaseScratch {
  std::vector<std::uint64_t> found, merged;
  std::vector<std::size_t> runs;
  std::vector<std::uint32_t> moved;
  DynamicTree::WideCopy wideTree;
  std::vector<std::uint8_t> flags;        // of each collider: see broad_phase.cpp
  std::vector<FoundPairs> foundPieces;    // by piece of `moved`
  std::vector<std::uint8_t> stalePieces;  // of the table of pairs: 1 where some ended
};

inline std::uint64_t pairKey(std::uint32_t a, std::uint32_t b) {
  return a < b ? (std::uint64_t{a} << 32) | b : (std::uint64_t{b} << 32) | a;
}

// How far a collider can reach in a step of dt: its share of the distance at which contacts are made.
inline double reach(const Collider& collider, double speculativeDistance, double dt) {
  return 0.5 * speculativeDistance + dt * (collider.velocity.norm() + collider.spinReach);
}

// Whether two colliders are a pair at all, wherever they are: bodies, groups, joints.
bool mayCollide(const BroadPhase& broad, const Collider& a, const Collider& b);

// Gives colliders that left their fat box a new one, then updates the pairs. A pair that is no longer a pair loses its
// contact; if it was touching, it is appended to `endings`.
void updatePairs(BroadPhase& broad, std::vector<Collider>& colliders, ContactCache& contacts, double speculativeDistance,
                 double dt, const Tasks& tasks, BroadPhaseScratch& scratch, std::vector<ContactParties>& endings);

// Releases what a pair has of contacts; those that were touching are appended to `endings`.
void releaseContacts(Pair& pair, ContactCache& contacts, const std::vector<Collider>& colliders,
                     std::vector<ContactParties>& endings);

// Takes a collider out of the tree; its pairs go with the next updatePairs.
void removeCollider(BroadPhase& broad, Collider& collider);

}  // namespace cairn
