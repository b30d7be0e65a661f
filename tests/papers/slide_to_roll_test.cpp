// A sliding ball begins to roll (d_sphere_slide_roll.json).
#include "papers/truth.hpp"

namespace cairn {
namespace {

// Stepper and how much its answer may be off at 1e-3 s. All use the exact cone.
struct Method {
  const char* stepper;
  double finalSpeed;  // relative
};

TEST(SlideToRoll, EveryCaseInEveryDirection) {
  const rapidjson::Document file = truth("d_sphere_slide_roll");
  const double h = 1e-3;  // s
  for (const Method& method : {Method{"velocity", 1e-6}, Method{"lcp", 1e-6}, Method{"implicit", 1e-6}}) {
    for (const double heading : {0.0, 22.5, 45.0}) {
      int number = 0;
      for (const auto& one : file["cases"].GetArray()) {
        SCOPED_TRACE(std::string(method.stepper) + ", case " + std::to_string(number++) + ", " + std::to_string(heading));
        const double mu = one["mu"].GetDouble(), radius = one["R"].GetDouble(), roll = one["t_roll"].GetDouble();
        SceneModel model = openScene(
            "slide_to_roll", {with("speed", one["v0"].GetDouble()), with("spin", one["omega0"].GetDouble()), with("mu", mu),
                              with("radius", radius), with("mass", one["m"].GetDouble()), with("heading_deg", heading)});
        model.settings.stepper = method.stepper;
        model.settings.friction.law = "cone";
        model.settings.solver.tolerance = 1e-11;
        model.dt = h;
        SceneRun run(std::move(model));
        const Vec3 ahead(std::cos(heading * std::numbers::pi / 180.0), std::sin(heading * std::numbers::pi / 180.0), 0.0);
        const Vec3 axle = Vec3::UnitZ().cross(ahead);
        const double energy = run.world().energy().total();
        double rollsFrom = -1.0;
        const long steps = std::lround(1.5 * roll / h) + 2;
        for (long i = 0; i < steps; ++i) {
          run.step();
          const BodyState s = stateOf(run, "ball");
          const double slip = s.linearVelocity.dot(ahead) - radius * s.angularVelocity.dot(axle);
          if (rollsFrom < 0.0 && std::abs(slip) < 1e-6) rollsFrom = run.world().time();
        }
        const BodyState s = stateOf(run, "ball");
        const double v = one["v_final"].GetDouble(), w = one["omega_final"].GetDouble();
        EXPECT_NEAR(rollsFrom, roll, 1.001 * h);
        EXPECT_NEAR(s.linearVelocity.dot(ahead), v, method.finalSpeed * v);
        EXPECT_NEAR(s.angularVelocity.dot(axle), w, method.finalSpeed * w);
        EXPECT_LT(s.linearVelocity.cross(ahead).norm(), 1e-6);  // no drift aside
        EXPECT_NEAR(energy - run.world().energy().total(), one["energy_loss"].GetDouble(), 1e-5 * energy);
        const double x = one["x_at_roll"].GetDouble() + v * (run.world().time() - roll);
        EXPECT_NEAR(s.center.dot(ahead), x, mu * 9.81 * h * run.world().time() + 1e-9);  // v is off by a step's worth
      }
    }
  }
}

}  // namespace
}  // namespace cairn
