// Contacts of what stands still are not looked at again in every step. No one may notice.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "world/building.hpp"

namespace cairn::test {
namespace {

constexpr double kHalf = 0.25;  // m

WorldSettings wakeful() {
  WorldSettings settings;
  settings.sleep.enabled = false;
  return settings;
}

// A slab with stacks of five cubes on it, and what was on top of each.
struct Yard {
  World world{wakeful()};
  BodyId floor;
  std::vector<std::vector<BodyId>> stacks;

  explicit Yard(int count, double seconds = 3.0) {
    floor = world.addBody(fixedSolid(Box{{20, 20, 0.5}}, {0, 0, -0.5}));
    for (int s = 0; s < count; ++s) {
      stacks.emplace_back();
      for (int i = 0; i < 5; ++i)
        stacks.back().push_back(
            world.addBody(solid(Box{Vec3::Constant(kHalf)}, {2.0 * s, 0.02 * i, kHalf + 2.0 * kHalf * i})));
    }
    run(world, seconds);
  }
  Vec3 top(int stack) const { return world.state(stacks[stack].back())->center; }
};

TEST(Rest, GapsThatAreFollowedAreThoseOfTheShapes) {
  Yard yard(3);
  for (int i = 0; i < 300; ++i) {
    yard.world.step(kDt);
    double deepest = 0.0;
    for (const TouchPoint& point : yard.world.touchPoints()) deepest = std::max(deepest, -point.gap);
    ASSERT_NEAR(deepest, yard.world.deepestPenetration().depth, 2e-6) << i;
  }
}

// Contacts are left alone one by one: a ball that rolls about between stacks, on the plate that they stand on, is no reason
// to look at theirs again. It must not spoil them either.
TEST(Rest, GapsAreTrueWhileANeighbourRolls) {
  World world(wakeful());
  world.addBody(fixedSolid(Box{{20, 20, 0.5}}, {0, 0, -0.5}));
  world.addBody(solid(Box{{6, 6, 0.1}}, {0, 0, 0.1}));
  std::vector<BodyId> tops;
  for (int s = 0; s < 6; ++s)
    for (int i = 0; i < 3; ++i) {
      const BodyId cube = world.addBody(
          solid(Box{Vec3::Constant(kHalf)}, {2.0 * (s % 3) - 2.0, s < 3 ? 1.0 : -1.0, 0.2 + kHalf * (2 * i + 1)}));
      if (i == 2) tops.push_back(cube);
    }
  BodyDesc ball = solid(Sphere{0.2}, {-5, 0, 0.4});
  ball.linearVelocity = {1, 0, 0};
  ball.angularVelocity = {0, 5, 0};
  const BodyId roller = world.addBody(ball);
  run(world, 3.0);
  std::vector<Vec3> before;
  for (const BodyId top : tops) before.push_back(world.state(top)->center);
  for (int i = 0; i < 300; ++i) {
    world.step(kDt);
    double deepest = 0.0;
    for (const TouchPoint& point : world.touchPoints()) deepest = std::max(deepest, -point.gap);
    ASSERT_NEAR(deepest, world.deepestPenetration().depth, 5e-6) << i;
  }
  EXPECT_NEAR(world.state(roller)->center.x(), 3.0, 0.1);  // it rolls all the while
  for (std::size_t s = 0; s < tops.size(); ++s) EXPECT_LT((world.state(tops[s])->center - before[s]).norm(), 2e-4) << s;
}

TEST(Rest, AMinuteLeavesAStackWhereItWas) {
  Yard yard(1);
  const Vec3 before = yard.top(0);
  run(yard.world, 60.0);
  EXPECT_LT((yard.top(0) - before).norm(), 2e-4);
}

TEST(Rest, AFloorThatIsMovedIsNoticed) {
  Yard yard(2);
  const Vec3 before = yard.top(0);
  yard.world.setPose(yard.floor, {{0, 0, -0.6}, Quat::Identity()});
  run(yard.world, 2.0);
  EXPECT_NEAR(yard.top(0).z(), before.z() - 0.1, 5e-3);
  yard.world.setPose(yard.floor, {{0, 0, -0.595}, Quat::Identity()});
  run(yard.world, 2.0);
  EXPECT_NEAR(yard.top(0).z(), before.z() - 0.095, 1e-3);
}

TEST(Rest, FrictionThatIsTakenAwayIsNoticed) {
  World world(wakeful());
  BodyDesc slope = fixedSolid(Box{{20, 20, 0.5}}, {0, 0, 0});
  slope.pose.rotation = turn(0.2, Vec3::UnitY());
  const BodyId ground = world.addBody(slope);
  const Vec3 up = slope.pose.rotation * Vec3::UnitZ();
  BodyDesc cube = solid(Box{Vec3::Constant(kHalf)}, up * (0.5 + kHalf));
  cube.pose.rotation = slope.pose.rotation;
  const BodyId body = world.addBody(cube);
  run(world, 2.0);
  EXPECT_LT(world.state(body)->linearVelocity.norm(), 1e-4);
  Material ice;
  ice.friction = 0.0;
  world.setMaterial(world.shapes(ground).front(), ice);
  run(world, 0.5);
  EXPECT_NEAR(world.state(body)->linearVelocity.norm(), 0.5 * kGravity * std::sin(0.2), 0.01);
}

TEST(Rest, WhatIsTakenAwayFromBelowIsNoticed) {
  Yard yard(2);
  const double height = yard.top(0).z(), other = yard.top(1).z();
  yard.world.removeBody(yard.stacks[0].front());
  run(yard.world, 2.0);
  EXPECT_NEAR(yard.top(0).z(), height - 2.0 * kHalf, 5e-3);
  EXPECT_NEAR(yard.top(1).z(), other, 1e-4);
}

// A push is felt in the step that it comes in, as by bodies that were just put there.
TEST(Rest, APushIsFeltAtOnce) {
  Yard rested(2), touched(2);
  for (const auto& stack : touched.stacks)
    for (const BodyId body : stack) touched.world.setPose(body, touched.world.state(body)->pose);
  for (Yard* yard : {&rested, &touched}) {
    yard->world.setVelocity(yard->stacks[0].back(), {0, 0, 2.0}, Vec3::Zero());
    yard->world.addForce(yard->stacks[1].back(),
                         {0.9 * kGravity * yard->world.massProperties(yard->stacks[1][0])->mass, 0, 0});
    yard->world.step(kDt);
  }
  EXPECT_NEAR(rested.world.state(rested.stacks[0].back())->linearVelocity.z(), 2.0 - kGravity * kDt, 1e-3);
  EXPECT_GT(rested.world.state(rested.stacks[1].back())->linearVelocity.x(), 0.01);
  for (int s = 0; s < 2; ++s) {
    for (int i = 0; i < 5; ++i) {
      const BodyState a = *rested.world.state(rested.stacks[s][i]), b = *touched.world.state(touched.stacks[s][i]);
      EXPECT_LT((a.linearVelocity - b.linearVelocity).norm(), 2e-4) << s << ' ' << i;
      EXPECT_LT((a.center - b.center).norm(), 2e-6) << s << ' ' << i;
    }
  }
}

// Rows of a body that spins fast for its shape change within the step. That it was at rest until now must not matter.
TEST(Rest, AFastSpinIsFeltAtOnce) {
  Vec3 centers[2], velocities[2], spins[2];
  for (int touched = 0; touched < 2; ++touched) {
    World world(wakeful());
    world.addBody(fixedSolid(Box{{5, 5, 0.5}}, {0, 0, -0.5}));
    const BodyId below = world.addBody(solid(Box{{0.6, 0.6, 0.1}}, {0, 0, 0.1}));
    const BodyId brick = world.addBody(solid(Box{{0.4, 0.1, 0.05}}, {0.05, 0, 0.25}));
    run(world, 3.0);
    if (touched != 0)
      for (const BodyId body : {below, brick}) world.setPose(body, world.state(body)->pose);
    world.setVelocity(brick, Vec3::Zero(), {0.5, 0, 40.0});
    world.step(kDt);
    const BodyState state = *world.state(brick);
    centers[touched] = state.center;
    velocities[touched] = state.linearVelocity;
    spins[touched] = state.angularVelocity;
  }
  EXPECT_GT(spins[0].z(), 30.0);
  EXPECT_LT((centers[0] - centers[1]).norm(), 1e-7);
  EXPECT_LT((velocities[0] - velocities[1]).norm(), 1e-5);
  EXPECT_LT((spins[0] - spins[1]).norm(), 1e-3);
}

TEST(Rest, AFloorThatBeginsToMoveIsNoticed) {
  World world(wakeful());
  BodyDesc plate = fixedSolid(Box{{5, 5, 0.5}}, {0, 0, -0.5});
  plate.kind = BodyKind::Kinematic;
  const BodyId floor = world.addBody(plate);
  const BodyId lower = world.addBody(solid(Box{Vec3::Constant(kHalf)}, {0, 0, kHalf}));
  const BodyId upper = world.addBody(solid(Box{Vec3::Constant(kHalf)}, {0, 0, 3.0 * kHalf}));
  run(world, 2.0);
  world.setVelocity(floor, {0.2, 0, 0}, Vec3::Zero());
  run(world, 2.0);
  for (const BodyId body : {lower, upper}) EXPECT_NEAR(world.state(body)->linearVelocity.x(), 0.2, 1e-3);
  world.setVelocity(floor, {0, 0, 0.3}, Vec3::Zero());
  run(world, 1.0);
  EXPECT_NEAR(world.state(upper)->center.z(), 3.0 * kHalf + 0.3, 2e-3);
  world.setVelocity(floor, Vec3::Zero(), Vec3::Zero());
  run(world, 2.0);
  for (const BodyId body : {lower, upper}) EXPECT_LT(world.state(body)->linearVelocity.norm(), 1e-3);
}

// Only the default stepper says which contacts are still.
TEST(Rest, WhatAnotherStepperMovedIsNoticed) {
  Yard yard(1);
  const BodyId top = yard.stacks[0].back();
  WorldSettings settings = yard.world.settings();
  const std::string usual = settings.stepper;
  settings.stepper = "velocity";
  yard.world.setSettings(settings);
  yard.world.setVelocity(top, {0, 0, 0.3}, Vec3::Zero());
  run(yard.world, 2 * kDt);
  settings.stepper = usual;
  yard.world.setSettings(settings);
  const double gap = yard.top(0).z() - yard.world.state(yard.stacks[0][3])->center.z() - 2.0 * kHalf;
  EXPECT_GT(gap, 1e-3);
  yard.world.step(kDt);
  for (const TouchPoint& point : yard.world.touchPoints())
    if (point.bodyA == top || point.bodyB == top) EXPECT_NEAR(point.gap, gap, 1e-4);
}

TEST(Rest, SnapshotsAndSettingsLeaveNoTrace) {
  Yard yard(4), other(4);
  const Snapshot snapshot = yard.world.snapshot();
  World elsewhere;
  elsewhere.restore(snapshot);
  other.world.setSettings(other.world.settings());
  for (int i = 0; i < 200; ++i) {
    if (i % 50 == 25)
      for (World* world : {&yard.world, &elsewhere, &other.world})
        world->setVelocity(yard.stacks[i / 50].front(), {0.5, 0, 0}, Vec3::Zero());
    yard.world.step(kDt);
    elsewhere.step(kDt);
    other.world.step(kDt);
    ASSERT_EQ(yard.world.stateHash(), elsewhere.stateHash()) << i;
    ASSERT_EQ(yard.world.stateHash(), other.world.stateHash()) << i;
  }
}

}  // namespace
}  // namespace cairn::test
