#include "dynamics/islands.hpp"

#include <atomic>

namespace cairn {

namespace {

constexpr std::size_t kBodyGrain = 512;

std::uint32_t root(std::vector<std::uint32_t>& parent, std::uint32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];  // halve the path as it is walked
    i = parent[i];
  }
  return i;
}

// The smaller index becomes the root, so that the result does not depend on the order of unions.
void unite(std::vector<std::uint32_t>& parent, std::uint32_t a, std::uint32_t b) {
  a = root(parent, a);
  b = root(parent, b);
  if (a < b) parent[b] = a;
  if (b < a) parent[a] = b;
}

}  // namespace

int findIslands(System& system, const Tasks& tasks, IslandScratch& scratch) {
  const std::size_t count = system.bodies.size();
  std::vector<std::uint32_t>& parent = scratch.parent;
  parent.resize(count);
  scratch.number.resize(count);
  tasks.parallelFor(count, kBodyGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      parent[i] = system.bodies[i].alive && system.bodies[i].isDynamic() ? static_cast<std::uint32_t>(i) : kNone;
  });

  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    if (parent[a] != kNone && parent[b] != kNone) unite(parent, a, b);
  };
  for (const std::uint32_t slot : system.contacts.inUse) join(system.contacts.ends[slot].a, system.contacts.ends[slot].b);
  for (const Joint& joint : system.joints) {
    if (joint.alive) join(joint.a, joint.b);
  }

  // Parents have smaller numbers than their children: one pass makes every root a parent.
  int islands = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (parent[i] == kNone) continue;
    if (parent[i] == i) scratch.number[i] = static_cast<std::uint32_t>(islands++);
    parent[i] = parent[parent[i]];
  }
  std::atomic<bool> anyAsleep = false;
  tasks.parallelFor(count, kBodyGrain, [&](std::size_t first, std::size_t last) {
    bool asleep = false;
    for (std::size_t i = first; i < last; ++i) {
      Body& body = system.bodies[i];
      body.island = parent[i] == kNone ? kNone : scratch.number[parent[i]];
      asleep |= parent[i] != kNone && !body.awake;
    }
    if (asleep) anyAsleep.store(true, std::memory_order_relaxed);
  });
  scratch.anyAsleep = anyAsleep.load();
  return islands;
}

void wakeIslands(System& system, int islands, IslandScratch& scratch) {
  if (!scratch.anyAsleep) return;
  scratch.number.assign(static_cast<std::size_t>(islands), 0);
  for (const Body& body : system.bodies) {
    if (body.alive && body.island != kNone && body.awake) scratch.number[body.island] = 1;
  }
  for (Body& body : system.bodies) {
    if (!body.alive || body.island == kNone || body.awake || scratch.number[body.island] == 0) continue;
    body.awake = true;
    body.stillSeconds = 0.0;
  }
}

void updateSleep(System& system, const SleepOptions& options, int islands, double dt, IslandScratch& scratch) {
  if (!options.enabled) return;
  // An island may sleep once its least rested body is rested. 1: may not.
  scratch.number.assign(static_cast<std::size_t>(islands), 0);
  for (Body& body : system.bodies) {
    if (!body.alive || body.island == kNone || !body.awake) continue;
    const bool still =
        body.canSleep && body.velocity.norm() < options.linearSpeed && body.spin.norm() < options.angularSpeed;
    body.stillSeconds = still ? body.stillSeconds + dt : 0.0;
    if (body.stillSeconds < options.seconds) scratch.number[body.island] = 1;
  }
  // A moving kinematic body keeps what it touches awake.
  for (const std::uint32_t slot : system.contacts.inUse) {
    const Body& a = system.bodies[system.contacts.ends[slot].a];
    const Body& b = system.bodies[system.contacts.ends[slot].b];
    const auto drives = [](const Body& body) {
      return body.kind == BodyKind::Kinematic && !(body.velocity.isZero(0.0) && body.spin.isZero(0.0));
    };
    if (drives(a) && b.island != kNone) scratch.number[b.island] = 1;
    if (drives(b) && a.island != kNone) scratch.number[a.island] = 1;
  }
  for (Body& body : system.bodies) {
    if (!body.alive || body.island == kNone || !body.awake || scratch.number[body.island] != 0) continue;
    body.awake = false;
    body.velocity.setZero();
    body.spin.setZero();
  }
}

}  // namespace cairn
