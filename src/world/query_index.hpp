// Where shapes are now, for questions between steps.
//
// The tree of the broad phase has boxes that were made when the last step began. Questions must not change it: pairs, and
// with them the future, depend on its boxes. So the few shapes that are not within their box there any more are strays, in a
// tree of their own: those that went farther than was foreseen, were edited or added. The first question after a step looks
// at all shapes once; after that an edit costs its own shapes, and a question O(log n).
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "dynamics/system.hpp"

namespace cairn {

// Where a collider is with its body as it is now. Collider::pose is of the step's beginning.
inline Pose poseOf(const System& system, const Collider& collider) {
  const Body& body = system.bodies[collider.body];
  const Pose pose{body.center, body.rotation};
  return collider.centred ? pose : pose * collider.local;
}

class QueryIndex {
 public:
  // Bodies were moved by a step, or all is new.
  void reset();
  // A collider was added, or its body moved by hand.
  void noteEdit(std::uint32_t collider, std::size_t colliders);
  // Any number of threads may ask at once, as long as none changes the world.
  void refresh(const System& system);

  // After refresh():
  const DynamicTree& strays() const { return strays_; }
  const std::vector<std::uint32_t>& strayList() const { return list_; }  // some may be gone since, or stray no more
  bool isStray(std::uint32_t collider) const { return collider < nodes_.size() && nodes_[collider] != DynamicTree::kNull; }

 private:
  void add(const System& system, std::uint32_t collider);

  std::mutex mutex_;
  std::atomic<bool> isFresh_ = false;
  bool hasScanned_ = false;            // all colliders, since the last step
  std::vector<std::uint32_t> edited_;  // since the last refresh
  DynamicTree strays_;
  std::vector<DynamicTree::Node> nodes_;  // in `strays_`, by collider
  std::vector<std::uint32_t> list_;
};

}  // namespace cairn
