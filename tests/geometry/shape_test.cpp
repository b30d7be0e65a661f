#include "geometry/shape.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "geometry/testing.hpp"

namespace cairn::testing {
namespace {

std::string refusal(const Geometry& geometry) {
  try {
    makeShape(geometry);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Shape, WrongNumbersAreRefusedWithTheFieldAndWhatIsAllowed) {
  EXPECT_EQ(refusal(Sphere{-1.0}), "radius must be positive, got -1");
  EXPECT_EQ(refusal(Sphere{NAN}), "radius must be finite, got nan");
  EXPECT_EQ(refusal(Sphere{0.0}), "radius must be positive, got 0");
  EXPECT_EQ(refusal(Sphere{1e-9}), "radius must be at least 1e-06 m, got 1e-09");
  EXPECT_EQ(refusal(Sphere{1e9}), "radius must be at most 1e+07 m, got 1e+09");
  EXPECT_EQ(refusal(Box{{1.0, -2.0, 1.0}}), "halfExtents[1] must be positive, got -2");
  EXPECT_EQ(refusal(Capsule{0.5, INFINITY}), "halfHeight must be finite, got inf");
  EXPECT_EQ(refusal(Cylinder{0.5, 0.0}), "halfHeight must be positive, got 0");
  EXPECT_EQ(refusal(Ellipsoid{{1.0, 1.0, -1.0}}), "radii[2] must be positive, got -1");
  EXPECT_EQ(refusal(Plane{Vec3::Zero(), 0.0}), "normal must be longer than zero, got 0");
  EXPECT_EQ(refusal(Plane{{0.0, NAN, 1.0}, 0.0}), "normal[1] must be finite, got nan");
  EXPECT_EQ(refusal(Plane{Vec3::UnitZ(), INFINITY}), "offset must be finite, got inf");
  EXPECT_NE(refusal(ConvexHull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}).find("at least 4"), std::string::npos);
  EXPECT_EQ(refusal(ConvexHull{{{0, 0, 0}, {1, 0, NAN}}}), "points[1][2] must be finite, got nan");
  EXPECT_EQ(refusal(Box{Vec3::Constant(kSmallestSize)}), "accepted");
  EXPECT_EQ(refusal(Box{Vec3::Constant(kLargestSize)}), "accepted");
}

TEST(Shape, PlaneNormalOfAnyLengthBecomesAUnitVector) {
  Random random(1);
  for (double length : {1e-90, 1e-3, 1.0, 1e5, 1e300}) {
    const Vec3 unit = randomUnit(random);
    const Shape plane = makeShape(Plane{length * unit, 2.0});
    EXPECT_NEAR((plane.size - unit).norm(), 0.0, 1e-15) << length;
    EXPECT_EQ(plane.offset, 2.0);
  }
}

TEST(Shape, SupportReachesAsFarAsTheShapeAndIsOnIt) {
  Random random(2);
  for (int type = 1; type < kShapeTypeCount; ++type) {
    for (int i = 0; i < 500; ++i) {
      const Shape shape = randomShape(random, static_cast<ShapeType>(type));
      const Vec3 direction = logUniform(random, 1e-150, 1e150) * randomUnit(random);
      const Vec3 point = support(shape, direction);
      EXPECT_NEAR(point.dot(direction) / direction.norm(), reach(shape, direction.normalized()), 1e-14);
      EXPECT_NEAR(outsideness(shape, point), 0.0, 1e-14);
      EXPECT_LE(point.norm(), boundingRadius(shape) * (1.0 + 1e-15));
    }
  }
}

TEST(Shape, SupportOfTheZeroVectorAndOfAxesIsAPointOfTheShape) {
  Random random(3);
  for (int type = 1; type < kShapeTypeCount; ++type) {
    const Shape shape = randomShape(random, static_cast<ShapeType>(type));
    for (const Vec3& direction :
         {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, -1, 0), Vec3(0, 0, 1), Vec3(0, 0, -1), Vec3(0, 1e-320, 0)}) {
      const Vec3 point = support(shape, direction);
      ASSERT_TRUE(point.allFinite());
      EXPECT_LE(outsideness(shape, point), 1e-14);
    }
  }
}

TEST(Shape, BoundingBoxIsTheTightestThatHoldsTheShape) {
  Random random(4);
  for (int type = 1; type < kShapeTypeCount; ++type) {
    for (int i = 0; i < 300; ++i) {
      const Shape shape = randomShape(random, static_cast<ShapeType>(type));
      const Pose pose = randomPose(random, 10.0);
      const Aabb box = boundingBox(shape, pose);
      for (int axis = 0; axis < 3; ++axis) {
        const Vec3 e = Vec3::Unit(axis);
        EXPECT_NEAR(box.upper[axis], pose.position[axis] + reach(shape, pose.inverseDirection(e)), 1e-13);
        EXPECT_NEAR(box.lower[axis], pose.position[axis] - reach(shape, pose.inverseDirection(-e)), 1e-13);
      }
      for (int k = 0; k < 20; ++k) {
        const Vec3 p = pose.point(support(shape, randomUnit(random)));
        EXPECT_TRUE(box.grown(1e-13).contains({p, p}));
      }
    }
  }
}

TEST(Shape, BoundingBoxOfAPlaneHoldsEverythingAndComputesWithoutNaN) {
  const Aabb box = boundingBox(makeShape(Plane{}), Pose{});
  EXPECT_TRUE(box.contains({Vec3::Constant(-1e12), Vec3::Constant(1e12)}));
  EXPECT_TRUE(box.center().allFinite());
  EXPECT_TRUE(std::isfinite(box.halfArea()));
  EXPECT_TRUE(std::isfinite(box.grown(1.0).united(box).halfArea()));
  EXPECT_EQ(boundingRadius(makeShape(Plane{})), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace cairn::testing
