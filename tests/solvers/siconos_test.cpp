// Our solvers beside those of Siconos. Empty where Siconos was not found when this was built.
#ifdef CAIRN_HAS_SICONOS

#include <gtest/gtest.h>

#include "fc3d.hpp"
#include "problem/text_file.hpp"
#include "siconos_solver.hpp"
#include "solvers/random_problems.hpp"

namespace cairn {
namespace {

// Siconos' answer if it reached the residual by our judge, from whichever of its methods does.
std::optional<Vector> siconosAnswer(const ContactProblem& problem, double tolerance) {
  const bool planar = problem.blocks().front().size == 2;
  for (const auto method : {siconos::Method::Nsgs, planar ? siconos::Method::Lemke : siconos::Method::NewtonAlartCurnier}) {
    siconos::Problem theirs(problem, siconos::Storage::Dense);
    const siconos::Result result = theirs.solve(method, 1e-3 * tolerance, 20000);
    if (result.impulse.allFinite() && judge(problem, result.impulse).forTolerance() <= tolerance) return result.impulse;
  }
  return std::nullopt;
}

// Velocities, since impulses are not unique where contacts are redundant. Errors of 1e-8 in the residual may be magnified by
// the conditioning of the problem; 1e-5 of the largest free velocity allows for a factor of 1000.
void expectSameVelocities(const ContactProblem& problem, const Vector& theirs, const std::string& what) {
  const double scale = std::max(problem.b().lpNorm<Eigen::Infinity>(), 1e-12);
  for (const char* name : {"alart_curnier", "auto"}) {
    Vector ours;
    const SolveReport report = makeSolver(name)->solve(problem, {.tolerance = 1e-9}, ours);
    EXPECT_EQ(nameOf(report.exit), nameOf(Exit::Converged)) << name << " on " << what;
    const double difference = (problem.velocity(ours) - problem.velocity(theirs)).lpNorm<Eigen::Infinity>();
    EXPECT_LT(difference, 1e-5 * scale) << name << " on " << what;
  }
}

TEST(Siconos, GivesTheSameVelocitiesOnRandomCones) {
  int compared = 0;
  for (unsigned seed = 1; seed <= 15; ++seed) {
    const auto problem = testing::makeRandomProblem({.bodies = 6, .contacts = 8, .friction = 0.3}, seed);
    const auto theirs = siconosAnswer(*problem, 1e-9);
    if (!theirs) continue;  // its sweeps may circle
    ++compared;
    expectSameVelocities(*problem, *theirs, "seed " + std::to_string(seed));
  }
  EXPECT_GE(compared, 12);
}

TEST(Siconos, GivesTheSameVelocitiesOnRealProblems) {
  CAIRN_SKIP_WITHOUT_FC3D();
  int compared = 0;
  for (const auto& file : test::fc3dFiles()) {
    const auto problem = readProblemText(file.string());
    if (problem->blocks().size() > 30) continue;
    const auto theirs = siconosAnswer(*problem, 1e-8);
    if (!theirs) continue;
    ++compared;
    expectSameVelocities(*problem, *theirs, file.filename().string());
  }
  EXPECT_GE(compared, 5);
}

}  // namespace
}  // namespace cairn

#endif
