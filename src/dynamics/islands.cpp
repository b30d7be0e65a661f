#include "dynamics/islands.hpp"

#include <atomic>
#include <utility>

namespace cairn {

namespace {

constexpr std::size_t kBodyGrain = 128, kContactGrain = 256;
constexpr std::size_t kFewContacts = 4096;  // one thread unites them sooner than several can agree who does which

// Parents have smaller numbers than their children, and the smallest number of an island becomes its root: the result does
// not depend on the order of unions. kShared: any number of threads may ask and unite at once.
template <bool kShared>
class Parents {
 public:
  explicit Parents(std::vector<std::uint32_t>& parent) : parent_(parent) {}

  // Whether that made one island of two.
  bool unite(std::uint32_t a, std::uint32_t b) {
    if (get(a) == kNone || get(b) == kNone) return false;
    while (true) {
      a = root(a);
      b = root(b);
      if (a == b) return false;
      if (a < b) std::swap(a, b);
      if (setRoot(a, b)) return true;
    }
  }

 private:
  std::uint32_t get(std::uint32_t i) const {
    if constexpr (kShared) return std::atomic_ref(parent_[i]).load(std::memory_order_relaxed);
    return parent_[i];
  }
  void set(std::uint32_t i, std::uint32_t to) {
    if constexpr (kShared) return std::atomic_ref(parent_[i]).store(to, std::memory_order_relaxed);
    parent_[i] = to;
  }
  // False if it is a root no more.
  bool setRoot(std::uint32_t i, std::uint32_t to) {
    if constexpr (kShared) return std::atomic_ref(parent_[i]).compare_exchange_strong(i, to, std::memory_order_relaxed);
    parent_[i] = to;
    return true;
  }
  std::uint32_t root(std::uint32_t i) {
    while (true) {
      const std::uint32_t up = get(i);
      if (up == i) return i;
      const std::uint32_t next = get(up);
      if (next != up) set(i, next);  // halve the path as it is walked
      i = next;
    }
  }
  std::vector<std::uint32_t>& parent_;
};

// The ends of contacts and joints. Contacts that made one island of two are bonds: while all of them are there, an island
// stays whole whatever other contacts come and go. Those that touch come first, so that few bonds are cracks, which do.
template <bool kShared>
void uniteAll(System& system, const Tasks& tasks, std::vector<std::uint32_t>& parent) {
  Parents<kShared> parents(parent);
  ContactCache& cache = system.contacts;
  for (const std::uint8_t wanted : {Touch::kNow, std::uint8_t{0}}) {
    tasks.parallelFor(cache.inUse.size(), kContactGrain, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        std::uint8_t& touch = cache.touch[cache.inUse[i]];
        if ((touch & Touch::kNow) != wanted) continue;
        const auto [a, b] = cache.ends[cache.inUse[i]];
        const bool isBond = parents.unite(a, b);
        if (isBond != ((touch & Touch::kBond) != 0)) touch ^= Touch::kBond;
      }
    });
  }
  for (const Joint& joint : system.joints)
    if (joint.alive) parents.unite(joint.a, joint.b);
  for (const Mechanism& mechanism : system.mechanisms) {
    if (!mechanism.alive) continue;
    std::uint32_t last = kNone;  // links that are fixed to the base are in no island
    for (const std::uint32_t body : mechanism.bodies) {
      if (!system.bodies[body].isDynamic()) continue;
      if (last != kNone) parents.unite(last, body);
      last = body;
    }
  }
}

// All that held islands together is still there, what came is within one of them, and no body has begun or ceased to be one
// of those that make up islands. Who has done both has lost its contacts, or is one that has no island yet. (Who asks about
// joints looks at all of them anyway.)
bool areAsFound(const System& system, const Tasks& tasks, IslandScratch& scratch) {
  const ContactCache& cache = system.contacts;
  if (!system.islands.known || !system.joints.empty() || !system.mechanisms.empty() || cache.bondBroke) return false;
  const auto islandOf = [&](std::uint32_t body) { return system.bodies[body].island; };
  for (const std::uint32_t slot : cache.begun) {
    const auto [a, b] = cache.ends[slot];
    if (islandOf(a) != kNone && islandOf(b) != kNone && islandOf(a) != islandOf(b)) return false;
  }
  std::atomic<bool> changed = false, anyAsleep = false;
  std::atomic<std::size_t> bodies = 0;  // one that was an island by itself may have gone
  tasks.parallelFor(system.bodies.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
    bool different = false, asleep = false;
    std::size_t here = 0;
    for (std::size_t i = first; i < last; ++i) {
      const Body& body = system.bodies[i];
      const bool isIn = body.alive && body.isDynamic();
      different |= isIn != (body.island != kNone);
      asleep |= isIn && !body.awake;
      here += isIn ? 1 : 0;
    }
    bodies += here;
    if (different) changed.store(true, std::memory_order_relaxed);
    if (asleep) anyAsleep.store(true, std::memory_order_relaxed);
  });
  scratch.anyAsleep = anyAsleep.load();
  return !changed.load() && bodies.load() == system.islands.bodies;
}

}  // namespace

int findIslands(System& system, const Tasks& tasks, IslandScratch& scratch) {
  const bool found = areAsFound(system, tasks, scratch);
  system.contacts.begun.clear();
  if (found) return system.islands.count;
  system.contacts.bondBroke = false;
  const std::size_t count = system.bodies.size();
  std::vector<std::uint32_t>& parent = scratch.parent;
  parent.resize(count);
  scratch.number.resize(count);
  tasks.parallelFor(count, kBodyGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      parent[i] = system.bodies[i].alive && system.bodies[i].isDynamic() ? static_cast<std::uint32_t>(i) : kNone;
  });

  if (tasks.threads() == 1 || system.contacts.inUse.size() < kFewContacts) {
    uniteAll<false>(system, Tasks(), parent);
  } else {
    uniteAll<true>(system, tasks, parent);
  }

  // Parents have smaller numbers than their children: one pass makes every root a parent.
  int islands = 0;
  std::size_t bodies = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (parent[i] == kNone) continue;
    ++bodies;
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
  system.islands = {true, islands, bodies};
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
    if (body.mechanism != kNone) system.mechanisms[body.mechanism].v.setZero();
  }
}

}  // namespace cairn
