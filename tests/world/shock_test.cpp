// The stepper "shock": what is held feels what rests on it.
#include "world/building.hpp"

namespace cairn::test {
namespace {

// A board on a narrow post with a crate of 64 kg at one end. Held layers would keep it level for ever: the crate's weight
// has to reach the board, and not for a hundredth of the step only.
TEST(Shock, ASeeSawTips) {
  double expected = 0.0;  // s
  for (const double share : {1.0, 0.1, 0.01}) {
    WorldSettings settings;
    settings.stepper = "shock";
    settings.shock.share = share;
    Material rough;
    rough.friction = 0.8;
    World world(settings);
    world.addBody(fixedSolid(Plane{}, Vec3::Zero(), rough));
    world.addBody(fixedSolid(Box{Vec3(0.05, 0.5, 0.25)}, {0, 0, 0.25}, rough));
    const BodyId board = world.addBody(solid(Box{Vec3(1.5, 0.3, 0.05)}, {0, 0, 0.55}, rough));
    world.addBody(solid(Box{Vec3(0.2, 0.2, 0.2)}, {1.2, 0, 0.8}, rough));
    double tipped = 0.0;
    for (int i = 0; i < 60 && tipped == 0.0; ++i) {
      ASSERT_EQ(world.step(kDt).status, StepStatus::Ok);
      const Vec3 along = world.state(board)->pose.rotation * Vec3::UnitX();
      if (-along.z() > std::sin(0.1)) tipped = world.time();
    }
    if (share == 1.0) expected = tipped;
    EXPECT_GT(tipped, 0.0) << "share " << share;
    EXPECT_NEAR(tipped, expected, 2.0 * kDt) << "share " << share;
  }
  EXPECT_NEAR(expected, 0.27, kDt);  // lcp, velocity, implicit, soft
}

// Times of phases: solving is not all there is.
TEST(Shock, BooksItsPhases) {
  for (const char* stepper : {"shock", "implicit"}) {
    WorldSettings settings;
    settings.stepper = stepper;
    World world(settings);
    world.addBody(fixedSolid(Plane{}));
    for (int i = 0; i < 10; ++i) world.addBody(solid(Box{}, {0, 0, 0.5 + i}));
    const StepReport report = world.step(kDt);
    for (const Phase phase : {Phase::Prepare, Phase::Solve, Phase::Integrate})
      EXPECT_GT(report.phaseMs[static_cast<std::size_t>(phase)], 0.0) << stepper;
  }
}

// Anitescu and Potra: no gaps in the problem. What the step would reach stops where it is, and comes down step by step.
TEST(LcpVariants, AnitescuPotraHasNoGaps) {
  WorldSettings settings;
  settings.stepper = "lcp";
  settings.lcp.variant = "anitescu_potra";
  World world(settings);
  world.addBody(fixedSolid(Plane{}));
  BodyDesc desc = solid(Sphere{0.1}, {0, 0, 0.15}, {});
  desc.linearVelocity = {0, 0, -5};
  const BodyId ball = world.addBody(desc);
  ASSERT_EQ(world.step(kDt).status, StepStatus::Ok);
  EXPECT_NEAR(world.state(ball)->center.z(), 0.15, 1e-12);
  EXPECT_NEAR(world.state(ball)->linearVelocity.z(), 0.0, 1e-12);
  run(world, 1.0);
  EXPECT_NEAR(world.state(ball)->center.z(), 0.1, kGravity * kDt * kDt);
  EXPECT_GT(world.state(ball)->center.z(), 0.1 - 1e-9);
}

}  // namespace
}  // namespace cairn::test
