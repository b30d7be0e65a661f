// Rotation: the heavy top (c_heavy_top.json) and the flipping plate (b_dzhanibekov.json) against closed forms.
#include "papers/truth.hpp"

namespace cairn {
namespace {

struct Nutation {
  double least = 10.0, most = 0.0;  // rad, of the angle with the vertical
  double precession = 0.0;          // rad
  double joint = 0.0;               // m, at most
};

Nutation spinTop(SceneModel model, double seconds) {
  SceneRun run(std::move(model));
  Nutation result;
  const auto axis = [&] { return Vec3(stateOf(run, "top").pose.rotation * Vec3::UnitZ()); };
  double before = std::atan2(axis().y(), axis().x());
  const long steps = std::lround(seconds / run.model().dt);
  for (long i = 0; i < steps; ++i) {
    const StepReport report = run.step();
    EXPECT_EQ(report.status, StepStatus::Ok);
    result.joint = std::max(result.joint, report.jointError);
    const Vec3 now = axis();
    const double theta = std::acos(now.z()), azimuth = std::atan2(now.y(), now.x());
    result.least = std::min(result.least, theta);
    result.most = std::max(result.most, theta);
    result.precession += std::remainder(azimuth - before, 2.0 * std::numbers::pi);
    before = azimuth;
  }
  return result;
}

SceneModel firstOrderTop() {
  SceneModel model = openScene("heavy_top");
  model.settings.stepper = "implicit";
  model.settings.solver.tolerance = 1e-9;
  model.dt = 5e-5;
  return model;
}

// The scene as it is: stepper acceleration, which integrates to 1e-9 however long its steps are (here 5 ms).
TEST(HeavyTop, NodsAndGoesRoundAsTheEllipticIntegralsSay) {
  const rapidjson::Document file = truth("c_heavy_top");
  const auto& cuspidal = file["cases"][0];
  SceneRun run(openScene("heavy_top"));
  const double energy = run.world().energy().total();
  EXPECT_NEAR(energy, cuspidal["energy"].GetDouble(), 1e-9);
  for (const auto& sample : cuspidal["samples"].GetArray()) {
    while (run.world().time() < sample["t"].GetDouble() - 1e-9) ASSERT_EQ(run.step().status, StepStatus::Ok);
    const Vec3 axis = stateOf(run, "top").pose.rotation * Vec3::UnitZ();
    EXPECT_LT((axis - vectorOf(sample["axis_world"])).norm(), 1e-6) << sample["t"].GetDouble();
  }
  const BodyState state = stateOf(run, "top");
  const MassProperties mass = *run.world().massProperties(*run.world().findBody("top"));
  const Mat3 turn = state.pose.rotation.toRotationMatrix();
  const Vec3 momentum =
      turn * mass.inertia * turn.transpose() * state.angularVelocity + mass.mass * state.center.cross(state.linearVelocity);
  EXPECT_NEAR(momentum.z(), cuspidal["L_vertical"].GetDouble(), 1e-7 * 0.0416);
  EXPECT_NEAR(momentum.dot(turn * Vec3::UnitZ()), cuspidal["L_axis"].GetDouble(), 1e-7 * 0.048);
  EXPECT_NEAR(run.world().energy().total(), energy, 1e-7 * energy);
  EXPECT_LT(run.world().jointError(), 1e-12);
}

// Stepper implicit, 5e-5 s: a ball joint is held at first order.
TEST(HeavyTop, ConvergesWithFirstOrderJoints) {
  const rapidjson::Document file = truth("c_heavy_top");
  const auto& cuspidal = file["cases"][0];
  const double periods = 3.0, period = cuspidal["nutation_period"].GetDouble();
  const double lowest = cuspidal["theta_min_max"][1].GetDouble();
  SceneModel finer = firstOrderTop();
  finer.dt *= 0.5;
  const Nutation coarse = spinTop(firstOrderTop(), periods * period), fine = spinTop(std::move(finer), periods * period);
  EXPECT_LT(std::abs(fine.most - lowest), 5e-3);
  EXPECT_NEAR(std::abs(coarse.most - lowest) / std::abs(fine.most - lowest), 2.0, 0.4);
  EXPECT_NEAR(fine.precession / (periods * period), cuspidal["mean_precession_rate"].GetDouble(), 5e-3);
  EXPECT_LT(coarse.joint, 1e-9);
}

// Free motion with each integrator, stepper velocity, 1e-3 s, against Jacobi's elliptic functions up to the first flip.
TEST(Dzhanibekov, SpinsAsTheClosedFormSays) {
  const rapidjson::Document file = truth("b_dzhanibekov");
  const auto& plate = file["cases"][0];
  struct Case {
    const char* integrator;
    double tolerance;  // rad/s
  };
  for (const Case& c : {Case{"momentum", 1e-3}, Case{"rk4", 1e-6}, Case{"cash_karp", 1e-6}}) {
    SCOPED_TRACE(c.integrator);
    SceneModel model = openScene("dzhanibekov");
    model.settings.integrator = c.integrator;
    SceneRun run(std::move(model));
    for (const auto& sample : plate["samples"].GetArray()) {
      if (sample["t"].GetDouble() > 2.5) break;
      while (run.world().time() < sample["t"].GetDouble() - 1e-9) run.step();
      const BodyState state = stateOf(run, "plate");
      const Vec3 spin = state.pose.rotation.conjugate() * state.angularVelocity;
      EXPECT_LT((spin - vectorOf(sample["omega_body"])).norm(), c.tolerance) << sample["t"].GetDouble();
    }
  }
}

// Every stepper flips it as often as it should, at the right times, and keeps energy and angular momentum.
TEST(Dzhanibekov, FlipsOnTimeWithEveryStepper) {
  const rapidjson::Document file = truth("b_dzhanibekov");
  const auto& plate = file["cases"][0];
  const double first = plate["first_sign_change_of_omega2"].GetDouble(), half = 0.5 * plate["polhode_period"].GetDouble();
  for (const std::string_view stepper : stepperNames()) {
    SCOPED_TRACE(stepper);
    SceneModel model = openScene("dzhanibekov");
    model.settings.stepper = stepper;
    SceneRun run(std::move(model));
    const auto momentum = [&] {
      const BodyState state = stateOf(run, "plate");
      const Vec3 local = state.pose.rotation.conjugate() * state.angularVelocity;
      return Vec3(state.pose.rotation * Vec3(Vec3(1, 2, 3).cwiseProduct(local)));
    };
    const Vec3 start = momentum();
    const double energy = run.world().energy().kinetic;
    double before = 5.0;
    std::vector<double> flips;
    for (long i = 0; i < run.stepCount(); ++i) {
      run.step();
      const BodyState state = stateOf(run, "plate");
      const double now = (state.pose.rotation.conjugate() * state.angularVelocity).y();
      if (before * now < 0.0) flips.push_back(run.world().time());
      before = now;
    }
    ASSERT_EQ(flips.size(), 2u);
    EXPECT_NEAR(flips[0], first, 5e-3);
    EXPECT_NEAR(flips[1], first + half, 1e-2);
    EXPECT_LT((momentum() - start).norm(), 1e-9 * start.norm());
    EXPECT_NEAR(run.world().energy().kinetic, energy, 1e-6 * energy);
  }
}

}  // namespace
}  // namespace cairn
