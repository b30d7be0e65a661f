// One function per pair of types with a closed form; the rest goes to GJK, and to EPA or SAT when the cores overlap.
//
// Everything is computed in the frame of the first shape. Pairs are put in the order of ShapeType first, so that (a, b) and
// (b, a) are one computation with the roles turned.
#include "geometry/distance.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

#include "geometry/closest.hpp"
#include "geometry/composite_distance.hpp"
#include "geometry/ellipsoid.hpp"
#include "geometry/epa.hpp"
#include "geometry/gjk.hpp"
#include "geometry/polish.hpp"
#include "geometry/sat.hpp"

namespace cairn {
namespace {

// Cores closer than this, relative to their coordinates, have a difference vector with too few digits for a normal, and are
// treated as touching.
constexpr double kTouching = 1e-9;
// Likewise for segments, whose axes say better than the difference of two points what is across.
constexpr double kCloseSegments = 1e-4;
// GJK's two bounds on the distance may differ by this, relative to the coordinates; more means that it was stuck.
constexpr double kOpenBounds = 1e-12;

SignedDistance flipped(const SignedDistance& d) { return {d.distance, -d.normal, d.pointB, d.pointA}; }

// From cores in A's frame to shapes in the world.
SignedDistance fromCores(const CoreDistance& core, double radiusA, double radiusB, const Pose& poseA) {
  SignedDistance result;
  result.distance = core.distance - radiusA - radiusB;
  result.normal = poseA.direction(core.normal).normalized();
  result.pointA = poseA.position + (poseA.direction(core.pointA) + radiusA * result.normal);
  result.pointB = result.pointA + result.distance * result.normal;
  return result;
}

SignedDistance planeAny(const Shape& plane, const Pose& poseA, const Shape& b, const Pose& poseB) {
  const Vec3 normal = poseA.direction(plane.size).normalized();
  const Vec3 deepest = poseB.direction(support(b, poseB.inverseDirection(-normal)));
  SignedDistance result;
  result.normal = normal;
  result.distance = normal.dot(poseB.position - poseA.position) + (normal.dot(deepest) - plane.offset);
  result.pointB = poseB.position + deepest;
  result.pointA = result.pointB - result.distance * normal;
  return result;
}

// The normal between nearest points a and b. If they are one point up to rounding, the given unit vector.
CoreDistance between(const Vec3& a, const Vec3& b, const Vec3& fallback, double scale) {
  const Vec3 difference = b - a;
  const double distance = difference.stableNorm();
  if (!(distance > kGjkRounding * scale)) return {0.0, fallback, a};
  return {distance, (difference / distance).normalized(), a};
}

// Offers the direction, made perpendicular to a segment's axis, to a result whose cores all but touch: there the difference
// of the points has few digits, and the axis has all of them.
void considerAcross(const CorePair& pair, const Vec3& direction, const Vec3& axis, CoreDistance& core) {
  Vec3 normal = direction - direction.dot(axis) * axis;
  const double length = normal.norm();
  if (!(length > 0.5 * direction.norm()) || !(length > 0.0)) return;
  normal /= length;
  normal = (normal - normal.dot(axis) * axis).normalized();
  const double separation = pair.separation(normal);
  if (separation > core.distance) core = {separation, normal, core.pointA};
}

CoreDistance sphereCapsule(const CorePair& pair) {
  const Vec3 axis = pair.rotation.col(2);
  const Vec3 half = pair.b->halfHeight() * axis;
  const double scale = pair.b->halfHeight() + pair.translation.cwiseAbs().maxCoeff();
  const Vec3 nearest = closestOnSegment(pair.translation - half, pair.translation + half, Vec3::Zero());
  CoreDistance core = between(Vec3::Zero(), nearest, axis.unitOrthogonal(), scale);
  if (core.distance < kCloseSegments * scale) {
    core.distance = pair.separation(core.normal);
    considerAcross(pair, core.normal, axis, core);
  }
  return core;
}

CoreDistance capsuleCapsule(const CorePair& pair) {
  const Vec3 axisB = pair.rotation.col(2);
  const Vec3 halfA = pair.a->halfHeight() * Vec3::UnitZ();
  const Vec3 halfB = pair.b->halfHeight() * axisB;
  const auto [a, b] = closestOnSegments(-halfA, halfA, pair.translation - halfB, pair.translation + halfB);
  Vec3 across = Vec3::UnitZ().cross(axisB);
  const double sine = across.norm();
  // Parallel: any direction across will do.
  across = sine > 1e-12 ? Vec3(across / sine) : Vec3(Vec3::UnitX());
  if (across.dot(b - a) < 0.0) across = -across;
  const double scale = pair.a->halfHeight() + pair.b->halfHeight() + pair.translation.cwiseAbs().maxCoeff();
  CoreDistance core = between(a, b, across, scale);
  if (core.distance < kCloseSegments * scale) {
    const Vec3 difference = core.normal;
    core.distance = pair.separation(core.normal);
    considerAcross(pair, across, Vec3::UnitZ(), core);
    considerAcross(pair, difference, Vec3::UnitZ(), core);
    considerAcross(pair, difference, axisB, core);
  }
  return core;
}

// The surface's normal points from B to the sphere, which is A.
CoreDistance fromSurface(const Vec3& normal, double distance, const CorePair& pair) {
  return {distance, -(pair.rotation * normal), Vec3::Zero()};
}

Vec3 centreInB(const CorePair& pair) { return pair.rotation.transpose() * -pair.translation; }

CoreDistance overlapping(const CorePair& pair, const GjkResult& start) {
  const EpaResult deep = epa(pair, start);
  CoreDistance core{-deep.depth, deep.normal, deep.pointA};
  const bool curved = hasCurvedCore(*pair.a) || hasCurvedCore(*pair.b);
  if (!deep.converged && !curved) {
    const SatResult axes = polytopeSat(pair);
    if (axes.separation > core.distance) {
      core = {axes.separation, axes.normal, gapAfterMovingOut(pair, axes.normal, -axes.separation).pointA};
    }
  }
  if (curved && !deep.exact) polish(pair, core);
  if (curved && !deep.converged) {
    // Nearly the same depth all around, and no room for all of it: the best of several slopes.
    for (const EpaCandidate& candidate : deep.candidates) {
      if (!std::isfinite(candidate.depth)) continue;
      CoreDistance other{-candidate.depth, candidate.normal, core.pointA};
      polish(pair, other);
      if (other.distance > core.distance) core = other;
    }
  }
  return core;
}

CoreDistance general(const CorePair& pair) {
  const GjkResult apart = gjk(pair);
  if (apart.distance > kTouching * apart.scale && apart.distance - apart.lowerBound <= kOpenBounds * apart.scale) {
    return {apart.distance, apart.normal.normalized(), apart.pointA};
  }
  // Touching or overlapping, or GJK could not close its bounds: of all normals the one that proves most.
  const CoreDistance deep = overlapping(pair, apart);
  if (apart.overlapping) return deep;
  const Vec3 normal = apart.normal.normalized();
  const double separation = pair.separation(normal);
  return separation > deep.distance ? CoreDistance{separation, normal, apart.pointA} : deep;
}

CoreDistance boxBox(const CorePair& pair) {
  const SatResult axes = boxBoxSat(pair);
  if (axes.separation > 0.0) {
    // Apart, but no axis may show by how much; still, one may show it better than GJK when they all but touch.
    const CoreDistance apart = general(pair);
    if (apart.distance >= axes.separation) return apart;
  }
  return {axes.separation, axes.normal, gapAfterMovingOut(pair, axes.normal, -axes.separation).pointA};
}

CoreDistance coreDistance(const CorePair& pair) {
  const ShapeType a = pair.a->type;
  const ShapeType b = pair.b->type;
  if (a == ShapeType::Sphere) {
    switch (b) {
      case ShapeType::Sphere:
        return between(Vec3::Zero(), pair.translation, Vec3::UnitZ(), 0.0);
      case ShapeType::Capsule:
        return sphereCapsule(pair);
      case ShapeType::Box: {
        const SurfacePoint nearest = closestOnBox(pair.b->size, centreInB(pair));
        return fromSurface(nearest.normal, nearest.distance, pair);
      }
      case ShapeType::Cylinder: {
        const SurfacePoint nearest = closestOnCylinder(pair.b->radius(), pair.b->halfHeight(), centreInB(pair));
        return fromSurface(nearest.normal, nearest.distance, pair);
      }
      case ShapeType::Cone: {
        const SurfacePoint nearest = closestOnCone(pair.b->radius(), pair.b->halfHeight(), centreInB(pair));
        return fromSurface(nearest.normal, nearest.distance, pair);
      }
      case ShapeType::RoundBox: {
        const SurfacePoint nearest = closestOnBox(pair.b->size.array() - pair.b->offset, centreInB(pair));
        return fromSurface(nearest.normal, nearest.distance, pair);
      }
      case ShapeType::Ellipsoid: {
        const EllipsoidPoint nearest = closestPointOnEllipsoid(pair.b->size, centreInB(pair));
        return fromSurface(nearest.normal, nearest.distance, pair);
      }
      default:
        return general(pair);
    }
  }
  if (a == ShapeType::Capsule && b == ShapeType::Capsule) return capsuleCapsule(pair);
  if (a == ShapeType::Box && b == ShapeType::Box) return boxBox(pair);
  return general(pair);
}

}  // namespace

SignedDistance signedDistance(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB) {
  if (a.type > b.type) return flipped(signedDistance(b, poseB, a, poseA));
  if (b.type == ShapeType::Plane) throw std::invalid_argument("signedDistance: at most one of the shapes may be a plane");
  if (b.isComposite()) return compositeDistance(a, poseA, b, poseB);
  if (a.type == ShapeType::Plane) return planeAny(a, poseA, b, poseB);
  const CorePair pair = makeCorePair(a, poseA, b, poseB);
  return fromCores(coreDistance(pair), pair.radiusA, pair.radiusB, poseA);
}

}  // namespace cairn
