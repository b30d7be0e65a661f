#include "steppers/stack_layers.hpp"

#include <algorithm>
#include <numeric>

namespace cairn {

namespace {

bool canMove(const Body& body) { return body.moves() && body.isDynamic(); }

// Joint-connected bodies as one node, named by its first body.
class Groups {
 public:
  explicit Groups(const System& system) : parent_(system.bodies.size()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (const Joint& joint : system.joints) {
      if (!joint.alive || !canMove(system.bodies[joint.a]) || !canMove(system.bodies[joint.b])) continue;
      const std::uint32_t a = find(joint.a), b = find(joint.b);
      parent_[std::max(a, b)] = std::min(a, b);
    }
  }
  std::uint32_t find(std::uint32_t body) {
    while (parent_[body] != body) body = parent_[body] = parent_[parent_[body]];
    return body;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

std::vector<int> stackHeights(const System& system, std::vector<std::uint32_t>* carriers) {
  const std::size_t count = system.bodies.size();
  Groups groups(system);
  std::vector<std::vector<std::uint32_t>> neighbours(count);  // of a group
  std::vector<int> height(count, -1);                         // of a group
  std::vector<std::uint32_t> queue, carrier(count, kNone);    // of a group
  const auto ground = [&](std::uint32_t body, std::uint32_t support) {
    const std::uint32_t group = groups.find(body);
    if (height[group] == 1) return;
    height[group] = 1;
    if (system.bodies[support].kind == BodyKind::Kinematic) carrier[group] = support;
    queue.push_back(group);
  };
  const auto connect = [&](std::uint32_t a, std::uint32_t b) {
    const bool movesA = canMove(system.bodies[a]), movesB = canMove(system.bodies[b]);
    if (movesA && !movesB) ground(a, b);
    if (movesB && !movesA) ground(b, a);
    if (!movesA || !movesB) return;
    neighbours[groups.find(a)].push_back(groups.find(b));
    neighbours[groups.find(b)].push_back(groups.find(a));
  };
  for (const Pair& pair : system.broad.pairs) {
    if (pair.contact == kNone || system.contacts.slots[pair.contact].count == 0) continue;
    connect(system.contacts.slots[pair.contact].bodyA, system.contacts.slots[pair.contact].bodyB);
  }
  for (const Joint& joint : system.joints)
    if (joint.alive) connect(joint.a, joint.b);
  int highest = 1;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint32_t next : neighbours[queue[i]]) {
      if (height[next] >= 0) continue;
      height[next] = height[queue[i]] + 1;
      carrier[next] = carrier[queue[i]];
      highest = std::max(highest, height[next]);
      queue.push_back(next);
    }
  }
  std::vector<int> heights(count, 0);
  if (carriers != nullptr) carriers->assign(count, kNone);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!canMove(system.bodies[i])) continue;
    const int found = height[groups.find(i)];
    heights[i] = found < 0 ? highest : found;
    if (carriers != nullptr) (*carriers)[i] = carrier[groups.find(i)];
  }
  return heights;
}

}  // namespace cairn
