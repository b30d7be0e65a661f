#include "geometry/core_pair.hpp"

#include <cmath>

namespace cairn {
namespace {

double coreRadius(const Shape& shape) {
  return shape.type == ShapeType::Sphere || shape.type == ShapeType::Capsule ? shape.radius() : shape.rounding();
}

Vec3 coreSupport(const Shape& shape, const Vec3& direction) {
  if (shape.type == ShapeType::Sphere) return Vec3::Zero();
  if (shape.type == ShapeType::Capsule) return {0.0, 0.0, std::copysign(shape.halfHeight(), direction.z())};
  if (shape.type == ShapeType::RoundBox) {
    const Vec3 core = shape.size.array() - shape.offset;
    return {std::copysign(core.x(), direction.x()), std::copysign(core.y(), direction.y()),
            std::copysign(core.z(), direction.z())};
  }
  if (shape.type == ShapeType::RoundHull) return hullSupport(*shape.hull, direction);
  return support(shape, direction);
}

}  // namespace

CorePair makeCorePair(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB) {
  // The difference of the positions is taken first: far from the world's origin it is still exact.
  const Quat relative = (poseA.rotation.conjugate() * poseB.rotation).normalized();
  return {.a = &a,
          .b = &b,
          .rotation = relative.toRotationMatrix(),
          .translation = poseA.inversePoint(poseB.position),
          .radiusA = coreRadius(a),
          .radiusB = coreRadius(b)};
}

Vec3 CorePair::supportA(const Vec3& direction) const { return coreSupport(*a, direction); }

Vec3 CorePair::supportB(const Vec3& direction) const {
  return translation + rotation * coreSupport(*b, rotation.transpose() * direction);
}

}  // namespace cairn
