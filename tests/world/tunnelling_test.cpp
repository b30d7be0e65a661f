// Nothing passes through anything at 60 steps a second, however fast and however thin.
#include <gtest/gtest.h>

#include <random>

#include "geometry/distance.hpp"
#include "world/building.hpp"

namespace cairn {
namespace {

using namespace test;

constexpr double kPlate = 5e-4;  // m: half of 1 mm

World emptyWorld(const std::string& stepper, const std::string& motion = "steady") {
  WorldSettings settings;
  settings.stepper = stepper;
  settings.continuous.motion = motion;
  return World(settings);
}

// Where the body is in the plate's frame, while it is before or behind the plate and not beside it.
bool hasPassed(const World& world, BodyId body, BodyId plate) {
  const Vec3 place = world.state(plate)->pose.inversePoint(world.state(body)->center);
  return place.x() > 0.0 && std::abs(place.y()) < 0.5 && std::abs(place.z()) < 0.5;
}

ConvexHull dart() {
  ConvexHull hull;
  for (const double y : {-0.01, 0.01})
    for (const double z : {-0.01, 0.01}) hull.points.emplace_back(-0.03, y, z);
  hull.points.emplace_back(0.04, 0.002, 0.001);
  return hull;
}

class Tunnelling : public testing::TestWithParam<const char*> {};

TEST_P(Tunnelling, BulletsStopAtAPlateOfAMillimetre) {
  for (int k = 0; k < 8; ++k) {
    World world = emptyWorld(GetParam());
    const BodyId plate = world.addBody(fixedSolid(Box{Vec3(kPlate, 0.5, 0.5)}));
    BodyDesc bullet = solid(Sphere{0.005}, {-0.3 - 1.1 * k, 0.02 * k, 0.03});
    bullet.linearVelocity = {500, 0, 0};
    const BodyId body = world.addBody(bullet);
    for (int i = 0; i < 12; ++i) {
      ASSERT_EQ(world.step(kDt).status, StepStatus::Ok);
      ASSERT_FALSE(hasPassed(world, body, plate)) << "start " << k << ", step " << i;
    }
    EXPECT_LT(world.state(body)->linearVelocity.x(), 1.0) << "start " << k;
  }
}

TEST_P(Tunnelling, CapsulesHullsAndBoxesStopAtThinPlatesThatStandOrFly) {
  const std::vector<Geometry> shapes{Capsule{0.004, 0.02}, dart(), Box{Vec3(0.01, 0.02, 0.005)}, Cylinder{0.01, 0.004}};
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    for (const bool flies : {false, true}) {
      World world = emptyWorld(GetParam());
      BodyDesc wall = flies ? solid(Box{Vec3(kPlate, 0.5, 0.5)}, Vec3::Zero()) : fixedSolid(Box{Vec3(kPlate, 0.5, 0.5)});
      const BodyId plate = world.addBody(wall);
      BodyDesc desc = solid(shapes[k], {-1.7 - 0.9 * static_cast<double>(k), 0.05, 0.02});
      desc.pose.rotation = turn(0.4 + static_cast<double>(k), Vec3(1, 2, 3).normalized());
      desc.linearVelocity = {300, 3, 0};
      desc.angularVelocity = {10, -30, 20};
      const BodyId body = world.addBody(desc);
      for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(world.step(kDt).status, StepStatus::Ok);
        ASSERT_FALSE(hasPassed(world, body, plate)) << "shape " << k << ", flies " << flies << ", step " << i;
      }
    }
  }
}

TEST_P(Tunnelling, ARodAtAHundredTurnsASecondMeetsAPost) {
  for (const double angle : {0.3, 1.0, 2.2}) {
    World world = emptyWorld(GetParam());
    world.addBody(fixedSolid(Cylinder{0.03, 0.5}, 0.35 * Vec3(std::cos(angle), std::sin(angle), 0)));
    BodyDesc rod = solid(Capsule{0.02, 0.5}, Vec3::Zero());
    rod.pose.rotation = turn(0.5 * M_PI, Vec3::UnitY());
    rod.angularVelocity = {0, 0, 200.0 * M_PI};
    rod.gravityScale = 0.0;
    const BodyId body = world.addBody(rod);
    for (int i = 0; i < 4; ++i) ASSERT_EQ(world.step(kDt).status, StepStatus::Ok);
    // A thin rod that is stopped at a distance d keeps no more than 1 - d^2/(L^2/12 + d^2) of its spin, at first.
    EXPECT_LT(std::abs(world.state(body)->angularVelocity.z()), 0.75 * 200.0 * M_PI) << angle;
    EXPECT_LT(world.deepestPenetration().depth, 0.02) << angle;
  }
}

TEST_P(Tunnelling, TwoBulletsMeetHeadOn) {
  for (int k = 0; k < 6; ++k) {
    World world = emptyWorld(GetParam());
    BodyDesc left = solid(Sphere{0.005}, {-3.0 - 0.4 * k, 0, 0}), right = solid(Sphere{0.005}, {2.0 + 0.7 * k, 0, 0});
    left.linearVelocity = {500, 0, 0};
    right.linearVelocity = {-500, 0, 0};
    const BodyId a = world.addBody(left), b = world.addBody(right);
    for (int i = 0; i < 6; ++i) {
      ASSERT_EQ(world.step(kDt).status, StepStatus::Ok);
      ASSERT_LT(world.state(a)->center.x(), world.state(b)->center.x()) << "start " << k << ", step " << i;
    }
  }
}

TEST_P(Tunnelling, AFastBallPushesAHeapAndStaysBeforeTheWall) {
  World world = emptyWorld(GetParam());
  world.addBody(fixedSolid(Plane{}));
  world.addBody(fixedSolid(Box{Vec3(0.001, 3, 3)}, {2.0, 0, 3}));
  std::vector<BodyId> heap;
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 3; ++z)
        heap.push_back(world.addBody(solid(Box{Vec3::Constant(0.1)}, {0.201 * x, 0.201 * y - 0.2, 0.1 + 0.2 * z})));
  for (int i = 0; i < 3; ++i) world.step(kDt);
  BodyDesc ball = solid(Sphere{0.05}, {-2.0, 0.03, 0.3});
  ball.linearVelocity = {400, 0, 0};
  const BodyId body = world.addBody(ball);
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(world.step(kDt).status, StepStatus::Ok);
    ASSERT_LT(world.state(body)->center.x(), 2.0) << i;
    for (const BodyId box : heap) ASSERT_LT(world.state(box)->center.x(), 2.0) << i;
    if (i == 2) {
      double fastest = 0.0;
      for (const BodyId box : heap) fastest = std::max(fastest, world.state(box)->linearVelocity.norm());
      EXPECT_GT(fastest, 1.0);
      EXPECT_LT(world.state(body)->linearVelocity.x(), 300.0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Steppers, Tunnelling,
                         testing::Values("soft", "velocity", "lcp", "shock", "penalty", "impulse", "hybrid"),
                         [](const auto& info) { return std::string(info.param); });

// Rooms with walls of 2 mm, and twenty fast bodies of all kinds in each. How many leave theirs in half a second.
struct RoomCount {
  int left = 0, impacts = 0;
  double gain = 0.0;  // J: the most that impacts of a step gave
};
RoomCount fillRooms(int rooms, bool enabled) {
  RoomCount count;
  std::mt19937_64 random(1);
  const auto uniform = [&](double least, double most) { return std::uniform_real_distribution<double>(least, most)(random); };
  const auto vector = [&](double size) { return Vec3(uniform(-size, size), uniform(-size, size), uniform(-size, size)); };
  for (int room = 0; room < rooms; ++room) {
    WorldSettings settings;
    settings.continuous.motion = room % 2 == 0 ? "steady" : "screw";
    settings.continuous.enabled = enabled;
    World world(settings);
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-1.0, 1.0}) {
        Vec3 half = Vec3::Constant(1.002), place = Vec3::Zero();
        half[axis] = 0.001;
        place[axis] = side * 1.001;
        world.addBody(fixedSolid(Box{half}, place));
      }
    std::vector<BodyId> bodies;
    for (int k = 0; k < 20; ++k) {
      const std::vector<Geometry> kinds{Sphere{uniform(0.01, 0.05)}, Box{Vec3(0.01, 0.01, 0.01) + vector(0.005)},
                                        Capsule{0.01, uniform(0.01, 0.08)}, Cylinder{0.03, 0.01}, dart()};
      BodyDesc desc =
          solid(kinds[random() % kinds.size()], Vec3(-0.8 + 0.4 * (k % 5), -0.6 + 0.4 * (k / 5), uniform(-0.8, 0.8)));
      desc.shapes[0].material.restitution = uniform(0, 0.8);
      desc.pose.rotation = turn(uniform(-3, 3), vector(1.0).normalized());
      desc.linearVelocity = vector(300.0);
      desc.angularVelocity = vector(150.0);
      bodies.push_back(world.addBody(desc));
    }
    for (int i = 0; i < 30; ++i) {
      const StepReport report = world.step(kDt);
      count.impacts += report.continuous.impacts;
      double gain = 0.0;
      for (const ImpactRecord& impact : world.impacts()) gain += impact.gain();
      count.gain = std::max(count.gain, gain);
    }
    for (const BodyId body : bodies)
      if (!(world.state(body)->center.cwiseAbs().maxCoeff() < 1.0) || world.isQuarantined(body)) ++count.left;
  }
  return count;
}

TEST(TunnellingOfSoft, NoneOfFiveHundredFastBodiesLeavesTheirRoom) {
  const RoomCount count = fillRooms(25, true);
  EXPECT_EQ(count.left, 0);
  EXPECT_GT(count.impacts, 1000);
  EXPECT_LT(count.gain, 1e-6);
}

// The sweep is what holds them.
TEST(TunnellingOfSoft, WithoutTheSweepTheyLeave) {
  const RoomCount count = fillRooms(3, false);
  EXPECT_GT(count.left, 10);
  EXPECT_EQ(count.impacts, 0);
}

// What is slow costs nothing and changes nothing.
TEST(TunnellingOfSoft, NothingIsSweptInASlowWorld) {
  std::array<std::uint64_t, 2> hashes{};
  for (const bool enabled : {false, true}) {
    WorldSettings settings;
    settings.continuous.enabled = enabled;
    World world(settings);
    world.addBody(fixedSolid(Plane{}));
    for (int i = 0; i < 10; ++i) world.addBody(solid(Box{Vec3::Constant(0.5)}, {0, 0, 0.5 + i}));
    for (int i = 0; i < 60; ++i) {
      const StepReport report = world.step(kDt);
      EXPECT_EQ(report.continuous.swept, 0);
      EXPECT_EQ(report.continuous.pairs, 0);
    }
    hashes[enabled ? 1 : 0] = world.stateHash();
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(TunnellingOfSoft, TheSameBitsForAnyNumberOfThreads) {
  std::uint64_t first = 0;
  for (const int threads : {1, 2, 4}) {
    WorldSettings settings;
    settings.threads = threads;
    World world(settings);
    world.addBody(fixedSolid(Box{Vec3(1, 1, 0.001)}));
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int i = 0; i < 60; ++i) {
      BodyDesc desc = solid(Capsule{0.01, 0.05}, {0.8 * uniform(random), 0.8 * uniform(random), 0.3 + 0.1 * i});
      desc.linearVelocity = {0, 0, -200.0 + 20.0 * uniform(random)};
      desc.angularVelocity = 100.0 * Vec3(uniform(random), uniform(random), uniform(random));
      world.addBody(desc);
    }
    for (int i = 0; i < 10; ++i) world.step(kDt);
    if (threads == 1) first = world.stateHash();
    EXPECT_EQ(world.stateHash(), first) << threads;
  }
}

}  // namespace
}  // namespace cairn
