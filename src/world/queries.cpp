// Questions about the world as it is, and exact copies of it.
#include <cmath>

#include "base/hash.hpp"
#include "geometry/distance.hpp"
#include "geometry/ray.hpp"
#include "math/rotation.hpp"
#include "mechanics/joint_rows.hpp"
#include "world/checks.hpp"
#include "world/state.hpp"

namespace cairn {

namespace {
constexpr std::size_t kPairGrain = 64;
}

std::optional<RayHit> World::castRay(const Ray& ray) const {
  requireFinite("origin", ray.origin);
  requireFinite("direction", ray.direction);
  const double norm = ray.direction.norm();
  if (norm <= 0.0) refuse("direction", "must not be zero");
  if (!(ray.length >= 0.0)) refuse("length", "must not be negative");
  impl_->refreshPairs(impl_->state.lastDt);  // the tree follows edits

  const System& system = impl_->state.system;
  const Vec3 direction = ray.direction / norm;
  std::optional<RayHit> best;
  system.broad.tree.castRay(ray.origin, direction, ray.length, [&](std::uint32_t index, double) {
    const Collider& collider = system.colliders[index];
    const double limit = best ? best->distance : ray.length;
    if ((collider.group & ray.collidesWith) == 0) return limit;
    const std::optional<ShapeRayHit> hit = cairn::castRay(collider.shape, collider.pose, ray.origin, direction, limit);
    if (!hit) return limit;
    // Ties go to the smaller id, so that the answer does not depend on the shape of the tree.
    if (best && hit->distance == best->distance && best->shape.index < index) return limit;
    best = RayHit{impl_->shapeIdOf(index), impl_->idOf(collider.body), hit->distance, ray.origin + hit->distance * direction,
                  hit->normal};
    return hit->distance;
  });
  return best;
}

Energy World::energy() const {
  Energy energy;
  for (const Body& body : impl_->state.system.bodies) {
    if (!body.alive || !body.isDynamic()) continue;
    const Vec3 w = body.rotation.conjugate() * body.spin;
    energy.kinetic += 0.5 * body.mass * body.velocity.squaredNorm() + 0.5 * w.dot(body.inertia * w);
    energy.potential -= body.mass * body.gravityScale * impl_->state.settings.gravity.dot(body.center);
  }
  return energy;
}

Penetration World::deepestPenetration() const {
  WorldImpl& impl = *impl_;
  impl.refreshPairs(impl.state.lastDt);
  const System& system = impl.state.system;
  const std::vector<Pair>& pairs = system.broad.pairs;
  const std::size_t pieces = (pairs.size() + kPairGrain - 1) / kPairGrain;
  std::vector<std::pair<double, std::size_t>> deepest(pieces, {0.0, SIZE_MAX});
  impl.tasks.enter([&] {
    impl.tasks.parallelFor(pairs.size(), kPairGrain, [&](std::size_t first, std::size_t last) {
      auto& mine = deepest[first / kPairGrain];
      for (std::size_t i = first; i < last; ++i) {
        const Collider& a = system.colliders[pairs[i].a];
        const Collider& b = system.colliders[pairs[i].b];
        if (!boundingBox(a.shape, a.pose).overlaps(boundingBox(b.shape, b.pose))) continue;
        const double depth = -signedDistance(a.shape, a.pose, b.shape, b.pose).distance;
        if (depth > mine.first) mine = {depth, i};
      }
    });
  });
  Penetration result;
  for (const auto& [depth, pair] : deepest) {
    if (depth > result.depth) result = {depth, impl.shapeIdOf(pairs[pair].a), impl.shapeIdOf(pairs[pair].b)};
  }
  return result;
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
  return hash.value();
}

}  // namespace cairn
