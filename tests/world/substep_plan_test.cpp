// How many substeps islands get: few where they stand broad and even, many where they are slender or loaded unevenly.
#include <gtest/gtest.h>

#include <cmath>

#include "world/building.hpp"

namespace cairn::test {
namespace {

// After it has settled: the report's number is the largest of any island.
int substepsAfter(World& world, double seconds) {
  StepReport report;
  while (world.time() < seconds) report = world.step(kDt);
  return report.substeps;
}

World floorOnly() {
  WorldSettings settings;
  settings.sleep.enabled = false;
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
  const auto stack = [](bool heavyOnTop) {
    World world = floorOnly();
    for (int i = 0; i < 10; ++i) {
      BodyDesc desc = solid(Box{Vec3::Constant(0.5)}, {0, 0, 0.5 + i}, Material{.friction = 0.6});
      desc.mass = std::pow(2.0, heavyOnTop ? i : 9 - i);
      world.addBody(desc);
    }
    return substepsAfter(world, 3.0);
  };
  EXPECT_EQ(stack(false), SoftOptions{}.leastSubsteps);
  EXPECT_GT(stack(true), 2 * SoftOptions{}.leastSubsteps);
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
