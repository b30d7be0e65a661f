// jacobi, pgs, psor, bgs, nncg and subspace: right, alike, and as fast as their theory says.
#include <gtest/gtest.h>

#include "counting_new.hpp"
#include "random_problems.hpp"
#include "solvers/sweep.hpp"

namespace cairn {
namespace {

using testing::makeRandomProblem;
using testing::RandomProblem;

const std::vector<std::string> kAll{"jacobi", "pgs", "psor", "bgs", "nncg", "nncg:sweep=bgs", "subspace"};

SolveReport solve(const std::string& name, const ContactProblem& problem, Vector& impulse, double tolerance = 1e-8,
                  int iterations = 0) {
  impulse = Vector();
  return makeSolver(name)->solve(problem, {.tolerance = tolerance, .iterations = iterations}, impulse);
}

// The same problem, given by W and b alone.
std::shared_ptr<ContactProblem> byMatrix(const ContactProblem& problem) {
  ProblemData data = problem.data();
  data.delassus = problem.delassus();
  data.compliance.setZero();
  data.bias = problem.b();
  data.inverseMass = nullptr;
  data.freeVelocity = {};
  data.jacobians.clear();
  return std::make_shared<ContactProblem>(std::move(data));
}

// Cubes of 1 m and 1 kg on one another, four contacts between two, one step of 0.01 s under gravity: Erleben's box stack.
std::shared_ptr<ContactProblem> boxStack(int height, Law law, double tilt = 0.0) {
  ProblemData data;
  data.freeVelocity = Vector::Zero(6 * height);
  for (int i = 0; i < height; ++i) {
    data.freeVelocity[6 * i + 2] = -0.0981;
    data.freeVelocity[6 * i] = tilt * 0.0981;
  }
  data.inverseMass = std::make_shared<FreeBodies>(std::vector<FreeBodies::Item>(height, {1.0, 6.0 * Mat3::Identity()}));
  for (int level = 0; level < height; ++level)
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5}) {
        BlockJacobian jacobian;
        jacobian.a = level - 1;
        jacobian.b = level;
        const auto part = [&](double z, double sign) {
          BlockJacobian::Part rows(3, 6);
          const Vec3 arm(x, y, z);
          int r = 0;
          for (const Vec3& d : {Vec3(0, 0, 1), Vec3(1, 0, 0), Vec3(0, 1, 0)})
            rows.row(r++) << sign * d.transpose(), sign * arm.cross(d).transpose();
          return rows;
        };
        if (level > 0) jacobian.partA = part(0.5, -1.0);
        jacobian.partB = part(-0.5, 1.0);
        data.blocks.push_back({.law = law,
                               .first = static_cast<int>(3 * data.blocks.size()),
                               .size = 3,
                               .friction = {0.5, 0.5},
                               .facets = law == Law::Pyramid ? 8 : 0});
        data.jacobians.push_back(jacobian);
      }
  return std::make_shared<ContactProblem>(std::move(data));
}

// Every law, with joints, limits, ellipses, compliance. Well posed: velocities of these are the same for every solver.
std::vector<RandomProblem> families() {
  return {
      {.law = Law::Interval},
      {.law = Law::Interval, .limits = 0.5},
      {.law = Law::Interval, .compliance = 0.01},
      {.joints = 3, .law = Law::Interval},
      {.law = Law::Box, .friction = 0.3},
      {.law = Law::Box, .friction = 0.3, .limits = 0.3},
      {.joints = 2, .law = Law::Box, .friction = 0.3},
      {.law = Law::Pyramid, .facets = 4, .friction = 0.3},
      {.law = Law::Pyramid, .facets = 10, .friction = 0.3, .elliptic = true},
      {.law = Law::Cone, .friction = 0.3},
      {.law = Law::Cone, .friction = 0.3, .elliptic = true},
      {.joints = 3, .law = Law::Cone, .friction = 0.3, .limits = 0.2},
      {.law = Law::Cone, .friction = 0.3, .compliance = 0.05},
      {.law = Law::Cone, .friction = 0.3, .redundant = true},
      {.law = Law::Cone, .friction = 0.0},
  };
}

TEST(Splitting, AllSolversConvergeOnEveryLawAndGiveTheSameVelocities) {
  int compared = 0;
  for (const RandomProblem& family : families()) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
      const auto problem = makeRandomProblem(family, seed);
      Vector reference;
      ASSERT_EQ(solve("bgs", *problem, reference, 1e-10).exit, Exit::Converged) << nameOf(family.law) << " " << seed;
      for (const std::string& name : kAll) {
        if (!makeSolver(name)->refusal(*problem).empty()) continue;
        // Jacobi is slow by nature.
        const double tolerance = name == "jacobi" ? 1e-6 : 1e-9;
        Vector impulse;
        const SolveReport report = solve(name, *problem, impulse, tolerance, 100000);
        EXPECT_EQ(report.exit, Exit::Converged)
            << name << " " << nameOf(family.law) << " seed " << seed << " " << report.residual.forTolerance();
        EXPECT_LE(judge(*problem, impulse).forTolerance(), tolerance);
        // Velocities differ by the residual times the conditioning; 1000 is what these draws show with room to spare.
        const double apart = (problem->bodyVelocity(impulse) - problem->bodyVelocity(reference)).lpNorm<Eigen::Infinity>();
        EXPECT_LT(apart, 1e3 * tolerance) << name << " " << nameOf(family.law) << " seed " << seed;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(Splitting, SolutionsAreFixedPointsOfEverySweep) {
  for (const RandomProblem& family : families()) {
    const auto problem = makeRandomProblem(family, 17);
    Vector solution;
    ASSERT_EQ(solve("nncg:sweep=bgs", *problem, solution, 1e-12, 200000).exit, Exit::Converged) << nameOf(family.law);
    for (const bool blocks : {false, true}) {
      const auto sweeper =
          blocks ? makeBlockSweeper(*problem, {}, LocalSolver::Auto) : makeRowSweeper(*problem, SweepOrder{});
      Vector impulse = solution;
      sweeper->start(impulse);
      sweeper->sweep(impulse);
      EXPECT_LT((impulse - solution).norm(), 1e-9 * solution.norm()) << nameOf(family.law) << blocks;
    }
  }
}

TEST(Splitting, BodiesAndMatrixGiveTheSameIterates) {
  for (const RandomProblem& family : families()) {
    const auto problem = makeRandomProblem(family, 5);
    const auto matrix = byMatrix(*problem);
    for (const std::string& name : kAll) {
      if (!makeSolver(name)->refusal(*problem).empty()) continue;
      if (name == "jacobi") continue;  // is damped differently
      Vector a, b;
      solve(name, *problem, a, 1e-16, 10);
      solve(name, *matrix, b, 1e-16, 10);
      EXPECT_LT((a - b).norm(), 1e-11 * a.norm()) << name << " " << nameOf(family.law);
    }
  }
}

TEST(Splitting, SweepsDoNotAllocate) {
  for (const RandomProblem& family : families()) {
    const auto bodies = makeRandomProblem(family, 3);
    for (const auto& problem : {bodies, byMatrix(*bodies)}) {
      for (const bool blocks : {false, true}) {
        for (const auto kind : {SweepOrder::Kind::Natural, SweepOrder::Kind::Random}) {
          const auto sweeper = blocks ? makeBlockSweeper(*problem, {.kind = kind}, LocalSolver::Auto)
                                      : makeRowSweeper(*problem, {.kind = kind});
          Vector impulse = Vector::Zero(problem->rows());
          sweeper->start(impulse);
          sweeper->sweep(impulse);
          sweeper->damp(0.9, blocks ? 0.0 : 0.1);
          const std::size_t before = test::allocationCount();
          for (int i = 0; i < 300; ++i) sweeper->sweep(impulse);  // more than between two fresh starts
          EXPECT_EQ(test::allocationCount() - before, 0u) << nameOf(family.law) << blocks;
        }
      }
    }
  }
}

TEST(Splitting, RandomOrderDependsOnTheSeedOnly) {
  const auto problem = makeRandomProblem({.contacts = 20}, 4);
  for (const std::string name : {"pgs", "bgs", "psor", "nncg"}) {
    Vector a, b, c, d;
    solve(name + ":order=random,seed=7", *problem, a, 1e-16, 20);
    solve(name + ":order=random,seed=7", *problem, b, 1e-16, 20);
    solve(name + ":order=random,seed=8", *problem, c, 1e-16, 20);
    solve(name, *problem, d, 1e-16, 20);
    EXPECT_TRUE((a.array() == b.array()).all()) << name;
    EXPECT_FALSE((a.array() == c.array()).all()) << name;
    EXPECT_FALSE((a.array() == d.array()).all()) << name;
  }
}

TEST(Splitting, EveryOrderAndEveryLocalSolverEndsAtTheSame) {
  const auto problem = makeRandomProblem({.joints = 2, .friction = 0.3}, 12);
  Vector reference;
  ASSERT_EQ(solve("bgs", *problem, reference, 1e-11).exit, Exit::Converged);
  for (const std::string name :
       {"bgs:order=reverse", "bgs:order=symmetric", "bgs:order=random", "bgs:local=newton", "bgs:local=quartic",
        "bgs:local=fixed_point", "bgs:relaxation=0.7", "bgs:relaxation=1.2", "pgs:order=reverse", "pgs:order=symmetric",
        "psor:relaxation=0.8", "psor:relaxation=1.5", "jacobi:relaxation=0.8", "subspace:sweeps=3"}) {
    Vector impulse;
    if (!makeSolver(name)->refusal(*problem).empty()) continue;
    const double tolerance = name.starts_with("jacobi") ? 1e-7 : 1e-10;
    EXPECT_EQ(solve(name, *problem, impulse, tolerance).exit, Exit::Converged) << name;
    EXPECT_LT((problem->bodyVelocity(impulse) - problem->bodyVelocity(reference)).norm(), 1e3 * tolerance) << name;
  }
}

// Erleben fig. 5: the merit of a stack falls by the same factor sweep after sweep.
TEST(Splitting, GaussSeidelConvergesLinearlyOnABoxStack) {
  for (const std::string name : {"pgs", "bgs"}) {
    const auto problem = boxStack(3, Law::Box);
    Vector impulse;
    IterationLog log;
    makeSolver(name)->solve(*problem, {.tolerance = 1e-12, .iterations = 450}, impulse, &log);
    ASSERT_GT(log.entries.size(), 400u) << name;
    const auto fall = [&](int from, int to) {
      return (std::log(log.entries[to].residual.merit) - std::log(log.entries[from].residual.merit)) / (to - from);
    };
    const double early = fall(100, 250), late = fall(250, 400);
    EXPECT_LT(late, -0.03) << name;
    EXPECT_NEAR(early / late, 1.0, 0.1) << name;
  }
}

TEST(Splitting, ConjugateGradientsAndSubspacesBeatGaussSeidelOnStacks) {
  const auto six = boxStack(6, Law::Box), twenty = boxStack(20, Law::Box, 0.02);
  Vector impulse;
  const SolveReport pgs = solve("pgs", *six, impulse), nncg = solve("nncg", *six, impulse),
                    subspace = solve("subspace", *six, impulse);
  EXPECT_EQ(pgs.exit, Exit::Converged);
  EXPECT_EQ(nncg.exit, Exit::Converged);
  EXPECT_EQ(subspace.exit, Exit::Converged);
  EXPECT_LT(10 * nncg.iterations, pgs.iterations);
  EXPECT_LT(10 * subspace.iterations, pgs.iterations);
  // Twenty cubes: too many for sweeps alone, one linear solve for a good guess.
  EXPECT_EQ(solve("pgs", *twenty, impulse, 1e-6, 1000).exit, Exit::IterationLimit);
  EXPECT_EQ(solve("subspace", *twenty, impulse, 1e-7, 100).exit, Exit::Converged);
}

// Erleben fig. 7: a constant gamma leaves impulses too weak. One that fades does not.
TEST(Psor, FadingRegularisationEndsAtTheTrueSolution) {
  const auto problem = boxStack(5, Law::Cone, 0.2);
  const double weight = 5 * 0.0981;  // N s, of all cubes in one step
  const auto support = [&](const Vector& impulse) { return impulse[0] + impulse[3] + impulse[6] + impulse[9]; };
  for (const std::string name :
       {"psor:relaxation=1,regularisation=0.1", "psor:regularisation=1,decay=0.8", "psor:regularisation=100,decay=0.5"}) {
    Vector impulse;
    const SolveReport report = solve(name, *problem, impulse, 1e-9);
    EXPECT_EQ(report.exit, Exit::Converged) << name;
    EXPECT_NEAR(support(impulse), weight, 1e-7) << name;
  }
  Vector weak;  // gamma hardly fades in 200 sweeps
  solve("psor:relaxation=1,regularisation=0.1,decay=0.999", *problem, weak, 1e-9, 200);
  EXPECT_LT(support(weak), 0.95 * weight);
}

TEST(Splitting, WarmStartAtTheSolutionEndsAtOnce) {
  const auto problem = makeRandomProblem({.friction = 0.3}, 8);
  Vector solution;
  ASSERT_EQ(solve("bgs", *problem, solution, 1e-11).exit, Exit::Converged);
  for (const std::string& name : kAll) {
    const auto solver = makeSolver(name);
    if (!solver->refusal(*problem).empty()) continue;
    Vector impulse = solution;
    const SolveReport report = solver->solve(*problem, {.tolerance = 1e-8}, impulse);
    EXPECT_EQ(report.exit, Exit::Converged) << name;
    EXPECT_LE(report.iterations, 1) << name;
  }
}

TEST(Splitting, TrivialAndDegenerateProblems) {
  std::vector<std::shared_ptr<ContactProblem>> problems;
  problems.push_back(std::make_shared<ContactProblem>(ProblemData{}));  // no rows
  {
    ProblemData data = boxStack(3, Law::Cone)->data();  // all separates
    for (int i = 0; i < 3; ++i) data.freeVelocity[6 * i + 2] = 1.0 + i;
    problems.push_back(std::make_shared<ContactProblem>(std::move(data)));
  }
  for (const Law law : {Law::Box, Law::Pyramid, Law::Cone}) {  // between two things that cannot be moved
    ProblemData data = boxStack(2, law)->data();
    data.inverseMass = std::make_shared<FreeBodies>(std::vector<FreeBodies::Item>(2));
    data.freeVelocity.setZero();
    problems.push_back(std::make_shared<ContactProblem>(std::move(data)));
  }
  {  // one row each, free of influence
    ProblemData data;
    data.blocks = {{.law = Law::Interval, .first = 0, .size = 1}, {.law = Law::Free, .first = 1, .size = 1}};
    data.bias = Eigen::Vector2d(0.5, 0.0);
    data.delassus.resize(2, 2);
    problems.push_back(std::make_shared<ContactProblem>(std::move(data)));
  }
  {  // one contact row
    ProblemData data;
    data.blocks = {{.law = Law::Interval, .first = 0, .size = 1}};
    data.bias = Vector::Constant(1, -2.0);
    data.delassus = Matrix(Matrix::Constant(1, 1, 4.0)).sparseView();
    problems.push_back(std::make_shared<ContactProblem>(std::move(data)));
  }
  for (std::size_t i = 0; i < problems.size(); ++i) {
    for (const std::string& name : kAll) {
      if (!makeSolver(name)->refusal(*problems[i]).empty()) continue;
      Vector impulse;
      EXPECT_EQ(solve(name, *problems[i], impulse).exit, Exit::Converged) << name << " problem " << i;
    }
  }
  Vector impulse;
  solve("bgs", *problems.back(), impulse);
  EXPECT_NEAR(impulse[0], 0.5, 1e-15);
}

// A tangent along which the body cannot be moved (infinite mass that way) slips all the same: friction must oppose it.
TEST(Splitting, FrictionOpposesSlipThatItCannotStop) {
  for (const Law law : {Law::Box, Law::Pyramid, Law::Cone}) {
    ProblemData data;
    data.blocks.push_back({.law = law, .first = 0, .size = 3, .friction = {0.5, 0.5}, .facets = 8});
    data.bias = Vec3(-1.0, 0.0, 2.0);
    data.delassus = Matrix(Vec3(2.0, 2.0, 0.0).asDiagonal()).sparseView();
    const ContactProblem problem(std::move(data));
    for (const std::string& name : kAll) {
      if (!makeSolver(name)->refusal(problem).empty()) continue;
      Vector impulse;
      EXPECT_EQ(solve(name, problem, impulse).exit, Exit::Converged) << name << " " << nameOf(law);
      EXPECT_NEAR(impulse[2], -0.25, 1e-7) << name << " " << nameOf(law);
    }
  }
}

// Nothing may crash, hang or leave numbers that are none, whatever the matrix.
TEST(Splitting, SurvivesNonsense) {
  std::mt19937 random(21);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  for (int trial = 0; trial < 200; ++trial) {
    ProblemData data;
    int rows = 0;
    for (int i = 0; i < 5; ++i) {
      const Law law = static_cast<Law>(std::uniform_int_distribution<int>(0, 4)(random));
      const int size = isContact(law) ? 2 + trial % 2 : 1 + (trial + i) % 6;
      data.blocks.push_back(
          {.law = law, .first = rows, .size = size, .friction = {uniform(0, 3), uniform(0, 3)}, .facets = 6});
      rows += size;
    }
    Matrix w = Matrix::NullaryExpr(rows, rows, [&] { return uniform(0, 1) < 0.3 ? 0.0 : uniform(-1, 1); });
    if (trial % 3 == 0) w = (w * w.transpose()).eval();
    if (trial % 4 == 0) w.row(trial % rows).setZero();
    w *= std::pow(10.0, uniform(-12, 12));
    data.delassus = w.sparseView();
    data.bias = Vector::NullaryExpr(rows, [&] { return uniform(-1, 1); });
    data.lower = Vector::NullaryExpr(rows, [&] { return -uniform(0, 1); });
    data.upper = Vector::NullaryExpr(rows, [&] { return uniform(0, 1); });
    const ContactProblem problem(std::move(data));
    for (const std::string& name : kAll) {
      Vector impulse;
      const SolveReport report = solve(name, problem, impulse, 1e-8, 300);
      EXPECT_TRUE(impulse.allFinite()) << name;
      EXPECT_LE(report.iterations, 300) << name;
    }
  }
}

TEST(Splitting, KeepsToItsLimits) {
  const auto problem = boxStack(40, Law::Cone, 0.3);
  for (const std::string& name : kAll) {
    const auto solver = makeSolver(name);
    if (!solver->refusal(*problem).empty()) continue;
    Vector impulse;
    SolveReport report = solver->solve(*problem, {.tolerance = 1e-15, .iterations = 7}, impulse);
    EXPECT_EQ(report.exit, Exit::IterationLimit) << name;
    EXPECT_EQ(report.iterations, 7) << name;
    impulse.resize(0);
    report = solver->solve(*problem, {.tolerance = 1e-15, .iterations = 100000000, .milliseconds = 5.0}, impulse);
    EXPECT_EQ(report.exit, Exit::TimeLimit) << name;
  }
}

TEST(Splitting, StallsOnlyAtRounding) {
  const auto problem = makeRandomProblem({.friction = 0.3}, 2);
  for (const std::string name : {"pgs", "bgs", "psor"}) {
    Vector impulse;
    const SolveReport report = solve(name, *problem, impulse, 0.0, 100000);  // asks for more than there is
    EXPECT_TRUE(report.exit == Exit::Stalled || report.exit == Exit::Converged) << name;
    EXPECT_LT(report.residual.relative, 1e-14) << name;
  }
}

TEST(Splitting, RefusesWhatItCannotDo) {
  const auto round = makeRandomProblem({.law = Law::Cone}, 1);
  Vector impulse;
  EXPECT_EQ(solve("subspace", *round, impulse).exit, Exit::Unsupported);
  EXPECT_NE(makeSolver("subspace")->refusal(*round).find("cone"), std::string::npos);
  EXPECT_THROW(makeSolver("psor:relaxation=2.5"), std::invalid_argument);
  EXPECT_THROW(makeSolver("bgs:local=magic"), std::invalid_argument);
  EXPECT_THROW(makeSolver("pgs:order=sideways"), std::invalid_argument);
}

}  // namespace
}  // namespace cairn
