#include "mechanics/island.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace cairn {

namespace {

// Indices of the world that are in the island, rising, and where each of them is there.
class Numbering {
 public:
  explicit Numbering(std::size_t count) : to_(count, kNone) {}
  void mark(std::uint32_t index) { to_[index] = 0; }
  bool has(std::uint32_t index) const { return to_[index] != kNone; }
  std::uint32_t operator[](std::uint32_t index) const { return to_[index]; }
  std::vector<std::uint32_t> finish() {
    std::vector<std::uint32_t> from;
    for (std::uint32_t i = 0; i < to_.size(); ++i) {
      if (to_[i] == kNone) continue;
      to_[i] = static_cast<std::uint32_t>(from.size());
      from.push_back(i);
    }
    return from;
  }

 private:
  std::vector<std::uint32_t> to_;
};

std::uint64_t keyOf(const std::vector<std::uint32_t>& colliders, const Pair& pair) {
  return Pair{colliders[pair.a], colliders[pair.b]}.key();
}

}  // namespace

Island gather(const System& world, std::span<const std::uint32_t> own) {
  Island island;
  System& system = island.system;
  Numbering bodies(world.bodies.size()), colliders(world.colliders.size()), joints(world.joints.size());
  std::vector<char> isOwn(world.bodies.size(), 0);
  for (const std::uint32_t body : own) {
    isOwn[body] = 1;
    bodies.mark(body);
    for (std::uint32_t c = world.bodies[body].firstCollider; c != kNone; c = world.colliders[c].next) colliders.mark(c);
  }
  std::vector<const Pair*> pairs;
  for (const Pair& pair : world.broad.pairs) {
    const std::uint32_t a = world.colliders[pair.a].body, b = world.colliders[pair.b].body;
    if (pair.contact == kNone || (isOwn[a] == 0 && isOwn[b] == 0)) continue;
    pairs.push_back(&pair);
    bodies.mark(a);
    bodies.mark(b);
    colliders.mark(pair.a);
    colliders.mark(pair.b);
  }
  for (std::uint32_t j = 0; j < world.joints.size(); ++j) {
    const Joint& joint = world.joints[j];
    if (!joint.alive || (isOwn[joint.a] == 0 && isOwn[joint.b] == 0)) continue;
    joints.mark(j);
    bodies.mark(joint.a);
    bodies.mark(joint.b);
  }
  for (std::uint32_t m = 0; m < world.mechanisms.size(); ++m) {
    const Mechanism& mechanism = world.mechanisms[m];
    const bool isIn = mechanism.alive && std::any_of(mechanism.bodies.begin(), mechanism.bodies.end(),
                                                     [&](std::uint32_t body) { return isOwn[body] != 0; });
    if (!isIn) continue;
    island.mechanisms.push_back(m);
    for (const std::uint32_t body : mechanism.bodies) bodies.mark(body);
  }

  island.bodies = bodies.finish();
  island.colliders = colliders.finish();
  island.joints = joints.finish();
  for (const std::uint32_t index : island.bodies) {
    Body& body = system.bodies.emplace_back(world.bodies[index]);
    island.isOwn.push_back(isOwn[index]);
    body.firstCollider = kNone;
    body.mechanism = kNone;
    if (isOwn[index] == 0 && body.isDynamic()) body.awake = false;
    if (body.extras == kNone) continue;
    system.extras.push_back(world.extras[body.extras]);
    body.extras = static_cast<std::uint32_t>(system.extras.size() - 1);
  }
  for (const std::uint32_t index : island.colliders) {
    Collider& collider = system.colliders.emplace_back(world.colliders[index]);
    collider.body = bodies[collider.body];
    collider.node = DynamicTree::kNull;
  }
  for (std::size_t i = 0; i < island.bodies.size(); ++i) {
    std::uint32_t* last = &system.bodies[i].firstCollider;
    for (std::uint32_t c = world.bodies[island.bodies[i]].firstCollider; c != kNone; c = world.colliders[c].next) {
      if (!colliders.has(c)) continue;
      *last = colliders[c];
      last = &system.colliders[colliders[c]].next;
    }
    *last = kNone;
  }
  for (const std::uint32_t index : island.joints) {
    Joint& joint = system.joints.emplace_back(world.joints[index]);
    joint.a = bodies[joint.a];
    joint.b = bodies[joint.b];
  }
  for (std::uint32_t m = 0; m < island.mechanisms.size(); ++m) {
    Mechanism& mechanism = system.mechanisms.emplace_back(world.mechanisms[island.mechanisms[m]]);
    for (std::uint32_t& body : mechanism.bodies) {
      body = bodies[body];
      system.bodies[body].mechanism = m;
    }
  }
  system.materials = world.materials;
  system.islands = world.islands;
  system.impulseSeconds = world.impulseSeconds;
  std::unordered_map<std::uint64_t, std::uint64_t> keys;  // of pairs: from those of the world
  for (const Pair* from : pairs) {
    Pair& pair = system.broad.pairs.emplace_back(Pair{colliders[from->a], colliders[from->b], kNone, from->quietUntil});
    keys.emplace(from->key(), pair.key());
    world.contacts.forEachOf(*from, [&](std::uint32_t slot) {
      Contact contact = world.contacts.slots[slot];
      contact.colliderA = colliders[contact.colliderA];
      contact.colliderB = colliders[contact.colliderB];
      contact.bodyA = bodies[contact.bodyA];
      contact.bodyB = bodies[contact.bodyB];
      const std::uint32_t at =
          system.contacts.acquire(pair, world.contacts.links[slot].children, contact.bodyA, contact.bodyB);
      system.contacts.slots[at] = contact;
      system.contacts.kept[at] = world.contacts.kept[slot];
      island.contacts.push_back(slot);
    });
  }
  for (const auto& [key, memory] : world.memory.points)
    if (const auto found = keys.find(key.pair); found != keys.end())
      system.memory.points.emplace(ContactKey{found->second, key.point}, memory);
  return island;
}

Outcome advance(Island island, Stepper& stepper, const WorldSettings& settings, const Tasks& tasks, double time, double dt) {
  Outcome outcome{std::move(island), {}};
  outcome.report.dt = dt;
  PhaseTimer timer(outcome.report.phaseMs);
  std::vector<StepProblem> problems;
  std::vector<ImpactRecord> impacts;
  StepContext context{outcome.island.system, settings, tasks, outcome.report, timer, problems, impacts, time};
  stepper.step(context, dt);
  return outcome;
}

void commit(const Island& island, System& world) {
  const System& system = island.system;
  for (std::size_t i = 0; i < island.bodies.size(); ++i) {
    if (island.isOwn[i] == 0) continue;
    const Body& from = system.bodies[i];
    Body& body = world.bodies[island.bodies[i]];
    body.center = from.center;
    body.rotation = from.rotation;
    body.velocity = from.velocity;
    body.spin = from.spin;
  }
  for (std::size_t i = 0; i < island.joints.size(); ++i) {
    const Joint& from = system.joints[i];
    Joint& joint = world.joints[island.joints[i]];
    joint.impulse = from.impulse;
    joint.error = from.error;
    joint.totalRows = from.totalRows;
    joint.totalImpulse = from.totalImpulse;
    joint.totalAngularImpulse = from.totalAngularImpulse;
    joint.forces = from.forces;
  }
  for (std::size_t i = 0; i < island.mechanisms.size(); ++i) {
    const Mechanism& from = system.mechanisms[i];
    Mechanism& mechanism = world.mechanisms[island.mechanisms[i]];
    mechanism.q = from.q;
    mechanism.v = from.v;
    mechanism.impulse = from.impulse;
    mechanism.total = from.total;
  }
  std::unordered_map<std::uint64_t, std::uint64_t> keys;  // of pairs: to those of the world
  std::size_t next = 0;
  for (const Pair& pair : system.broad.pairs) {
    keys.emplace(pair.key(), keyOf(island.colliders, pair));
    system.contacts.forEachOf(pair, [&](std::uint32_t slot) {
      Contact& contact = world.contacts.slots[island.contacts[next++]];
      const Contact was = contact;
      contact = system.contacts.slots[slot];
      contact.colliderA = was.colliderA;
      contact.colliderB = was.colliderB;
      contact.bodyA = was.bodyA;
      contact.bodyB = was.bodyB;
    });
  }
  std::unordered_set<std::uint64_t> mine;
  for (const auto& [local, key] : keys) mine.insert(key);
  std::erase_if(world.memory.points, [&](const auto& point) { return mine.contains(point.first.pair); });
  for (const auto& [key, memory] : system.memory.points) world.memory.points[{keys.at(key.pair), key.point}] = memory;
}

}  // namespace cairn
