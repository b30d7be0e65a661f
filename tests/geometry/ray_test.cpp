#include "geometry/ray.hpp"

#include <gtest/gtest.h>

#include "geometry/testing.hpp"

namespace cairn::testing {
namespace {

// First parameter at which the ray is inside, by marching and bisection; negative if it never is at a step.
double march(const Shape& shape, const Pose& pose, const Vec3& origin, const Vec3& direction, double length, int steps) {
  const auto outside = [&](double t) { return outsideness(shape, pose.inversePoint(origin + t * direction)) > 0.0; };
  if (!outside(0.0)) return 0.0;
  for (int i = 1; i <= steps; ++i) {
    double high = length * i / steps;
    if (outside(high)) continue;
    double low = length * (i - 1) / steps;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      (outside(middle) ? low : high) = middle;
    }
    return high;
  }
  return -1.0;
}

TEST(Ray, HitsWhereMarchingHitsForEveryShape) {
  Random random(1);
  int hits = 0;
  for (int type = 0; type < kShapeTypeCount; ++type) {
    for (int i = 0; i < 400; ++i) {
      const Shape shape = randomShape(random, static_cast<ShapeType>(type));
      const Pose pose = randomPose(random, 5.0);
      const Vec3 origin = pose.position + randomVector(random, 3.0);
      const Vec3 target = pose.position + randomVector(random, 0.8);
      const Vec3 direction = (target - origin).normalized();
      const double length = uniform(random, 0.5, 6.0);
      const auto hit = castRay(shape, pose, origin, direction, length);
      const double expected = march(shape, pose, origin, direction, length, 800);
      if (expected < 0.0) {
        // Marching steps over what is thinner than a step: a hit must then be a grazing one.
        if (!hit) continue;
        const Vec3 inside = pose.inversePoint(origin + (hit->distance + length / 800) * direction);
        EXPECT_GT(outsideness(shape, inside), 0.0) << nameOf(shape.type);
        continue;
      }
      ASSERT_TRUE(hit.has_value()) << nameOf(shape.type) << " " << i;
      EXPECT_NEAR(hit->distance, expected, 1e-9) << nameOf(shape.type);
      EXPECT_NEAR(hit->normal.norm(), 1.0, 1e-14);
      if (expected == 0.0) {
        EXPECT_EQ(hit->distance, 0.0);
        EXPECT_EQ(hit->normal, Vec3(-direction));
        continue;
      }
      ++hits;
      EXPECT_LE(hit->normal.dot(direction), 1e-9);
      // Outward: the shape reaches no farther along the normal than here.
      if (shape.type != ShapeType::Plane) {
        const Vec3 local = pose.inversePoint(origin + hit->distance * direction);
        EXPECT_NEAR(pose.inverseDirection(hit->normal).dot(local), reach(shape, pose.inverseDirection(hit->normal)), 1e-7);
      }
    }
  }
  EXPECT_GT(hits, 800);
}

TEST(Ray, EndsBeforeTheShapeOrPointsAwayMisses) {
  Random random(2);
  for (int type = 1; type < kShapeTypeCount; ++type) {
    const Shape shape = randomShape(random, static_cast<ShapeType>(type));
    const Vec3 origin(-10, 0, 0);
    EXPECT_FALSE(castRay(shape, Pose{}, origin, Vec3::UnitX(), 8.0));
    EXPECT_FALSE(castRay(shape, Pose{}, origin, -Vec3::UnitX(), 100.0));
    EXPECT_FALSE(castRay(shape, Pose{}, origin + Vec3(0, 3, 0), Vec3::UnitX(), 100.0));
    EXPECT_TRUE(castRay(shape, Pose{Vec3::Zero(), Quat::Identity()}, origin, Vec3::UnitX(), 100.0)) << nameOf(shape.type);
    EXPECT_FALSE(castRay(shape, Pose{}, origin, Vec3::Zero(), 100.0));
    EXPECT_FALSE(castRay(shape, Pose{}, origin, Vec3::UnitX(), NAN));
  }
}

TEST(Ray, SmallBallHitFromAMillionMetresKeepsItsDigits) {
  // The textbook discriminant b^2 - c would have no digit left: (1e6)^2 against (1e-3)^2.
  const Shape ball = makeShape(Sphere{1e-3});
  const auto hit = castRay(ball, Pose{}, Vec3(-1e6, 5e-4, 0), Vec3::UnitX(), 2e6);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->distance, 1e6 - std::sqrt(1e-6 - 25e-8), 2e-10);  // the spacing of doubles at 1e6
  EXPECT_NEAR(hit->normal.y(), 0.5, 1e-9);
}

TEST(Ray, AlongFacesAndAxesGivesTheExactDistance) {
  const Pose pose{};
  EXPECT_EQ(castRay(makeShape(Box{{1, 2, 3}}), pose, {-5, 0, 0}, Vec3::UnitX(), 10)->distance, 4.0);
  EXPECT_EQ(castRay(makeShape(Cylinder{1, 2}), pose, {0, 0, 9}, -Vec3::UnitZ(), 10)->distance, 7.0);
  EXPECT_EQ(castRay(makeShape(Cylinder{1, 2}), pose, {0, 0, 9}, -Vec3::UnitZ(), 10)->normal, Vec3(0, 0, 1));
  EXPECT_EQ(castRay(makeShape(Capsule{1, 2}), pose, {0, 0, 9}, -Vec3::UnitZ(), 10)->distance, 6.0);
  EXPECT_EQ(castRay(makeShape(Capsule{1, 2}), pose, {5, 0, 1}, -Vec3::UnitX(), 10)->distance, 4.0);
  EXPECT_EQ(castRay(makeShape(Ellipsoid{{1, 2, 3}}), pose, {0, 0, 9}, -Vec3::UnitZ(), 10)->distance, 6.0);
  EXPECT_EQ(castRay(makeShape(Plane{}), pose, {0, 0, 9}, -Vec3::UnitZ(), 10)->distance, 9.0);
  EXPECT_FALSE(castRay(makeShape(Plane{}), pose, {0, 0, 9}, Vec3::UnitX(), 10));
  EXPECT_EQ(castRay(makeShape(Plane{}), pose, {0, 0, -1}, Vec3::UnitX(), 10)->distance, 0.0);
}

}  // namespace
}  // namespace cairn::testing
