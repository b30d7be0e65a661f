// Removing: it costs what goes with a body (its shapes, their pairs, its joints), whatever the size of the world.
#include <algorithm>

#include "world/state.hpp"

namespace cairn {

// Joined bodies do not collide unless asked to. A key stands in the list once per joint.
void WorldImpl::exclude(const Joint& joint, bool add) {
  std::vector<std::uint64_t>& excluded = state.system.broad.excluded;
  const std::uint64_t key = pairKey(joint.a, joint.b);
  const auto place = std::lower_bound(excluded.begin(), excluded.end(), key);
  if (add) {
    excluded.insert(place, key);
  } else {
    excluded.erase(place);
  }
  // Pairs that exist already are looked at again.
  markEdited(state.system.bodies[joint.a]);
}

// Pairs are those whose boxes in the tree overlap: the tree knows them all. They stay in the table, as new as if they had
// never been looked at, until the next step finds that they are none, or that the slot's new owner makes them one.
void WorldImpl::dropPairsOf(std::uint32_t index) {
  System& system = state.system;
  BroadPhase& broad = system.broad;
  const Collider& collider = system.colliders[index];
  std::vector<std::uint64_t> keys;
  if (state.hidesPairs) {
    for (const Pair& pair : broad.pairs)
      if (pair.a == index || pair.b == index) keys.push_back(pair.key());
  } else if (collider.node != DynamicTree::kNull) {
    broad.tree.query(broad.tree.box(collider.node), [&](std::uint32_t other) { keys.push_back(pairKey(index, other)); });
    std::sort(keys.begin(), keys.end());  // the order of a tree's leaves says nothing
  }
  const auto isBefore = [](const Pair& pair, std::uint64_t key) { return pair.key() < key; };
  for (const std::uint64_t key : keys) {
    const auto pair = std::lower_bound(broad.pairs.begin(), broad.pairs.end(), key, isBefore);
    if (pair == broad.pairs.end() || pair->key() != key) continue;
    system.contacts.forEachOf(*pair, [&](std::uint32_t slot) {  // whatever leans on it
      const Contact& contact = system.contacts.slots[slot];
      wakeIsland(system.bodies[contact.bodyA == collider.body ? contact.bodyB : contact.bodyA]);
    });
    releaseContacts(*pair, system.contacts, system.colliders, state.ending);
    pair->quietUntil = 0.0f;
  }
}

bool World::removeBody(BodyId id) {
  Body* body = impl_->find(id);
  if (body == nullptr) return false;
  WorldState& state = impl_->state;
  System& system = state.system;
  impl_->wakeIsland(*body);
  for (const std::uint32_t joint : state.jointEnds.of(id.index)) removeJoint({joint, system.joints[joint].generation});
  for (std::uint32_t c = body->firstCollider; c != kNone; c = system.colliders[c].next) {
    impl_->dropPairsOf(c);  // before the slot can be used again
    removeCollider(system.broad, system.colliders[c]);
  }
  for (std::uint32_t c = body->firstCollider; c != kNone;) {
    Collider& collider = system.colliders[c];
    const std::uint32_t next = collider.next;
    collider.alive = false;
    ++collider.generation;
    collider.shape.hull.reset();
    collider.shape.composite.reset();
    state.freeColliders.push_back(c);
    c = next;
  }
  if (body->extras != kNone) {
    system.extras[body->extras] = {};
    state.freeExtras.push_back(body->extras);
  }
  impl_->refusalIsFresh = false;
  state.bodyByName.erase(state.bodyNames[id.index]);
  body->alive = false;
  ++body->generation;
  state.freeBodies.push_back(id.index);
  if (system.stepperMemory) system.stepperMemory->forgetBody(id.index);
  return true;
}

bool World::removeJoint(JointId id) {
  Joint* joint = impl_->find(id);
  if (joint == nullptr) return false;
  System& system = impl_->state.system;
  impl_->wakeIsland(system.bodies[joint->a]);
  impl_->wakeIsland(system.bodies[joint->b]);
  impl_->state.jointEnds.unlink(id.index, joint->a, joint->b);
  joint->alive = false;
  impl_->refusalIsFresh = false;
  ++joint->generation;
  impl_->state.freeJoints.push_back(id.index);
  if (system.stepperMemory) system.stepperMemory->forgetJoint(id.index);
  if (!joint->bodiesCollide) impl_->exclude(*joint, false);
  return true;
}

}  // namespace cairn
