#include "geometry/mesh_mass.hpp"

#include <gtest/gtest.h>

#include "geometry/mass.hpp"
#include "geometry/mesh_testing.hpp"

namespace cairn::testing {
namespace {

// Signed tetrahedra from a given point: other sums than those of the faces.
MassProperties tetrahedraMass(const TriangleView& mesh, double density, const Vec3& apex) {
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (std::size_t t = 0; t < mesh.size(); ++t) {
    const Triangle triangle = mesh.triangle(t);
    const Vec3 a = triangle.corner[0] - apex, b = triangle.corner[1] - apex, c = triangle.corner[2] - apex, s = a + b + c;
    const double d = a.dot(b.cross(c));
    volume += d / 6.0;
    first += d / 24.0 * s;
    second += d / 120.0 * (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  const Vec3 offset = first / volume;
  second -= volume * offset * offset.transpose();
  return {density * volume, apex + offset, density * (second.trace() * Mat3::Identity() - second)};
}

void expectNear(const MassProperties& found, const MassProperties& expected, double share, double size) {
  EXPECT_NEAR(found.mass, expected.mass, share * expected.mass);
  EXPECT_LT((found.center - expected.center).norm(), share * size);
  EXPECT_LT((found.inertia - expected.inertia).norm(), share * expected.inertia.norm());
}

TEST(MeshMass, BoxIsExactAtAnyScaleAndFarFromTheOrigin) {
  for (double scale : {1e-3, 1.0, 1e3}) {
    const Vec3 half = scale * Vec3(1, 2, 3);
    const MassProperties closed = shapeMass(makeShape(Box{half}), 700.0);
    expectNear(meshMass(boxMesh(half).view(), 700.0), closed, 1e-14, scale);
    // 1e6 m away coordinates are rounded to 1.2e-10 m: of the size, that times three.
    const Vec3 away(1e6, -1e6, 1e6);
    MassProperties moved = closed;
    moved.center = away;
    expectNear(meshMass(boxMesh(half).move(away).view(), 700.0), moved, 4e-10 / scale + 1e-14, scale);
  }
}

TEST(MeshMass, SphereConvergesWithTheSquareOfTheEdges) {
  const MassProperties closed = shapeMass(makeShape(Sphere{0.7}), 1000.0);
  double before = 0.0;
  for (int times : {2, 3, 4, 5}) {
    const MassProperties found = meshMass(sphereMesh(0.7, times).view(), 1000.0);
    const double error = (found.inertia - closed.inertia).norm() / closed.inertia.norm();
    if (before > 0.0) {
      EXPECT_NEAR(before / error, 4.0, 0.15);
    }
    before = error;
  }
  EXPECT_LT(before, 3e-3);
}

// Ring R, tube r: volume 2 pi^2 R r^2, about the axis m (R^2 + 3/4 r^2), across it m (R^2 / 2 + 5/8 r^2).
TEST(MeshMass, TorusApproachesItsClosedForm) {
  const double ring = 2.0, tube = 0.5, mass = 2.0 * std::numbers::pi * std::numbers::pi * ring * tube * tube;
  MassProperties closed{mass, Vec3::Zero(), Mat3::Zero()};
  closed.inertia.diagonal() << mass * (0.5 * ring * ring + 0.625 * tube * tube), mass * (0.5 * ring * ring + 0.625 * tube * tube),
      mass * (ring * ring + 0.75 * tube * tube);
  expectNear(meshMass(torusMesh(ring, tube, 100, 50).view(), 1.0), closed, 6e-03, ring);   // 4.1e-03: chords of the circles
  expectNear(meshMass(torusMesh(ring, tube, 400, 200).view(), 1.0), closed, 4e-04, ring);  // 2.6e-04: a sixteenth of that
}

TEST(MeshMass, AgreesWithTetrahedraOnSkewMeshes) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    MeshData data = i % 2 == 0 ? torusMesh(2.0, 0.7, 12, 7) : sphereMesh(1.0, 1);
    Mat3 map;
    do {
      map = Mat3::Random();
    } while (map.determinant() < 0.05);
    const Vec3 away = randomVector(random, 3.0);
    for (Vec3& v : data.vertices) v = map * v + 0.05 * randomVector(random, 1.0) + away;
    const MassProperties found = meshMass(data.view(), 3.0);
    expectNear(found, tetrahedraMass(data.view(), 3.0, away), 1e-12, 1.0);
    EXPECT_TRUE(isPhysicalInertia(found.inertia));
  }
}

TEST(MeshMass, ACavityTakesMassAway) {
  MeshData data = boxMesh(Vec3::Constant(1.0));
  MeshData cavity = boxMesh(Vec3::Constant(0.5)).move({0.2, 0, 0});
  for (TriangleIndices& t : cavity.triangles) std::swap(t[1], t[2]);
  const MassProperties found = meshMass(data.append(cavity).view(), 1.0);
  EXPECT_NEAR(found.mass, 7.0, 1e-13);
  EXPECT_NEAR(found.center.x(), -0.2 / 7.0, 1e-15);
}

TEST(MeshMass, WithoutVolumeThereIsNoMass) {
  MeshData inverted = boxMesh(Vec3::Ones());
  for (TriangleIndices& t : inverted.triangles) std::swap(t[1], t[2]);
  EXPECT_NEAR(meshVolume(inverted.view()), -8.0, 1e-13);
  EXPECT_EQ(meshMass(inverted.view(), 1.0).mass, 0.0);
  EXPECT_EQ(meshMass({}, 1.0).mass, 0.0);
}

TEST(MeshMass, ShellsOfBoxAndSphere) {
  // A hollow sphere: 2/3 m r^2. A cube of side 2 of sheet: 24 m^2, about each axis m (4/3 + 8/9 ...): by its six squares.
  const MassProperties ball = shellMass(sphereMesh(0.5, 5).view(), 3.0);
  const double mass = 3.0 * 4.0 * std::numbers::pi * 0.25;
  EXPECT_NEAR(ball.mass, mass, 1e-3 * mass);
  EXPECT_NEAR(ball.inertia(0, 0), 2.0 / 3.0 * mass * 0.25, 2e-3 * mass * 0.25);
  const Vec3 away(3, 4, 5);
  const MassProperties cube = shellMass(boxMesh(Vec3::Ones()).move(away).view(), 1.0);
  EXPECT_NEAR(cube.mass, 24.0, 1e-12);
  EXPECT_LT((cube.center - away).norm(), 1e-14);
  // About x: two faces across x: 4 (4/3 + 4/3) / 4 each; four others: square plate 4 (1/3 + 1) each, at distance 1.
  const double expected = 2.0 * 4.0 * (1.0 / 3.0 + 1.0 / 3.0) + 4.0 * 4.0 * (1.0 / 3.0 + 1.0);
  EXPECT_NEAR(cube.inertia(0, 0), expected, 1e-12);
}

}  // namespace
}  // namespace cairn::testing
