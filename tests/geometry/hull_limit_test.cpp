#include "geometry/hull_limit.hpp"

#include <gtest/gtest.h>

#include "geometry/mesh_testing.hpp"

namespace cairn::testing {
namespace {

TEST(HullLimit, AHullWithinTheLimitIsWhole) {
  const MeshData box = boxMesh({1, 2, 3});
  const LimitedHull limited = buildLimitedHull(box.vertices, 8);
  EXPECT_EQ(limited.hull->vertices.size(), 8u);
  EXPECT_EQ(limited.error, 0.0);
}

// A sphere by n points is off by about 2 (1 - cos) of their spacing, some 5 / n of the radius.
TEST(HullLimit, ALimitedSphereStaysInsideAndItsErrorFallsWithTheLimit) {
  const MeshData sphere = sphereMesh(1.0, 3);
  double before = 2.0;
  for (std::size_t limit : {4u, 8u, 16u, 32u, 64u, 128u}) {
    const LimitedHull limited = buildLimitedHull(sphere.vertices, limit);
    EXPECT_EQ(limited.hull->vertices.size(), limit);
    EXPECT_LT(limited.error, before);
    before = limited.error;
    double worst = 0.0;
    for (const Vec3& p : sphere.vertices) {
      double outside = -1.0;
      for (const HullFace& face : limited.hull->faces) outside = std::max(outside, face.normal.dot(p) - face.offset);
      worst = std::max(worst, outside);
    }
    EXPECT_NEAR(worst, limited.error, 1e-12);
    for (const Vec3& v : limited.hull->vertices) EXPECT_NE(std::ranges::find(sphere.vertices, v), sphere.vertices.end());
  }
  EXPECT_LT(before, 0.06);
}

TEST(HullLimit, FewerThanFourAreRefused) {
  EXPECT_THROW(buildLimitedHull(boxMesh(Vec3::Ones()).vertices, 3), std::invalid_argument);
}

}  // namespace
}  // namespace cairn::testing
