// Balls on chains of 1 kg links, for longer than a swing: chains go slack, whip, strike themselves and the ball, and snap
// tight. What they do is chaos, so that it is counted how often joints open, and not when.
#include <gtest/gtest.h>

#include <algorithm>

#include "cairn/cairn.hpp"
#include "scene/gallery.hpp"
#include "scene/scene_run.hpp"

namespace cairn {
namespace {

TEST(Chains, StayTogetherWhateverTheBallWeighs) {
  constexpr int kSteps = 1200;
  for (const char* mass : {"1", "10", "100", "1000", "10000"}) {
    const SceneModel model = openScene("ball_and_chain", {{"ball", mass}});
    World world(model.settings);
    instantiate(model, world);
    const double start = world.energy().total();
    int open = 0;
    double widest = 0.0;
    for (int i = 0; i < kSteps; ++i) {
      const double gap = world.step(model.dt).jointError;
      widest = std::max(widest, gap);
      open += gap > 1e-3 ? 1 : 0;
      ASSERT_LT(world.energy().total(), 1.005 * start) << mass << " kg, step " << i;
    }
    EXPECT_LT(open, kSteps / 50) << mass << " kg";
    EXPECT_LT(widest, 0.05) << mass << " kg";
  }
}

}  // namespace
}  // namespace cairn
