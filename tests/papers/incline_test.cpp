// A block on a slope (e_incline.json): it sticks below the friction angle and slides as the closed form says above.
#include "papers/truth.hpp"

namespace cairn {
namespace {

SceneModel slope(const rapidjson::Value& one, const std::string& stepper, double heading, double dt) {
  SceneModel model = openScene("incline", {with("angle_deg", one["alpha_rad"].GetDouble() * 180.0 / std::numbers::pi),
                                           with("mu", one["mu"].GetDouble()), with("heading_deg", heading)});
  model.settings.stepper = stepper;
  model.dt = dt;
  if (stepper == "soft") return model;
  model.settings.friction.law = "cone";
  model.settings.solver.tolerance = 1e-10;
  return model;
}

// All cases of the file and three directions, steppers velocity, lcp and implicit with the exact cone at 1/60 s; soft, whose
// friction is a cone of its own, at the same step.
TEST(Incline, SticksOrSlidesInEveryCaseAndDirection) {
  const rapidjson::Document file = truth("e_incline");
  const double h = 1.0 / 60.0;  // s
  for (const char* stepper : {"velocity", "lcp", "implicit", "soft"}) {
    for (const double heading : {0.0, 30.0, 45.0}) {
      for (const auto& one : file["cases"].GetArray()) {
        const double mu = one["mu"].GetDouble(), ratio = one["tan_alpha_over_mu"].GetDouble();
        SCOPED_TRACE(std::string(stepper) + ", mu " + std::to_string(mu) + ", tan/mu " + std::to_string(ratio) +
                     ", heading " + std::to_string(heading));
        SceneRun run(slope(one, stepper, heading, h));
        const Vec3 start = stateOf(run, "block").center;
        const bool sticks = one["sticks"].GetBool();
        const double seconds = sticks ? 10.0 : 2.0;
        while (run.world().time() < seconds - 1e-9) run.step();
        const BodyState now = stateOf(run, "block");
        if (sticks) {
          EXPECT_LT((now.center - start).norm(), 1e-4);
        } else {
          const double t = run.world().time();
          EXPECT_NEAR((now.center - start).norm(), 0.5 * one["acceleration"].GetDouble() * t * t, mu * 9.81 * h * t);
          EXPECT_NEAR(now.linearVelocity.norm(), one["acceleration"].GetDouble() * t, mu * 9.81 * h);
          // Straight down the slope, which falls towards the heading.
          const double angle = heading * std::numbers::pi / 180.0;
          const Vec3 aside(-std::sin(angle), std::cos(angle), 0.0);
          EXPECT_LT(std::abs((now.center - start).dot(aside)), 1e-4 + 1e-3 * (now.center - start).norm());
        }
      }
    }
  }
}

// Thrown down the slope at 1 m/s it stops where the closed form says.
TEST(Incline, StopsAfterItsStoppingDistance) {
  const rapidjson::Document file = truth("e_incline");
  const double h = 1e-3;  // s
  for (const char* stepper : {"velocity", "lcp", "implicit"}) {
    for (const auto& one : file["cases"].GetArray()) {
      if (!one.HasMember("v0_1_stop_time") || one["v0_1_stop_time"].GetDouble() > 4.0) continue;
      SceneModel model = slope(one, stepper, 0.0, h);
      const double angle = one["alpha_rad"].GetDouble();
      model.bodies[1].desc.linearVelocity = {std::cos(angle), 0.0, -std::sin(angle)};
      SceneRun run(std::move(model));
      const Vec3 start = stateOf(run, "block").center;
      double stopped = -1.0;
      while (run.world().time() < one["v0_1_stop_time"].GetDouble() + 0.1) {
        run.step();
        if (stopped < 0.0 && stateOf(run, "block").linearVelocity.norm() < 1e-5) stopped = run.world().time();
      }
      SCOPED_TRACE(std::string(stepper) + ", mu " + std::to_string(one["mu"].GetDouble()));
      EXPECT_NEAR(stopped, one["v0_1_stop_time"].GetDouble(), 2.0 * h);
      EXPECT_NEAR((stateOf(run, "block").center - start).norm(), one["v0_1_stop_distance"].GetDouble(), 2.0 * h);
    }
  }
}

}  // namespace
}  // namespace cairn
