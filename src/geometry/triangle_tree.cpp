#include "geometry/triangle_tree.hpp"

#include <cmath>

namespace cairn {

std::optional<double> sweptBoxes(const Aabb& moving, const Vec3& displacement, const Aabb& other) {
  double enter = 0.0, leave = 1.0;
  for (int axis = 0; axis < 3; ++axis) {
    const double d = displacement[axis];
    const double low = other.lower[axis] - moving.upper[axis], high = other.upper[axis] - moving.lower[axis];
    if (d == 0.0) {
      if (low > 0.0 || high < 0.0) return std::nullopt;
      continue;
    }
    enter = std::max(enter, std::min(low / d, high / d));
    leave = std::min(leave, std::max(low / d, high / d));
  }
  if (!(enter <= leave)) return std::nullopt;
  return enter;
}

std::optional<TriangleRayHit> TriangleTree::nearestHit(const TriangleView& view, const Vec3& origin, const Vec3& direction,
                                                       double length, RaySides sides) const {
  if (!origin.allFinite() || !direction.allFinite() || direction.isZero(0.0)) return std::nullopt;
  const TriangleRay ray(origin, direction);
  std::optional<TriangleRayHit> nearest;
  boxes_.cast(origin, Vec3::Zero(), direction, length, [&](std::uint32_t t, double best) {
    const auto hit = ray.cast(view.triangle(t));
    if (!hit || hit->distance > best || (sides == RaySides::Front && !hit->isFront)) return best;
    if (nearest && hit->distance == nearest->distance && t > nearest->triangle) return best;
    nearest = {hit->distance, t, hit->isFront};
    return hit->distance;
  });
  return nearest;
}

bool TriangleTree::hitsAny(const TriangleView& view, const Vec3& origin, const Vec3& direction, double length,
                           RaySides sides) const {
  if (!origin.allFinite() || !direction.allFinite() || direction.isZero(0.0)) return false;
  const TriangleRay ray(origin, direction);
  return boxes_.cast(origin, Vec3::Zero(), direction, length, [&](std::uint32_t t, double best) {
           const auto hit = ray.cast(view.triangle(t));
           return hit && hit->distance <= best && (sides == RaySides::Both || hit->isFront) ? -1.0 : best;
         }) < 0.0;
}

std::optional<ClosestTriangle> TriangleTree::closest(const TriangleView& view, const Vec3& point, double most) const {
  if (!point.allFinite() || !(most >= 0.0)) return std::nullopt;
  std::optional<ClosestTriangle> closest;
  double square = most * most;
  boxes_.nearest(point, square, [&](std::uint32_t t, double best) {
    const TrianglePoint on = closestOnTriangle(view.triangle(t), point);
    const double found = (on.point - point).squaredNorm();
    if (found > best || (closest && found == square && t > closest->triangle)) return best;
    closest = ClosestTriangle{std::sqrt(found), on.point, t, on.feature};
    square = found;
    return found;
  });
  return closest;
}

}  // namespace cairn
