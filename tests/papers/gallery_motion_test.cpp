// Closed forms for the rest of the papers' scenes: Painleve's rod, the spinning disc, Newton's cradle, the parking car.
#include "papers/truth.hpp"

namespace cairn {
namespace {

// v/(R w) of a sliding and spinning disc tends to 0.653 before both stop together. The scene's
// own settings: velocity, 1e-3 s.
TEST(SpinningDisc, StopsSlidingAndSpinningTogether) {
  for (const double spin : {5.0, 20.0, 60.0}) {
    SceneModel model = openScene("spinning_disc", {with("spin", spin)});
    model.seconds = 3.0;
    SceneRun run(std::move(model));
    double ratio = 0.0;
    for (long i = 0; i < run.stepCount(); ++i) {
      run.step();
      const BodyState s = stateOf(run, "disc");
      const double v = s.linearVelocity.norm(), w = 0.1 * std::abs(s.angularVelocity.z());
      if (std::max(v, w) > 0.005) ratio = v / w;
    }
    const BodyState rest = stateOf(run, "disc");
    EXPECT_LT(rest.linearVelocity.norm(), 1e-4) << spin;
    EXPECT_LT(std::abs(rest.angularVelocity.z()), 1e-3) << spin;
    EXPECT_NEAR(ratio, 0.653, 0.05) << spin;
  }
}

// With the foot's lever (l cos, l sin) a normal force N lifts it by W_nn N and friction mu N presses it down by mu W_nt N:
// for a thin rod of 1 kg and 1 m at tan(angle) = 2, W_nn = 1.6, W_nt = 1.2 and W_tt = 3.4 per kg. Above mu = 4/3 no forces
// obey the laws. The stepper lcp, 1e-3 s.
TEST(PainleveRod, JamsAboveFourThirds) {
  for (const double mu : {0.5, 1.6, 3.0}) {
    SceneRun run(openScene("painleve_rod", {with("mu", mu)}));
    const double start = run.world().energy().total();
    double energy = start, foot = -3.0;
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(run.step().status, StepStatus::Ok);
      EXPECT_LT(run.world().energy().total(), energy + 1e-9 * start) << mu << " at " << run.world().time();
      energy = run.world().energy().total();
      const BodyState s = stateOf(run, "rod");
      const Vec3 arm = s.pose.rotation * Vec3(0.0, 0.0, -0.5) - Vec3(0.0, 0.0, 0.005);
      foot = (s.linearVelocity + s.angularVelocity.cross(arm)).x();
    }
    if (mu > 4.0 / 3.0) {
      EXPECT_LT(std::abs(foot), 0.05) << mu;  // m/s; it turns about the foot at 5 rad/s, and the lever is a step old
    } else {
      const double force = 9.81 / (1.6 - 1.2 * mu);                           // N
      EXPECT_NEAR(foot, -3.0 + 0.01 * force * (3.4 * mu - 1.2), 5e-3) << mu;  // m/s, after 10 ms
    }
  }
}

// With a gap, hits come one after the other, and equal balls hand on all of their speed (g_newton_cradle.json, sequential).
// The scene's own settings: lcp, 2e-4 s.
TEST(NewtonCradle, HandsOnTheSpeed) {
  for (const int balls : {1, 2, 3}) {
    SceneRun run(openScene("newton_cradle", {with("balls", balls)}));
    const double most = 2.0 * 9.81 * 0.5 * (1.0 - std::cos(40.0 * std::numbers::pi / 180.0));  // (m/s)^2, at the bottom
    const double inertia = 1.0 + 0.4 * 0.05 * 0.05 / (0.5 * 0.5);  // of the pendulum, over that of a point
    const double energy = run.world().energy().total();
    while (run.world().time() < 0.6) run.step();
    for (int i = 0; i < 5; ++i) {
      const BodyState s = stateOf(run, "ball." + std::to_string(i));
      const double speed2 =
          inertia * s.linearVelocity.squaredNorm() + 2.0 * 9.81 * (s.center.z() - 0.1);  // as at the bottom
      EXPECT_NEAR(speed2, i >= 5 - balls ? most : 0.0, 0.03 * most) << balls << " lifted, ball " << i;
    }
    // The speed that is handed on is that of the step before: a gain of first order, 2e-4 at this step.
    EXPECT_NEAR(run.world().energy().total(), energy, 2e-4 * energy);
  }
}

// The scene's own settings: lcp, 1/60 s. It ends 2.3 m beside its lane, parallel to the kerb, and has touched nothing.
TEST(Car, ParksBetweenTheOthers) {
  SceneRun run(openScene("car"));
  const Vec3 start = stateOf(run, "chassis").center;
  double joints = 0.0;
  for (long i = 0; i < run.stepCount(); ++i) {
    const StepReport report = run.step();
    ASSERT_EQ(report.status, StepStatus::Ok) << report.refusal();
    EXPECT_TRUE(run.world().contactEvents().empty());
    joints = std::max(joints, report.jointError);
  }
  const BodyState end = stateOf(run, "chassis");
  const double angle = std::acos(1.0 - 2.3 / 10.0);
  EXPECT_NEAR(end.center.x() - start.x(), -10.0 * std::sin(angle) + 0.7, 0.02);
  EXPECT_NEAR(end.center.y() - start.y(), -2.3, 0.02);
  EXPECT_NEAR(2.0 * std::asin(end.pose.rotation.z()), 0.0, 0.005);
  EXPECT_LT(end.linearVelocity.norm(), 1e-3);
  EXPECT_LT(joints, 1e-3);
}

}  // namespace
}  // namespace cairn
