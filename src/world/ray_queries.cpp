// Rays through the world: the nearest shape, all of them, or any.
#include <algorithm>

#include "geometry/ray.hpp"
#include "world/checks.hpp"
#include "world/query_walk.hpp"

namespace cairn {

namespace {

// Unit. Throws if the ray is none.
Vec3 checkedDirection(const Ray& ray) {
  requireFinite("origin", ray.origin);
  requireFinite("direction", ray.direction);
  const double norm = ray.direction.stableNorm();
  if (!(norm > 0.0)) refuse("direction", "must not be zero");
  if (!(ray.length >= 0.0)) refuse("length", "must not be negative");
  return (ray.direction / norm).normalized();
}

// Calls use(collider, hit) for shapes that the ray hits; it returns the new length.
template <class Use>
void forEachHit(const QueryWalk& walk, const Ray& ray, const Vec3& direction, Use&& use) {
  double limit = ray.length;
  walk.castBox(ray.origin, Vec3::Zero(), direction, ray.length, ray.collidesWith, [&](std::uint32_t index, double) {
    const std::optional<ShapeRayHit> hit =
        castRay(walk.collider(index).shape, walk.pose(index), ray.origin, direction, limit);
    if (hit) limit = use(index, *hit);
    return limit;
  });
}

RayHit describedHit(const QueryWalk& walk, const Ray& ray, const Vec3& direction, std::uint32_t index,
                    const ShapeRayHit& hit) {
  return {walk.shapeId(index), walk.bodyId(index), hit.distance, ray.origin + hit.distance * direction, hit.normal};
}

std::optional<RayHit> nearestHit(const QueryWalk& walk, const Ray& ray) {
  const Vec3 direction = checkedDirection(ray);
  std::uint32_t best = kNone;
  ShapeRayHit found{};
  forEachHit(walk, ray, direction, [&](std::uint32_t index, const ShapeRayHit& hit) {
    // Ties go to the smaller id, so that the answer does not depend on the shape of the tree.
    if (best == kNone || hit.distance < found.distance || (hit.distance == found.distance && index < best)) {
      best = index;
      found = hit;
    }
    return found.distance;
  });
  if (best == kNone) return std::nullopt;
  return describedHit(walk, ray, direction, best, found);
}

}  // namespace

std::optional<RayHit> World::castRay(const Ray& ray, const ShapeFilter& accepts) const {
  return nearestHit(QueryWalk(*impl_, accepts), ray);
}

std::vector<RayHit> World::castRayAll(const Ray& ray, const ShapeFilter& accepts) const {
  const QueryWalk walk(*impl_, accepts);
  const Vec3 direction = checkedDirection(ray);
  std::vector<RayHit> hits;
  forEachHit(walk, ray, direction, [&](std::uint32_t index, const ShapeRayHit& hit) {
    hits.push_back(describedHit(walk, ray, direction, index, hit));
    return ray.length;
  });
  std::sort(hits.begin(), hits.end(), [](const RayHit& a, const RayHit& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.shape.index < b.shape.index;
  });
  return hits;
}

bool World::castRayAny(const Ray& ray, const ShapeFilter& accepts) const {
  const QueryWalk walk(*impl_, accepts);
  bool any = false;
  forEachHit(walk, ray, checkedDirection(ray), [&](std::uint32_t, const ShapeRayHit&) {
    any = true;
    return -1.0;  // nothing is that near: it ends here
  });
  return any;
}

std::vector<std::optional<RayHit>> World::castRays(std::span<const Ray> rays, const ShapeFilter& accepts) const {
  const QueryWalk walk(*impl_, accepts);
  std::vector<std::optional<RayHit>> hits(rays.size());
  answerAll(*impl_, rays.size(), [&](std::size_t i) { hits[i] = nearestHit(walk, rays[i]); });
  return hits;
}

}  // namespace cairn
