// Rays, overlaps, depths and closest points against brute force over all shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "counting_new.hpp"
#include "geometry/ray.hpp"
#include "world/query_yard.hpp"

namespace cairn {
namespace {

using namespace test;

constexpr double kRounding = 1e-9;  // m: poses come out of products that round in another order here

TEST(RayQueries, AllAndAnyAreThoseOfBruteForce) {
  int many = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    QueryYard yard(seed, 50);
    const std::vector<PlacedShape> shapes = placedShapes(yard.world);
    for (int i = 0; i < 60; ++i) {
      const Ray ray{.origin = yard.vector(2.5) + Vec3(0, 0, 3), .direction = yard.vector(2.0), .length = yard.uniform(1, 12)};
      std::vector<double> expected;
      for (const PlacedShape& one : shapes)
        if (const auto hit = castRay(one.shape, one.pose, ray.origin, ray.direction.normalized(), ray.length))
          expected.push_back(hit->distance);
      std::sort(expected.begin(), expected.end());
      const std::vector<RayHit> hits = yard.world.castRayAll(ray);
      ASSERT_EQ(hits.size(), expected.size());
      for (std::size_t k = 0; k < hits.size(); ++k) EXPECT_NEAR(hits[k].distance, expected[k], kRounding);
      EXPECT_EQ(yard.world.castRayAny(ray), !expected.empty());
      const std::optional<RayHit> nearest = yard.world.castRay(ray);
      ASSERT_EQ(nearest.has_value(), !expected.empty());
      if (nearest) EXPECT_EQ(nearest->shape, hits[0].shape);
      many += expected.size() > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(many, 20);
}

TEST(RayQueries, FiltersByGroupAndByCallback) {
  QueryYard yard(2, 60);
  const World& world = yard.world;
  int different = 0;
  for (int i = 0; i < 100; ++i) {
    Ray ray{.origin = yard.vector(1.5) + Vec3(0, 0, 5), .direction = 0.5 * yard.vector(1.0) - Vec3(0, 0, 1)};
    const std::vector<RayHit> all = world.castRayAll(ray);
    ray.collidesWith = 1;
    for (const RayHit& hit : world.castRayAll(ray)) EXPECT_EQ(world.shape(hit.shape)->group, 1u);
    ray.collidesWith = 0xffffffffu;
    const ShapeFilter even = [](BodyId body, ShapeId) { return body.index % 2 == 0; };
    const auto first = std::find_if(all.begin(), all.end(), [&](const RayHit& hit) { return even(hit.body, hit.shape); });
    const std::optional<RayHit> hit = world.castRay(ray, even);
    ASSERT_EQ(hit.has_value(), first != all.end());
    if (hit) EXPECT_EQ(hit->shape, first->shape);
    different += first != all.begin() ? 1 : 0;
  }
  EXPECT_GT(different, 20);
}

TEST(ProbeQueries, OverlapsAndDepthsAreThoseOfBruteForce) {
  int found = 0, near = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    QueryYard yard(seed, 50);
    const std::vector<PlacedShape> shapes = placedShapes(yard.world);
    for (int i = 0; i < 60; ++i) {
      const ShapeProbe probe{.shape = yard.geometry(),
                             .pose = {yard.vector(1.8) + Vec3(0, 0, 2), yard.turn()},
                             .margin = i % 2 == 0 ? 0.0 : 0.3,
                             .collidesWith = i % 3 == 0 ? 2u : 0xffffffffu};
      std::vector<Overlap> expected;
      std::vector<double> depths;
      for (const PlacedShape& one : shapes) {
        if ((one.group & probe.collidesWith) == 0) continue;
        const double apart = signedDistance(*probe.shape.get(), probe.pose, one.shape, one.pose).distance;
        if (apart > probe.margin) continue;
        expected.push_back({one.id, one.body});
        depths.push_back(apart);
      }
      std::sort(expected.begin(), expected.end(), [](auto& a, auto& b) { return a.shape.index < b.shape.index; });
      std::sort(depths.begin(), depths.end());
      EXPECT_EQ(yard.world.overlaps(probe), expected);
      const std::vector<ClosestPoints> deep = yard.world.penetrations(probe);
      ASSERT_EQ(deep.size(), depths.size());
      for (std::size_t k = 0; k < deep.size(); ++k) {
        EXPECT_NEAR(deep[k].distance, depths[k], kRounding);
        EXPECT_LT((deep[k].pointA + deep[k].distance * deep[k].normal - deep[k].pointB).norm(), 1e-9);
        near += deep[k].distance > 0.0 ? 1 : 0;
        found += deep[k].depth() > 0.0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(near, 50);
}

TEST(ProbeQueries, RegionsFindWhatReachesIntoThem) {
  QueryYard yard(4, 60);
  const std::vector<PlacedShape> shapes = placedShapes(yard.world);
  for (int i = 0; i < 50; ++i) {
    const Vec3 a = yard.vector(3.0) + Vec3(0, 0, 3), b = yard.vector(3.0) + Vec3(0, 0, 3);
    const RegionProbe region{.lower = a.cwiseMin(b), .upper = a.cwiseMax(b)};
    std::vector<Overlap> expected;
    for (const PlacedShape& one : shapes) {
      const Shape box{.type = ShapeType::Box, .size = 0.5 * (region.upper - region.lower), .hull = nullptr};
      const Pose place{0.5 * (region.upper + region.lower), Quat::Identity()};
      if (signedDistance(box, place, one.shape, one.pose).distance <= 0.0) expected.push_back({one.id, one.body});
    }
    std::sort(expected.begin(), expected.end(), [](auto& x, auto& y) { return x.shape.index < y.shape.index; });
    EXPECT_EQ(yard.world.overlaps(region), expected);
  }
}

TEST(ProbeQueries, ClosestPointsAreThoseOfBruteForce) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    QueryYard yard(seed, 30);
    const World& world = yard.world;
    const std::vector<PlacedShape> shapes = placedShapes(world);
    const Shape point{.type = ShapeType::Sphere, .size = Vec3::Zero(), .hull = nullptr};
    for (int i = 0; i < 60; ++i) {
      const PointProbe probe{.point = yard.vector(5.0) + Vec3(0, 0, 4), .within = i % 2 == 0 ? 1e6 : 0.5,
                             .collidesWith = i % 3 == 0 ? 3u : 0xffffffffu};
      double least = 1e30;
      for (const PlacedShape& one : shapes)
        if ((one.group & probe.collidesWith) != 0)
          least = std::min(least, signedDistance(point, {probe.point, Quat::Identity()}, one.shape, one.pose).distance);
      const std::optional<ClosestPoints> closest = world.closestPoints(probe);
      ASSERT_EQ(closest.has_value(), least <= probe.within);
      if (!closest) continue;
      EXPECT_NEAR(closest->distance, least, kRounding);
      EXPECT_EQ(closest->pointA, probe.point);
      EXPECT_LT((closest->pointA + closest->distance * closest->normal - closest->pointB).norm(), 1e-9);
    }
    for (std::size_t i = 0; i + 1 < shapes.size(); ++i) {
      const auto pair = world.closestPoints(shapes[i].id, shapes[i + 1].id);
      ASSERT_TRUE(pair);
      const double apart = signedDistance(shapes[i].shape, shapes[i].pose, shapes[i + 1].shape, shapes[i + 1].pose).distance;
      EXPECT_NEAR(pair->distance, apart, kRounding);
    }
    const std::vector<BodyId> bodies = world.bodies();
    for (std::size_t i = 0; i + 1 < bodies.size(); ++i) {
      double least = 1e30;
      for (const PlacedShape& a : shapes)
        for (const PlacedShape& b : shapes)
          if (a.body == bodies[i] && b.body == bodies[i + 1])
            least = std::min(least, signedDistance(a.shape, a.pose, b.shape, b.pose).distance);
      EXPECT_NEAR(world.closestPoints(bodies[i], bodies[i + 1])->distance, least, kRounding);
    }
  }
}

TEST(ProbeQueries, BatchesAreTheSameForAnyNumberOfThreads) {
  std::vector<std::vector<Overlap>> overlaps;
  std::vector<std::optional<RayHit>> hits;
  std::vector<std::optional<ClosestPoints>> closest;
  for (const int threads : {1, 2, 4}) {
    QueryYard yard(9, 80, threads);
    std::vector<Ray> rays;
    std::vector<ShapeProbe> probes;
    std::vector<PointProbe> points;
    for (int i = 0; i < 200; ++i) {
      rays.push_back({.origin = yard.vector(2.5) + Vec3(0, 0, 3), .direction = yard.vector(2.0)});
      probes.push_back({.shape = yard.geometry(), .pose = {yard.vector(1.8) + Vec3(0, 0, 2), yard.turn()}});
      points.push_back({.point = yard.vector(4.0) + Vec3(0, 0, 4)});
    }
    const auto manyOverlaps = yard.world.overlaps(probes);
    const auto manyHits = yard.world.castRays(rays);
    const auto manyClosest = yard.world.closestPoints(points);
    for (std::size_t i = 0; i < rays.size(); ++i) {
      EXPECT_EQ(manyOverlaps[i], yard.world.overlaps(probes[i]));
      const auto alone = yard.world.castRay(rays[i]);
      ASSERT_EQ(manyHits[i].has_value(), alone.has_value());
      if (alone) EXPECT_TRUE(alone->distance == manyHits[i]->distance && alone->shape == manyHits[i]->shape);
      if (threads == 1) continue;
      EXPECT_EQ(manyOverlaps[i], overlaps[i]);
      if (alone) EXPECT_TRUE(hits[i]->distance == manyHits[i]->distance && hits[i]->normal == manyHits[i]->normal);
      EXPECT_EQ(manyClosest[i]->distance, closest[i]->distance);
      EXPECT_EQ(manyClosest[i]->pointB, closest[i]->pointB);
    }
    if (threads == 1) overlaps = manyOverlaps, hits = manyHits, closest = manyClosest;
  }
}

TEST(ProbeQueries, SeveralThreadsMayAskBatchesAtOnce) {
  QueryYard yard(11, 80, 2);
  std::vector<Ray> rays;
  for (int i = 0; i < 300; ++i) rays.push_back({.origin = yard.vector(2.5) + Vec3(0, 0, 3), .direction = yard.vector(2.0)});
  const auto expected = yard.world.castRays(rays);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        const auto hits = yard.world.castRays(rays);
        for (std::size_t i = 0; i < hits.size(); ++i)
          if (hits[i].has_value() != expected[i].has_value() || (hits[i] && hits[i]->distance != expected[i]->distance)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(ProbeQueries, StaleIdsAreNothingAndWrongNumbersAreRefused) {
  World world;
  const BodyId plane = world.addBody(fixedSolid(Plane{})), other = world.addBody(fixedSolid(Plane{}));
  const BodyId ball = world.addBody(solid(Sphere{0.5}, {0, 0, 2}));
  const ShapeId shape = world.shapes(ball)[0];
  EXPECT_NEAR(world.closestPoints(ball, plane)->distance, 1.5, 1e-12);
  EXPECT_FALSE(world.closestPoints(plane, other));
  EXPECT_FALSE(world.closestPoints(addAnchor(world), ball));
  world.removeBody(ball);
  EXPECT_FALSE(world.closestPoints(ball, plane));
  EXPECT_FALSE(world.closestPoints(shape, world.shapes(plane)[0]));
  EXPECT_THROW((void)world.overlaps(ShapeProbe{}), std::invalid_argument);
  EXPECT_THROW((void)world.overlaps(ShapeProbe{.shape = Sphere{}, .margin = -1.0}), std::invalid_argument);
  EXPECT_THROW((void)world.overlaps(RegionProbe{.lower = {1, 0, 0}}), std::invalid_argument);
  EXPECT_THROW((void)world.closestPoints(PointProbe{.point = {std::nan(""), 0, 0}}), std::invalid_argument);
  EXPECT_THROW((void)world.closestPoints(PointProbe{.within = -1.0}), std::invalid_argument);
  const std::vector<Ray> rays{{}, {.direction = Vec3::Zero()}};
  EXPECT_THROW((void)world.castRays(rays), std::invalid_argument);
}

TEST(ProbeQueries, RaysAndPointsTakeNoMemory) {
  QueryYard yard(3, 60);
  (void)yard.world.castRay({});
  const std::size_t before = allocationCount();
  for (int i = 0; i < 50; ++i) {
    const Ray ray{.origin = yard.vector(2.5) + Vec3(0, 0, 3), .direction = yard.vector(2.0)};
    (void)yard.world.castRay(ray);
    (void)yard.world.castRayAny(ray);
    (void)yard.world.closestPoints(PointProbe{.point = ray.origin});
  }
  EXPECT_EQ(allocationCount(), before);
}

}  // namespace
}  // namespace cairn
