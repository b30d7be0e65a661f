// The signed distance judged by what it must be, for every pair of types: a plane proves it from below (the separation along
// the normal), points on the surfaces from above when apart, and when overlapping no direction found by search is better.
#include "geometry/distance.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "geometry/testing.hpp"

namespace cairn::testing {
namespace {

struct Placed {
  Shape a, b;
  Pose poseA, poseB;
};

bool isCurved(const Shape& shape) {
  return shape.type == ShapeType::Cylinder || shape.type == ShapeType::Ellipsoid || shape.type == ShapeType::Cone;
}

// Relative to the size of the pair, beside the rounding of positions far from the origin.
struct Tolerance {
  double proof = 1e-11;  // measured: 2e-12 curved, 1e-14 else
  double points = 1e-5;  // measured: 2e-6 for a deep curved contact, where the depth is the normal's error squared
  double missed = 1e-6;  // what the brief of the folder asks of curved shapes; measured 3e-7, usually 1e-9
};

void expectRight(const Placed& p, Random& random, const Tolerance& tolerance = {}, bool search = true) {
  const SignedDistance r = signedDistance(p.a, p.poseA, p.b, p.poseB);
  const std::string names = std::string(nameOf(p.a.type)) + "-" + nameOf(p.b.type);
  SCOPED_TRACE(names + " distance " + std::to_string(r.distance));
  ASSERT_TRUE(std::isfinite(r.distance));
  ASSERT_TRUE(r.pointA.allFinite() && r.pointB.allFinite());
  ASSERT_NEAR(r.normal.norm(), 1.0, 1e-12);
  const double far = std::max(p.poseA.position.norm(), p.poseB.position.norm());
  const double rounding = 8.0 * 2.3e-16 * far;
  const double size = boundingRadius(p.a) + boundingRadius(p.b) + (p.poseB.position - p.poseA.position).norm();
  const bool curved = isCurved(p.a) || isCurved(p.b);
  const double proof = (curved ? tolerance.proof : 0.1 * tolerance.proof) * size + rounding;
  // Supports are told apart to rounding, so a normal over a gap d to sqrt(rounding / d), and a point across it to d times
  // that.
  const double across = 2.0 * std::sqrt(4e-16 * size * std::abs(r.distance));
  const double points = (curved ? tolerance.points : 1e-13) * size + across + rounding;
  EXPECT_NEAR((r.pointB - r.pointA - r.distance * r.normal).norm(), 0.0, 1e-15 * size + rounding);
  EXPECT_NEAR(separation(p.a, p.poseA, p.b, p.poseB, r.normal), r.distance, proof);
  EXPECT_NEAR(outsideness(p.a, p.poseA.inversePoint(r.pointA)), 0.0, points);
  EXPECT_NEAR(outsideness(p.b, p.poseB.inversePoint(r.pointB)), 0.0, points);
  if (search && r.distance < 0.0) {
    const double found = searchSeparation(p.a, p.poseA, p.b, p.poseB, random, 300, 2, 200);
    EXPECT_LE(found, r.distance + (curved ? tolerance.missed : 1e-13) * size + rounding);
  }
}

template <class F>
void forEveryPair(F&& f) {
  for (int i = 1; i < kShapeTypeCount; ++i) {
    for (int j = 1; j < kShapeTypeCount; ++j) f(static_cast<ShapeType>(i), static_cast<ShapeType>(j));
  }
}

// Turned by nothing, a right angle, half of one, or almost nothing: where features line up.
Quat niceRotation(Random& random) {
  static constexpr double kAngles[] = {0.0, 0.0, M_PI / 2, M_PI / 4, M_PI, 1e-9};
  return Quat(Eigen::AngleAxisd(kAngles[random() % 6], Vec3::Unit(static_cast<int>(random() % 3))));
}

TEST(Distance, RandomPairsOfAllTypesAreProvenFromBothSides) {
  Random random(1);
  forEveryPair([&](ShapeType i, ShapeType j) {
    for (int k = 0; k < 60; ++k) {
      const double spread = k % 2 == 0 ? 0.8 : 2.5;
      expectRight(
          {randomShape(random, i), randomShape(random, j), randomPose(random, 1.0 * spread), randomPose(random, spread)},
          random);
    }
  });
}

TEST(Distance, CoincidentAndAlignedShapesHaveAFiniteBestNormal) {
  Random random(2);
  forEveryPair([&](ShapeType i, ShapeType j) {
    for (int k = 0; k < 8; ++k) {
      const Shape a = randomShape(random, i);
      const Shape b = randomShape(random, j);
      const Pose turned{Vec3::Zero(), niceRotation(random)};
      const Pose shifted{uniform(random, -1, 1) * Vec3::Unit(static_cast<int>(random() % 3)), niceRotation(random)};
      expectRight({a, b, Pose{}, Pose{}}, random);
      expectRight({a, a, turned, turned}, random);
      expectRight({a, b, turned, {Vec3::Zero(), niceRotation(random)}}, random);
      expectRight({a, b, turned, shifted}, random);
    }
  });
}

TEST(Distance, TouchingShapesAreRightToEitherSide) {
  Random random(3);
  forEveryPair([&](ShapeType i, ShapeType j) {
    for (int k = 0; k < 4; ++k) {
      Placed p{randomShape(random, i), randomShape(random, j), randomPose(random, 1.0), randomPose(random, 1.0)};
      if (k % 2 == 1) p.poseA = {Vec3::Zero(), niceRotation(random)}, p.poseB = {Vec3::UnitX(), niceRotation(random)};
      const SignedDistance r = signedDistance(p.a, p.poseA, p.b, p.poseB);
      p.poseB.position -= r.distance * r.normal;
      const Vec3 touching = p.poseB.position;
      for (double gap : {0.0, 1e-15, -1e-15, 1e-13, 1e-11, -1e-11, 1e-9, -1e-9, 1e-7, -1e-7, 1e-4, -1e-4}) {
        p.poseB.position = touching + gap * r.normal;
        SCOPED_TRACE(gap);
        expectRight(p, random, {}, false);
        // Along the normal a gap grows one for one; inward another way out may be shorter.
        const double found = signedDistance(p.a, p.poseA, p.b, p.poseB).distance;
        EXPECT_GE(found, gap - 1e-9);
        if (gap >= 0.0) {
          EXPECT_LE(found, gap + 1e-9);
        }
      }
    }
  });
}

TEST(Distance, SizesFromMicrometresToThousandsOfKilometres) {
  Random random(4);
  forEveryPair([&](ShapeType i, ShapeType j) {
    for (double size : {1e-5, 1e-2, 1e6}) {
      for (int k = 0; k < 4; ++k) {
        expectRight(
            {randomShape(random, i, size), randomShape(random, j, size), randomPose(random, size), randomPose(random, size)},
            random);
      }
    }
  });
}

TEST(Distance, SizeRatioOfAMillion) {
  Random random(5);
  forEveryPair([&](ShapeType i, ShapeType j) {
    for (double ratio : {1e-3, 1e-6}) {
      for (int k = 0; k < 3; ++k) {
        Placed p{randomShape(random, i, 100.0), randomShape(random, j, 100.0 * ratio), randomPose(random, 100.0),
                 randomPose(random, 100.0)};
        expectRight(p, random);
        const SignedDistance r = signedDistance(p.a, p.poseA, p.b, p.poseB);
        p.poseB.position -= r.distance * r.normal;
        const Vec3 touching = p.poseB.position;
        for (double gap : {0.0, 1e-2, -1e-2, 0.5}) {
          p.poseB.position = touching + gap * 100.0 * ratio * r.normal;
          expectRight(p, random, {}, false);
          // 1e-5 of the small one's size, or 1e-11 of the large one's.
          const double tolerance = std::max(1e-3 * ratio, 1e-9);
          const double found = signedDistance(p.a, p.poseA, p.b, p.poseB).distance;
          EXPECT_GE(found, gap * 100.0 * ratio - tolerance);
          if (gap >= 0.0) {
            EXPECT_LE(found, gap * 100.0 * ratio + tolerance);
          }
        }
      }
    }
  });
}

TEST(Distance, NeedlesAndPlates) {
  Random random(6);
  const auto thin = [&](ShapeType type) -> Shape {
    const double x = logUniform(random, 1e-4, 1.0);
    const double y = logUniform(random, 1e-4, 1.0);
    const double z = logUniform(random, 1e-4, 1.0);
    switch (type) {
      case ShapeType::Sphere:
        return makeShape(Sphere{x});
      case ShapeType::Capsule:
        return makeShape(Capsule{x, y});
      case ShapeType::Box:
        return makeShape(Box{{x, y, z}});
      case ShapeType::Cylinder:
        return makeShape(Cylinder{x, y});
      case ShapeType::Ellipsoid:
        return makeShape(Ellipsoid{{x, y, z}});
      default:
        return makeShape(randomCloud(random, 20, {x, y, z}));
    }
  };
  forEveryPair([&](ShapeType i, ShapeType j) {
    for (int k = 0; k < 10; ++k) {
      const double spread = k % 2 == 0 ? 0.5 : 1e-2;
      expectRight({thin(i), thin(j), randomPose(random, spread), randomPose(random, spread)}, random, {.points = 1e-4});
    }
  });
}

TEST(Distance, SwappingTheShapesFlipsTheNormal) {
  Random random(7);
  for (int i = 0; i < kShapeTypeCount; ++i) {
    for (int j = 1; j < kShapeTypeCount; ++j) {
      for (int k = 0; k < 20; ++k) {
        const Placed p{randomShape(random, static_cast<ShapeType>(i)), randomShape(random, static_cast<ShapeType>(j)),
                       randomPose(random, 1.0), randomPose(random, 1.0)};
        const SignedDistance forth = signedDistance(p.a, p.poseA, p.b, p.poseB);
        const SignedDistance back = signedDistance(p.b, p.poseB, p.a, p.poseA);
        EXPECT_NEAR(forth.distance, back.distance, 1e-9);
        if (i != j) {
          EXPECT_EQ(forth.normal, Vec3(-back.normal));
          EXPECT_EQ(forth.pointA, back.pointB);
        }
      }
    }
  }
}

TEST(Distance, RigidMotionOfBothChangesNothingEvenAMillionMetresAway) {
  Random random(8);
  forEveryPair([&](ShapeType i, ShapeType j) {
    for (int k = 0; k < 10; ++k) {
      const Placed p{randomShape(random, i), randomShape(random, j), randomPose(random, 1.0), randomPose(random, 1.0)};
      const SignedDistance here = signedDistance(p.a, p.poseA, p.b, p.poseB);
      const Pose motion = randomPose(random, 1.0);
      const SignedDistance there = signedDistance(p.a, motion * p.poseA, p.b, motion * p.poseB);
      EXPECT_NEAR(here.distance, there.distance, 1e-9);
      // Positions at 1e6 m are rounded to 1.2e-10, twice.
      const Vec3 shift = randomVector(random, 1e6);
      const SignedDistance far = signedDistance(p.a, {p.poseA.position + shift, p.poseA.rotation}, p.b,
                                                {p.poseB.position + shift, p.poseB.rotation});
      EXPECT_NEAR(here.distance, far.distance, 2e-9);
    }
  });
}

TEST(Distance, PlaneAgainstAnyIsTheLowestPointsHeight) {
  Random random(9);
  for (int j = 1; j < kShapeTypeCount; ++j) {
    for (int k = 0; k < 100; ++k) {
      const Shape plane = randomShape(random, ShapeType::Plane);
      const Shape b = randomShape(random, static_cast<ShapeType>(j));
      const Pose poseA = randomPose(random, 1.0);
      const Pose poseB = randomPose(random, 2.0);
      const SignedDistance r = signedDistance(plane, poseA, b, poseB);
      const Vec3 n = poseA.direction(plane.size);
      const double expected = n.dot(poseB.position - poseA.position) - plane.offset - reach(b, poseB.inverseDirection(-n));
      EXPECT_NEAR(r.distance, expected, 1e-14);
      EXPECT_NEAR((r.normal - n).norm(), 0.0, 1e-14);
      EXPECT_NEAR(outsideness(plane, poseA.inversePoint(r.pointA)), 0.0, 1e-14);
      EXPECT_NEAR(outsideness(b, poseB.inversePoint(r.pointB)), 0.0, 1e-14);
    }
  }
  const Shape plane = makeShape(Plane{});
  EXPECT_THROW(signedDistance(plane, Pose{}, plane, Pose{}), std::invalid_argument);
}

TEST(Distance, KnownValues) {
  const auto at = [](double x, double y, double z) { return Pose{{x, y, z}}; };
  const Shape ball = makeShape(Sphere{0.5});
  const Shape cube = makeShape(Box{Vec3::Constant(0.5)});
  const Shape can = makeShape(Cylinder{0.5, 1.0});
  const Shape pill = makeShape(Capsule{0.5, 1.0});
  EXPECT_DOUBLE_EQ(signedDistance(ball, at(0, 0, 0), ball, at(3, 0, 0)).distance, 2.0);
  EXPECT_DOUBLE_EQ(signedDistance(ball, at(0, 0, 0), ball, at(0, 0, 0)).distance, -1.0);
  EXPECT_DOUBLE_EQ(signedDistance(cube, at(0, 0, 0), cube, at(0, 0, 0.9)).distance, -0.1 - 0.0);
  EXPECT_NEAR(signedDistance(cube, at(0, 0, 0), cube, at(2, 2, 0)).distance, std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(signedDistance(cube, at(0, 0, 0), ball, at(0, 0, 0.2)).distance, -0.8, 1e-15);
  EXPECT_NEAR(signedDistance(can, at(0, 0, 0), can, at(2, 0, 0)).distance, 1.0, 1e-12);
  EXPECT_NEAR(signedDistance(can, at(0, 0, 0), can, at(0, 0, 1.9)).distance, -0.1, 1e-12);
  EXPECT_NEAR(signedDistance(can, at(0, 0, 0), cube, at(0.9, 0, 0)).distance, -0.1, 1e-9);
  EXPECT_NEAR(signedDistance(pill, at(0, 0, 0), pill, at(0, 0, 3.5)).distance, 0.5, 1e-15);
  // Crossing capsules: the way out is across both axes, by the sum of the radii.
  const Pose crossed{Vec3::Zero(), Quat(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitX()))};
  const SignedDistance cross = signedDistance(pill, at(0, 0, 0), pill, crossed);
  EXPECT_NEAR(cross.distance, -1.0, 1e-15);
  EXPECT_NEAR(std::abs(cross.normal.x()), 1.0, 1e-15);
  // Ellipsoids on one axis.
  const Shape egg = makeShape(Ellipsoid{{1, 2, 3}});
  EXPECT_NEAR(signedDistance(egg, at(0, 0, 0), egg, at(3, 0, 0)).distance, 1.0, 1e-12);
  EXPECT_NEAR(signedDistance(egg, at(0, 0, 0), egg, at(1.5, 0, 0)).distance, -0.5, 1e-12);
}

TEST(Distance, SameInputGivesTheSameBits) {
  Random random(10);
  forEveryPair([&](ShapeType i, ShapeType j) {
    const Placed p{randomShape(random, i), randomShape(random, j), randomPose(random, 0.7), randomPose(random, 0.7)};
    const SignedDistance first = signedDistance(p.a, p.poseA, p.b, p.poseB);
    const SignedDistance second = signedDistance(p.a, p.poseA, p.b, p.poseB);
    EXPECT_EQ(first.distance, second.distance);
    EXPECT_EQ(first.normal, second.normal);
    EXPECT_EQ(first.pointA, second.pointA);
  });
}

}  // namespace
}  // namespace cairn::testing
