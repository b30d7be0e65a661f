// Islands that no cache holds are swept in a wave (soft/layout/slabs.hpp), on several threads in stretches; with more
// threads than there is room for stretches, sweep after sweep. None of that may be seen in the result.
#include <gtest/gtest.h>

#include "world/building.hpp"

namespace cairn::test {
namespace {

// Balls that touch their neighbours, a little pressed together: 16,500 of them have some 47,000 contacts, 12 MB of rows.
// With `spinning`, one of 97 is a brick that spins fast.
std::uint64_t hashAfter(int threads, int steps, bool spinning = false) {
  WorldSettings settings;
  settings.threads = threads;
  settings.sleep.enabled = false;
  World world(settings);
  world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Plane{}}}});
  constexpr double kApart = 0.499;  // m
  for (int x = 0; x < 110; ++x)
    for (int y = 0; y < 30; ++y)
      for (int z = 0; z < 5; ++z) {
        const Vec3 place(kApart * x, kApart * y + 1e-3 * (x % 3), 0.25 + kApart * z);
        const bool isBrick = spinning && (150 * x + 5 * y + z) % 97 == 0;
        BodyDesc body = isBrick ? solid(Box{{0.24, 0.2, 0.15}}, place) : solid(Sphere{0.25}, place);
        if (isBrick) body.angularVelocity = {3.0, 40.0, 5.0};
        world.addBody(body);
      }
  for (int i = 0; i < steps; ++i) EXPECT_EQ(world.step(kDt).status, StepStatus::Ok);
  return world.stateHash();
}

TEST(LargeIsland, HasTheSameBitsInAWaveAndWithout) {
  constexpr int kSteps = 6;
  const std::uint64_t oneStretch = hashAfter(1, kSteps);
  EXPECT_EQ(hashAfter(2, kSteps), oneStretch);
  EXPECT_EQ(hashAfter(16, kSteps), oneStretch);  // no wave
}

// Bodies that spin fast for their shape are followed within their part.
TEST(LargeIsland, HasTheSameBitsWhateverSpinsInIt) {
  constexpr int kSteps = 4;
  const std::uint64_t oneStretch = hashAfter(1, kSteps, true);
  EXPECT_EQ(hashAfter(2, kSteps, true), oneStretch);
  EXPECT_EQ(hashAfter(16, kSteps, true), oneStretch);
}

}  // namespace
}  // namespace cairn::test
