#include "geometry/mass.hpp"

#include <gtest/gtest.h>

#include "geometry/testing.hpp"

namespace cairn::testing {
namespace {

// Mass, first and second moment by throwing points into the bounding box. The estimate of each has a standard error that is
// computed from the samples themselves; a true value is within five of them but once in two million.
void expectMonteCarloAgrees(const Shape& shape, double density, Random& random) {
  constexpr int kSamples = 40000;
  const Aabb box = boundingBox(shape, Pose{});
  const Vec3 side = box.upper - box.lower;
  const MassProperties mass = shapeMass(shape, density);
  // mass, moments about the origin, and the second moments xx, yy, zz, xy, xz, yz about the origin
  Eigen::Matrix<double, 10, 1> sum = sum.Zero();
  Eigen::Matrix<double, 10, 1> squares = squares.Zero();
  for (int i = 0; i < kSamples; ++i) {
    const Vec3 p = box.lower + side.cwiseProduct(0.5 * (randomVector(random, 1.0) + Vec3::Ones()));
    if (outsideness(shape, p) > 0.0) continue;
    Eigen::Matrix<double, 10, 1> value;
    value << 1.0, p, p.cwiseAbs2(), p.x() * p.y(), p.x() * p.z(), p.y() * p.z();
    sum += value;
    squares += value.cwiseAbs2();
  }
  const double weight = density * side.prod();
  const Mat3 about =
      mass.inertia + mass.mass * (mass.center.squaredNorm() * Mat3::Identity() - mass.center * mass.center.transpose());
  const Mat3 second = 0.5 * about.trace() * Mat3::Identity() - about;
  Eigen::Matrix<double, 10, 1> exact;
  exact << mass.mass, mass.mass * mass.center, second.diagonal(), second(0, 1), second(0, 2), second(1, 2);
  for (int k = 0; k < 10; ++k) {
    const double mean = sum[k] / kSamples;
    const double error = std::sqrt(std::max(0.0, squares[k] / kSamples - mean * mean) / kSamples);
    EXPECT_NEAR(exact[k], weight * mean, weight * 5.0 * error + 1e-12 * weight) << nameOf(shape.type) << " moment " << k;
  }
}

void expectSame(const MassProperties& a, const MassProperties& b, double tolerance) {
  EXPECT_NEAR(a.mass, b.mass, tolerance * a.mass);
  EXPECT_LT((a.center - b.center).norm(), tolerance * (1.0 + a.center.norm()));
  EXPECT_LT((a.inertia - b.inertia).norm(), tolerance * a.inertia.norm());
}

TEST(Mass, EveryShapeAgreesWithMonteCarloIntegration) {
  Random random(1);
  for (int type = 1; type < kShapeTypeCount; ++type) {
    for (int i = 0; i < 4; ++i) expectMonteCarloAgrees(randomShape(random, static_cast<ShapeType>(type)), 700.0, random);
  }
}

TEST(Mass, BoxAsAHullIsTheBoxToRounding) {
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    const double size = logUniform(random, 1e-5, 1e5);
    const Vec3 half = size * (Vec3::Constant(0.2) + 0.4 * (randomVector(random, 1.0) + Vec3::Ones()));
    const Pose pose = randomPose(random, size);
    ConvexHull hull;
    for (const Vec3& corner : boxHull(half).vertices) hull.points.push_back(pose.point(corner));
    expectSame(shapeMass(makeShape(hull), 2.0), transformed(shapeMass(makeShape(Box{half}), 2.0), pose), 1e-12);
  }
}

TEST(Mass, HullsOfManyPointsApproachCylinderEllipsoidAndCapsule) {
  // A polygon of n sides loses (2 pi^2 / 3) / n^2 of the disc's area, and of everything else at most a few times as much.
  constexpr int kSides = 200;
  constexpr double kTolerance = 40.0 / (kSides * kSides);
  ConvexHull cylinder, ellipsoid, capsule;
  for (int i = 0; i < kSides; ++i) {
    const double angle = 2.0 * M_PI * i / kSides;
    for (double z : {-0.7, 0.7}) cylinder.points.emplace_back(0.4 * std::cos(angle), 0.4 * std::sin(angle), z);
  }
  constexpr int kRings = 60;
  for (int ring = 0; ring <= kRings; ++ring) {
    const double polar = M_PI * ring / kRings;
    for (int i = 0; i < kRings; ++i) {
      const double angle = 2.0 * M_PI * i / kRings;
      const Vec3 p(std::sin(polar) * std::cos(angle), std::sin(polar) * std::sin(angle), std::cos(polar));
      ellipsoid.points.push_back(Vec3(0.3, 0.5, 0.8).cwiseProduct(p));
      capsule.points.push_back(0.3 * p + Vec3(0, 0, ring * 2 < kRings ? 0.6 : -0.6));
      if (ring * 2 == kRings) capsule.points.push_back(0.3 * p + Vec3(0, 0, 0.6));
    }
  }
  expectSame(shapeMass(makeShape(Cylinder{0.4, 0.7}), 3.0), shapeMass(makeShape(cylinder), 3.0), kTolerance);
  const double coarse = 40.0 / (kRings * kRings);
  expectSame(shapeMass(makeShape(Ellipsoid{{0.3, 0.5, 0.8}}), 3.0), shapeMass(makeShape(ellipsoid), 3.0), coarse);
  expectSame(shapeMass(makeShape(Capsule{0.3, 0.6}), 3.0), shapeMass(makeShape(capsule), 3.0), coarse);
}

TEST(Mass, TextbookValues) {
  // Unit cube of density 1: m = 1, I = 1/6. Unit ball: 4 pi / 3, 2/5 m. Standard tables.
  const MassProperties cube = shapeMass(makeShape(Box{Vec3::Constant(0.5)}), 1.0);
  EXPECT_DOUBLE_EQ(cube.mass, 1.0);
  EXPECT_NEAR((cube.inertia - Mat3::Identity() / 6.0).norm(), 0.0, 1e-15);
  const MassProperties ball = shapeMass(makeShape(Sphere{1.0}), 1.0);
  EXPECT_DOUBLE_EQ(ball.mass, 4.0 / 3.0 * M_PI);
  EXPECT_NEAR(ball.inertia(1, 1), 0.4 * ball.mass, 1e-15);
  // The ellipsoid of equal radii is the ball; the very short capsule nearly.
  expectSame(shapeMass(makeShape(Ellipsoid{Vec3::Ones()}), 1.0), ball, 1e-15);
  expectSame(shapeMass(makeShape(Capsule{1.0, 1e-6}), 1.0), ball, 1e-5);
  // The regular tetrahedron (1,1,1), (1,-1,-1), (-1,1,-1), (-1,-1,1): volume 8/3, I = m a^2 / 20 with edge a^2 = 8.
  const MassProperties tetrahedron =
      shapeMass(makeShape(ConvexHull{{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}}), 1.0);
  EXPECT_NEAR(tetrahedron.mass, 8.0 / 3.0, 1e-14);
  EXPECT_NEAR((tetrahedron.inertia - tetrahedron.mass * 8.0 / 20.0 * Mat3::Identity()).norm(), 0.0, 1e-14);
  EXPECT_EQ(shapeMass(makeShape(Plane{}), 1.0).mass, 0.0);
}

TEST(Mass, TwoHalvesOfABoxCombineToTheBoxFarFromTheOrigin) {
  const MassProperties half = shapeMass(makeShape(Box{{0.5, 1.0, 1.5}}), 10.0);
  const Quat turn(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  const Pose far{{1e6, -2e6, 3e6}, turn};
  const std::vector<MassProperties> parts{transformed(half, far * Pose{{-0.5, 0, 0}}),
                                          transformed(half, far * Pose{{0.5, 0, 0}}), MassProperties{}};
  const MassProperties whole = transformed(shapeMass(makeShape(Box{{1.0, 1.0, 1.5}}), 10.0), far);
  const MassProperties sum = combined(parts);
  EXPECT_NEAR(sum.mass, whole.mass, 1e-12);
  EXPECT_LT((sum.center - whole.center).norm(), 1e-8);
  EXPECT_LT((sum.inertia - whole.inertia).norm(), 1e-8 * whole.inertia.norm());
  EXPECT_EQ(combined({}).mass, 0.0);
  EXPECT_TRUE(combined(std::vector<MassProperties>(2)).center.allFinite());
}

TEST(Mass, PrincipalAxesGiveTheInertiaBackForAnyScaleAndRepeatedMoments) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const double scale = logUniform(random, 1e-25, 1e25);
    Vec3 moments = scale * Vec3(uniform(random, 0.5, 1), uniform(random, 0.5, 1), uniform(random, 0.5, 1));
    if (i % 3 == 0) moments.y() = moments.x();
    if (i % 5 == 0) moments.z() = moments.y();
    const Mat3 rotation = randomRotation(random).toRotationMatrix();
    const Mat3 inertia = rotation * moments.asDiagonal() * rotation.transpose();
    const PrincipalAxes axes = principalAxes(inertia);
    const Mat3 r = axes.rotation.toRotationMatrix();
    EXPECT_LT((r * axes.moments.asDiagonal() * r.transpose() - inertia).norm(), 1e-12 * inertia.norm());
    EXPECT_NEAR(r.determinant(), 1.0, 1e-13);
    EXPECT_TRUE(isPhysicalInertia(inertia));
  }
}

TEST(Mass, PrincipalAxesOfADiagonalInertiaAreTheBodysOwn) {
  const PrincipalAxes axes = principalAxes(Vec3(3.0, 1.0, 2.0).asDiagonal());
  EXPECT_EQ(axes.moments, Vec3(3.0, 1.0, 2.0));
  EXPECT_EQ(axes.rotation.coeffs(), Quat::Identity().coeffs());
  // A slight turn gives a slight rotation, not a permutation of axes.
  const Mat3 r = Eigen::AngleAxisd(0.01, Vec3::UnitX()).toRotationMatrix();
  const PrincipalAxes turned = principalAxes(r * Vec3(3.0, 1.0, 2.0).asDiagonal() * r.transpose());
  EXPECT_NEAR(turned.rotation.angularDistance(Quat::Identity()), 0.01, 1e-9);
}

TEST(Mass, ImpossibleInertiasAreRecognised) {
  EXPECT_TRUE(isPhysicalInertia(Vec3(1, 1, 1).asDiagonal()));
  EXPECT_TRUE(isPhysicalInertia(Vec3(1, 1, 2).asDiagonal()));  // a flat disc: equality
  EXPECT_FALSE(isPhysicalInertia(Vec3(1, 1, 2.1).asDiagonal()));
  EXPECT_FALSE(isPhysicalInertia(Vec3(1, 1, -1).asDiagonal()));
  EXPECT_FALSE(isPhysicalInertia(Vec3(1, 1, 0).asDiagonal()));
  EXPECT_FALSE(isPhysicalInertia(Mat3::Zero()));
  EXPECT_FALSE(isPhysicalInertia(Vec3(1, 1, NAN).asDiagonal()));
  Mat3 skewed = Mat3::Identity();
  skewed(0, 1) = 0.1;
  EXPECT_FALSE(isPhysicalInertia(skewed));
}

}  // namespace
}  // namespace cairn::testing
