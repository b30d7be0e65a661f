#include "collision/kept_manifold.hpp"

#include <algorithm>

namespace cairn {

namespace {

// How far the two may move against each other before the manifold is made anew.
constexpr double kKeepDistance = 5e-4;  // m
constexpr double kKeepShare = 1e-3;     // of the smaller one's radius, if that is less

}  // namespace

bool isFlat(const Shape& shape) {
  return shape.type == ShapeType::Box || shape.type == ShapeType::Hull || shape.type == ShapeType::Plane;
}

void rememberManifold(const Placement& placeA, const Placement& placeB, double margin, const Manifold& manifold,
                      KeptManifold& kept) {
  kept.margin = -1.0f;
  if (manifold.count == 0) return;
  const Quat toA = placeA.rotation.conjugate();
  const Mat3 axes = toA.toRotationMatrix();
  kept.offset = axes * (placeB.center - placeA.center);
  kept.turn = (toA * placeB.rotation).cast<float>();
  kept.normal = (axes * manifold.normal).cast<float>();
  kept.margin = static_cast<float>(margin);
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& point = manifold.points[i];
    kept.anchors[i] = (axes * (point.position - 0.5 * point.separation * manifold.normal - placeA.center)).cast<float>();
    kept.separations[i] = static_cast<float>(point.separation);
  }
}

bool moveManifold(const KeptManifold& kept, int points, double reach, const Placement& placeA, const Placement& placeB,
                  MovedManifold& moved) {
  const Quat toA = placeA.rotation.conjugate();
  const Vec3 offset = toA * (placeB.center - placeA.center);
  const Vec3 shift = offset - kept.offset;
  // How B turned against A since: small, so twice the vector part is the rotation vector.
  const Quat turn = toA * placeB.rotation * kept.turn.conjugate().cast<double>();
  const Vec3 turned = (turn.w() < 0.0 ? -2.0 : 2.0) * turn.vec();
  if (!(shift.norm() + turned.norm() * reach < std::min(kKeepDistance, kKeepShare * reach))) return false;

  const Mat3 axes = placeA.rotation.toRotationMatrix();
  const Eigen::Matrix3f toWorld = axes.cast<float>();
  const Vec3 normal = kept.normal.cast<double>();
  // A point of B, r from its centre, moves by shift + turned x r, and along the normal by n.shift + (n x turned).r, where r
  // is the point's place on A, the gap along the normal (which n x turned does not see), and back by the offset.
  const Vec3 tilt = normal.cross(turned);
  const Float3 tiltPart = tilt.cast<float>();
  const float common = static_cast<float>(normal.dot(shift) - tilt.dot(kept.offset));
  moved.normal = toWorld * kept.normal;
  moved.between = (placeA.center - placeB.center).cast<float>();
  for (int i = 0; i < points; ++i) {
    moved.separations[i] = kept.separations[i] + (common + tiltPart.dot(kept.anchors[i]));
    moved.anchorsA[i] = toWorld * kept.anchors[i];
  }
  return true;
}

}  // namespace cairn
