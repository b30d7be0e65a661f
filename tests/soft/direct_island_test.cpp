#include "soft/direct/direct_island.hpp"

#include <gtest/gtest.h>

#include "soft/hand_made.hpp"

namespace cairn {
namespace {

using hand_made::addColumn;
using hand_made::HandMade;

constexpr double kStep = 1.0 / 60.0;  // s

double impulseOf(const Contact& contact) {
  double sum = 0.0;
  for (int i = 0; i < contact.count; ++i) sum += contact.points[i].totalImpulse;
  return sum;
}

TEST(DirectIslandUnit, EachContactCarriesWhatIsAboveIt) {
  for (const double top : {1.0, 1e3, 1e6}) {
    HandMade world;
    addColumn(world, 1, kStep);
    const std::uint32_t heavy = world.addBox({0, 0, 1.5}, Vec3::Ones(), top);
    world.addPatch(1, heavy, 1.0, 1.0, 1.0);
    const SoftBodies bodies = world.batch();
    StepContext context = world.context();
    DirectIsland island;
    // It sinks into its springs first, then rests on them.
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(island.step(context, kStep, bodies, world.contacts)) << top;
      // The narrow phase is not here: separations follow the bodies.
      const Body &lower = world.system.bodies[1], &upper = world.system.bodies[heavy];
      for (ContactPoint& point : world.system.contacts.slots[0].points)
        point.separation = static_cast<float>(lower.center.z() - 0.5);
      for (ContactPoint& point : world.system.contacts.slots[1].points)
        point.separation = static_cast<float>(upper.center.z() - lower.center.z() - 1.0);
      world.system.impulseSeconds = kStep;
    }
    const double unit = 9.81 * kStep;  // N s per kg
    EXPECT_NEAR(impulseOf(world.system.contacts.slots[0]) / (unit * (1.0 + top)), 1.0, 0.02) << top;
    EXPECT_NEAR(impulseOf(world.system.contacts.slots[1]) / (unit * top), 1.0, 0.02) << top;
    EXPECT_LT(world.system.bodies[heavy].velocity.norm(), 0.01) << top;
  }
}

TEST(DirectIslandUnit, FrictionHoldsUpToCoulombsLimitAndNoFurther) {
  for (const bool holds : {true, false}) {
    HandMade world;
    addColumn(world, 1, kStep);
    world.system.contacts.slots[0].friction = 0.5f;
    world.system.bodies[1].force = {holds ? 0.4 * 9.81 : 0.6 * 9.81, 0, 0};
    const SoftBodies bodies = world.batch();
    StepContext context = world.context();
    DirectIsland island;
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(island.step(context, kStep, bodies, world.contacts));
      world.system.impulseSeconds = kStep;
    }
    // Without friction's limit it stays; beyond it, it is pushed with a tenth of its weight.
    const double expected = holds ? 0.0 : 30 * kStep * 0.1 * 9.81;
    EXPECT_NEAR(world.system.bodies[1].velocity.x(), expected, 0.05) << holds;
  }
}

TEST(DirectIslandUnit, RefusesWhatIsNotForIt) {
  HandMade bouncing;
  addColumn(bouncing, 1, kStep);
  bouncing.system.contacts.slots[0].restitution = 0.5f;
  HandMade locked;
  addColumn(locked, 1, kStep);
  locked.system.bodies[1].lockedRotation = 7;
  for (HandMade* world : {&bouncing, &locked}) {
    const SoftBodies bodies = world->batch();
    const Vec3 before = world->system.bodies[1].center;
    StepContext context = world->context();
    DirectIsland island;
    EXPECT_FALSE(island.step(context, kStep, bodies, world->contacts));
    EXPECT_EQ(world->system.bodies[1].center, before);
    EXPECT_TRUE(world->system.bodies[1].velocity.isZero(0.0));
  }
}

TEST(DirectIslandUnit, WhatIsInTheAirFalls) {
  HandMade world;
  world.addGround();
  const std::uint32_t box = world.addBox({0, 0, 5.0}, Vec3::Ones(), 2.0);
  world.addPatch(0, box, 0.0, 1.0, 1.0, 4.5);
  const SoftBodies bodies = world.batch();
  StepContext context = world.context();
  DirectIsland island;
  ASSERT_TRUE(island.step(context, kStep, bodies, world.contacts));
  EXPECT_NEAR(world.system.bodies[box].velocity.z(), -9.81 * kStep, 1e-9);
  EXPECT_EQ(impulseOf(world.system.contacts.slots[0]), 0.0);
}

}  // namespace
}  // namespace cairn
