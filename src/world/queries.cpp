// Measurements of the world as it is, and exact copies of it. Rays, casts and probes have files of their own.
#include <cmath>

#include "base/hash.hpp"
#include "geometry/distance.hpp"
#include "math/rotation.hpp"
#include "mechanics/joint_rows.hpp"
#include "world/checks.hpp"
#include "world/state.hpp"

namespace cairn {

namespace {
constexpr std::size_t kPairGrain = 64;
}

Energy World::energy() const {
  Energy energy;
  for (const Body& body : impl_->state.system.bodies) {
    if (!body.alive || !body.isDynamic()) continue;
    const Vec3 w = body.rotation.conjugate() * body.spin;
    energy.kinetic += 0.5 * body.mass * body.velocity.squaredNorm() + 0.5 * w.dot(body.inertia * w);
    energy.potential -= body.mass * body.gravityScale * impl_->state.settings.gravity.dot(body.center);
  }
  for (const Mechanism& mechanism : impl_->state.system.mechanisms)
    for (Eigen::Index k = 0; mechanism.alive && k < mechanism.v.size(); ++k)
      energy.kinetic += 0.5 * mechanism.model->armature(static_cast<int>(k)) * mechanism.v[k] * mechanism.v[k];
  return energy;
}

// Pairs of the last step hold all that may overlap, save for strays: these are looked for in both trees.
Penetration World::deepestPenetration() const {
  const System& system = impl_->state.system;
  const QueryIndex& index = impl_->queries;
  impl_->queries.refresh(system);
  // Whoever asks while another thread does works alone.
  const std::unique_lock lock(impl_->queryTasks, std::try_to_lock);
  const Tasks alone;
  const Tasks& tasks = lock.owns_lock() ? impl_->tasks : alone;
  struct Placed {
    Pose pose;
    Aabb box;
  };
  std::vector<Placed> placed(system.colliders.size());
  const std::vector<Pair>& pairs = system.broad.pairs;
  struct Found {
    double depth = 0.0;
    std::uint64_t pair = UINT64_MAX;
  };
  std::vector<Found> deepest((pairs.size() + kPairGrain - 1) / kPairGrain + 1);
  const auto look = [&](std::uint32_t a, std::uint32_t b, Found& found) {
    if (a > b) std::swap(a, b);
    if (!placed[a].box.overlaps(placed[b].box)) return;
    const SignedDistance apart =
        signedDistance(system.colliders[a].shape, placed[a].pose, system.colliders[b].shape, placed[b].pose);
    const std::uint64_t key = pairKey(a, b);
    // Ties go to the smaller ids.
    if (-apart.distance > found.depth || (-apart.distance == found.depth && found.depth > 0.0 && key < found.pair))
      found = {-apart.distance, key};
  };
  tasks.enter([&] {
    tasks.parallelFor(placed.size(), kPairGrain, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const Collider& collider = system.colliders[i];
        if (!collider.enabled) continue;
        placed[i].pose = poseOf(system, collider);
        placed[i].box = boundingBox(collider.shape, placed[i].pose);
      }
    });
    tasks.parallelFor(pairs.size(), kPairGrain, [&](std::size_t first, std::size_t last) {
      const auto isPlain = [&](std::uint32_t i) { return system.colliders[i].enabled && !index.isStray(i); };
      for (std::size_t i = first; i < last; ++i)
        if (isPlain(pairs[i].a) && isPlain(pairs[i].b)) look(pairs[i].a, pairs[i].b, deepest[first / kPairGrain]);
    });
  });
  for (const std::uint32_t stray : index.strayList()) {
    const Collider& collider = system.colliders[stray];
    if (!collider.enabled) continue;
    const auto visit = [&](std::uint32_t other) {
      if (other == stray || !system.colliders[other].enabled) return;
      if (mayCollide(system.broad, collider, system.colliders[other])) look(stray, other, deepest.back());
    };
    system.broad.tree.query(placed[stray].box, visit);
    index.strays().query(placed[stray].box, visit);
  }
  Found result;
  for (const Found& found : deepest)
    if (found.depth > result.depth || (found.depth == result.depth && found.pair < result.pair)) result = found;
  if (result.depth == 0.0) return {};
  return {result.depth, impl_->shapeIdOf(static_cast<std::uint32_t>(result.pair >> 32)),
          impl_->shapeIdOf(static_cast<std::uint32_t>(result.pair))};
}

double World::jointError() const {
  double worst = 0.0;
  const System& system = impl_->state.system;
  for (const Joint& joint : system.joints) {
    if (joint.alive) worst = std::max(worst, wrongBy(joint, system.bodies[joint.a], system.bodies[joint.b]));
  }
  return worst;
}

Snapshot World::snapshot() const {
  Snapshot snapshot;
  snapshot.state_ = std::make_shared<const WorldState>(impl_->state);
  return snapshot;
}

void World::restore(const Snapshot& snapshot) {
  if (snapshot.isEmpty()) refuse("snapshot", "is empty");
  setSettings(snapshot.state_->settings);
  impl_->state = *snapshot.state_;
  impl_->forgetPlaces();
  impl_->extents.clear();
  impl_->eventsAreFresh = false;
  impl_->stepSeconds.reset();
}

std::uint64_t World::stateHash() const {
  Hash hash;
  const std::vector<Body>& bodies = impl_->state.system.bodies;
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    const Body& body = bodies[i];
    if (!body.alive) continue;
    hash.add((std::uint64_t{body.generation} << 32) | i);
    hash.add((std::uint64_t{body.awake} << 1) | std::uint64_t{body.quarantined});
    for (int k = 0; k < 3; ++k) {
      hash.add(body.center[k]);
      hash.add(body.velocity[k]);
      hash.add(body.spin[k]);
    }
    for (int k = 0; k < 4; ++k) hash.add(body.rotation.coeffs()[k]);
  }
  for (const Mechanism& mechanism : impl_->state.system.mechanisms) {
    if (!mechanism.alive) continue;
    for (const double number : mechanism.q) hash.add(number);
    for (const double number : mechanism.v) hash.add(number);
  }
  return hash.value();
}

}  // namespace cairn
