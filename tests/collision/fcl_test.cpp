// Distances and normals beside those of the Flexible Collision Library, where it is installed.
#include <gtest/gtest.h>

#include "collision/random_shapes.hpp"

#ifdef CAIRN_HAS_FCL
#include <fcl/fcl.h>
#endif

namespace cairn::test {
namespace {

#ifdef CAIRN_HAS_FCL

using Geometry3 = std::shared_ptr<fcl::CollisionGeometryd>;

Geometry3 toFcl(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Sphere:
      return std::make_shared<fcl::Sphered>(shape.radius());
    case ShapeType::Capsule:
      return std::make_shared<fcl::Capsuled>(shape.radius(), 2.0 * shape.halfHeight());
    case ShapeType::Box:
      return std::make_shared<fcl::Boxd>(2.0 * shape.size.x(), 2.0 * shape.size.y(), 2.0 * shape.size.z());
    case ShapeType::Cylinder:
      return std::make_shared<fcl::Cylinderd>(shape.radius(), 2.0 * shape.halfHeight());
    case ShapeType::Ellipsoid:
      return std::make_shared<fcl::Ellipsoidd>(shape.size.x(), shape.size.y(), shape.size.z());
    case ShapeType::Cone:
      return std::make_shared<fcl::Coned>(shape.radius(), 2.0 * shape.halfHeight());
    default:
      break;
  }
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  for (const Vec3& v : shape.hull->vertices) vertices->push_back(v);
  auto faces = std::make_shared<std::vector<int>>();
  for (const HullFace& face : shape.hull->faces) {
    faces->push_back(static_cast<int>(face.count));
    for (const std::uint32_t v : shape.hull->loop(face)) faces->push_back(static_cast<int>(v));
  }
  return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(shape.hull->faces.size()), faces);
}

fcl::Transform3d toFcl(const Pose& pose) {
  fcl::Transform3d transform = fcl::Transform3d::Identity();
  transform.linear() = pose.rotation.toRotationMatrix();
  transform.translation() = pose.position;
  return transform;
}

double fclDistance(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB) {
  const Shape coreA = coreOf(a), coreB = coreOf(b);
  fcl::DistanceRequestd request;
  request.gjk_solver_type = fcl::GST_LIBCCD;
  request.distance_tolerance = 1e-9;
  fcl::DistanceResultd result;
  fcl::distance(toFcl(coreA).get(), toFcl(poseA), toFcl(coreB).get(), toFcl(poseB), request, result);
  return result.min_distance - a.rounding() - b.rounding();
}

// Its GJK ends at about 1e-6 (single iterations of curved shapes do not converge further); measured: see below.
TEST(Fcl, DistancesOfConesAndRoundedShapesAgree) {
  Random random(7);
  for (const ShapeType type : {ShapeType::Cone, ShapeType::RoundBox, ShapeType::RoundHull}) {
    for (int other = 1; other < kShapeTypeCount; ++other) {
      double worst = 0.0;
      for (int k = 0; k < samples(300); ++k) {
        const double scale = std::array{1e-2, 1.0, 1e2}[k % 3];  // its own tolerances are absolute
        const Shape a = randomShape(random, type, scale), b = randomShape(random, static_cast<ShapeType>(other), scale);
        const Pose poseA{scale * randomVector(random, 1.0), randomRotation(random)};
        const Pose poseB{scale * (randomDirection(random) * uniform(random, 1.5, 3.0)), randomRotation(random)};
        const SignedDistance ours = signedDistance(a, poseA, b, poseB);
        if (ours.distance + a.rounding() + b.rounding() < 0.05 * scale) continue;
        worst = std::max(worst, std::abs(fclDistance(a, poseA, b, poseB) - ours.distance) / scale);
      }
      EXPECT_LE(worst, 3e-4) << kTypeNames[static_cast<int>(type)] << " " << kTypeNames[other];
    }
  }
}

#else
TEST(Fcl, DistancesOfConesAndRoundedShapesAgree) { GTEST_SKIP() << "libfcl-dev is not installed"; }
#endif

}  // namespace
}  // namespace cairn::test
