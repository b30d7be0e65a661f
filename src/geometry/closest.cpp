#include "geometry/closest.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {

Vec3 closestOnSegment(const Vec3& from, const Vec3& to, const Vec3& query) {
  const Vec3 along = to - from;
  const double length2 = along.squaredNorm();
  if (!(length2 > 0.0)) return from;
  return from + std::clamp((query - from).dot(along) / length2, 0.0, 1.0) * along;
}

SegmentPair closestOnSegments(const Vec3& fromA, const Vec3& toA, const Vec3& fromB, const Vec3& toB) {
  // About the middles, with half vectors: parameters run from -1 to 1, and symmetric input gives symmetric answers.
  const Vec3 middleA = 0.5 * (fromA + toA);
  const Vec3 middleB = 0.5 * (fromB + toB);
  const Vec3 halfA = 0.5 * (toA - fromA);
  const Vec3 halfB = 0.5 * (toB - fromB);
  const Vec3 offset = middleA - middleB;
  const double aa = halfA.squaredNorm();
  const double bb = halfB.squaredNorm();
  const double ab = halfA.dot(halfB);
  const double ao = halfA.dot(offset);
  const double bo = halfB.dot(offset);
  const auto onA = [&](double t) { return aa > 0.0 ? std::clamp((ab * t - ao) / aa, -1.0, 1.0) : 0.0; };
  const auto onB = [&](double s) { return bb > 0.0 ? std::clamp((ab * s + bo) / bb, -1.0, 1.0) : 0.0; };

  // aa bb - ab^2 without its cancellation.
  const double cross2 = halfA.cross(halfB).squaredNorm();
  constexpr double kParallel = 1e-20;  // squared sine of the angle: below, the foot of the common perpendicular is noise
  double s;
  if (cross2 > kParallel * aa * bb) {
    s = std::clamp((ab * bo - bb * ao) / cross2, -1.0, 1.0);
  } else if (aa > 0.0 && bb > 0.0) {
    // The stretch of A that lies beside B, and its middle.
    const double first = (-ab - ao) / aa;
    const double second = (ab - ao) / aa;
    const double low = std::clamp(std::min(first, second), -1.0, 1.0);
    const double high = std::clamp(std::max(first, second), -1.0, 1.0);
    s = 0.5 * (low + high);
  } else {
    s = onA(0.0);
  }
  // Alternating projections end here: after the first one of the two is at its own optimum for the other.
  double t = onB(s);
  s = onA(t);
  t = onB(s);
  return {middleA + s * halfA, middleB + t * halfB};
}

SurfacePoint closestOnBox(const Vec3& halfExtents, const Vec3& query) {
  const Vec3 inside = query.cwiseMax(-halfExtents).cwiseMin(halfExtents);
  const Vec3 outward = query - inside;
  const double distance = outward.stableNorm();
  if (distance > 0.0) return {inside, (outward / distance).normalized(), distance};
  int axis = 0;
  for (int i = 1; i < 3; ++i) {
    if (halfExtents[i] - std::abs(query[i]) < halfExtents[axis] - std::abs(query[axis])) axis = i;
  }
  const double sign = std::copysign(1.0, query[axis]);
  SurfacePoint nearest{query, sign * Vec3::Unit(axis), std::abs(query[axis]) - halfExtents[axis]};
  nearest.point[axis] = sign * halfExtents[axis];
  return nearest;
}

SurfacePoint closestOnCylinder(double radius, double halfHeight, const Vec3& query) {
  // In the half-plane through the axis and the query the cylinder is a rectangle.
  const double across = std::hypot(query.x(), query.y());
  const Vec3 radial = across > 0.0 ? Vec3(query.x() / across, query.y() / across, 0.0) : Vec3(Vec3::UnitX());
  const Vec3 axial = std::copysign(1.0, query.z()) * Vec3::UnitZ();
  const double beyondSide = across - radius;
  const double beyondCap = std::abs(query.z()) - halfHeight;
  if (beyondSide <= 0.0 && beyondCap <= 0.0) {
    if (beyondSide > beyondCap) return {query - beyondSide * radial, radial, beyondSide};
    Vec3 point = query;
    point.z() = axial.z() * halfHeight;
    return {point, axial, beyondCap};
  }
  const double side = std::max(beyondSide, 0.0);
  const double cap = std::max(beyondCap, 0.0);
  const double distance = std::hypot(side, cap);
  const Vec3 normal = (side / distance) * radial + (cap / distance) * axial;
  const Vec3 point = std::min(across, radius) * radial + std::min(std::abs(query.z()), halfHeight) * axial;
  return {point, normal.normalized(), distance};
}

SurfacePoint closestOnCone(double radius, double halfHeight, const Vec3& query) {
  // In the half-plane through the axis and the query the cone is a triangle: axis, base, and the side from the rim to the
  // apex.
  const double across = std::hypot(query.x(), query.y());
  const Vec3 radial = across > 0.0 ? Vec3(query.x() / across, query.y() / across, 0.0) : Vec3(Vec3::UnitX());
  const double height = 2.0 * halfHeight, length = std::hypot(height, radius);
  const double above = query.z() + halfHeight;                                     // over the base
  const double beyond = ((across - radius) * height + above * radius) / length;    // outside the side
  const Vec3 sideNormal = (height / length) * radial + (radius / length) * Vec3::UnitZ();
  if (above >= 0.0 && beyond <= 0.0) {
    if (beyond > -above) return {query - beyond * sideNormal, sideNormal, beyond};
    return {Vec3(query.x(), query.y(), -halfHeight), -Vec3::UnitZ(), -above};
  }
  if (above < 0.0 && across <= radius) return {Vec3(query.x(), query.y(), -halfHeight), -Vec3::UnitZ(), -above};
  // How far along the side from the rim (0) to the apex (1).
  const double along = std::clamp((-(across - radius) * radius + above * height) / (length * length), 0.0, 1.0);
  if (along > 0.0 && along < 1.0) return {query - beyond * sideNormal, sideNormal, beyond};
  const Vec3 nearest = along > 0.0 ? Vec3(0.0, 0.0, halfHeight) : Vec3(radius * radial - halfHeight * Vec3::UnitZ());
  const Vec3 outward = query - nearest;
  const double distance = outward.norm();
  return {nearest, distance > 0.0 ? Vec3(outward / distance) : sideNormal, distance};
}

}  // namespace cairn
