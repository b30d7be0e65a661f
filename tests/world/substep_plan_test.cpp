// How many substeps islands get: few where they stand broad and even, many where they are slender or loaded unevenly.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "world/building.hpp"

namespace cairn::test {
namespace {

// After it has settled: the report's number is the largest of any island.
int substepsAfter(World& world, double seconds) {
  StepReport report;
  while (world.time() < seconds) report = world.step(kDt);
  return report.substeps;
}

World floorOnly(bool direct = true) {
  WorldSettings settings;
  settings.sleep.enabled = false;
  settings.soft.direct = direct;
  World world(settings);
  world.addBody(fixedSolid(Plane{}));
  return world;
}

// Cubes of 0.2 m, `wide` x `deep` in each of `high` layers.
void addBlock(World& world, int wide, int deep, int high) {
  for (int z = 0; z < high; ++z)
    for (int y = 0; y < deep; ++y)
      for (int x = 0; x < wide; ++x)
        world.addBody(solid(Box{Vec3::Constant(0.1)}, {0.2 * x, 0.2 * y, 0.1 + 0.2 * z}, Material{.friction = 0.6}));
}

TEST(SubstepPlan, ABroadLowHeapGetsTheLeast) {
  World world = floorOnly();
  addBlock(world, 4, 4, 3);
  EXPECT_EQ(substepsAfter(world, 3.0), world.settings().soft.leastSubsteps);
}

TEST(SubstepPlan, ASlenderColumnGetsMoreThanABroadOneOfTheSameHeight) {
  World slender = floorOnly(), broad = floorOnly();
  addBlock(slender, 1, 1, 30);
  addBlock(broad, 3, 3, 30);
  EXPECT_GT(substepsAfter(slender, 3.0), substepsAfter(broad, 3.0) + 2);
}

TEST(SubstepPlan, HeavyOnLightGetsMoreThanLightOnHeavy) {
  const auto stack = [](bool heavyOnTop, bool direct) {
    World world = floorOnly(direct);
    for (int i = 0; i < 10; ++i) {
      BodyDesc desc = solid(Box{Vec3::Constant(0.5)}, {0, 0, 0.5 + i}, Material{.friction = 0.6});
      desc.mass = std::pow(2.0, heavyOnTop ? i : 9 - i);
      world.addBody(desc);
    }
    return substepsAfter(world, 3.0);
  };
  EXPECT_EQ(stack(false, true), SoftOptions{}.leastSubsteps);
  // As many as the stiffest springs can use: 2 pi 180 Hz / 60 Hz over the angle of 3/16 of a turn that a substep has.
  EXPECT_EQ(stack(true, false), 16);
  EXPECT_EQ(stack(true, true), 1);  // and not even these are stiff enough: it is solved as one system
}

// Cubes of 2 cm and 8 g side by side on the floor, one of which carries a load. It may sink by 1.5 % of its thickness, 0.3
// mm: W/(m omega^2) of a load 30 times as heavy asks for omega = 1007/s, which is 14.2 substeps. Among many contacts that
// bear little it may sink twice as deep, for 10.05. But not where a light body is under one that is more than 32 times as
// heavy.
TEST(SubstepPlan, AFewContactsOfManyMaySinkTwiceAsDeepIfBodiesAreAlike) {
  const auto substeps = [](int cubes, double times) {
    World world = floorOnly(false);
    for (int i = 0; i < cubes * cubes; ++i) {
      const Vec3 place(0.02 * (i % cubes), 0.02 * (i / cubes), 0.01);
      world.addBody(solid(Box{Vec3::Constant(0.01)}, place, Material{.friction = 0.6}));
    }
    BodyDesc load = solid(Box{Vec3(0.009, 0.009, 0.01)}, {0, 0, 0.03}, Material{.friction = 0.6});
    load.mass = times * 0.008;
    const BodyId id = world.addBody(load);
    const int found = substepsAfter(world, 4.0);
    EXPECT_NEAR(world.state(id)->center.z(), 0.03, 0.0013);  // it sinks, and the one below it
    return found;
  };
  EXPECT_NEAR(substeps(2, 30.0), 15, 1);
  EXPECT_NEAR(substeps(10, 30.0), 10.5, 0.5);
  EXPECT_EQ(substeps(2, 36.0), substeps(10, 36.0));
}

// A brick that is made to spin on a plate on a heap: in a small heap all get the most, in a large one hardly anyone notices.
TEST(SubstepPlan, WhatSpinsFastCountsForALotAmongFew) {
  const auto substeps = [](int wide, int bricks) {
    World world = floorOnly();
    addBlock(world, wide, wide, 2);
    world.addBody(solid(Box{{0.1 * wide, 0.1 * wide, 0.02}}, {0.1 * (wide - 1), 0.1 * (wide - 1), 0.42}));
    std::vector<BodyId> spinning;
    for (int i = 0; i < bricks; ++i)
      spinning.push_back(
          world.addBody(solid(Box{{0.14, 0.1, 0.05}}, {0.25 + 0.5 * i, 0.25, 0.49}, Material{.friction = 0.1})));
    substepsAfter(world, 3.0);
    for (const BodyId brick : spinning) world.setVelocity(brick, Vec3::Zero(), {0, 0, 40.0});
    const int found = substepsAfter(world, 3.0 + 2.5 * kDt);
    for (const BodyId brick : spinning) EXPECT_GT(world.state(brick)->angularVelocity.z(), 20.0);
    return found;
  };
  EXPECT_EQ(substeps(6, 1), SoftOptions{}.substeps);       // one of 73
  EXPECT_LT(substeps(14, 1), SoftOptions{}.substeps - 5);  // one of 393
  EXPECT_EQ(substeps(14, 3), SoftOptions{}.substeps);      // three of 395
}

TEST(SubstepPlan, SettingBothNumbersAlikeFixesThem) {
  WorldSettings settings;
  settings.soft.substeps = settings.soft.leastSubsteps = 5;
  World world(settings);
  world.addBody(fixedSolid(Plane{}));
  addBlock(world, 2, 2, 2);
  EXPECT_EQ(substepsAfter(world, 0.5), 5);
}

TEST(SubstepPlan, MovedFarAwayAndUprightAnyWayTheNumberIsTheSame) {
  // The same slender column in a field that points along x, a kilometre off.
  World upright = floorOnly();
  addBlock(upright, 1, 1, 30);
  WorldSettings settings;
  settings.sleep.enabled = false;
  settings.gravity = Vec3(-9.81, 0, 0);
  World lying(settings);
  lying.addBody(fixedSolid(Box{Vec3(0.5, 50, 50)}, {999.5, 1000, 1000}));
  for (int i = 0; i < 30; ++i)
    lying.addBody(solid(Box{Vec3::Constant(0.1)}, {1000.1 + 0.2 * i, 1000, 1000}, Material{.friction = 0.6}));
  EXPECT_EQ(substepsAfter(upright, 2.0), substepsAfter(lying, 2.0));
}

}  // namespace
}  // namespace cairn::test
