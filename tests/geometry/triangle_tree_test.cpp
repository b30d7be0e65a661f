#include "geometry/triangle_tree.hpp"

#include <gtest/gtest.h>

#include "geometry/mesh_testing.hpp"

namespace cairn::testing {
namespace {

struct Place {
  double size;
  Vec3 offset;
};
const Place kPlaces[] = {{1.0, Vec3::Zero()}, {1e-3, Vec3::Zero()}, {1e3, Vec3::Zero()}, {1.0, {1e6, -1e6, 1e6}}};

// Barycentric coordinates on a fine lattice: from above, and near enough to judge.
double sampledDistance(const Triangle& triangle, const Vec3& p, int steps) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= steps; ++i) {
    for (int j = 0; i + j <= steps; ++j) {
      const double u = static_cast<double>(i) / steps, v = static_cast<double>(j) / steps;
      const Vec3 q = triangle.corner[0] + u * (triangle.corner[1] - triangle.corner[0]) + v * (triangle.corner[2] - triangle.corner[0]);
      best = std::min(best, (q - p).norm());
    }
  }
  return best;
}

TEST(Triangle, ClosestPointIsNoFartherThanAnySampleAndOnItsFeature) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    Triangle triangle;
    for (Vec3& corner : triangle.corner) corner = randomVector(random, 1.0);
    const Vec3 p = randomVector(random, 2.0);
    const TrianglePoint on = closestOnTriangle(triangle, p);
    const double sampled = sampledDistance(triangle, p, 60);
    ASSERT_LE((on.point - p).norm(), sampled + 1e-12);
    ASSERT_GE((on.point - p).norm(), sampled - 0.05);
    const int feature = static_cast<int>(on.feature);
    const Vec3 n = triangle.normal();
    ASSERT_NEAR(n.dot(on.point - triangle.corner[0]), 0.0, 1e-12);
    if (feature >= 4) {
      ASSERT_EQ(on.point, triangle.corner[feature - 4]);
    }
    if (feature >= 1 && feature <= 3) {
      const Vec3 &a = triangle.corner[feature - 1], &b = triangle.corner[feature % 3];
      ASSERT_LT((on.point - a).cross(b - a).norm(), 1e-12);
    }
    if (feature == 0) {
      ASSERT_LT((p - on.point).cross(n).norm(), 1e-10);
    }
  }
}

TEST(Triangle, AltitudeIsTheLeastHeight) {
  EXPECT_NEAR((Triangle{{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(1, 0.5, 0)}}.altitude()), 0.5, 1e-15);
  EXPECT_EQ((Triangle{{Vec3(1, 1, 1), Vec3(1, 1, 1), Vec3(1, 1, 1)}}.altitude()), 0.0);
}

// Rays at the edges and corners of a closed surface from within: each must hit.
TEST(TriangleTree, NoRaySlipsThroughAnEdgeOrACorner) {
  Random random(2);
  const MeshData mesh = sphereMesh(1.0, 3);
  const TriangleTree tree(mesh.view());
  for (int i = 0; i < 20000; ++i) {
    const TriangleIndices& t = mesh.triangles[random() % mesh.triangles.size()];
    const double u = i % 3 == 0 ? 0.0 : uniform(random, 0.0, 1.0);
    const Vec3 target = (1.0 - u) * mesh.vertices[t[0]] + u * mesh.vertices[t[1]], origin = randomVector(random, 0.3);
    const auto hit = tree.nearestHit(mesh.view(), origin, (target - origin).normalized(), 10.0);
    ASSERT_TRUE(hit);
    ASSERT_NEAR(hit->distance, (target - origin).norm(), 1e-12);
    ASSERT_FALSE(hit->isFront);
    ASSERT_FALSE(tree.hitsAny(mesh.view(), origin, (target - origin).normalized(), 10.0, RaySides::Front));
  }
}

// Intersection by solving for barycentric coordinates: other arithmetic than the ray's own.
std::optional<double> solvedHit(const Triangle& triangle, const Vec3& origin, const Vec3& direction, double margin) {
  Mat3 m;
  m << triangle.corner[1] - triangle.corner[0], triangle.corner[2] - triangle.corner[0], -direction;
  const Vec3 x = m.fullPivLu().solve(origin - triangle.corner[0]);
  if (x[0] < -margin || x[1] < -margin || x[0] + x[1] > 1.0 + margin || x[2] < 0.0) return std::nullopt;
  return x[2];
}

TEST(TriangleTree, QueriesAgreeWithBruteForceAtAllScalesAndFarFromTheOrigin) {
  Random random(3);
  int rayHits = 0, sweepHits = 0;
  for (const Place& place : kPlaces) {
    const MeshData mesh = soupMesh(random, 1500, 1.0).scale(place.size).move(place.offset);
    const TriangleView view = mesh.view();
    const TriangleTree tree(view);
    // Rounding of the coordinates, as a share of the distance.
    const double rounding = 1e-11 + 1e-15 * place.offset.norm() / place.size;
    for (int i = 0; i < 300; ++i) {
      const Vec3 at = place.offset + randomVector(random, 1.4 * place.size);
      const Vec3 half = randomVector(random, 0.2 * place.size).cwiseAbs();
      const Aabb box{at - half, at + half};
      std::vector<int> visits(view.size(), 0);
      tree.overlap(view, box, [&](std::uint32_t t) { ++visits[t]; });
      for (std::size_t t = 0; t < view.size(); ++t) ASSERT_EQ(visits[t], view.triangle(t).bounds().overlaps(box) ? 1 : 0);

      const auto closest = tree.closest(view, at);
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t t = 0; t < view.size(); ++t) least = std::min(least, (closestOnTriangle(view.triangle(t), at).point - at).norm());
      ASSERT_TRUE(closest);
      ASSERT_EQ(closest->distance, least);
      ASSERT_FALSE(tree.closest(view, at, 0.99 * least));
      ASSERT_TRUE(tree.closest(view, at, 1.01 * least));

      const Vec3 direction = randomUnit(random);
      const double length = uniform(random, 0.0, 4.0) * place.size;
      double tight = length, wide = length;  // with triangles a little smaller and a little larger
      for (std::size_t t = 0; t < view.size(); ++t) {
        if (const auto d = solvedHit(view.triangle(t), at, direction, -1e-6)) tight = std::min(tight, *d);
        if (const auto d = solvedHit(view.triangle(t), at, direction, 1e-6)) wide = std::min(wide, *d);
      }
      const auto hit = tree.nearestHit(view, at, direction, length);
      const double found = hit ? hit->distance : length;
      ASSERT_LE(found, tight + 1e2 * rounding * place.size);
      ASSERT_GE(found, wide - 1e2 * rounding * place.size);
      ASSERT_EQ(tree.hitsAny(view, at, direction, length), hit.has_value());
      rayHits += hit ? 1 : 0;
      if (hit) {
        ASSERT_EQ(hit->isFront, direction.dot(view.triangle(hit->triangle).normal()) < 0.0);
      }

      const Vec3 displacement = length * direction;
      std::vector<int> swept(view.size(), 0);
      tree.sweep(view, box, displacement, [&](std::uint32_t t, double) { return ++swept[t], 1.0; });
      double first = 1.0;
      for (std::size_t t = 0; t < view.size(); ++t) {
        const auto when = sweptBoxes(box, displacement, view.triangle(t).bounds());
        ASSERT_EQ(swept[t], when ? 1 : 0);
        if (when) first = std::min(first, *when);
      }
      ASSERT_EQ(tree.sweep(view, box, displacement, [](std::uint32_t, double when) { return when; }), first);
      sweepHits += first < 1.0 ? 1 : 0;
    }
  }
  EXPECT_GT(rayHits, 300);
  EXPECT_GT(sweepHits, 300);
}

TEST(TriangleTree, SweptBoxesTouchWhereStepsOfTheSweepOverlap) {
  Random random(4);
  for (int i = 0; i < 500; ++i) {
    const Vec3 half = randomVector(random, 0.3).cwiseAbs(), at = randomVector(random, 1.0), by = randomVector(random, 3.0);
    const Vec3 otherHalf = randomVector(random, 0.3).cwiseAbs(), other = randomVector(random, 1.0);
    const Aabb moving{at - half, at + half}, resting{other - otherHalf, other + otherHalf};
    double sampled = 2.0;
    constexpr int kSteps = 4000;
    for (int k = 0; k <= kSteps && sampled > 1.0; ++k) {
      const Vec3 shift = by * k / kSteps;
      if (Aabb{moving.lower + shift, moving.upper + shift}.overlaps(resting)) sampled = static_cast<double>(k) / kSteps;
    }
    const auto when = sweptBoxes(moving, by, resting);
    if (sampled <= 1.0) {
      ASSERT_TRUE(when);
      ASSERT_LE(*when, sampled + 1e-12);
      ASSERT_GE(*when, sampled - 1.0 / kSteps);
    }
  }
}

TEST(TriangleTree, TakesAboutTwelveBytesPerTriangle) {
  const MeshData mesh = gridMesh(10.0, 150, [](double x, double y) { return std::sin(x) * std::cos(y); });
  const double perTriangle = static_cast<double>(TriangleTree(mesh.view()).bytes()) / static_cast<double>(mesh.triangles.size());
  RecordProperty("bytes_per_triangle", std::to_string(perTriangle));
  EXPECT_LT(perTriangle, 13.5);
}

}  // namespace
}  // namespace cairn::testing
