#include "geometry/ellipsoid.hpp"

#include <gtest/gtest.h>

#include "geometry/testing.hpp"

namespace cairn::testing {
namespace {

TEST(Ellipsoid, ClosestPointIsOnTheSurfaceAlongItsNormalAndNoDirectionIsBetter) {
  Random random(1);
  for (int i = 0; i < 30000; ++i) {
    const double flattest = std::array{1e-5, 0.1, 0.9}[i % 3];
    Vec3 radii(logUniform(random, flattest, 1.0), logUniform(random, flattest, 1.0), logUniform(random, flattest, 1.0));
    if (i % 5 == 0) radii.y() = radii.x();
    if (i % 7 == 0) radii.z() = radii.y();
    Vec3 query;
    for (int k = 0; k < 3; ++k) {
      switch (random() % 6) {
        case 0:
          query[k] = 0.0;
          break;
        case 1:
          query[k] = radii[k] * logUniform(random, 1e-20, 1.0);
          break;
        case 2:
          query[k] = radii[k] * uniform(random, -1.0, 1.0);
          break;
        case 3:
          query[k] = uniform(random, -3.0, 3.0);
          break;
        case 4:
          query[k] = radii[k];
          break;
        default:
          query[k] = radii[k] * 1e-300;
          break;
      }
    }
    const EllipsoidPoint nearest = closestPointOnEllipsoid(radii, query);
    const double tolerance = 4e-15 * std::max(radii.maxCoeff(), query.norm());
    ASSERT_NEAR(nearest.point.cwiseQuotient(radii).norm(), 1.0, 1e-14) << i;
    ASSERT_LT((query - nearest.point - nearest.distance * nearest.normal).norm(), tolerance) << i;
    // The signed distance is the largest over n of n . query - |radii n|, reached at the normal.
    const auto bound = [&](const Vec3& n) { return n.dot(query) - radii.cwiseProduct(n).norm(); };
    ASSERT_NEAR(bound(nearest.normal), nearest.distance, tolerance) << i;
    for (int k = 0; k < 16; ++k) {
      const Vec3 n = k < 6 ? Vec3((k % 2 ? 1.0 : -1.0) * Vec3::Unit(k / 2))
                           : (nearest.normal + logUniform(random, 1e-4, 1.0) * randomUnit(random)).normalized();
      ASSERT_LE(bound(n), nearest.distance + tolerance) << i;
    }
  }
}

TEST(Ellipsoid, CentreGoesToTheEndOfTheShortestAxis) {
  EXPECT_DOUBLE_EQ(closestPointOnEllipsoid({3, 1, 2}, Vec3::Zero()).distance, -1.0);
  EXPECT_DOUBLE_EQ(std::abs(closestPointOnEllipsoid({3, 1, 2}, Vec3::Zero()).point.y()), 1.0);
  EXPECT_DOUBLE_EQ(closestPointOnEllipsoid({2, 2, 2}, Vec3::Zero()).distance, -2.0);
}

}  // namespace
}  // namespace cairn::testing
