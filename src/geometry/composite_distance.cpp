#include "geometry/composite_distance.hpp"

#include <limits>

#include "geometry/composite.hpp"

namespace cairn {
namespace {

// The nearer of two; `whose` is the one that is turned to have its normal from A to B.
void takeNearer(const SignedDistance& other, SignedDistance& best) {
  if (other.distance < best.distance) best = other;
}

// Of a convex shape or plane to the children of B.
void nearestChild(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, SignedDistance& best) {
  const auto offer = [&](std::uint32_t i) {
    const PlacedChild child = childOf(b, i);
    takeNearer(signedDistance(a, poseA, child.shape, poseB * child.place), best);
  };
  if (a.type == ShapeType::Plane) {
    for (std::uint32_t i = 0; i < childCount(b); ++i) offer(i);
    return;
  }
  // No child is nearer to A than to the middle of A less its radius.
  const double reach = boundingRadius(a);
  const auto bound = [&] {
    const double farthest = std::max(best.distance, 0.0) + reach;
    return farthest < 1e150 ? farthest * farthest : std::numeric_limits<double>::infinity();
  };
  const BoxTree& tree = b.type == ShapeType::SphereSet ? ballsOf(b).tree : childrenOf(b).tree;
  tree.nearest(poseB.inversePoint(poseA.position), bound(), [&](std::uint32_t i, double) {
    offer(i);
    return bound();
  });
}

}  // namespace

SignedDistance compositeDistance(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB) {
  SignedDistance best;
  best.distance = std::numeric_limits<double>::infinity();
  if (!a.isComposite()) {
    nearestChild(a, poseA, b, poseB, best);
    return best;
  }
  for (std::uint32_t i = 0; i < childCount(a); ++i) {
    const PlacedChild child = childOf(a, i);
    nearestChild(child.shape, poseA * child.place, b, poseB, best);
  }
  return best;
}

std::optional<ShapeRayHit> castRayAtComposite(const Shape& shape, const Vec3& origin, const Vec3& direction, double length) {
  std::optional<ShapeRayHit> best;
  const BoxTree& tree = shape.type == ShapeType::SphereSet ? ballsOf(shape).tree : childrenOf(shape).tree;
  tree.cast(origin, Vec3::Zero(), direction, length, [&](std::uint32_t i, double nearest) {
    const PlacedChild child = childOf(shape, i);
    const std::optional<ShapeRayHit> hit = castRay(child.shape, child.place, origin, direction, nearest);
    if (!hit || (best && hit->distance >= best->distance)) return nearest;
    best = hit;
    return hit->distance;
  });
  return best;
}

}  // namespace cairn
