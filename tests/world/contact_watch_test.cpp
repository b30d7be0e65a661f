// Contacts across a crack carry nothing and are only watched, until someone pushes: then they must act within the step.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "world/building.hpp"

namespace cairn::test {
namespace {

constexpr double kSide = 0.5, kCrack = 0.01;  // m

World weightless() {
  WorldSettings settings;
  settings.gravity = Vec3::Zero();
  settings.sleep.enabled = false;
  return World(settings);
}

// Cubes with cracks between them, at rest, and one that comes flying from the left.
std::vector<BodyId> addRow(World& world, int cubes, double speed) {
  const Box cube{Vec3::Constant(0.5 * kSide)};
  std::vector<BodyId> row;
  for (int i = 0; i < cubes; ++i) row.push_back(world.addBody(solid(cube, {i * (kSide + kCrack), 0, 0})));
  BodyDesc striker = solid(cube, {-1.5, 0, 0});
  striker.linearVelocity = {speed, 0, 0};
  row.push_back(world.addBody(striker));
  return row;
}

double momentum(const World& world, const std::vector<BodyId>& bodies) {
  double sum = 0.0;
  for (const BodyId body : bodies) sum += world.state(body)->linearVelocity.x();
  return sum;
}

TEST(ContactWatch, APushGoesThroughARowOfCracks) {
  for (const double speed : {2.0, 20.0}) {
    World world = weightless();
    const std::vector<BodyId> row = addRow(world, 12, speed);
    double deepest = 0.0;
    for (int i = 0; i < 120; ++i) {
      world.step(kDt);
      deepest = std::max(deepest, world.deepestPenetration().depth);
    }
    // No deeper than what the striker crosses in a substep.
    EXPECT_LT(deepest, speed * kDt / world.settings().soft.substeps);
    EXPECT_NEAR(momentum(world, row), speed, 1e-5 * speed);
    // Whoever was struck moved on, the last one too, and no one passed another.
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      EXPECT_GT(world.state(row[i])->center.x(), i * (kSide + kCrack) + 0.5 * kCrack);
      if (i == 0) continue;
      EXPECT_GT(world.state(row[i])->center.x() - world.state(row[i - 1])->center.x(), 0.95 * kSide);
    }
  }
}

// While no one moves by more than a hair (0.25 mm), cracks are left as they were found. A cube that creeps on, a fifteenth
// of a hair in each step, must not get into the other by that: it arrives, and pushes it along.
TEST(ContactWatch, WhatCreepsThroughACrackArrives) {
  constexpr double kSpeed = 0.001;  // m/s
  World world = weightless();
  const Box cube{Vec3::Constant(0.5 * kSide)};
  const BodyId waits = world.addBody(solid(cube, {kSide + kCrack, 0, 0}));
  BodyDesc creeper = solid(cube, {0, 0, 0});
  creeper.linearVelocity = {kSpeed, 0, 0};
  const BodyId creeps = world.addBody(creeper);
  const auto crack = [&] { return world.state(waits)->center.x() - world.state(creeps)->center.x() - kSide; };
  for (int i = 0; i < 20 * 60; ++i) {
    world.step(kDt);
    EXPECT_GT(crack(), -1e-5) << "step " << i;
  }
  EXPECT_GE(world.state(waits)->linearVelocity.x(), 0.499 * kSpeed);
  EXPECT_NEAR(momentum(world, {waits, creeps}), kSpeed, 1e-5 * kSpeed);
}

}  // namespace
}  // namespace cairn::test
