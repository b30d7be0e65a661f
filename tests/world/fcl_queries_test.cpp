// Queries against FCL, which shares no code with Cairn. Skipped where FCL is not installed (Debian: libfcl-dev).
#include <gtest/gtest.h>

#ifdef CAIRN_HAS_FCL
#include <fcl/fcl.h>

#include "world/query_yard.hpp"

namespace cairn {
namespace {

using namespace test;

// m: FCL's own iteration ends at 1e-7 here, and at 1e-6 inside libccd; measured against Cairn: 7.9e-7.
constexpr double kFclError = 2.3e-6;
constexpr double kFclCastError = 1e-5;  // m; measured 3.4e-6

std::shared_ptr<fcl::CollisionGeometryd> fclShape(const Geometry& geometry) {
  if (const auto* sphere = std::get_if<Sphere>(&geometry)) return std::make_shared<fcl::Sphered>(sphere->radius);
  if (const auto* box = std::get_if<Box>(&geometry)) return std::make_shared<fcl::Boxd>(2.0 * box->halfExtents);
  if (const auto* capsule = std::get_if<Capsule>(&geometry))
    return std::make_shared<fcl::Capsuled>(capsule->radius, 2.0 * capsule->halfHeight);
  if (const auto* cylinder = std::get_if<Cylinder>(&geometry))
    return std::make_shared<fcl::Cylinderd>(cylinder->radius, 2.0 * cylinder->halfHeight);
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&geometry)) return std::make_shared<fcl::Ellipsoidd>(ellipsoid->radii);
  return nullptr;
}

fcl::Transform3d toFcl(const Pose& pose) {
  fcl::Transform3d transform = fcl::Transform3d::Identity();
  transform.linear() = pose.rotation.normalized().toRotationMatrix();
  transform.translation() = pose.position;
  return transform;
}

double fclDistance(const fcl::CollisionGeometryd& a, const Pose& poseA, const fcl::CollisionGeometryd& b, const Pose& poseB) {
  fcl::DistanceRequestd request;
  request.gjk_solver_type = fcl::GST_LIBCCD;
  request.distance_tolerance = 1e-7;
  fcl::DistanceResultd result;
  fcl::distance(&a, toFcl(poseA), &b, toFcl(poseB), request, result);
  return result.min_distance;  // not positive if they overlap
}
bool fclCollide(const fcl::CollisionGeometryd& a, const Pose& poseA, const fcl::CollisionGeometryd& b, const Pose& poseB) {
  fcl::CollisionRequestd request;
  fcl::CollisionResultd result;
  return fcl::collide(&a, toFcl(poseA), &b, toFcl(poseB), request, result) > 0;
}

struct FclShape {
  ShapeId id;
  std::shared_ptr<fcl::CollisionGeometryd> geometry;
  Pose pose;
};
std::vector<FclShape> fclShapes(const World& world) {
  std::vector<FclShape> all;
  for (const BodyId body : world.bodies())
    for (const ShapeId id : world.shapes(body)) {
      const ShapeDesc desc = *world.shape(id);
      if (auto geometry = fclShape(desc.geometry)) all.push_back({id, geometry, world.state(body)->pose * desc.local});
    }
  return all;
}

TEST(FclQueries, ClosestPointsAreAsFarApart) {
  int compared = 0;
  double worst = 0.0;
  for (std::uint64_t seed = 21; seed <= 24; ++seed) {
    QueryYard yard(seed, 40);
    const std::vector<FclShape> shapes = fclShapes(yard.world);
    for (std::size_t i = 0; i + 1 < shapes.size(); ++i) {
      const FclShape &a = shapes[i], &b = shapes[i + 1];
      const double ours = yard.world.closestPoints(a.id, b.id)->distance;
      if (ours < 1e-3) continue;
      worst = std::max(worst, std::abs(fclDistance(*a.geometry, a.pose, *b.geometry, b.pose) - ours));
      ++compared;
    }
  }
  EXPECT_GT(compared, 80);
  EXPECT_LT(worst, kFclError);
}

TEST(FclQueries, OverlapsAreTheSame) {
  int overlapping = 0;
  for (std::uint64_t seed = 31; seed <= 34; ++seed) {
    QueryYard yard(seed, 40);
    const std::vector<FclShape> shapes = fclShapes(yard.world);
    for (int i = 0; i < 60; ++i) {
      const Geometry geometry = yard.geometry();
      const auto probe = fclShape(geometry);
      const Pose pose{yard.vector(1.8) + Vec3(0, 0, 2), yard.turn()};
      if (!probe) continue;
      const std::vector<ClosestPoints> found = yard.world.penetrations({.shape = geometry, .pose = pose, .margin = 1.0});
      for (const FclShape& one : shapes) {
        double ours = 1.0;
        for (const ClosestPoints& near : found)
          if (near.shapeB == one.id) ours = near.distance;
        if (std::abs(ours) < kFclError) continue;  // they all but touch
        EXPECT_EQ(fclCollide(*probe, pose, *one.geometry, one.pose), ours < 0.0) << ours;
        overlapping += ours < 0.0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(overlapping, 40);
}

TEST(FclQueries, CastsTouchWhereFclFindsNoGapAndNothingBefore) {
  int hits = 0;
  for (std::uint64_t seed = 41; seed <= 44; ++seed) {
    QueryYard yard(seed, 40);
    const std::vector<FclShape> shapes = fclShapes(yard.world);
    for (int i = 0; i < 40; ++i) {
      const Geometry geometry = yard.geometry();
      const auto probe = fclShape(geometry);
      ShapeCast cast = yard.cast(true, i % 2 == 0);
      cast.shape = geometry;
      if (!probe) continue;
      const auto known = [&](BodyId, ShapeId id) {
        return std::any_of(shapes.begin(), shapes.end(), [&](const FclShape& one) { return one.id == id; });
      };
      const std::optional<CastHit> hit = yard.world.castShape(cast, known);
      if (!hit || hit->startsInOverlap) continue;
      ++hits;
      for (const FclShape& one : shapes) {
        if (one.id == hit->shape)
          EXPECT_LT(fclDistance(*probe, castPose(cast, hit->seconds), *one.geometry, one.pose), kFclCastError);
        const Shape shape = makeShape(yard.world.shape(one.id)->geometry);
        for (int k = 0; k < 20; ++k) {
          const Pose pose = castPose(cast, hit->seconds * k / 20.0);
          if (signedDistance(*cast.shape.get(), pose, shape, one.pose).distance < kFclError) continue;  // all but touching
          EXPECT_FALSE(fclCollide(*probe, pose, *one.geometry, one.pose));
        }
      }
    }
  }
  EXPECT_GT(hits, 40);
}

}  // namespace
}  // namespace cairn
#else
TEST(FclQueries, AreComparedWithFcl) { GTEST_SKIP() << "FCL was not found when the tests were built (libfcl-dev)"; }
#endif
