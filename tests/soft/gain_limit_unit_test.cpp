#include <gtest/gtest.h>

#include "soft/gain_limit.hpp"
#include "soft/hand_made.hpp"

namespace cairn {
namespace {

using hand_made::addColumn;
using hand_made::HandMade;

constexpr double kStep = 1.0 / 60.0;  // s

// What the limit takes from a step that does `motion` to the world.
template <class Motion>
double takenFrom(HandMade& world, Motion&& motion) {
  world.findIslands();
  const SoftBodies bodies = world.batch();
  StepContext context = world.context();
  GainLimit limit;
  limit.begin(context, bodies, world.contacts, {});
  motion();
  return limit.finish(context, bodies, world.contacts, {}, kStep);
}

TEST(GainLimitUnit, TakesNothingFromWhatLosesEnergy) {
  HandMade world;
  addColumn(world, 2, kStep);
  world.system.bodies[2].velocity = {0, 0, -1};
  EXPECT_EQ(takenFrom(world, [&] { world.system.bodies[2].velocity *= 0.5; }), 0.0);
  EXPECT_EQ(world.system.bodies[2].velocity.z(), -0.5);
}

TEST(GainLimitUnit, AHeldIslandPaysItsGainToTheLastJoule) {
  HandMade world;
  addColumn(world, 2, kStep);
  world.system.bodies[1].velocity = {0.1, 0, 0};
  world.system.bodies[2].velocity = {0, 0, -1};
  const double before = world.energy();
  const double taken = takenFrom(world, [&] { world.system.bodies[2].velocity = {0, 0, 3}; });
  EXPECT_NEAR(taken, 0.5 * (9.0 - 1.0), 1e-5);
  EXPECT_NEAR(world.energy(), before, 1e-5);
  EXPECT_NEAR(world.system.bodies[1].velocity.x(), 0.1, 1e-15);  // it gained nothing, and pays nothing
}

TEST(GainLimitUnit, AFreeIslandKeepsItsMomenta) {
  HandMade world;
  world.settings.gravity.setZero();
  world.addGround();
  const std::uint32_t a = world.addBox({0, 0, 0.5}, Vec3::Ones(), 1.0), b = world.addBox({0, 0, 1.5}, Vec3::Ones(), 3.0);
  world.addPatch(a, b, 1.0, 1.0, 1.0, 0.0, 1.0);
  Body &lower = world.system.bodies[a], &upper = world.system.bodies[b];
  lower.velocity = {0.2, 0.1, 1.0};
  upper.velocity = {0.1, 0.0, -1.0};
  lower.spin = {0.3, 0.2, 0.1};
  const auto momentum = [&] { return Vec3(1.0 * lower.velocity + 3.0 * upper.velocity); };
  const auto angular = [&] {
    return Vec3(lower.inertia * lower.spin + upper.inertia * upper.spin + 1.0 * lower.center.cross(lower.velocity) +
                3.0 * upper.center.cross(upper.velocity));
  };
  const double before = world.energy();
  Vec3 momentumMade, angularMade;
  const double taken = takenFrom(world, [&] {
    lower.velocity.z() = -3.0;  // they fly apart faster than they came
    upper.velocity.z() = 1.0 / 3.0;
    lower.spin.x() = 2.0;
    momentumMade = momentum();
    angularMade = angular();
  });
  EXPECT_GT(taken, 0.0);
  EXPECT_NEAR(world.energy(), before, 1e-9);
  EXPECT_LT((momentum() - momentumMade).norm(), 1e-12);
  EXPECT_LT((angular() - angularMade).norm(), 1e-12);
}

TEST(GainLimitUnit, LeavesAStatedStiffnessAlone) {
  HandMade world;
  addColumn(world, 1, kStep);
  Contact& contact = world.system.contacts.slots[0];
  contact.stiffness = 1e4f;
  contact.damping = 10.0f;
  EXPECT_EQ(takenFrom(world, [&] { world.system.bodies[1].velocity = {0, 0, 5}; }), 0.0);
  EXPECT_EQ(world.system.bodies[1].velocity.z(), 5.0);
}

TEST(GainLimitUnit, IslandsPayForThemselvesAlone) {
  HandMade world;
  addColumn(world, 1, kStep);
  addColumn(world, 1, kStep, 10.0);
  const double taken = takenFrom(world, [&] {
    world.system.bodies[1].velocity = {0, 0, 2};
    world.system.bodies[2].center.z() -= 0.05;  // sank: it has lost what the other must not use
  });
  EXPECT_NEAR(taken, 0.5 * 4.0, 1e-5);
}

}  // namespace
}  // namespace cairn
