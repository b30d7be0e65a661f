#include <gtest/gtest.h>

#include <Eigen/QR>

#include "problem/nearest_point.hpp"
#include "random_problems.hpp"

namespace cairn {
namespace {

using testing::makeRandomProblem;
using testing::RandomProblem;

constexpr RandomProblem kFrictionless{.law = Law::Interval};

SolveReport solve(const ContactProblem& problem, Vector& impulse, const char* spec = "nnls", double tolerance = 1e-11) {
  SolveLimits limits;
  limits.tolerance = tolerance;
  return makeSolver(spec)->solve(problem, limits, impulse);
}

// The least z with A z >= d (= on free rows), by trying every set of rows that hold with equality. Empty if there is none.
std::optional<Vector> leastMotionByEnumeration(const LeastMotion& motion) {
  const Matrix a(motion.a);
  std::optional<Vector> best;
  for (int subset = 0; subset < 1 << motion.rows(); ++subset) {
    std::vector<int> rows;
    bool hasFree = true;
    for (int j = 0; j < motion.rows(); ++j) {
      if (subset >> j & 1) rows.push_back(j);
      if (motion.isFree[j] && !(subset >> j & 1)) hasFree = false;
    }
    if (!hasFree) continue;
    Vector z = Vector::Zero(a.cols());
    if (!rows.empty()) z = Matrix(a(rows, Eigen::all)).completeOrthogonalDecomposition().solve(Vector(motion.d(rows)));
    const Vector slack = a * z - motion.d;
    bool allowed = true;
    for (int j = 0; j < motion.rows(); ++j)
      if (motion.isFree[j] ? std::abs(slack[j]) > 1e-9 : slack[j] < -1e-9) allowed = false;
    if (allowed && (!best || z.norm() < best->norm())) best = z;
  }
  return best;
}

TEST(Nnls, AgreesWithTryingEveryActiveSet) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomProblem ask = kFrictionless;
    ask.bodies = 2 + static_cast<int>(seed % 3);
    ask.joints = seed % 2;
    ask.contacts = 8 - 3 * ask.joints;
    if (seed % 4 >= 2) {
      ask.redundant = true;
      ask.joints = 0;
      ask.contacts = 4;
    }
    if (seed % 5 == 1) ask.compliance = 0.1;
    const auto problem = makeRandomProblem(ask, seed);
    const LeastMotion motion = lowerToLeastMotion(*problem);
    const std::optional<Vector> expected = leastMotionByEnumeration(motion);
    ASSERT_TRUE(expected.has_value());
    Vector impulse;
    const SolveReport report = solve(*problem, impulse);
    EXPECT_EQ(report.exit, Exit::Converged) << report.message << report.residual.forTolerance();
    const Vector z = motion.a.transpose() * impulse;
    EXPECT_LE((z - *expected).norm(), 1e-10 * (1.0 + expected->norm()));
    EXPECT_LE((bodyVelocity(*problem, motion, *expected) - problem->bodyVelocity(impulse)).norm(), 1e-9);
  }
}

TEST(Nnls, SolvesLargerProblemsToRoundingWithJointsRedundancyAndCompliance) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    for (const char* spec : {"nnls:matrix=sparse", "nnls:matrix=dense", "nnls"}) {
      for (const bool redundant : {false, true}) {
        for (const double compliance : {0.0, 1e-3}) {
          SCOPED_TRACE(std::string(spec) + (redundant ? " redundant " : " ") + std::to_string(compliance) + " seed " +
                       std::to_string(seed));
          RandomProblem ask = kFrictionless;
          ask.bodies = 20;
          ask.contacts = 50;
          ask.joints = static_cast<int>(seed % 3) * 4;
          ask.redundant = redundant;
          ask.compliance = compliance;
          const auto problem = makeRandomProblem(ask, seed);
          Vector impulse;
          const SolveReport report = solve(*problem, impulse);
          EXPECT_EQ(report.exit, Exit::Converged) << report.residual.forTolerance();
          EXPECT_LE(report.residual.forTolerance(), 1e-12);
        }
      }
    }
  }
}

// A ten-million-fold mass ratio costs digits, but not the solution.
TEST(Nnls, TakesLargeMassRatios) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const double ratio : {1e3, 1e5, 1e7}) {
      RandomProblem ask = kFrictionless;
      ask.bodies = 10;
      ask.contacts = 25;
      ask.massRatio = ratio;
      Vector impulse;
      const SolveReport report = solve(*makeRandomProblem(ask, seed), impulse, "nnls", 1e-8);
      EXPECT_EQ(report.exit, Exit::Converged) << seed << " " << ratio << " " << report.residual.forTolerance();
    }
  }
}

TEST(Nnls, SolvesProblemsGivenByTheirMatrix) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    RandomProblem ask = kFrictionless;
    ask.redundant = seed % 2 == 1;  // W has half the rank
    ask.joints = 1;
    const auto bodies = makeRandomProblem(ask, seed);
    ProblemData data;
    data.blocks = bodies->blocks();
    data.bias = bodies->b();
    data.delassus = bodies->delassus();
    const ContactProblem problem(std::move(data));
    Vector impulse, expected;
    EXPECT_EQ(solve(problem, impulse).exit, Exit::Converged);
    EXPECT_EQ(solve(*bodies, expected).exit, Exit::Converged);
    EXPECT_LE((problem.velocity(impulse) - bodies->velocity(expected)).norm(), 1e-10);
  }
}

TEST(Nnls, LeavesSeparatingContactsAlone) {
  const auto base = makeRandomProblem(kFrictionless, 3);
  ProblemData data = base->data();
  data.bias = -base->b() + base->data().bias + Vector::Constant(base->rows(), 0.1);  // all separate at 0.1 m/s
  const ContactProblem problem(std::move(data));
  Vector impulse = Vector::Ones(problem.rows());
  const SolveReport report = solve(problem, impulse);
  EXPECT_EQ(report.exit, Exit::Converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(impulse, Vector::Zero(problem.rows()));
}

// A body between two walls that close: each demands 1 m/s along its own normal.
ProblemData jammed() {
  ProblemData data;
  data.inverseMass =
      std::make_shared<FreeBodies>(std::vector<FreeBodies::Item>{{0.5, Mat3::Identity()}, {2.0, Mat3::Zero()}});
  for (int i = 0; i < 3; ++i) {
    data.blocks.push_back({.law = Law::Interval, .first = i, .size = 1});
    BlockJacobian j;
    j.b = i == 2 ? 1 : 0;
    j.partB = BlockJacobian::Part::Zero(1, 6);
    j.partB(0, 2) = i == 1 ? -1.0 : 1.0;
    data.jacobians.push_back(j);
  }
  data.bias = Vector::Constant(3, -1.0);
  return data;
}

TEST(Nnls, CertifiesThatProblemsCannotBeSolved) {
  for (const char* spec : {"nnls:matrix=sparse", "nnls:matrix=dense"}) {
    const ContactProblem problem(jammed());
    Vector impulse = Vector::Zero(3);
    SolveReport report = solve(problem, impulse, spec);
    EXPECT_EQ(report.exit, Exit::Infeasible);
    EXPECT_NE(report.message.find("0, 1"), std::string::npos) << report.message;
    EXPECT_EQ(impulse, Vector::Zero(3));  // as it came

    ProblemData soft = jammed();  // walls that give way
    soft.compliance = Vector::Constant(3, 1e-3);
    EXPECT_EQ(solve(ContactProblem(std::move(soft)), impulse, spec).exit, Exit::Converged);

    ProblemData joints = jammed();
    joints.blocks[0].law = joints.blocks[1].law = Law::Free;
    const ContactProblem contradiction(std::move(joints));
    report = solve(contradiction, impulse, spec);
    EXPECT_EQ(report.exit, Exit::Inconsistent) << report.message;

    ProblemData stuck = jammed();  // the second body cannot be moved
    stuck.inverseMass =
        std::make_shared<FreeBodies>(std::vector<FreeBodies::Item>{{0.5, Mat3::Identity()}, {0.0, Mat3::Zero()}});
    stuck.bias[1] = 2.0;  // and the walls are no trouble
    report = solve(ContactProblem(std::move(stuck)), impulse, spec);
    EXPECT_EQ(report.exit, Exit::Infeasible);
    EXPECT_NE(report.message.find("row 2"), std::string::npos) << report.message;
  }
}

TEST(Nnls, FindsInfeasibilityExactlyWhereNoActiveSetIsFeasible) {
  int infeasible = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    RandomProblem ask = kFrictionless;
    ask.bodies = 1;
    ask.contacts = 7;
    const auto base = makeRandomProblem(ask, seed);
    ProblemData data = base->data();
    srand(seed);
    data.bias = 2.0 * Vector::Random(base->rows());  // walls that move: not always solvable
    for (auto& jacobian : data.jacobians) {          // seven walls around a point, on either side of it
      jacobian.partB.rightCols<3>().setZero();
      if (rand() % 2 == 0) jacobian.partB *= -1.0;
    }
    const ContactProblem problem(std::move(data));
    const LeastMotion motion = lowerToLeastMotion(problem);
    const std::optional<Vector> expected = leastMotionByEnumeration(motion);
    Vector impulse;
    const SolveReport report = solve(problem, impulse);
    EXPECT_EQ(report.exit, expected ? Exit::Converged : Exit::Infeasible) << seed << " " << report.message;
    if (!expected) {
      ++infeasible;
      continue;
    }
    EXPECT_LE((Vector(motion.a.transpose() * impulse) - *expected).norm(), 1e-9 * (1.0 + expected->norm()));
  }
  EXPECT_GT(infeasible, 5);
  EXPECT_LT(infeasible, 55);
}

TEST(Nnls, StartsFromTheImpulsesItIsGiven) {
  RandomProblem ask = kFrictionless;
  ask.bodies = 20;
  ask.contacts = 50;
  ask.joints = 3;
  const auto problem = makeRandomProblem(ask, 1);
  Vector impulse;
  const SolveReport cold = solve(*problem, impulse);
  const SolveReport warm = solve(*problem, impulse);
  EXPECT_GT(cold.iterations, 10);
  EXPECT_EQ(warm.iterations, 0);
  EXPECT_EQ(warm.exit, Exit::Converged);
}

TEST(Nnls, KeepsToItsLimits) {
  RandomProblem ask = kFrictionless;
  ask.bodies = 20;
  ask.contacts = 50;
  SolveLimits limits;
  limits.iterations = 4;
  Vector impulse;
  IterationLog log;
  const SolveReport report = makeSolver("nnls")->solve(*makeRandomProblem(ask, 1), limits, impulse, &log);
  EXPECT_EQ(report.exit, Exit::IterationLimit);
  EXPECT_EQ(report.iterations, 4);
  EXPECT_EQ(log.entries.size(), 6u);  // the start, four passes, and the end
  EXPECT_GE(impulse.minCoeff(), 0.0);
}

TEST(Nnls, RefusesWhatItCannotDoByName) {
  Vector impulse;
  for (const Law law : {Law::Box, Law::Pyramid, Law::Cone}) {
    const SolveReport report = solve(*makeRandomProblem({.law = law}, 1), impulse);
    EXPECT_EQ(report.exit, Exit::Unsupported);
    EXPECT_NE(report.message.find(nameOf(law)), std::string::npos);
  }
  RandomProblem ask = kFrictionless;
  ask.limits = 1.0;
  EXPECT_EQ(solve(*makeRandomProblem(ask, 1), impulse).exit, Exit::Unsupported);
  EXPECT_THROW(makeSolver("nnls:matrix=round"), std::invalid_argument);

  ProblemData data;
  data.blocks.push_back({.law = Law::Interval, .first = 0, .size = 2});
  data.bias = Vector::Constant(2, -1.0);
  Matrix w(2, 2);
  w << 1.0, 0.5, 0.2, 1.0;
  data.delassus = w.sparseView();
  EXPECT_EQ(solve(ContactProblem(data), impulse).exit, Exit::Unsupported);
  w << 1.0, 2.0, 2.0, 1.0;  // eigenvalues 3 and -1, yet (1/3, 1/3) solves it: refused, since motions have no length
  data.delassus = w.sparseView();
  impulse.setZero();
  const SolveReport report = solve(ContactProblem(data), impulse);
  EXPECT_EQ(report.exit, Exit::Unsupported);
  EXPECT_NE(report.message.find("negative eigenvalues"), std::string::npos);
}

}  // namespace
}  // namespace cairn
