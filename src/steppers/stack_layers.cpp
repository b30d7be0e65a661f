#include "steppers/stack_layers.hpp"

#include <algorithm>
#include <numeric>

namespace cairn {

namespace {

bool canMove(const Body& body) { return body.moves() && body.isDynamic(); }

std::uint32_t find(std::vector<std::uint32_t>& parent, std::uint32_t body) {
  while (parent[body] != body) body = parent[body] = parent[parent[body]];
  return body;
}

}  // namespace

StackSearch::StackSearch(const System& system)
    : group_(system.bodies.size()),
      members_(system.bodies.size()),
      neighbours_(system.bodies.size()),
      carrier_(system.bodies.size(), kNone),
      came_(system.bodies.size(), 0) {
  std::iota(group_.begin(), group_.end(), 0u);
  for (const Joint& joint : system.joints) {
    if (!joint.alive || !canMove(system.bodies[joint.a]) || !canMove(system.bodies[joint.b])) continue;
    const std::uint32_t a = find(group_, joint.a), b = find(group_, joint.b);
    group_[std::max(a, b)] = std::min(a, b);
  }
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i) {
    group_[i] = find(group_, i);
    if (canMove(system.bodies[i])) members_[group_[i]].push_back(i);
  }
  const auto connect = [&](std::uint32_t a, std::uint32_t b) {
    const bool movesA = canMove(system.bodies[a]), movesB = canMove(system.bodies[b]);
    const auto ground = [&](std::uint32_t body, std::uint32_t support) {
      admit(group_[body], system.bodies[support].kind == BodyKind::Kinematic ? support : kNone);
    };
    if (movesA && !movesB) ground(a, b);
    if (movesB && !movesA) ground(b, a);
    if (!movesA || !movesB) return;
    neighbours_[group_[a]].push_back(group_[b]);
    neighbours_[group_[b]].push_back(group_[a]);
  };
  forEachContact(system, [&](std::uint32_t slot) {
    const Contact& contact = system.contacts.slots[slot];
    if (contact.count > 0) connect(contact.bodyA, contact.bodyB);
  });
  for (const Joint& joint : system.joints)
    if (joint.alive) connect(joint.a, joint.b);
}

void StackSearch::admit(std::uint32_t group, std::uint32_t carrier) {
  if (came_[group] != 0) return;
  came_[group] = 1;
  carrier_[group] = carrier;
  next_.push_back(group);
}

std::vector<std::uint32_t> StackSearch::next(const std::function<bool(std::uint32_t)>& isFirm) {
  for (const std::uint32_t group : layer_) {
    if (!std::all_of(members_[group].begin(), members_[group].end(), isFirm)) continue;
    for (const std::uint32_t neighbour : neighbours_[group]) admit(neighbour, carrier_[group]);
  }
  layer_ = std::move(next_);
  next_.clear();
  std::vector<std::uint32_t> bodies;
  for (const std::uint32_t group : layer_) bodies.insert(bodies.end(), members_[group].begin(), members_[group].end());
  std::sort(bodies.begin(), bodies.end());
  return bodies;
}

std::vector<int> stackHeights(const System& system) {
  std::vector<int> heights(system.bodies.size(), 0);
  StackSearch search(system);
  int height = 1;
  const auto always = [](std::uint32_t) { return true; };
  for (std::vector<std::uint32_t> layer = search.next(always); !layer.empty(); layer = search.next(always), ++height)
    for (const std::uint32_t body : layer) heights[body] = height;
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i)
    if (canMove(system.bodies[i]) && heights[i] == 0) heights[i] = height;
  return heights;
}

}  // namespace cairn
