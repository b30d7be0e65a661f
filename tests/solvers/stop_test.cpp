// Every solver ends soon when it is told to.
#include "base/stop.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "solvers/random_problems.hpp"

namespace cairn::testing {
namespace {

using Clock = std::chrono::steady_clock;

std::shared_ptr<ContactProblem> problemFor(const ContactSolver& solver, int contacts) {
  for (const Law law : {Law::Pyramid, Law::Cone, Law::Box, Law::Interval}) {
    const auto problem = makeRandomProblem(
        {.bodies = 2 + contacts / 4, .contacts = contacts, .law = law, .massRatio = 1e4, .redundant = true}, 3);
    if (solver.refusal(*problem).empty()) return problem;
  }
  return nullptr;
}

TEST(Stop, ARaisedFlagEndsASolveAtOnceWithItsStart) {
  for (const std::string_view name : solverNames()) {
    const auto solver = makeSolver(name);
    const auto problem = problemFor(*solver, 4);
    if (!problem) continue;  // it takes joints alone
    std::atomic<bool> flag{true};
    const Vector start = Vector::Constant(problem->rows(), 0.25);
    Vector impulse = start;
    const SolveReport report = solver->solve(*problem, {.tolerance = 1e-12, .stop = &flag}, impulse);
    if (report.exit == Exit::Unsupported) continue;  // exhaustive: too many unknowns
    EXPECT_EQ(nameOf(report.exit), "stopped") << name;
    EXPECT_TRUE(impulse == start) << name;
    EXPECT_EQ(report.residual.worst, judge(*problem, start).worst) << name;
    flag = false;
    impulse = start;
    EXPECT_NE(solver->solve(*problem, {.tolerance = 1e-6, .stop = &flag}, impulse).exit, Exit::Stopped) << name;
  }
}

// Two hundred contacts to 1e-300, which none reaches: pivots, sweeps, factorisations, whatever is being done.
TEST(Stop, AFlagThatIsRaisedOnTheWayEndsASolveSoon) {
  for (const std::string_view name : solverNames()) {
    const auto solver = makeSolver(name);
    if (name == "exhaustive") continue;  // it does not take so many
    const auto problem = problemFor(*solver, 100);
    if (!problem) continue;  // it takes joints alone
    std::atomic<bool> flag{false};
    Clock::time_point raised;
    std::thread raise([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      raised = Clock::now();
      flag = true;
    });
    Vector impulse;
    const SolveReport report =
        solver->solve(*problem, {.tolerance = 1e-300, .iterations = 1000000000, .stop = &flag}, impulse);
    raise.join();
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - raised).count(), 0.5) << name;
    EXPECT_TRUE(impulse.allFinite()) << name;
    EXPECT_EQ(report.residual.worst, judge(*problem, impulse).worst) << name;
  }
}

TEST(Stop, ASolverInsideSomethingThatIsStoppedHandsThatOn) {
  std::atomic<bool> flag{true};
  const StopScope scope(&flag);
  const auto problem = makeRandomProblem({}, 1);
  Vector impulse;
  EXPECT_THROW(makeSolver("auto")->solve(*problem, {}, impulse), Stopped);
}

}  // namespace
}  // namespace cairn::testing
