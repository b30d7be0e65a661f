// Frictional contact problems of another project (fc3d.hpp): every solver that takes them, judged by one measure.
#include <gtest/gtest.h>

#include <map>

#include "cairn/contact_problem.hpp"
#include "fc3d.hpp"
#include "problem/text_file.hpp"

namespace cairn {
namespace {

std::map<std::string, std::shared_ptr<ContactProblem>> realProblems() {
  std::map<std::string, std::shared_ptr<ContactProblem>> problems;
  for (const auto& file : test::fc3dFiles()) problems[file.stem().string()] = readProblemText(file.string());
  return problems;
}

TEST(RealProblems, AllAreSolvedAndNineInTenByThreeSolvers) {
  CAIRN_SKIP_WITHOUT_FC3D();
  const auto problems = realProblems();
  ASSERT_EQ(problems.size(), 27u);
  int byThree = 0;
  std::string fewer;
  for (const auto& [name, problem] : problems) {
    std::vector<Vector> velocities;
    std::string solvers;
    for (const std::string_view solver : solverNames()) {
      Vector impulse;
      // One solver after another for at most a second: what takes longer is not what this test is about.
      const SolveReport report = makeSolver(solver)->solve(*problem, {1e-8, 0, 1000.0}, impulse);
      if (report.exit != Exit::Converged) continue;
      EXPECT_LE(report.residual.naturalMapRelative, 1e-8);
      velocities.push_back(problem->velocity(impulse));
      solvers += " " + std::string(solver);
    }
    EXPECT_GE(velocities.size(), 1u) << name;
    if (velocities.size() >= 3) ++byThree;
    if (velocities.size() < 3) fewer += " " + name + " (" + std::to_string(velocities.size()) + ")";
    RecordProperty(name, solvers);
  }
  EXPECT_GE(byThree, 25) << "solved by fewer than three:" << fewer;  // 90 % of 27
}

}  // namespace
}  // namespace cairn
