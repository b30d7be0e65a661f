// Plastic contacts make no energy in the default stepper (soft/gain_limit.hpp).
#include <functional>

#include "world/random_worlds.hpp"

namespace cairn::test {
namespace {

// J: the most that the energy is ever above the lowest that it was before.
double largestRise(World& world, int steps, const std::function<double()>& dt) {
  double lowest = world.energy().total(), rise = 0.0;
  for (int i = 0; i < steps; ++i) {
    EXPECT_EQ(world.step(dt()).status, StepStatus::Ok);
    lowest = std::min(lowest, world.energy().total());
    rise = std::max(rise, world.energy().total() - lowest);
  }
  return rise;
}

TEST(GainLimit, ARodThatSpinsIntoAPostGainsNothingHoweverFast) {
  for (const double spin : {20.0, 100.0, 300.0, 400.0, 1e3, 1e4, 9e4}) {
    WorldSettings settings;
    settings.gravity.setZero();
    World world(settings);
    world.addBody(fixedSolid(Box{Vec3(0.05, 0.05, 0.5)}, Vec3(0.8, 0, 0)));
    BodyDesc rod = solid(Box{Vec3(0.01, 1.0, 0.01)}, Vec3::Zero());
    rod.angularVelocity = Vec3(0, 0, spin);
    world.addBody(rod);
    const double start = world.energy().kinetic;
    // Free spin by itself is off by that much, at up to 1 rad in a substep.
    EXPECT_LT(largestRise(world, 120, [] { return kDt; }), (spin < 500.0 ? 4e-4 : 1e-2) * start) << spin;
  }
}

TEST(GainLimit, APlateThatSpinsFastOnTheFloorGainsNothing) {
  World world;
  world.addBody(fixedSolid(Plane{}));
  BodyDesc plate = solid(Box{Vec3(0.5, 0.5, 0.05)}, Vec3(0, 0, 0.3));
  plate.angularVelocity = Vec3(1e4, 3e4, 1e5);
  world.addBody(plate);
  const double start = world.energy().kinetic;
  EXPECT_LT(largestRise(world, 120, [] { return kDt; }), 1e-4 * start);
}

TEST(GainLimit, BallsInOnePlaceArePushedApartNoFasterThanPushOutSpeed) {
  World world;
  world.addBody(fixedSolid(Plane{}));
  std::vector<BodyId> balls;
  for (int i = 0; i < 200; ++i) balls.push_back(world.addBody(solid(Sphere{0.1}, Vec3(0, 0, 1))));
  double fastest = 0.0;
  for (int i = 0; i < 120; ++i) {
    world.step(kDt);
    for (const BodyId ball : balls) fastest = std::max(fastest, world.state(ball)->linearVelocity.norm());
  }
  EXPECT_LT(fastest, world.settings().soft.pushOutSpeed);
}

TEST(GainLimit, StacksStandWhileTheStepLengthJumps) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomNumbers random(seed);
    World world;
    const Material material{.friction = 0.6};
    world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
    BodyId top{};
    for (int i = 0; i < 10; ++i) top = world.addBody(solid(Box{}, Vec3(0, 0, 0.5 + i), material));
    for (int i = 0; i < 300; ++i) world.step(std::exp(random.uniform(std::log(1e-4), std::log(0.1))));
    EXPECT_NEAR(world.state(top)->center.z(), 9.5, 0.15) << "seed " << seed;
  }
}

// A block falls on a stack: what it presses together does not throw it up again.
TEST(GainLimit, AStackThatABlockFallsOnDoesNotThrowItBack) {
  World world;
  world.addBody(fixedSolid(Plane{}));
  for (int i = 0; i < 20; ++i) world.addBody(solid(Box{Vec3(0.5, 0.5, 0.1)}, Vec3(0, 0, 0.1 + 0.2 * i)));
  BodyDesc block = solid(Box{Vec3(0.5, 0.5, 0.25)}, Vec3(0, 0, 5.25));
  block.mass = 3000.0;
  const BodyId id = world.addBody(block);
  double fastest = 0.0;
  for (int i = 0; i < 180; ++i) {
    world.step(kDt);
    fastest = std::max(fastest, world.state(id)->linearVelocity.z());
  }
  EXPECT_LT(fastest, 1.0);  // m/s; it strikes with 4.4, and was once thrown up with 7.7
}

// Far from any wall momenta are kept whatever is taken back.
TEST(GainLimit, KeepsTheMomentaOfWhatFloats) {
  RandomNumbers random(3);
  WorldSettings settings;
  settings.gravity.setZero();
  World world(settings);
  for (int i = 0; i < 12; ++i) {
    BodyDesc box = solid(Box{Vec3(0.3, 0.2, 0.1)}, random.vector(0.3));
    box.linearVelocity = random.vector(3.0);
    world.addBody(box);
  }
  const auto momentum = [&] {
    Vec3 sum = Vec3::Zero();
    for (const BodyId id : world.bodies()) sum += world.massProperties(id)->mass * world.state(id)->linearVelocity;
    return sum;
  };
  const Vec3 start = momentum();
  double taken = 0.0;
  for (int i = 0; i < 60; ++i) taken += world.step(kDt).gainTaken;
  EXPECT_GT(taken, 0.0);
  EXPECT_LT((momentum() - start).norm(), 1e-5 * start.norm());
}

}  // namespace
}  // namespace cairn::test
