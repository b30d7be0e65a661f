// Anitescu's two experiments (r_anitescu.json), with his stepper: lcp, variant anitescu.
#include "papers/truth.hpp"

namespace cairn {
namespace {

// The corrected scheme bounces with e times the speed before the contact closed, for every step size and restitution.
TEST(WallImpact, LeavesAtTheRightSpeedForEveryStep) {
  const rapidjson::Document file = truth("r_anitescu");
  for (const auto& one : file["wall_1d"].GetArray()) {
    for (const double e : {1.0, 0.5}) {
      SceneModel model = openScene("wall_impact", {with("e", e)});
      model.dt = one["h"].GetDouble();
      ASSERT_EQ(model.settings.stepper, "lcp");
      ASSERT_EQ(model.settings.lcp.variant, "anitescu");
      SceneRun run(std::move(model));
      while (run.world().time() < 1.0 + 4.0 * run.model().dt) run.step();
      const double expected = e * one["v_after_corrected"].GetDouble();  // the file has e = 1
      EXPECT_NEAR(stateOf(run, "ball").linearVelocity.x(), expected, 1e-6) << "h " << one["h"].GetDouble() << ", e " << e;
      EXPECT_LT(run.world().deepestPenetration().depth, 1e-9);
    }
  }
}

// h = 0.05 s, 20 s, tolerance of the scene: no disc runs into another by more than 1 mm (the paper has 80 mm), and the
// energy never rises by more than 1e-6.
TEST(Disks66, RunOutWithoutPenetrationOrEnergy) {
  const rapidjson::Document file = truth("r_anitescu");
  SceneRun run(openScene("disks66"));
  EXPECT_EQ(run.model().dt, 0.05);
  const auto& centres = file["pile"]["centres"];
  int discs = 0;
  for (std::size_t i = 0; i < run.bodies().size(); ++i) {
    if (run.model().bodies[i].desc.kind != BodyKind::Dynamic) continue;
    const Vec3 center = run.world().state(run.bodies()[i])->center;
    EXPECT_NEAR(center.x(), centres[discs][0].GetDouble(), 1e-9);
    EXPECT_NEAR(center.z(), centres[discs][1].GetDouble(), 1e-9);
    ++discs;
  }
  EXPECT_EQ(discs, 66);
  const double scale = run.world().energy().total();
  EXPECT_NEAR(scale, file["pile"]["E0_m1_g9.81"].GetDouble(), 1e-6 * scale);
  double energy = scale, rise = 0.0, deepest = 0.0;
  for (long i = 0; i < run.stepCount(); ++i) {
    const StepReport report = run.step();
    ASSERT_EQ(report.status, StepStatus::Ok);
    deepest = std::max(deepest, run.world().deepestPenetration().depth);
    const double now = run.world().energy().total();
    rise = std::max(rise, now - energy);
    energy = now;
  }
  EXPECT_NEAR(run.world().time(), 20.0, 1e-6);
  EXPECT_LT(deepest, 1e-3);
  EXPECT_LT(rise, 1e-6 * scale);
  EXPECT_LT(energy, 0.9 * scale);  // it did run out
}

}  // namespace
}  // namespace cairn
