// Shape casts against dense sampling in time, over all shapes and without any of the code that finds times.
#include <gtest/gtest.h>

#include "counting_new.hpp"
#include "world/query_yard.hpp"

namespace cairn {
namespace {

using namespace test;

constexpr int kSamples = 300;
// Of times and places that are found: impactTolerance is 1e-9 of the smaller shape, and poses round in another order.
constexpr double kExact = 1e-8;  // m

// How near the cast shape is to any of them at a time, and to which.
struct Nearest {
  double distance = 1e30;
  ShapeId shape{};
};
Nearest nearestAt(const ShapeCast& cast, double time, const std::vector<PlacedShape>& shapes) {
  Nearest nearest;
  const Pose pose = castPose(cast, time);
  for (const PlacedShape& one : shapes) {
    if ((one.group & cast.collidesWith) == 0) continue;
    const double distance = signedDistance(*cast.shape.get(), pose, one.shape, one.pose).distance;
    if (distance < nearest.distance) nearest = {distance, one.id};
  }
  return nearest;
}

void expectRight(const World& world, const ShapeCast& cast, const std::vector<PlacedShape>& shapes, int& hits) {
  const std::optional<CastHit> hit = world.castShape(cast);
  const double first = nearestAt(cast, 0.0, shapes).distance;
  if (first < -kExact) {
    ASSERT_TRUE(hit);
    EXPECT_TRUE(hit->startsInOverlap);
    EXPECT_EQ(hit->seconds, 0.0);
    EXPECT_NEAR(hit->depth, -first, kExact);
    return;
  }
  const double until = hit ? hit->seconds : cast.seconds;
  for (int i = 0; i < kSamples; ++i)
    ASSERT_GT(nearestAt(cast, until * i / kSamples, shapes).distance, -kExact) << "of " << until << " s, at " << i;
  if (!hit) return;
  ++hits;
  EXPECT_FALSE(hit->startsInOverlap);
  EXPECT_EQ(hit->depth, 0.0);
  // There it touches: the shape that is named, at the point that is named.
  const Nearest there = nearestAt(cast, hit->seconds, shapes);
  EXPECT_NEAR(there.distance, 0.0, kExact);
  for (const PlacedShape& one : shapes) {
    if (one.id != hit->shape) continue;
    EXPECT_EQ(one.body, hit->body);
    const Shape point{.type = ShapeType::Sphere, .size = Vec3::Zero(), .hull = nullptr};
    const Pose place{hit->point, Quat::Identity()};
    EXPECT_NEAR(signedDistance(point, place, one.shape, one.pose).distance, 0.0, kExact);
    EXPECT_NEAR(signedDistance(point, place, *cast.shape.get(), hit->pose).distance, 0.0, kExact);
    // The normal is outward: moved out along it, the two are apart by as much.
    const Pose away{hit->pose.position + 1e-3 * hit->normal, hit->pose.rotation};
    EXPECT_NEAR(signedDistance(*cast.shape.get(), away, one.shape, one.pose).distance, 1e-3, 1e-5);
  }
  EXPECT_LT((castPose(cast, hit->seconds).position - hit->pose.position).norm(), kExact);
}

void castMany(bool moves, bool turns, int least) {
  int hits = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    QueryYard yard(seed, 25);
    const std::vector<PlacedShape> shapes = placedShapes(yard.world);
    for (int i = 0; i < 25; ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", cast " + std::to_string(i));
      ShapeCast cast = yard.cast(moves, turns);
      if (!moves) cast.start.position *= 0.6, cast.pivot *= 2.0;
      if (i % 3 == 0) cast.collidesWith = 2;
      expectRight(yard.world, cast, shapes, hits);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GE(hits, least);
}

TEST(ShapeCasts, StraightOnesAreThoseOfDenseSampling) { castMany(true, false, 40); }
TEST(ShapeCasts, TurningOnesAreThoseOfDenseSampling) { castMany(false, true, 20); }
TEST(ShapeCasts, StraightAndTurningOnesAreThoseOfDenseSampling) { castMany(true, true, 40); }

TEST(ShapeCasts, KnownTimes) {
  World world;
  const BodyId wall = world.addBody(fixedSolid(Box{Vec3(0.5, 5, 5)}));
  const auto hit = world.castShape({.shape = Sphere{0.25}, .start = {{-4, 1, 2}}, .velocity = {10, 0, 0}});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, wall);
  EXPECT_NEAR(hit->seconds, 0.325, 1e-9);
  EXPECT_LT((hit->point - Vec3(-0.5, 1, 2)).norm(), 1e-8);
  EXPECT_LT((hit->normal - Vec3(-1, 0, 0)).norm(), 1e-8);
  // Half a turn of a bar about its end, through a post at a right angle.
  World yard;
  yard.addBody(fixedSolid(Cylinder{0.1, 2.0}, {0, 1.5, 0}));
  const auto swung = yard.castShape({.shape = Box{Vec3(1, 0.05, 0.05)},
                                     .start = {{1, 0, 0}},
                                     .spin = {0, 0, 3.0},
                                     .pivot = {-1, 0, 0},
                                     .seconds = 1.0});
  ASSERT_TRUE(swung);
  // The face at 0.05 from the middle line meets the post's surface: sin(a) = (0.1 + 0.05)/1.5.
  EXPECT_NEAR(3.0 * swung->seconds, 0.5 * M_PI - std::asin(0.15 / 1.5), 1e-7);
  // Just short of it, and just there.
  const ShapeCast near{.shape = Sphere{0.25}, .start = {{-4, 1, 2}}, .velocity = {10, 0, 0}, .seconds = 0.3249};
  EXPECT_FALSE(world.castShape(near));
  EXPECT_FALSE(world.castShape({.shape = Sphere{0.25}, .start = {{-4, 1, 2}}}));
  // Touching and leaving is no hit.
  EXPECT_FALSE(world.castShape({.shape = Sphere{0.25}, .start = {{-0.75, 0, 0}}, .velocity = {-1, 0, 0}}));
}

TEST(ShapeCasts, BatchesAreTheSameForAnyNumberOfThreads) {
  std::vector<std::optional<CastHit>> first;
  for (const int threads : {1, 2, 4}) {
    QueryYard yard(7, 60, threads);
    std::vector<ShapeCast> casts;
    for (int i = 0; i < 100; ++i) casts.push_back(yard.cast(i % 4 != 0, i % 2 == 0));
    const std::vector<std::optional<CastHit>> hits = yard.world.castShapes(casts);
    ASSERT_EQ(hits.size(), casts.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const std::optional<CastHit> alone = yard.world.castShape(casts[i]);
      ASSERT_EQ(hits[i].has_value(), alone.has_value());
      if (alone) EXPECT_TRUE(hits[i]->seconds == alone->seconds && hits[i]->shape == alone->shape);
      if (threads == 1 || !alone) continue;
      EXPECT_TRUE(first[i]->seconds == hits[i]->seconds && first[i]->shape == hits[i]->shape &&
                  first[i]->point == hits[i]->point && first[i]->normal == hits[i]->normal);
    }
    if (threads == 1) first = hits;
  }
}

TEST(ShapeCasts, RefuseWhatMakesNoSense) {
  World world;
  world.addBody(fixedSolid(Plane{}));
  const auto refused = [&](const ShapeCast& cast, const char* field) {
    try {
      (void)world.castShape(cast);
      ADD_FAILURE() << field;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).rfind(field, 0), 0u) << error.what();
    }
  };
  const double nan = std::nan("");
  refused({}, "shape");
  refused({.shape = Sphere{}, .start = {{nan, 0, 0}}}, "start.position");
  refused({.shape = Sphere{}, .start = {Vec3::Zero(), Quat(0, 0, 0, 0)}}, "start.rotation");
  refused({.shape = Sphere{}, .velocity = {0, nan, 0}}, "velocity");
  refused({.shape = Sphere{}, .spin = {0, nan, 0}}, "spin");
  refused({.shape = Sphere{}, .pivot = {0, nan, 0}}, "pivot");
  refused({.shape = Sphere{}, .seconds = -1.0}, "seconds");
  EXPECT_THROW(QueryShape(Plane{}), std::invalid_argument);
  EXPECT_THROW(QueryShape(Sphere{-1.0}), std::invalid_argument);
}

TEST(ShapeCasts, TakeNoMemory) {
  QueryYard yard(3, 40);
  std::vector<ShapeCast> casts;
  for (int i = 0; i < 40; ++i) casts.push_back(yard.cast(true, i % 2 == 0));
  (void)yard.world.castShape(casts[0]);  // brings the index up to date
  const std::size_t before = allocationCount();
  int hits = 0;
  for (const ShapeCast& cast : casts) hits += yard.world.castShape(cast) ? 1 : 0;
  EXPECT_EQ(allocationCount(), before);
  EXPECT_GT(hits, 5);
}

}  // namespace
}  // namespace cairn
