// Newton's methods, on contacts and on LCPs, and the solver that chooses.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "problem/admissible.hpp"
#include "solvers/block_lu.hpp"
#include "solvers/contact_newton.hpp"
#include "solvers/contact_pieces.hpp"
#include "solvers/random_problems.hpp"

namespace cairn {
namespace {

using testing::makeRandomProblem;
using testing::RandomProblem;

const std::vector<std::string> kNewtonSolvers{"alart_curnier", "fischer_newton", "minmap_newton", "auto"};

std::shared_ptr<ContactProblem> fromMatrix(const Matrix& w, const Vector& b, std::vector<Block> blocks) {
  ProblemData data;
  data.delassus = w.sparseView();
  data.bias = b;
  data.blocks = std::move(blocks);
  return std::make_shared<ContactProblem>(std::move(data));
}

std::vector<Block> contacts(Law law, int count, double mu, int facets = 8) {
  std::vector<Block> blocks;
  for (int i = 0; i < count; ++i)
    blocks.push_back({.law = law, .first = 3 * i, .size = 3, .friction = {mu, mu}, .facets = facets});
  return blocks;
}

void expectSolved(const std::string& solver, const ContactProblem& problem, const std::string& what) {
  Vector impulse;
  const SolveReport report = makeSolver(solver)->solve(problem, {.tolerance = 1e-9}, impulse);
  EXPECT_EQ(nameOf(report.exit), nameOf(Exit::Converged))
      << solver << " on " << what << ": " << report.residual.forTolerance();
  EXPECT_LE(judge(problem, impulse).forTolerance(), 1e-9) << solver << " on " << what;
}

// Bodies far apart in mass, chains of joints, every contact twice, limits, friction from none to 1: all to 1e-9.
TEST(Newton, SolvesRandomProblemsOfEveryLaw) {
  const std::vector<RandomProblem> asks{
      {.bodies = 6, .contacts = 10},
      {.bodies = 6, .contacts = 10, .friction = 1.0, .elliptic = true, .massRatio = 1e3},
      {.bodies = 5, .contacts = 8, .joints = 4, .redundant = true, .limits = 0.2},
      {.bodies = 4, .contacts = 16, .compliance = 0.01},
      {.bodies = 6, .contacts = 10, .friction = 0.0},
  };
  for (const Law law : {Law::Interval, Law::Box, Law::Pyramid, Law::Cone})
    for (std::size_t i = 0; i < asks.size(); ++i)
      for (unsigned seed = 1; seed <= 8; ++seed) {
        RandomProblem ask = asks[i];
        ask.law = law;
        ask.facets = i % 2 == 0 ? 4 : 6;
        const auto problem = makeRandomProblem(ask, seed);
        for (const std::string& name : kNewtonSolvers) {
          const auto solver = makeSolver(name);
          if (law == Law::Cone && !solver->capabilities().has(Law::Cone)) {
            Vector impulse;
            EXPECT_EQ(solver->solve(*problem, {}, impulse).exit, Exit::Unsupported);
            continue;
          }
          expectSolved(name, *problem, std::string(nameOf(law)) + " " + std::to_string(i) + " seed " + std::to_string(seed));
        }
      }
}

// With full rank and little friction the solution is unique: different methods, the same impulses.
TEST(Newton, MethodsAgreeOnTheImpulsesWhereThoseAreUnique) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto problem =
        makeRandomProblem({.bodies = 8, .contacts = 5, .law = Law::Pyramid, .facets = 6, .friction = 0.2}, seed);
    Vector reference;
    ASSERT_EQ(makeSolver("bgs")->solve(*problem, {.tolerance = 1e-11}, reference).exit, Exit::Converged);
    for (const std::string& name : kNewtonSolvers) {
      Vector impulse;
      ASSERT_EQ(makeSolver(name)->solve(*problem, {.tolerance = 1e-11}, impulse).exit, Exit::Converged) << name;
      EXPECT_LT((impulse - reference).norm(), 1e-7 * reference.norm()) << name << " seed " << seed;
    }
  }
}

// A ball of 2 kg on the ground with friction 0.3, by hand: it slides, sticks or leaves.
TEST(Newton, FindsTheClosedFormOfABallOnTheGround) {
  const Matrix w = 0.5 * Matrix::Identity(3, 3);
  for (const std::string& name : kNewtonSolvers) {
    const Law law = name == "alart_curnier" || name == "auto" ? Law::Cone : Law::Box;
    const auto solve = [&](const Vec3& b) {
      Vector impulse;
      EXPECT_EQ(makeSolver(name)->solve(*fromMatrix(w, b, contacts(law, 1, 0.3)), {.tolerance = 1e-12}, impulse).exit,
                Exit::Converged);
      return impulse;
    };
    EXPECT_LT((solve(Vec3(-1.0, 5.0, 0.0)) - Vec3(2.0, -0.6, 0.0)).norm(), 1e-11) << name;
    EXPECT_LT((solve(Vec3(-1.0, 0.2, 0.1)) - Vec3(2.0, -0.4, -0.2)).norm(), 1e-11) << name;
    EXPECT_LT(solve(Vec3(1.0, 3.0, 0.0)).norm(), 1e-12) << name;
  }
}

// From nearby the residual falls with an order above 1.5: five steps do for twelve digits.
TEST(AlartCurnier, ConvergesInAFewStepsFromNearby) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto problem = makeRandomProblem({.bodies = 12, .contacts = 25, .friction = 0.4}, seed);
    Vector solution;
    ASSERT_EQ(makeSolver("auto")->solve(*problem, {.tolerance = 1e-13}, solution).exit, Exit::Converged);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0.0, 1e-5);
    Vector start = solution;
    for (double& l : start) l *= 1.0 + normal(random);
    const SolveReport report = makeSolver("alart_curnier")->solve(*problem, {.tolerance = 1e-12}, start);
    EXPECT_EQ(report.exit, Exit::Converged);
    EXPECT_LE(report.iterations, 5) << "seed " << seed;
  }
}

// Twenty contacts at one body, whose W has rank 6 of 60: impulses are not unique, velocities are.
TEST(AlartCurnier, SolvesRankDeficientProblems) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto problem = makeRandomProblem({.bodies = 1, .contacts = 20, .friction = 0.7}, seed);
    ASSERT_EQ(Eigen::FullPivLU<Matrix>(problem->denseDelassus()).setThreshold(1e-10).rank(), 6);
    expectSolved("alart_curnier", *problem, "one body, seed " + std::to_string(seed));
    expectSolved("auto", *problem, "one body, seed " + std::to_string(seed));
  }
}

TEST(AlartCurnier, SolvesUnsymmetricProblems) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto base = makeRandomProblem({.bodies = 8, .contacts = 12}, seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1e-2, 1e-2);
    Matrix w = base->denseDelassus();
    for (Eigen::Index i = 0; i < w.size(); ++i) w.data()[i] *= 1.0 + uniform(random);
    const auto problem = fromMatrix(w, base->b(), base->blocks());
    EXPECT_FALSE(problem->isSymmetric());
    expectSolved("alart_curnier", *problem, "unsymmetric");
    expectSolved("auto", *problem, "unsymmetric");
  }
}

TEST(Newton, FrictionOfZeroIsFrictionless) {
  const auto problem = makeRandomProblem({.bodies = 8, .contacts = 12, .law = Law::Box, .friction = 0.0}, 3);
  const auto normals = makeRandomProblem({.bodies = 8, .contacts = 12, .law = Law::Interval, .friction = 0.0}, 3);
  Vector reference;
  ASSERT_EQ(makeSolver("alart_curnier")->solve(*normals, {.tolerance = 1e-12}, reference).exit, Exit::Converged);
  for (const std::string& name : kNewtonSolvers) {
    Vector impulse;
    EXPECT_EQ(makeSolver(name)->solve(*problem, {.tolerance = 1e-12}, impulse).exit, Exit::Converged) << name;
    for (int i = 0; i < 12; ++i) {
      EXPECT_NEAR(impulse[3 * i], reference[i], 1e-10) << name;
      EXPECT_EQ(impulse[3 * i + 1], 0.0) << name;
    }
  }
}

// LCPs of contacts without friction whose solution has x = y = 0 in half of the rows: b = y - W x for chosen x and y.
TEST(Newton, SolvesDegenerateProblems) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const int n = 12;
    const Matrix g = Matrix::NullaryExpr(n, n, [&] { return uniform(random); });
    const Matrix w = g * g.transpose() + 0.1 * Matrix::Identity(n, n);
    Vector x = Vector::Zero(n), y = Vector::Zero(n);
    for (int i = 0; i < n; i += 4) x[i] = 1.0 + uniform(random);
    for (int i = 2; i < n; i += 4) y[i] = 1.0 + uniform(random);
    std::vector<Block> blocks;
    for (int i = 0; i < n; ++i) blocks.push_back({.law = Law::Interval, .first = i, .size = 1});
    const auto problem = fromMatrix(w, y - w * x, blocks);
    for (const std::string& name : kNewtonSolvers) {
      Vector impulse;
      EXPECT_EQ(makeSolver(name)->solve(*problem, {.tolerance = 1e-10}, impulse).exit, Exit::Converged) << name;
      EXPECT_LT((impulse - x).norm(), 1e-7) << name << " seed " << seed;
    }
  }
}

// Two joints that demand different speeds of the same row have no solution, whatever the method: the exit has to say so, the
// impulses have to be numbers, and it has to end.
TEST(Newton, ProblemsWithoutASolutionEndWithAName) {
  const Matrix w = Matrix::Ones(2, 2);
  const auto problem = fromMatrix(w, Eigen::Vector2d(1.0, -1.0),
                                  {{.law = Law::Free, .first = 0, .size = 1}, {.law = Law::Free, .first = 1, .size = 1}});
  for (const std::string& name : kNewtonSolvers) {
    Vector impulse;
    const SolveReport report = makeSolver(name)->solve(*problem, {}, impulse);
    EXPECT_TRUE(report.exit == Exit::Stalled || report.exit == Exit::IterationLimit) << name << " " << nameOf(report.exit);
    EXPECT_TRUE(impulse.allFinite()) << name;
  }
}

// A local minimum of Psi that is no solution: with restarts forbidden the exit is Stalled; with them it is left.
TEST(Newton, RestartsLeaveLocalMinimaOfTheMerit) {
  int stalled = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const auto problem = makeRandomProblem({.bodies = 10, .contacts = 30, .law = Law::Box, .friction = 1.0}, seed);
    for (const std::string name : {"alart_curnier", "fischer_newton", "minmap_newton"}) {
      Vector impulse;
      const SolveReport report = makeSolver(name + ":restarts=0,sweeps=0")->solve(*problem, {.tolerance = 1e-9}, impulse);
      ASSERT_TRUE(report.exit == Exit::Converged || report.exit == Exit::Stalled) << name << " " << nameOf(report.exit);
      if (report.exit == Exit::Converged) continue;
      ++stalled;
      if (name == "alart_curnier") expectSolved(name, *problem, "seed " + std::to_string(seed));
    }
  }
  EXPECT_GT(stalled, 0);  // otherwise this test shows nothing
}

TEST(Newton, ZeroDiagonalBlocksAndNothingToDoAreHarmless) {
  // One contact that cannot be moved (it separates, so all is well), one that can.
  Matrix w = Matrix::Zero(6, 6);
  w.bottomRightCorner(3, 3) = Matrix::Identity(3, 3);
  Vector b(6);
  b << 1.0, 0.0, 0.0, -1.0, 0.5, 0.0;
  for (const std::string& name : kNewtonSolvers) {
    const Law law = name == "alart_curnier" || name == "auto" ? Law::Cone : Law::Box;
    expectSolved(name, *fromMatrix(w, b, contacts(law, 2, 0.5)), "zero block");
    expectSolved(name, *fromMatrix(Matrix::Identity(3, 3), Vector::Zero(3), contacts(law, 1, 0.5)), "nothing to do");
    expectSolved(name, *fromMatrix(Matrix::Identity(3, 3), Vec3(1.0, 2.0, 3.0), contacts(law, 1, 0.5)), "separating");
    expectSolved(name, *fromMatrix(Matrix(0, 0), Vector(0), {}), "no rows");
    expectSolved(name, *fromMatrix(Matrix::Constant(1, 1, 2.0), Vector::Constant(1, -3.0), {{.law = Law::Free, .size = 1}}),
                 "one row");
  }
  // A contact that cannot be moved and comes nearer has no solution.
  b[0] = -1.0;
  for (const std::string& name : kNewtonSolvers) {
    const Law law = name == "alart_curnier" || name == "auto" ? Law::Cone : Law::Box;
    Vector impulse;
    const SolveReport report = makeSolver(name)->solve(*fromMatrix(w, b, contacts(law, 2, 0.5)), {}, impulse);
    EXPECT_NE(report.exit, Exit::Converged) << name;
    EXPECT_TRUE(impulse.allFinite()) << name;
  }
}

TEST(Newton, KeepsToItsLimits) {
  const auto problem = makeRandomProblem({.bodies = 20, .contacts = 60, .law = Law::Pyramid, .friction = 1.0}, 2);
  for (const std::string& name : kNewtonSolvers) {
    Vector impulse;
    SolveReport report = makeSolver(name)->solve(*problem, {.tolerance = 1e-300, .iterations = 7}, impulse);
    EXPECT_EQ(report.exit, Exit::IterationLimit) << name;
    EXPECT_LE(report.iterations, 8) << name;
    impulse.setZero();
    report = makeSolver(name)->solve(*problem, {.tolerance = 1e-300, .iterations = 1000000, .milliseconds = 5.0}, impulse);
    EXPECT_EQ(report.exit, Exit::TimeLimit) << name;
  }
}

TEST(Newton, ASolutionHandedInIsReturned) {
  const auto problem = makeRandomProblem({.bodies = 10, .contacts = 20, .law = Law::Pyramid, .facets = 6}, 4);
  Vector solution;
  ASSERT_EQ(makeSolver("auto")->solve(*problem, {.tolerance = 1e-12}, solution).exit, Exit::Converged);
  for (const std::string& name : kNewtonSolvers) {
    Vector impulse = solution;
    const SolveReport report = makeSolver(name)->solve(*problem, {.tolerance = 1e-8}, impulse);
    EXPECT_EQ(report.exit, Exit::Converged) << name;
    EXPECT_LE(report.iterations, 1) << name;
    EXPECT_LT((impulse - solution).norm(), 1e-6 * solution.norm()) << name;
  }
}

TEST(Newton, OptionsAreRead) {
  EXPECT_NO_THROW(makeSolver("alart_curnier:step=2,proximal=0,memory=1,sweeps=0,restarts=3"));
  EXPECT_NO_THROW(makeSolver("fischer_newton:sufficient=0.01,halvings=20,memory=1,proximal=0.2,sweeps=0,restarts=1"));
  EXPECT_NO_THROW(makeSolver("minmap_newton:sweeps=20"));
  EXPECT_NO_THROW(makeSolver("auto:sweeps=20,newton=2"));
  EXPECT_THROW(makeSolver("alart_curnier:step=0"), std::invalid_argument);
  EXPECT_THROW(makeSolver("auto:speed=2"), std::invalid_argument);
}

// The pieces are the derivative of the projection: where l is near y, one linear step from the piece zeroes F to second
// order. Oracle: central differences of F against the equations of the piece.
TEST(ContactPieces, AreTheLinearisationOfTheProjection) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int checked = 0;
  for (const Law law : {Law::Box, Law::Pyramid, Law::Cone, Law::Interval})
    for (int trial = 0; trial < 200; ++trial) {
      const Block block{.law = law, .first = 0, .size = 3, .friction = {0.5, 0.8}, .facets = 6};
      const BlockVector scale = frictionScale(block);
      const double lower[3] = {-0.3, 0.0, -0.5}, upper[3] = {0.3, 0.6, 0.5};
      const Mat3 g = Mat3::NullaryExpr([&] { return uniform(random); });
      const BlockMatrix w = g * g.transpose() + 0.5 * Mat3::Identity();
      const PieceSteps steps = pieceSteps(block, w, 1.0);
      const Vec3 b = Vec3::NullaryExpr([&] { return uniform(random); });
      const Vec3 l = Vec3::NullaryExpr([&] { return uniform(random); });
      const auto f = [&](const Vec3& at) {
        const Vec3 s = Mat3(w) * at + b;
        Vec3 out;
        projectPiece(block, scale, steps, lower, upper, at.data(), s.data(), out.data());
        return Vec3(at - out);
      };
      const Vec3 s = Mat3(w) * l + b;
      ContactPiece piece;
      choosePiece(block, scale, steps, lower, upper, l.data(), s.data(), piece);
      const int m = piece.unknowns;
      Vec3 z = piece.fixed;
      if (m > 0) {
        Matrix system = piece.test.leftCols(m).transpose() * w * piece.basis.leftCols(m);
        system.diagonal() += piece.shift.head(m);
        const Vector right = -(piece.test.leftCols(m).transpose() * (b + Mat3(w) * Vec3(piece.fixed)));
        z += piece.basis.leftCols(m) * system.partialPivLu().solve(right);
      }
      // Newton's step by differences of F.
      Mat3 jacobian;
      const double h = 1e-6;
      for (int k = 0; k < 3; ++k) jacobian.col(k) = (f(l + h * Vec3::Unit(k)) - f(l - h * Vec3::Unit(k))) / (2.0 * h);
      if (std::abs(jacobian.determinant()) < 1e-3) continue;
      // Differences across an edge between pieces are no derivative: skip those.
      if ((jacobian * (1e-4 * Vec3::Ones()) - (f(l + 1e-4 * Vec3::Ones()) - f(l))).norm() > 1e-6) continue;
      const Vec3 expected = l - jacobian.partialPivLu().solve(f(l));
      EXPECT_LT((z - expected).norm(), 1e-5 * (1.0 + expected.norm())) << nameOf(law) << " " << trial;
      ++checked;
    }
  EXPECT_GT(checked, 500);
}

// Against Eigen's dense factorisation, for random patterns with blocks of 0 to 6 rows.
TEST(BlockLu, SolvesLikeADenseFactorisation) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const int count = 2 + static_cast<int>(random() % 40);
    std::vector<int> sizes(count), used(count);
    for (int i = 0; i < count; ++i) {
      sizes[i] = 1 + static_cast<int>(random() % 6);
      used[i] = static_cast<int>(random() % (sizes[i] + 1));
    }
    std::vector<std::vector<int>> neighbours(count);
    for (int k = 0; k < (seed % 3 == 0 ? 8 : 2) * count; ++k) {
      const int i = static_cast<int>(random() % count), j = static_cast<int>(random() % count);
      if (i == j) continue;
      neighbours[i].push_back(j);
      neighbours[j].push_back(i);
    }
    BlockLu lu(sizes, neighbours);
    lu.begin(used);
    const int n = lu.unknowns();
    Matrix dense = Matrix::Zero(n, n);
    const auto fill = [&](int i, int j) {
      const BlockLu::Entry entry = lu.entry(lu.place(i, j), used[j]);
      for (int r = 0; r < used[i]; ++r)
        for (int c = 0; c < used[j]; ++c) {
          const double value = uniform(random) + (i == j && r == c ? 15.0 : 0.0);
          entry.values[entry.stride * r + c] = value;
          dense(lu.firstUnknown(i) + r, lu.firstUnknown(j) + c) = value;
        }
    };
    for (int i = 0; i < count; ++i) {
      fill(i, i);
      for (const int j : neighbours[i]) fill(i, j);
    }
    lu.factor(std::vector<double>(count, 15.0));
    const Vector right = Vector::NullaryExpr(n, [&] { return uniform(random); });
    Vector x = right;
    lu.solve(x);
    if (n == 0) continue;
    EXPECT_LT((dense * x - right).norm(), 1e-11 * right.norm()) << "seed " << seed;
  }
}

// W by blocks against the assembled matrix, for bodies and for matrices.
TEST(DelassusBlocks, AreTheMatrix) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto bodies =
        makeRandomProblem({.bodies = 8, .contacts = 12, .joints = 3, .compliance = 0.1, .limits = 0.2}, seed);
    const auto matrix = [&] {
      ProblemData data = bodies->data();
      data.inverseMass = nullptr;
      data.jacobians.clear();
      data.freeVelocity = Vector();
      data.delassus = bodies->delassus();
      data.compliance.setZero();
      data.bias = bodies->b();
      return std::make_shared<ContactProblem>(std::move(data));
    }();
    srand(seed);
    const Vector scale = Vector::Random(bodies->rows()).cwiseAbs(), x = Vector::Random(bodies->rows());
    const Vector expected = scale.cwiseProduct(bodies->denseDelassus() * scale.cwiseProduct(x));
    Vector out;
    DelassusBlocks(*bodies, scale).multiply(x, out);
    EXPECT_LT((out - expected).norm(), 1e-13 * expected.norm());
    DelassusBlocks(*matrix, scale).multiply(x, out);
    EXPECT_LT((out - expected).norm(), 1e-13 * expected.norm());
  }
}

}  // namespace
}  // namespace cairn
