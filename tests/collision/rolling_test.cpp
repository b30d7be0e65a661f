// Curved shapes roll on flat ones without bumps: exact normal and gap at every angle.
#include <gtest/gtest.h>

#include "collision/random_shapes.hpp"

namespace cairn::test {
namespace {

constexpr double kMargin = 0.02;

struct Ground {
  const char* name;
  Shape shape;
  Pose pose;  // its top is at height zero, horizontal before `tilt`
};

std::vector<Ground> grounds() {
  std::vector<Ground> result;
  result.push_back({"plane", makeShape(Plane{}), {}});
  result.push_back({"box", makeShape(Box{{3, 2, 1}}), {{0, 0, -1}, Quat::Identity()}});
  result.push_back({"hull", makeShape(prism(7, 3.0, 1.0)), {{0, 0, -1}, Quat::Identity()}});
  result.push_back({"round hull", makeShape(prism(40, 3.0, 1.0)), {{0, 0, -1}, Quat::Identity()}});
  result.push_back({"cylinder", makeShape(Cylinder{3.0, 1.0}), {{0, 0, -1}, Quat::Identity()}});
  return result;
}

// Height of the lowest point of the shape below its centre, from its definition.
double reachDown(const Shape& shape, const Quat& rotation) {
  const Vec3 d = rotation.conjugate() * Vec3::UnitZ();
  switch (shape.type) {
    case ShapeType::Sphere:
      return shape.radius();
    case ShapeType::Cylinder:
      return shape.radius() * std::hypot(d.x(), d.y()) + shape.halfHeight() * std::abs(d.z());
    case ShapeType::Capsule:
      return shape.radius() + shape.halfHeight() * std::abs(d.z());
    default:
      return shape.size.cwiseProduct(d).norm();
  }
}

// Rolls `shape` about the horizontal axis `about` over 1000 angles on each ground, also tilted in space.
void roll(const Shape& shape, const Quat& start, const Vec3& about, int expectedPoints) {
  Random random(1);
  for (const Ground& ground : grounds()) {
    for (int k = 0; k < samples(1000); ++k) {
      const double angle = 2.0 * std::numbers::pi * k / samples(1000) + 1e-3;
      const Quat rotation = (Quat(Eigen::AngleAxisd(angle, about)) * start).normalized();
      const double gap = uniform(random, -1e-3, 1e-3);
      const Pose rolling{{0.3 * std::sin(angle), 0.2 * std::cos(angle), reachDown(shape, rotation) + gap}, rotation};
      const Pose tilt{randomVector(random, 10.0), k % 2 ? randomRotation(random) : Quat::Identity()};
      Manifold manifold;
      collide(ground.shape, tilt * ground.pose, shape, tilt * rolling, kMargin, manifold);
      ASSERT_EQ(manifold.count, expectedPoints) << ground.name << " angle " << angle;
      ASSERT_LE((manifold.normal - tilt.direction(Vec3::UnitZ())).norm(), 1e-12) << ground.name << " angle " << angle;
      ASSERT_NEAR(deepest(manifold), gap, 1e-9) << ground.name << " angle " << angle;
      for (int i = 0; i < manifold.count; ++i) {
        const double height = tilt.inversePoint(manifold.points[i].position).z();
        ASSERT_NEAR(height, 0.5 * manifold.points[i].separation, 1e-9);
      }
    }
  }
}

TEST(Rolling, SphereHasOneExactPoint) { roll(makeShape(Sphere{0.4}), Quat::Identity(), Vec3::UnitX(), 1); }

TEST(Rolling, CylinderOnItsSideHasTwoExactPointsAtTheEndsOfItsLowestLine) {
  const Quat lying(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));  // axis along y
  roll(makeShape(Cylinder{0.4, 0.3}), lying, Vec3::UnitY(), 2);
}

TEST(Rolling, CapsuleOnItsSideHasTwoExactPoints) {
  const Quat lying(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));
  roll(makeShape(Capsule{0.4, 0.3}), lying, Vec3::UnitY(), 2);
}

TEST(Rolling, CylinderOnItsRimHasOneExactPoint) {
  // Tilted by 30 degrees and spinning about the vertical, like a coin that settles.
  const Quat tilted(Eigen::AngleAxisd(std::numbers::pi / 6, Vec3::UnitX()));
  roll(makeShape(Cylinder{0.4, 0.1}), tilted, Vec3::UnitZ(), 1);
}

TEST(Rolling, EllipsoidHasOneExactPoint) {
  const Quat askew(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  roll(makeShape(Ellipsoid{{0.5, 0.4, 0.3}}), askew, Vec3(1, 1, 0).normalized(), 1);
}

TEST(Rolling, StandingCylinderHasFourRimPointsThatStayWhileItSpins) {
  const Shape cylinder = makeShape(Cylinder{0.4, 0.3});
  for (const Ground& ground : grounds()) {
    Manifold first;
    for (int k = 0; k < samples(1000); ++k) {
      const Pose pose{{0.1, -0.2, 0.3 + 1e-4},
                      Quat(Eigen::AngleAxisd(2.0 * std::numbers::pi * k / samples(1000), Vec3::UnitZ()))};
      Manifold manifold;
      collide(ground.shape, ground.pose, cylinder, pose, kMargin, manifold);
      ASSERT_EQ(manifold.count, 4) << ground.name;
      if (k == 0) first = manifold;
      for (int i = 0; i < 4; ++i) {
        const ManifoldPoint& p = manifold.points[i];
        EXPECT_NEAR(p.separation, 1e-4, 1e-12);
        EXPECT_NEAR(std::hypot(p.position.x() - 0.1, p.position.y() + 0.2), 0.4, 1e-9);
        EXPECT_LE((p.position - first.points[i].position).norm(), 1e-9) << ground.name << " " << k;
        EXPECT_EQ(p.feature, first.points[i].feature);
      }
    }
  }
}

TEST(Rolling, TheLowestRimPointOfATiltedCapIsAmongThePoints) {
  Random random(2);
  const Shape cylinder = makeShape(Cylinder{0.4, 0.3});
  for (const Ground& ground : grounds()) {
    for (int k = 0; k < samples(500); ++k) {
      const double angle = std::pow(10.0, uniform(random, -5.0, -1.0));
      const double where = uniform(random, -3.0, 3.0);
      const Quat tilt(Eigen::AngleAxisd(angle, Vec3(std::cos(where), std::sin(where), 0)));
      const Quat rotation = (tilt * Quat(Eigen::AngleAxisd(uniform(random, -3, 3), Vec3::UnitZ()))).normalized();
      Manifold manifold;
      collide(ground.shape, ground.pose, cylinder, {{0.1, 0.2, reachDown(cylinder, rotation)}, rotation}, kMargin, manifold);
      ASSERT_GE(manifold.count, 1);
      EXPECT_NEAR(deepest(manifold), 0.0, 1e-9) << ground.name << " tilt " << angle;
    }
  }
}

TEST(Rolling, CylinderHalfOverTheEdgeKeepsTheFacesNormal) {
  // A roller whose lowest line is half over the side of the box: the line ends at the edge, the normal stays.
  const Shape box = makeShape(Box{{1, 1, 1}});
  const Shape cylinder = makeShape(Cylinder{0.4, 0.3});
  const Quat lying(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));
  for (int k = 0; k < 100; ++k) {
    const Quat rotation = (Quat(Eigen::AngleAxisd(0.0628 * k, Vec3::UnitY())) * lying).normalized();
    Manifold manifold;
    collide(box, {}, cylinder, {{0.2, 0.9, 1.4}, rotation}, kMargin, manifold);
    ASSERT_EQ(manifold.count, 2);
    EXPECT_LE((manifold.normal - Vec3::UnitZ()).norm(), 1e-12);
    double low = 10.0, high = -10.0;
    for (int i = 0; i < 2; ++i) {
      low = std::min(low, manifold.points[i].position.y());
      high = std::max(high, manifold.points[i].position.y());
      EXPECT_NEAR(manifold.points[i].separation, 0.0, 1e-9);
    }
    EXPECT_NEAR(low, 0.6, 1e-6);
    EXPECT_NEAR(high, 1.0, 1e-6);
  }
}

TEST(Lines, ParallelCylindersAndCapsulesSideBySideTouchAtTheEndsOfTheirCommonLength) {
  for (const double bottomIsCapsule : {0.0, 1.0}) {
    for (const double topIsCapsule : {0.0, 1.0}) {
      const auto make = [](double capsule, double radius, double half) {
        return capsule != 0.0 ? makeShape(Capsule{radius, half}) : makeShape(Cylinder{radius, half});
      };
      const Shape bottom = make(bottomIsCapsule, 0.3, 1.0), top = make(topIsCapsule, 0.2, 0.8);
      for (int k = 0; k < 200; ++k) {
        const double roll = 0.0314 * k;
        const Quat spin(Eigen::AngleAxisd(roll, Vec3::UnitZ()));
        Manifold manifold;
        collide(bottom, {}, top, {{0.5 + 1e-3, 0.0, 0.6}, spin}, kMargin, manifold);
        ASSERT_EQ(manifold.count, 2) << k;
        EXPECT_LE((manifold.normal - Vec3::UnitX()).norm(), 1e-9);
        for (int i = 0; i < 2; ++i) EXPECT_NEAR(manifold.points[i].separation, 1e-3, 1e-9);
        const double z0 = manifold.points[0].position.z(), z1 = manifold.points[1].position.z();
        EXPECT_NEAR(std::min(z0, z1), -0.2, 1e-6);
        EXPECT_NEAR(std::max(z0, z1), 1.0, 1e-6);
      }
    }
  }
}

TEST(Lines, CylinderAlongABoxesEdgeTouchesItInTwoPoints) {
  const Shape box = makeShape(Box{{0.5, 0.5, 0.5}});
  const Quat edgeUp(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitX()));  // edge along x at z = sqrt(1/2)
  const Quat alongX(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitY()));
  for (const Shape& roller : {makeShape(Cylinder{0.3, 0.4}), makeShape(Capsule{0.3, 0.4})}) {
    for (const double gap : {-1e-3, 1e-3}) {
      Manifold manifold;
      collide(box, {Vec3::Zero(), edgeUp}, roller, {{0.2, 0.0, std::sqrt(0.5) + 0.3 + gap}, alongX}, kMargin, manifold);
      ASSERT_EQ(manifold.count, 2);
      EXPECT_LE((manifold.normal - Vec3::UnitZ()).norm(), 1e-6);
      for (int i = 0; i < 2; ++i) EXPECT_NEAR(manifold.points[i].separation, gap, 1e-8);
      const double x0 = manifold.points[0].position.x(), x1 = manifold.points[1].position.x();
      EXPECT_NEAR(std::min(x0, x1), -0.2, 1e-6);
      EXPECT_NEAR(std::max(x0, x1), 0.5, 1e-6);
    }
  }
}

}  // namespace
}  // namespace cairn::test
