// The default stepper is of first order: what spins and slides comes as near to the truth as steps are short. The figures
// are those of the table in docs/steppers.md.
#include "papers/truth.hpp"

namespace cairn {
namespace {

SceneModel softly(const char* scene, double dt) {
  SceneModel model = openScene(scene);
  model.settings.stepper = "soft";
  model.dt = dt;
  return model;
}

void runTo(SceneRun& run, double seconds) {
  const long steps = std::lround(seconds / run.model().dt);
  for (long i = 0; i < steps; ++i) ASSERT_EQ(run.step().status, StepStatus::Ok);
}

void expectFirstOrder(double coarse, double fine) {
  EXPECT_GT(coarse / fine, 1.6) << coarse << " " << fine;
  EXPECT_LT(coarse / fine, 2.4) << coarse << " " << fine;
}

// The weight of a heavy top has no moment about the vertical.
double lossOfVerticalMomentum(double dt) {
  SceneRun run(softly("heavy_top", dt));
  const auto momentum = [&] {
    const BodyState state = stateOf(run, "top");
    const MassProperties mass = *run.world().massProperties(*run.world().findBody("top"));
    const Mat3 turn = state.pose.rotation.toRotationMatrix();
    return (turn * mass.inertia * turn.transpose() * state.angularVelocity +
            mass.mass * state.center.cross(state.linearVelocity))
        .z();
  };
  const double before = momentum();
  double worst = 0.0;
  for (double seconds = 0.0; seconds < 0.46; seconds += dt) {
    run.step();
    worst = std::max(worst, std::abs(momentum() / before - 1.0));
  }
  return worst;
}

TEST(OrderOfSoft, AHeavyTopKeepsItsVerticalMomentumHoweverShortStepsAre) {
  const double coarse = lossOfVerticalMomentum(2e-5), fine = lossOfVerticalMomentum(1e-5);
  expectFirstOrder(coarse, fine);
  EXPECT_LT(fine, 1.5e-3);  // 5.1e-4
}

// Long after the stem's impact (0.54 s), at 1 s, lcp gives -0.9381, -0.9356 and -0.9352 at 1e-4, 2e-5 and 1e-5 s.
TEST(OrderOfSoft, ATippeTopTurnsOverAsItShould) {
  constexpr double kEnd = -0.9349;
  const double level = truth("a_tippe_top")["expected"]["t_horizontal_cos0"].GetDouble();
  std::vector<double> errors;
  for (const double dt : {4e-5, 2e-5}) {
    SceneRun run(softly("tippe_top", dt));
    const auto figureAxis = [&] { return (stateOf(run, "top").pose.rotation * Vec3::UnitY()).y(); };
    double before = figureAxis(), now = before;
    while ((now = figureAxis()) > 0.0 && run.world().time() < 0.5) {
      before = now;
      run.step();
    }
    errors.push_back(std::abs(run.world().time() - dt * now / (now - before) - level));
    runTo(run, 1.0 - run.world().time());
    EXPECT_NEAR(figureAxis(), kEnd, 5e-3) << dt;  // 1.7e-3 at 2e-5 s
  }
  expectFirstOrder(errors[0], errors[1]);
  EXPECT_LT(errors[1], 1.5e-4);  // s: 4.8e-5
}

// A second after it was set off it rattles with all its spin. (When it turns round is no measure: its spin about the
// vertical swings to and fro meanwhile, and crosses zero here or there.)
TEST(OrderOfSoft, ARattlebackRattlesAsTheEquationsOfMotionSay) {
  struct State {
    Vec3 up;
    double lost;  // J
  };
  const auto after = [](SceneModel model) {
    SceneRun run(std::move(model));
    const double energy = run.world().energy().total();
    runTo(run, 1.0);
    return State{stateOf(run, "rattleback").pose.rotation.conjugate() * Vec3::UnitZ(),
                 energy - run.world().energy().total()};
  };
  SceneModel exact = openScene("rattleback");
  exact.settings.stepper = "acceleration";
  exact.dt = 1e-3;
  const State truth = after(std::move(exact));
  EXPECT_LT(std::abs(truth.lost), 1e-8);
  const State coarse = after(softly("rattleback", 2e-5)), fine = after(softly("rattleback", 1e-5));
  expectFirstOrder((coarse.up - truth.up).norm(), (fine.up - truth.up).norm());
  EXPECT_LT((fine.up - truth.up).norm(), 4e-2);  // 1.5e-2
  expectFirstOrder(coarse.lost, fine.lost);
  EXPECT_LT(fine.lost, 1.4e-3);  // J of 0.021 J: 4.7e-4
}

}  // namespace
}  // namespace cairn
