#include "mechanics/swept_manifold.hpp"

#include "geometry/distance.hpp"
#include "math/rotation.hpp"
#include "mechanics/integrate.hpp"

namespace cairn {

namespace {

constexpr int kMostAdvances = 200;
constexpr double kNear = 1e-3;          // of the smaller shape: this near they touch
constexpr double kMostNear = 1e-4;      // m, but no farther than this
constexpr double kLeastAdvance = 1e-6;  // of the way

Pose bodyAt(const ShapeOnItsWay& shape, double share) {
  return displaced(shape.start, share * shape.displacement, share * shape.turn);
}

// m: how far turning can move a point of the shape.
double turnReach(const ShapeOnItsWay& shape) {
  const Collider& collider = shape.collider;
  const bool ball = collider.shape.type == ShapeType::Sphere;  // turning about its own centre leaves it where it is
  const double reach = ball ? collider.local.position.norm() : collider.radius;
  return reach < 1e9 ? shape.turn.norm() * reach : 0.0;
}

}  // namespace

bool sweepManifold(const ShapeOnItsWay& a, const ShapeOnItsWay& b, double margin, SweptManifold& swept) {
  const double near = std::min(kMostNear, kNear * std::min(a.collider.radius, b.collider.radius));
  const double turning = turnReach(a) + turnReach(b);
  const Vec3 displacement = b.displacement - a.displacement;
  double share = 0.0;
  Pose poseA, poseB;
  bool touches = false;
  for (int i = 0; i < kMostAdvances && !touches; ++i) {
    poseA = bodyAt(a, share) * a.collider.local;
    poseB = bodyAt(b, share) * b.collider.local;
    const SignedDistance apart = signedDistance(a.collider.shape, poseA, b.collider.shape, poseB);
    const double closing = turning - apart.normal.dot(displacement);  // m, over the whole way, at most
    if (apart.distance <= near) {
      touches = closing > 0.0;
      if (!touches) return false;
      break;
    }
    if (closing <= 0.0) return false;
    share += std::max(apart.distance / closing, kLeastAdvance);
    if (share >= 1.0) return false;
  }
  if (!touches) return false;
  Manifold& manifold = swept.manifold;
  collide(a.collider.shape, poseA, b.collider.shape, poseB, margin, manifold);
  // The normal belongs to the one that turns less.
  const Pose touchA = bodyAt(a, share), touchB = bodyAt(b, share), endA = bodyAt(a, 1.0), endB = bodyAt(b, 1.0);
  const bool ofA = a.turn.squaredNorm() <= b.turn.squaredNorm();
  const Quat turnedA = endA.rotation * touchA.rotation.conjugate(), turnedB = endB.rotation * touchB.rotation.conjugate();
  const Vec3 touching = manifold.normal;
  manifold.normal = (ofA ? turnedA : turnedB) * touching;
  for (int p = 0; p < manifold.count; ++p) {
    ManifoldPoint& point = manifold.points[p];
    const Vec3 half = 0.5 * point.separation * touching;
    swept.armA[p] = turnedA * (point.position - half - touchA.position);
    swept.armB[p] = turnedB * (point.position + half - touchB.position);
    const Vec3 onA = endA.position + swept.armA[p], onB = endB.position + swept.armB[p];
    point.separation = manifold.normal.dot(onB - onA);
    point.position = 0.5 * (onA + onB);
  }
  return manifold.count > 0;
}

}  // namespace cairn
