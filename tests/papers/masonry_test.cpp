// Limit analysis: arches (l_stone_arch.json) and overhanging bricks (m_overhang_tower.json).
#include "papers/truth.hpp"

namespace cairn {
namespace {

double thicknessOf(const SceneModel& model) {
  const auto& points = std::get<ConvexHull>(model.bodies.back().desc.shapes[0].geometry).points;
  return (points[0] - points[2]).norm();  // the two ends of a joint
}

// The scene's own limit analysis is the file's.
TEST(StoneArch, LeastThicknessIsTheFiles) {
  const rapidjson::Document file = truth("l_stone_arch");
  for (const auto& row : file["table"].GetArray()) {
    const SceneModel model = openScene("stone_arch", {with("voussoirs", row["n"].GetInt()), with("thickness", 1.0)});
    EXPECT_NEAR(thicknessOf(model) / 2.0, row["tmin_over_R_trapezoid"].GetDouble(), 1e-6);  // radius 2 m
  }
}

// The stepper lcp at 1/60 s, friction 0.8: at 1.10 of the least thickness the crown drops by less than 1 % of the thickness
// in 10 s; at 0.90 it comes down.
TEST(StoneArch, StandsAboveTheLeastThicknessAndFallsBelow) {
  for (const int stones : {7, 21}) {
    for (const double share : {1.1, 0.9}) {
      SCOPED_TRACE(std::to_string(stones) + " stones at " + std::to_string(share));
      SceneRun run(openScene("stone_arch", {with("voussoirs", stones), with("thickness", share)}));
      const std::string crown = "voussoir." + std::to_string(stones / 2);
      const double start = stateOf(run, crown).center.z(), thickness = thicknessOf(run.model());
      double drop = 0.0;
      for (long i = 0; i < run.stepCount() && drop < 0.5; ++i) {
        ASSERT_EQ(run.step().status, StepStatus::Ok);
        drop = start - stateOf(run, crown).center.z();
      }
      if (share > 1.0) {
        EXPECT_LT(std::abs(drop), 0.01 * thickness);
      } else {
        EXPECT_GT(drop, 0.5);  // m
      }
    }
  }
}

// The stepper lcp at 1/60 s, 20 s.
TEST(Overhang, StandsAt97PercentAndFallsAt103) {
  const rapidjson::Document file = truth("m_overhang_tower");
  for (const int bricks : {1, 3, 10}) {
    for (const double share : {0.97, 1.03}) {
      SCOPED_TRACE(std::to_string(bricks) + " bricks at " + std::to_string(share));
      SceneRun run(openScene("overhang", {with("bricks", bricks), with("share", share)}));
      const std::string top = "brick." + std::to_string(bricks - 1);
      const Vec3 start = stateOf(run, top).center;
      for (const auto& row : file["rows"].GetArray()) {
        if (row["n"].GetInt() != bricks) continue;
        EXPECT_NEAR(start.x() + 0.5, share * row["harmonic_max_overhang_in_lengths"].GetDouble(), 1e-9);
      }
      double moved = 0.0;
      for (long i = 0; i < run.stepCount() && moved < 0.5; ++i) {
        ASSERT_EQ(run.step().status, StepStatus::Ok);
        moved = (stateOf(run, top).center - start).norm();
      }
      if (share < 1.0) {
        EXPECT_LT(moved, 1e-3);
      } else {
        EXPECT_GT(moved, 0.5);  // m
      }
    }
  }
}

}  // namespace
}  // namespace cairn
