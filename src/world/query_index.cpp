#include "world/query_index.hpp"

namespace cairn {

namespace {

constexpr double kRounding = 1e-6;  // m: what a box is larger by, so that no ray misses a shape at its very edge

}  // namespace

void QueryIndex::reset() {
  isFresh_.store(false, std::memory_order_relaxed);
  hasScanned_ = false;
  edited_.clear();
}

void QueryIndex::noteEdit(std::uint32_t collider, std::size_t colliders) {
  if (!hasScanned_) return;  // it will be found
  isFresh_.store(false, std::memory_order_relaxed);
  edited_.push_back(collider);
  if (edited_.size() > colliders) reset();
}

void QueryIndex::refresh(const System& system) {
  if (isFresh_.load(std::memory_order_acquire)) return;
  const std::scoped_lock lock(mutex_);
  if (isFresh_.load(std::memory_order_relaxed)) return;
  if (!hasScanned_) {
    strays_ = {};
    nodes_.assign(system.colliders.size(), DynamicTree::kNull);
    list_.clear();
    for (std::uint32_t i = 0; i < system.colliders.size(); ++i) {
      const Collider& collider = system.colliders[i];
      if (!collider.enabled) continue;
      const bool isNew = collider.stale || collider.node == DynamicTree::kNull;
      if (isNew || !system.broad.tree.box(collider.node).contains(boundingBox(collider.shape, poseOf(system, collider))))
        add(system, i);
    }
  }
  for (const std::uint32_t collider : edited_) add(system, collider);
  edited_.clear();
  hasScanned_ = true;
  isFresh_.store(true, std::memory_order_release);
}

void QueryIndex::add(const System& system, std::uint32_t index) {
  const Collider& collider = system.colliders[index];
  if (!collider.enabled) return;  // gone since
  if (nodes_.size() <= index) nodes_.resize(system.colliders.size(), DynamicTree::kNull);
  const Aabb box = boundingBox(collider.shape, poseOf(system, collider)).grown(kRounding);
  if (nodes_[index] != DynamicTree::kNull) return strays_.move(nodes_[index], box);
  nodes_[index] = strays_.insert(box, index);
  list_.push_back(index);
}

}  // namespace cairn
