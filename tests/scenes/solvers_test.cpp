// Any solver steps any scene of the gallery, and solvers agree on the problems that come up there.
#include <gtest/gtest.h>

#include "scene/gallery.hpp"
#include "scene/scene_run.hpp"

namespace cairn {
namespace {

SceneModel velocityScene(const std::string& scene, const std::string& solver) {
  std::vector<Override> overrides;
  if (scene == "pyramids") overrides.push_back({"side", "2"});  // a hundred equal islands say no more than four
  SceneModel model = openScene(scene, overrides);
  model.settings.stepper = "velocity";
  model.settings.solver.name = solver;
  model.settings.solver.milliseconds = 20.0;  // this test asks whether it works, not how well
  model.settings.friction.law = "auto";       // the roundest that it takes
  const Capabilities can = makeSolver(solver)->capabilities();
  if (!can.has(Law::Box) && !can.has(Law::Pyramid) && !can.has(Law::Cone)) model.settings.friction.law = "none";
  return model;
}

TEST(Gallery, EverySolverStepsEverySceneOrSaysWhyNot) {
  for (const std::string_view scene : galleryNames()) {
    for (const std::string_view solver : solverNames()) {
      const Capabilities can = makeSolver(solver)->capabilities();
      if (!can.has(Law::Interval)) continue;  // for joints alone: refused with the settings, see World's tests
      SCOPED_TRACE(std::string(scene) + " with " + std::string(solver));
      SceneRun run(velocityScene(std::string(scene), std::string(solver)));
      const StepReport report = run.step();
      if (report.status == StepStatus::Refused) {
        EXPECT_FALSE(report.refusal().empty());
        continue;
      }
      EXPECT_EQ(report.status, StepStatus::Ok);
      EXPECT_TRUE(report.quarantined.empty());
    }
  }
}

// Problems as the gallery has them: solvers that take a law agree on the velocities of the bodies.
TEST(Gallery, SolversAgreeOnItsProblems) {
  for (const char* scene : {"stack25", "mass_ratio", "ball_grid", "pendulum", "dominoes", "shapes"}) {
    for (const char* law : {"box", "pyramid", "cone"}) {
      SceneModel model = openScene(scene);
      model.settings.stepper = "velocity";
      model.settings.friction.law = law;
      model.settings.solver.tolerance = 1e-9;
      model.settings.solver.iterations = 0;
      model.settings.audit = Audit::Problems;
      SceneRun run(std::move(model));
      for (int i = 0; i < 5; ++i) ASSERT_EQ(run.step().status, StepStatus::Ok);
      int solved = 0, tried = 0;
      for (const StepProblem& one : run.world().contactProblems()) {
        if (one.problem->rows() > 400) continue;  // keeps the pivoting methods quick
        SCOPED_TRACE(std::string(scene) + " " + law + ", " + one.problem->name());
        // Two that found the same? Without friction the velocities are unique. With friction there may be several answers:
        // those that the judge passes are right by themselves, and are only counted.
        for (const std::string_view solver : solverNames()) {
          Vector impulse;
          const SolveReport report = makeSolver(solver)->solve(*one.problem, {1e-8, 0, 500.0}, impulse);
          if (report.exit == Exit::Unsupported) continue;
          ++tried;
          if (report.exit != Exit::Converged) continue;
          ++solved;
          const Vector difference = one.problem->bodyVelocity(impulse) - one.problem->bodyVelocity(one.impulse);
          EXPECT_LT(difference.lpNorm<Eigen::Infinity>(), 1e-5) << solver;
        }
        EXPECT_GE(solved, 3);
      }
    }
  }
}

}  // namespace
}  // namespace cairn
