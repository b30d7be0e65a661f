// The rattleback of j_rattleback_scene.json: an unfavourable spin reverses within 5 s, a favourable one does not.
#include "papers/truth.hpp"

namespace cairn {
namespace {

// Least and largest spin about the vertical within 5 s.
std::pair<double, double> spins(const std::vector<Override>& overrides) {
  SceneRun run(openScene("rattleback", overrides));
  double least = 1e9, most = -1e9;
  for (long i = 0; i < run.stepCount(); ++i) {
    EXPECT_EQ(run.step().status, StepStatus::Ok);
    const double spin = stateOf(run, "rattleback").angularVelocity.z();
    least = std::min(least, spin);
    most = std::max(most, spin);
  }
  return {least, most};
}

TEST(Rattleback, TheSceneIsTheFiles) {
  const rapidjson::Document file = truth("j_rattleback_scene");
  for (const auto& one : file["cases"].GetArray()) {
    SceneRun run(openScene("rattleback", {with("spin", one["spin0"].GetDouble())}));
    const BodyState state = stateOf(run, "rattleback");
    EXPECT_LT((state.pose.rotation.conjugate() * state.angularVelocity - vectorOf(one["omega0_body"])).norm(), 1e-9);
    EXPECT_NEAR(state.pose.rotation.w(), one["q0"][0].GetDouble(), 1e-11);
    EXPECT_NEAR(state.pose.rotation.y(), one["q0"][2].GetDouble(), 1e-11);
    EXPECT_LT(run.world().deepestPenetration().depth, 1e-9);
  }
}

// The stepper implicit with a cone, at 5e-4 s, as the scene has it.
TEST(Rattleback, UnfavourableSpinReverses) {
  const auto [least, most] = spins({with("spin", -5.0)});
  EXPECT_LT(least, -4.5);
  EXPECT_GT(most, 0.5);
}

TEST(Rattleback, FavourableSpinDoesNot) {
  const auto [least, most] = spins({with("spin", 5.0)});
  EXPECT_GT(least, 2.0);
  EXPECT_LT(most, 5.5);
}

}  // namespace
}  // namespace cairn
