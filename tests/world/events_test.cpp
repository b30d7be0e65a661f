// What a world tells: contact events, rays, sleep, removal.
#include <set>

#include "world/building.hpp"

namespace cairn::test {
namespace {

TEST(Events, ALandingBallBeginsPersistsAndEnds) {
  World world;
  const BodyId ground = world.addBody(fixedSolid(Plane{}));
  BodyDesc desc = solid(Sphere{0.5}, {0, 0, 1.0});
  desc.mass = 2.0;
  const BodyId ball = world.addBody(desc);
  int begins = 0, ends = 0;
  double impulse = 0.0, approach = 0.0;
  for (int i = 0; i < 120; ++i) {
    world.step(kDt);
    for (const ContactEvent& event : world.contactEvents()) {
      EXPECT_EQ(event.bodyA, ground);
      EXPECT_EQ(event.bodyB, ball);
      EXPECT_NEAR(event.normal.z(), 1.0, 1e-6);
      begins += event.phase == ContactPhase::Begin;
      if (event.phase == ContactPhase::Begin) approach = event.approachSpeed;
      impulse += event.normalImpulse;
    }
  }
  EXPECT_EQ(begins, 1);
  // Everything that fell in 2 s was stopped by the ground: the impulses add up to m g t.
  EXPECT_NEAR(impulse, 2.0 * kGravity * world.time(), 0.01 * 2.0 * kGravity * world.time());
  EXPECT_NEAR(approach, std::sqrt(2.0 * kGravity * 0.5), 0.25);
  world.setVelocity(ball, {0, 0, 5}, Vec3::Zero());
  for (int i = 0; i < 10; ++i) {
    world.step(kDt);
    for (const ContactEvent& event : world.contactEvents()) ends += event.phase == ContactPhase::End;
  }
  EXPECT_EQ(ends, 1);
}

TEST(Events, FrictionImpulseOpposesSliding) {
  World world;
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), {.friction = 0.4}));
  BodyDesc desc = solid(Box{}, {0, 0, 0.5}, {.friction = 0.4});
  desc.linearVelocity = {5, 0, 0};
  desc.mass = 3.0;
  world.addBody(desc);
  run(world, 0.5);
  ASSERT_EQ(world.contactEvents().size(), 1u);
  const ContactEvent& event = world.contactEvents()[0];
  EXPECT_NEAR(event.frictionImpulse.x() / kDt, -0.4 * 3.0 * kGravity, 0.01 * 3.0 * kGravity);
  EXPECT_NEAR(event.frictionImpulse.y(), 0.0, 1e-4);
}

// Whatever touches began to once, persists from then on, and ends; and what is told of it is true. The default stepper keeps
// book of who touches, others do not: it must not matter who made the step.
TEST(Events, EveryContactBeginsPersistsAndEnds) {
  World world;
  world.addBody(fixedSolid(Box{{3, 3, 0.5}}, {0, 0, -0.5}));
  for (int i = 0; i < 60; ++i) {
    const Vec3 place(0.7 * (i % 4) - 1.0, 0.7 * (i / 4 % 3) - 0.7 + 0.01 * i, 0.4 + 0.6 * (i / 12));
    world.addBody(i % 3 == 0 ? solid(Sphere{0.25}, place) : solid(Box{{0.25, 0.2, 0.25}}, place));
  }
  using Parties = std::pair<std::uint32_t, std::uint32_t>;
  std::set<Parties> touching;
  int begun = 0, ended = 0;
  for (int i = 0; i < 240; ++i) {
    WorldSettings settings = world.settings();
    settings.stepper = i / 20 % 3 == 2 ? "velocity" : "soft";
    world.setSettings(settings);
    ASSERT_EQ(world.step(kDt).status, StepStatus::Ok) << i;
    std::set<Parties> now;
    for (const ContactEvent& event : world.contactEvents()) {
      const Parties parties(event.shapeA.index, event.shapeB.index);
      const bool before = touching.contains(parties);
      EXPECT_EQ(event.phase == ContactPhase::Begin, !before) << i;
      (before ? ended : begun) += event.phase == ContactPhase::Persist ? 0 : 1;
      if (event.phase != ContactPhase::End) EXPECT_TRUE(now.insert(parties).second);
      if (event.phase == ContactPhase::End) touching.erase(parties);
    }
    for (const Parties& parties : touching) EXPECT_TRUE(now.contains(parties)) << i;
    touching = now;
  }
  EXPECT_GT(begun, 100);
  EXPECT_GT(ended, 20);
}

TEST(Events, RemovingABodyEndsItsContacts) {
  World world;
  world.addBody(fixedSolid(Plane{}));
  const BodyId lower = world.addBody(solid(Box{}, {0, 0, 0.5}));
  const BodyId upper = world.addBody(solid(Box{}, {0, 0, 1.5}));
  run(world, 0.5);
  EXPECT_TRUE(world.removeBody(lower));
  run(world, 2.0);
  EXPECT_NEAR(world.state(upper)->center.z(), 0.5, 1e-2);
  EXPECT_EQ(world.contactEvents().size(), 1u);
}

TEST(Queries, RayFindsTheNearestShapeOfItsGroups) {
  World world;
  world.addBody(fixedSolid(Plane{}));
  const BodyId near = world.addBody(fixedSolid(Sphere{1.0}, {5, 0, 2}));
  BodyDesc far = fixedSolid(Box{Vec3(1, 1, 1)}, {10, 0, 2});
  far.shapes[0].group = 4;
  const BodyId box = world.addBody(far);
  auto hit = world.castRay({.origin = {0, 0, 2}, .direction = {2, 0, 0}});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, near);
  EXPECT_NEAR(hit->distance, 4.0, 1e-12);
  EXPECT_NEAR(hit->normal.x(), -1.0, 1e-12);
  hit = world.castRay({.origin = {0, 0, 2}, .direction = {2, 0, 0}, .collidesWith = 4});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, box);
  EXPECT_NEAR(hit->distance, 9.0, 1e-12);
  EXPECT_FALSE(world.castRay({.origin = {0, 0, 2}, .direction = {0, 0, 1}}));
  EXPECT_FALSE(world.castRay({.origin = {0, 0, 2}, .direction = {1, 0, 0}, .length = 3.9}));
  EXPECT_THROW((void)world.castRay({.direction = Vec3::Zero()}), std::invalid_argument);
  world.setPose(near, {.position = {0, 0, 50}});  // found where it is now, without a step
  EXPECT_EQ(world.castRay({.origin = {0, 0, 2}, .direction = {2, 0, 0}})->body, box);
}

TEST(Sleep, AStackFallsAsleepAndWakesWhenHit) {
  WorldSettings settings;
  settings.sleep.enabled = true;
  World world(settings);
  world.addBody(fixedSolid(Plane{}));
  std::vector<BodyId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(world.addBody(solid(Box{}, {0, 0, i + 0.5})));
  const BodyId alone = world.addBody(solid(Box{}, {20, 0, 0.5}));
  run(world, 3.0);
  for (const BodyId id : ids) EXPECT_FALSE(world.isAwake(id));
  const std::uint64_t asleep = world.stateHash();
  run(world, 1.0);
  EXPECT_EQ(world.stateHash(), asleep);
  BodyDesc bullet = solid(Sphere{0.3}, {-5, 0, 4.5});
  bullet.linearVelocity = {20, 0, 0};
  world.addBody(bullet);
  run(world, 0.5);
  for (const BodyId id : ids) EXPECT_TRUE(world.isAwake(id));
  EXPECT_FALSE(world.isAwake(alone));
  world.addForce(alone, {1, 0, 0});
  EXPECT_TRUE(world.isAwake(alone));
}

TEST(Sleep, RemovingTheSupportWakesWhatStoodOnIt) {
  WorldSettings settings;
  settings.sleep.enabled = true;
  World world(settings);
  const BodyId table = world.addBody(fixedSolid(Box{Vec3(1, 1, 0.5)}, {0, 0, 0.5}));
  const BodyId box = world.addBody(solid(Box{}, {0, 0, 1.5}));
  run(world, 3.0);
  ASSERT_FALSE(world.isAwake(box));
  world.removeBody(table);
  run(world, 0.5);
  EXPECT_LT(world.state(box)->center.z(), 1.0);
}

}  // namespace
}  // namespace cairn::test
