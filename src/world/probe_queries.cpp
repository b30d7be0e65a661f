// What touches a shape at a place, how deep, and where shapes are closest.
#include <algorithm>
#include <cmath>

#include "geometry/distance.hpp"
#include "world/checks.hpp"
#include "world/query_walk.hpp"

namespace cairn {

namespace {

// A shape of no size.
const Shape& pointShape() {
  static const Shape point{.type = ShapeType::Sphere, .size = Vec3::Zero(), .hull = nullptr};
  return point;
}

Pose checkedPose(const ShapeProbe& probe) {
  if (probe.shape.isEmpty()) refuse("shape", "is missing");
  requireFinite("pose.position", probe.pose.position);
  if (!probe.pose.rotation.coeffs().allFinite() || !(probe.pose.rotation.norm() > 1e-12))
    refuse("pose.rotation", "must be a rotation");
  requireRange("margin", probe.margin, 0.0, kLargestSize, "m");
  return {probe.pose.position, probe.pose.rotation.normalized()};
}

// The least signed distance of the children of two shapes, of those nearer than `within`.
struct LeastDistance {
  bool found = false;
  SignedDistance distance{};
};
LeastDistance leastDistance(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, double within) {
  LeastDistance least;
  const Aabb reachOfB = boundingBox(b, poseB).grown(within);
  forEachChildNear(a, poseA, reachOfB, [&](std::uint32_t, const Shape& childA, const Pose& placeA) {
    const double limit = least.found ? least.distance.distance : within;
    const Aabb reachOfA = boundingBox(childA, placeA).grown(std::max(limit, 0.0));
    forEachChildNear(b, poseB, reachOfA, [&](std::uint32_t, const Shape& childB, const Pose& placeB) {
      const SignedDistance apart = signedDistance(childA, placeA, childB, placeB);
      if (least.found ? apart.distance < least.distance.distance : apart.distance <= within) least = {true, apart};
    });
  });
  return least;
}

ClosestPoints closestOf(const SignedDistance& apart) {
  ClosestPoints closest;
  closest.distance = apart.distance;
  closest.pointA = apart.pointA;
  closest.pointB = apart.pointB;
  closest.normal = apart.normal;
  return closest;
}

// Calls use(collider, distance) for all shapes within the margin of the probe.
template <class Use>
void forEachTouched(const QueryWalk& walk, const ShapeProbe& probe, Use&& use) {
  const Pose pose = checkedPose(probe);
  const Shape& shape = *probe.shape.get();
  walk.query(boundingBox(shape, pose).grown(probe.margin), probe.collidesWith, [&](std::uint32_t index) {
    const LeastDistance least = leastDistance(shape, pose, walk.collider(index).shape, walk.pose(index), probe.margin);
    if (least.found) use(index, least.distance);
  });
}

std::vector<Overlap> sortedOverlaps(std::vector<Overlap> found) {
  std::sort(found.begin(), found.end(), [](const Overlap& a, const Overlap& b) { return a.shape.index < b.shape.index; });
  return found;
}

std::vector<Overlap> overlapsOf(const QueryWalk& walk, const ShapeProbe& probe) {
  std::vector<Overlap> found;
  forEachTouched(walk, probe, [&](std::uint32_t index, const SignedDistance&) {
    found.push_back({walk.shapeId(index), walk.bodyId(index)});
  });
  return sortedOverlaps(std::move(found));
}

std::optional<ClosestPoints> closestTo(const QueryWalk& walk, const PointProbe& probe) {
  requireFinite("point", probe.point);
  if (!(probe.within >= 0.0)) refuse("within", "must not be negative");
  const Pose place{probe.point, Quat::Identity()};
  std::uint32_t best = kNone;
  SignedDistance nearest;
  double limit = probe.within;
  walk.findNear(probe.point, probe.within, probe.collidesWith, [&](std::uint32_t index, double) {
    const LeastDistance least = leastDistance(pointShape(), place, walk.collider(index).shape, walk.pose(index), limit);
    const double distance = least.distance.distance;
    const bool nearer = best == kNone || distance < nearest.distance || (distance == nearest.distance && index < best);
    if (least.found && nearer) {
      best = index;
      nearest = least.distance;
      limit = std::max(0.0, distance);  // inside several it is the deepest that counts
    }
    return limit;
  });
  if (best == kNone) return std::nullopt;
  ClosestPoints closest = closestOf(nearest);
  closest.pointA = probe.point;
  closest.shapeB = walk.shapeId(best);
  closest.bodyB = walk.bodyId(best);
  return closest;
}

}  // namespace

std::vector<Overlap> World::overlaps(const ShapeProbe& probe, const ShapeFilter& accepts) const {
  return overlapsOf(QueryWalk(*impl_, accepts), probe);
}

std::vector<Overlap> World::overlaps(const RegionProbe& region, const ShapeFilter& accepts) const {
  requireFinite("lower", region.lower);
  requireFinite("upper", region.upper);
  if ((region.lower.array() > region.upper.array()).any()) refuse("upper", "must not be below lower");
  const QueryWalk walk(*impl_, accepts);
  const Aabb box{region.lower, region.upper};
  // Regions may be flat: no smallest size is asked for.
  const Shape shape{.type = ShapeType::Box, .size = 0.5 * (region.upper - region.lower), .hull = nullptr};
  const Pose pose{box.center(), Quat::Identity()};
  std::vector<Overlap> found;
  walk.query(box, region.collidesWith, [&](std::uint32_t index) {
    if (leastDistance(shape, pose, walk.collider(index).shape, walk.pose(index), 0.0).found)
      found.push_back({walk.shapeId(index), walk.bodyId(index)});
  });
  return sortedOverlaps(std::move(found));
}

std::vector<ClosestPoints> World::penetrations(const ShapeProbe& probe, const ShapeFilter& accepts) const {
  const QueryWalk walk(*impl_, accepts);
  std::vector<ClosestPoints> found;
  forEachTouched(walk, probe, [&](std::uint32_t index, const SignedDistance& apart) {
    ClosestPoints& closest = found.emplace_back(closestOf(apart));
    closest.shapeB = walk.shapeId(index);
    closest.bodyB = walk.bodyId(index);
  });
  std::sort(found.begin(), found.end(), [](const ClosestPoints& a, const ClosestPoints& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.shapeB.index < b.shapeB.index;
  });
  return found;
}

std::optional<ClosestPoints> World::closestPoints(ShapeId a, ShapeId b) const {
  const Collider* first = impl_->find(a);
  const Collider* second = impl_->find(b);
  if (first == nullptr || second == nullptr) return std::nullopt;
  if (first->shape.type == ShapeType::Plane && second->shape.type == ShapeType::Plane) return std::nullopt;
  const System& system = impl_->state.system;
  const LeastDistance least = leastDistance(first->shape, poseOf(system, *first), second->shape, poseOf(system, *second),
                                            std::numeric_limits<double>::infinity());
  if (!least.found) return std::nullopt;
  ClosestPoints closest = closestOf(least.distance);
  closest.shapeA = a;
  closest.shapeB = b;
  closest.bodyA = impl_->idOf(first->body);
  closest.bodyB = impl_->idOf(second->body);
  return closest;
}

std::optional<ClosestPoints> World::closestPoints(BodyId a, BodyId b) const {
  if (impl_->find(a) == nullptr || impl_->find(b) == nullptr) return std::nullopt;
  std::optional<ClosestPoints> best;
  for (const ShapeId first : shapes(a)) {
    for (const ShapeId second : shapes(b)) {
      const std::optional<ClosestPoints> closest = closestPoints(first, second);
      if (closest && (!best || closest->distance < best->distance)) best = closest;
    }
  }
  return best;
}

std::optional<ClosestPoints> World::closestPoints(const PointProbe& probe, const ShapeFilter& accepts) const {
  return closestTo(QueryWalk(*impl_, accepts), probe);
}

std::vector<std::vector<Overlap>> World::overlaps(std::span<const ShapeProbe> probes, const ShapeFilter& accepts) const {
  const QueryWalk walk(*impl_, accepts);
  std::vector<std::vector<Overlap>> found(probes.size());
  answerAll(*impl_, probes.size(), [&](std::size_t i) { found[i] = overlapsOf(walk, probes[i]); });
  return found;
}

std::vector<std::optional<ClosestPoints>> World::closestPoints(std::span<const PointProbe> probes,
                                                               const ShapeFilter& accepts) const {
  const QueryWalk walk(*impl_, accepts);
  std::vector<std::optional<ClosestPoints>> found(probes.size());
  answerAll(*impl_, probes.size(), [&](std::size_t i) { found[i] = closestTo(walk, probes[i]); });
  return found;
}

}  // namespace cairn
