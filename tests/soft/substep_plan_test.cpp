#include "soft/plan/substep_plan.hpp"

#include <gtest/gtest.h>

#include "soft/hand_made.hpp"
#include "soft/memory.hpp"

namespace cairn {
namespace {

using hand_made::addColumn;
using hand_made::HandMade;

constexpr double kStep = 1.0 / 60.0;  // s

const std::vector<IslandPlan>& planOf(HandMade& world, SubstepPlan& plan, int steps = 1) {
  world.findIslands();
  for (int i = 1; i < steps; ++i) {
    StepContext context = world.context();
    plan.make(context, kStep);
  }
  world.report.contacts = 0;
  StepContext context = world.context();
  return plan.make(context, kStep);
}

TEST(SubstepPlanUnit, CountsWhatIsInEachIsland) {
  HandMade world;
  addColumn(world, 6, kStep);
  addColumn(world, 3, kStep, 10.0);
  SubstepPlan plan;
  const std::vector<IslandPlan>& plans = planOf(world, plan);
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_EQ(plan.sizeOf(0).bodies, 6u);
  EXPECT_EQ(plan.sizeOf(0).contacts, 6u);
  EXPECT_EQ(plan.sizeOf(1).bodies, 3u);
  EXPECT_EQ(plan.sizeOf(1).contacts, 3u);
  EXPECT_EQ(plan.contacts().size(), 9u);
  EXPECT_EQ(world.report.contacts, 4 * 9);
  EXPECT_EQ(plan.islandOf(0), kNone);  // the ground
  EXPECT_EQ(plan.islandOf(1), 0u);
  EXPECT_EQ(plan.islandOf(7), 1u);
}

TEST(SubstepPlanUnit, NumbersOfSubstepsAreWithinTheOptions) {
  for (const int cubes : {5, 10, 20, 40}) {
    HandMade world;
    addColumn(world, cubes, kStep);
    SubstepPlan plan;
    const IslandPlan made = planOf(world, plan)[0];
    EXPECT_GE(made.substeps, world.settings.soft.leastSubsteps) << cubes;
    EXPECT_LE(made.substeps, world.settings.soft.substeps) << cubes;
  }
}

TEST(SubstepPlanUnit, SlenderColumnsGetMoreThanShortOnes) {
  const auto settled = [](int cubes) {
    HandMade world;
    addColumn(world, cubes, kStep);
    SubstepPlan plan;
    return planOf(world, plan, 400)[0].substeps;
  };
  EXPECT_GT(settled(40), settled(5));
}

TEST(SubstepPlanUnit, ComesDownSlowlyAndRisesAtOnce) {
  HandMade world;
  addColumn(world, 5, kStep);
  world.findIslands();
  SoftMemory& memory = world.system.stepperMemory.as<SoftMemory>();
  memory.makeRoom(world.system);
  for (std::uint32_t i = 0; i < world.system.bodies.size(); ++i)
    if (world.system.bodies[i].isDynamic()) memory.substeps[i] = 8 * 20;
  SubstepPlan plan;
  EXPECT_GE(planOf(world, plan)[0].substeps, 19);  // it had 20, and needs few
  const int settled = planOf(world, plan, 400)[0].substeps;
  EXPECT_LT(settled, 19);
  for (const std::uint32_t slot : world.system.contacts.inUse)
    for (ContactPoint& point : world.system.contacts.slots[slot].points) point.normalImpulse *= 1000.0f;
  EXPECT_EQ(planOf(world, plan)[0].substeps, 20);
}

TEST(SubstepPlanUnit, WhatBouncesGetsTheMost) {
  HandMade world;
  addColumn(world, 5, kStep);
  world.system.contacts.slots[0].special = true;
  SubstepPlan plan;
  EXPECT_EQ(planOf(world, plan, 400)[0].substeps, world.settings.soft.substeps);
}

TEST(SubstepPlanUnit, SmallIslandsWithAHeavyBodyOnALightOneAreSolvedDirectly) {
  const auto isDirect = [](double mass, bool allowed) {
    HandMade world;
    world.settings.soft.direct = allowed;
    addColumn(world, 1, kStep);
    const std::uint32_t top = world.addBox({0.0, 0.0, 1.5}, Vec3::Ones(), mass);
    world.addPatch(1, top, 1.0, 1.0, 1.0, 0.0, 0.25 * mass * 9.81 * kStep);
    for (ContactPoint& point : world.system.contacts.slots[0].points)
      point.normalImpulse = static_cast<float>(0.25 * (1.0 + mass) * 9.81 * kStep);
    SubstepPlan plan;
    return planOf(world, plan, 20)[0].direct;
  };
  EXPECT_FALSE(isDirect(1.0, true));
  EXPECT_TRUE(isDirect(1e4, true));
  EXPECT_FALSE(isDirect(1e4, false));
}

TEST(SubstepPlanUnit, TheSignatureTellsIslandsAndPlansApart) {
  const auto signatureOf = [](int cubes, int substeps) {
    HandMade world;
    world.settings.soft.substeps = world.settings.soft.leastSubsteps = substeps;
    addColumn(world, cubes, kStep);
    SubstepPlan plan;
    planOf(world, plan);
    return plan.signature(nullptr);
  };
  EXPECT_EQ(signatureOf(5, 8), signatureOf(5, 8));
  EXPECT_NE(signatureOf(5, 8), signatureOf(6, 8));
  EXPECT_NE(signatureOf(5, 8), signatureOf(5, 9));
}

}  // namespace
}  // namespace cairn
