// The default stepper goes on with the lists of contacts that it has, and changes them only where contacts came, went, or
// began or ceased to be watched (soft/layout/listing.cpp). No contact may get lost by that, or be there twice.
#include <gtest/gtest.h>

#include "world/building.hpp"

namespace cairn::test {
namespace {

// A heap of balls and boxes that falls apart: one island of several parts in which contacts come and go all the time.
World heap(int threads, bool sleeps = false) {
  WorldSettings settings;
  settings.threads = threads;
  settings.sleep.enabled = sleeps;
  World world(settings);
  world.addBody(fixedSolid(Plane{}, Vec3::Zero()));
  for (int x = 0; x < 14; ++x)
    for (int y = 0; y < 14; ++y)
      for (int z = 0; z < 5; ++z) {
        const Vec3 place(0.21 * x + 0.013 * z, 0.21 * y + 0.009 * ((x + z) % 5), 0.1 + 0.205 * z);
        world.addBody((x + y + z) % 3 == 0 ? solid(Box{{0.1, 0.09, 0.08}}, place) : solid(Sphere{0.1}, place));
      }
  return world;
}

// As many contacts as a world that has to list them all: one that a body has come into, far from all others.
void expectAllListed(World& world, int steps, const std::function<void(World&, int step)>& before = {}) {
  for (int i = 0; i < steps; ++i) {
    if (before) before(world, i);
    World other;
    other.restore(world.snapshot());
    other.addBody(solid(Sphere{0.1}, {0, 0, 100}));
    const StepReport expected = other.step(kDt), found = world.step(kDt);
    ASSERT_EQ(found.status, StepStatus::Ok);
    ASSERT_EQ(found.contacts, expected.contacts) << "step " << i;
    ASSERT_EQ(found.touchingPairs, expected.touchingPairs) << "step " << i;
  }
}

TEST(ContactListing, LosesNoContactOfAHeapOnTheMove) {
  World world = heap(1);
  run(world, 0.25);
  expectAllListed(world, 40);
}

TEST(ContactListing, LosesNoContactOfAHeapThatComesToRest) {
  World world = heap(2);
  run(world, 4.0);
  expectAllListed(world, 20);
}

TEST(ContactListing, LosesNoContactWhenBodiesArePushedTakenAwayOrPutIn) {
  World world = heap(1);
  run(world, 1.0);
  expectAllListed(world, 40, [](World& one, int step) {
    const std::vector<BodyId> bodies = one.bodies();
    const BodyId some = bodies[1 + static_cast<std::size_t>(step) * 23 % (bodies.size() - 1)];
    if (step % 4 == 0) one.setVelocity(some, {0.5, -0.3, 2.0}, {1, 2, 3});
    if (step % 4 == 1) one.removeBody(some);
    if (step % 4 == 2) one.addBody(solid(Sphere{0.1}, {1.4, 1.4, 2.0 + 0.01 * step}));
    if (step % 4 == 3) one.setPose(some, {{1.0 + 0.05 * step, 1.5, 1.5}, Quat::Identity()});
  });
}

TEST(ContactListing, LosesNoContactWhenAnotherStepperHadSomeSteps) {
  World world = heap(1);
  run(world, 0.5);
  for (int round = 0; round < 4; ++round) {
    WorldSettings settings = world.settings();
    settings.stepper = "impulse";
    world.setSettings(settings);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(world.step(kDt).status, StepStatus::Ok);
    settings.stepper = "soft";
    world.setSettings(settings);
    expectAllListed(world, 4);
  }
}

// What drives others is not in an island, and comes into a batch by its contacts.
TEST(ContactListing, FeelsWhatDrivesItFromTheFirstTouchOn) {
  World world;
  world.addBody(fixedSolid(Plane{}, Vec3::Zero()));
  const BodyId box = world.addBody(solid(Box{{0.5, 0.5, 0.5}}, {0, 0, 0.5}));
  BodyDesc pusher = solid(Box{{0.1, 0.4, 0.4}}, {-1.5, 0, 0.5});
  pusher.kind = BodyKind::Kinematic;
  pusher.linearVelocity = {1.0, 0, 0};
  world.addBody(pusher);
  run(world, 3.0);  // it came to the box after 0.9 s, and is at 1.5 m
  EXPECT_NEAR(world.state(box)->center.x(), 2.1, 0.01);
  EXPECT_NEAR(world.state(box)->linearVelocity.x(), 1.0, 0.01);
}

TEST(ContactListing, LosesNoContactWhenSomeSleepAndWake) {
  World world = heap(1, true);
  run(world, 6.0);
  expectAllListed(world, 30, [](World& one, int step) {
    if (step % 10 == 5) one.addBody(solid(Sphere{0.1}, {1.0, 1.0, 1.5}));
  });
}

// Lists are state: a world that goes on from a snapshot with a stepper of its own has the same bits, on any number of
// threads.
TEST(ContactListing, GoesOnFromASnapshotWithTheSameBits) {
  World world = heap(1);
  run(world, 0.5);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 20; ++i) world.step(kDt);
    World other;
    other.restore(world.snapshot());
    WorldSettings settings = other.settings();
    settings.threads = 2;
    other.setSettings(settings);
    for (int i = 0; i < 20; ++i) {
      world.step(kDt);
      other.step(kDt);
      ASSERT_EQ(world.stateHash(), other.stateHash()) << "round " << round << " step " << i;
    }
  }
}

}  // namespace
}  // namespace cairn::test
