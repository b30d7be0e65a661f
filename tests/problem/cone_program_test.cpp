#include "problem/cone_program.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <numbers>

#include "../solvers/random_problems.hpp"
#include "problem/admissible.hpp"
#include "problem/split_problem.hpp"

namespace cairn {
namespace {

using testing::makeRandomProblem;
using testing::RandomProblem;

constexpr Law kContacts[] = {Law::Box, Law::Pyramid, Law::Cone};

std::vector<Eigen::Vector2d> corners(int count, double turn, double radius) {
  std::vector<Eigen::Vector2d> points;
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * std::numbers::pi * (i + turn) / count;
    points.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  return points;
}

// The friction set as its rim, point by point; fine enough for circles to be polygons to 1e-6.
std::vector<Eigen::Vector2d> rim(const Block& block) {
  std::vector<Eigen::Vector2d> points = block.law == Law::Box       ? corners(4, 0.5, std::numbers::sqrt2)
                                        : block.law == Law::Pyramid ? corners(block.facets, 0.0, 1.0)
                                                                    : corners(4096, 0.0, 1.0);
  for (Eigen::Vector2d& point : points) point = point.cwiseProduct(Eigen::Vector2d(block.friction[0], block.friction[1]));
  return points;
}

double support(const Block& block, const Eigen::Vector2d& direction) {
  double most = 0.0;
  for (const Eigen::Vector2d& point : rim(block)) most = std::max(most, point.dot(direction));
  return most;
}

// Moreau: p is the projection of x on a convex cone if p is in it, x - p in its polar, and the two orthogonal.
void expectMoreau(const Vec3& x, const Vec3& p, const std::vector<Eigen::Vector2d>& points) {
  EXPECT_GE(p[0], 0.0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector2d a = p[0] * points[i], edge = p[0] * points[(i + 1) % points.size()] - a;
    const Eigen::Vector2d to = p.tail<2>() - a;
    EXPECT_GE(edge.x() * to.y() - edge.y() * to.x(), -1e-13) << "outside edge " << i;
    const Vec3 ray(1.0, points[i].x(), points[i].y());
    EXPECT_LE((x - p).dot(ray), 1e-13) << "not polar to corner " << i;
  }
  EXPECT_NEAR((x - p).dot(p), 0.0, 1e-13);
}

TEST(ConeProjection, IsNearestOnPolyhedralCones) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  int inside = 0, tip = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Vec3 x(uniform(random), uniform(random), uniform(random));
    const int count = 4 + 2 * (trial % 5);
    Vec3 p = x;
    projectPolygonCone(p.data(), count);
    expectMoreau(x, p, corners(count, 0.0, 1.0));
    inside += (p - x).norm() == 0.0;
    tip += p.norm() == 0.0;
    p = x;
    projectSquareCone(p.data());
    expectMoreau(x, p, corners(4, 0.5, std::numbers::sqrt2));
  }
  EXPECT_GT(inside, 100);
  EXPECT_GT(tip, 100);
}

TEST(ConeProgram, ScalesDiagonalBlocksToOneAndBack) {
  for (const Law law : kContacts) {
    const auto problem = makeRandomProblem({.joints = 3, .law = law, .facets = 6, .elliptic = true, .limits = 0.3}, 4);
    const ConeProgram program(*problem);
    srand(1);
    const Vector x = Vector::Random(problem->rows());
    EXPECT_LT((program.fromImpulse(program.toImpulse(x)) - x).norm(), 1e-12);
    for (const ConeProgram::Piece& piece : program.pieces()) {
      const BlockMatrix t = program.transform(piece);
      const int offset = piece.first - problem->blocks()[piece.block].first;
      const Matrix w = problem->diagonal(piece.block).block(offset, offset, piece.size, piece.size);
      EXPECT_NEAR(Matrix(t * w * t).operatorNorm(), 1.0, 1e-9);
    }
  }
}

TEST(ConeProgram, GradientIsThatOfTheObjective) {
  for (const Law law : kContacts) {
    const auto problem = makeRandomProblem({.joints = 2, .law = law, .facets = 8, .elliptic = true, .compliance = 0.01}, 9);
    ConeProgram program(*problem);
    srand(2);
    Vector shift = Vector::Zero(static_cast<Eigen::Index>(problem->blocks().size()));
    for (Eigen::Index i = 0; i < shift.size(); ++i)
      if (isContact(problem->blocks()[i].law)) shift[i] = 0.1 * static_cast<double>(i);
    program.setShift(shift);
    const Vector x = Vector::Random(problem->rows()), d = Vector::Random(problem->rows());
    Vector g, ahead, behind;
    program.gradient(x, g);
    program.gradient(x + d, ahead);
    program.gradient(x - d, behind);
    // A quadratic: central differences are exact, up to rounding.
    EXPECT_NEAR(0.5 * (program.objective(x + d, ahead) - program.objective(x - d, behind)), g.dot(d), 1e-10);
  }
}

// Plain projected gradient steps: no cleverness that could be wrong.
Vector minimum(const ConeProgram& program, Vector x = {}) {
  if (x.size() == 0) x = Vector::Zero(program.rows());
  Vector g;
  const double step = 1.0 / static_cast<double>(program.pieces().size());  // blocks have the norm 1 at most
  for (int i = 0; i < 20000; ++i) {
    program.gradient(x, g);
    if (i % 100 == 0 && program.residual(x, g) < 1e-13) break;
    x -= step * g;
    program.project(x);
  }
  return x;
}

TEST(ConeProgram, MinimaObeyConeComplementarity) {
  for (const Law law : kContacts) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      const auto problem = makeRandomProblem({.bodies = 3, .contacts = 3, .law = law, .facets = 6, .elliptic = true}, seed);
      const ConeProgram program(*problem);
      const Vector x = minimum(program);
      const Vector lambda = program.toImpulse(x), v = problem->velocity(lambda);
      EXPECT_LT(program.residual(x, program.gradientFromVelocity(v)), 1e-10);
      for (const Block& block : problem->blocks()) {
        const Vec3 impulse = lambda.segment<3>(block.first), speed = v.segment<3>(block.first);
        EXPECT_GE(speed[0] - support(block, -speed.tail<2>()), -1e-5) << "v in the dual cone; rim of 4096 points";
        EXPECT_NEAR(impulse.dot(speed), 0.0, 1e-9);
      }
    }
  }
}

// By hand: 2 kg slide at 5 m/s on the ground and press at 1 m/s, friction 0.3. The convex problem makes it n = 2.5/0.545 and
// lifts off at 0.3 |v_t|; with the shift 0.3 |v_t| of the true answer it finds that answer.
TEST(ConeProgram, LiftsSlidingContactsUnlessShifted) {
  for (const Law law : kContacts) {
    ProblemData data;
    data.blocks.push_back({.law = law, .first = 0, .size = 3, .friction = {0.3, 0.3}, .facets = 8});
    data.delassus.resize(3, 3);
    for (int i = 0; i < 3; ++i) data.delassus.insert(i, i) = 0.5;
    data.bias = Vec3(-1.0, 5.0, 0.0);
    const ContactProblem problem(std::move(data));
    ConeProgram program(problem);
    const double n = 2.5 / 0.545;
    EXPECT_LT((program.toImpulse(minimum(program)) - Vec3(n, -0.3 * n, 0.0)).norm(), 1e-9) << nameOf(law);
    const Vec3 convex = problem.velocity(Vec3(n, -0.3 * n, 0.0));
    EXPECT_NEAR(convex[0], 0.3 * convex[1], 1e-12);

    const Vec3 answer(2.0, -0.6, 0.0);
    const Vector shift = program.saxceShift(problem.velocity(answer));
    EXPECT_NEAR(shift[0], 0.3 * 4.7, 1e-12);
    program.setShift(shift);
    EXPECT_LT((program.toImpulse(minimum(program)) - answer).norm(), 1e-9) << nameOf(law);
  }
}

TEST(ConeProgram, ShiftIsTheSupportOfTheFrictionSet) {
  srand(5);
  for (const Law law : kContacts) {
    const auto problem = makeRandomProblem({.law = law, .facets = 10, .elliptic = true}, 6);
    const Vector v = Vector::Random(problem->rows());
    const Vector shift = ConeProgram(*problem).saxceShift(v);
    for (std::size_t i = 0; i < problem->blocks().size(); ++i) {
      const Block& block = problem->blocks()[i];
      // The circle as 4096 corners: short by 3e-7 of it.
      EXPECT_NEAR(shift[static_cast<Eigen::Index>(i)], support(block, -v.segment<2>(block.first + 1)), 1e-6);
    }
  }
}

TEST(ConeProgram, ShiftedMinimaThatReproduceTheShiftAreCoulomb) {
  for (const Law law : kContacts) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      const RandomProblem ask{.bodies = 3, .contacts = 3, .law = law, .facets = 6, .friction = 0.2, .elliptic = true};
      const auto problem = makeRandomProblem(ask, seed);
      ConeProgram program(*problem);
      Vector x = Vector::Zero(problem->rows());
      for (int i = 0; i < 40; ++i) {  // contracts: friction is small
        program.setShift(program.saxceShift(program.velocity(x)));
        x = minimum(program, x);
      }
      const Vector lambda = program.toImpulse(x);
      EXPECT_LT(judge(*problem, lambda).forTolerance(), 1e-8) << nameOf(law) << " " << seed;
    }
  }
}

TEST(ConeProgram, HeldRowsStayAndSetTheLimitsOfFriction) {
  const auto problem = makeRandomProblem({.joints = 2, .law = Law::Cone, .limits = 0.2}, 3);
  ConeProgram program(*problem, {.joints = false, .intervals = false, .normals = false, .tangents = true});
  const Vector impulse = Vector::Constant(problem->rows(), 0.7);
  program.hold(impulse);
  Vector x = Vector::Constant(problem->rows(), 100.0);
  program.project(x);
  const Vector projected = program.toImpulse(x);
  for (const Block& block : problem->blocks()) {
    if (!isContact(block.law)) {
      EXPECT_EQ((projected - impulse).segment(block.first, block.size).norm(), 0.0);
    } else {
      EXPECT_EQ(projected[block.first], 0.7);
      EXPECT_NEAR(projected.segment<2>(block.first + 1).norm(), 0.7 * block.friction[0], 1e-12);
    }
  }
}

// The parts see the velocities of the whole, with bodies and with the matrix alone.
TEST(SplitProblem, PartsSeeTheVelocitiesOfTheWhole) {
  const auto whole = makeRandomProblem({.joints = 3, .law = Law::Box, .compliance = 0.02, .limits = 0.3}, 8);
  ProblemData data;
  data.blocks = whole->blocks();
  data.lower = whole->data().lower;
  data.upper = whole->data().upper;
  data.bias = whole->b();
  data.delassus = whole->delassus();
  const ContactProblem matrix(std::move(data));
  srand(7);
  const Vector lambda = Vector::Random(whole->rows());
  const Vector v = whole->velocity(lambda);
  for (const ContactProblem* problem : {static_cast<const ContactProblem*>(whole.get()), &matrix}) {
    for (const bool joints : {false, true}) {
      for (const SplitProblem& part : {normalsAlone(*problem, lambda, joints), frictionAlone(*problem, lambda, joints)}) {
        EXPECT_LT((part.problem->velocity(part.pick(lambda)) - part.pick(v)).norm(), 1e-12);
        Vector back = lambda;
        part.putBack(part.pick(lambda), back);
        EXPECT_EQ(back, lambda);
      }
    }
    const SplitProblem part = jointsAlone(*problem, lambda);
    EXPECT_LT((part.problem->velocity(part.pick(lambda)) - part.pick(v)).norm(), 1e-12);
    const SplitProblem friction = frictionAlone(*problem, lambda, false);
    for (std::size_t i = 0; i < friction.problem->blocks().size(); ++i) {
      const int first = friction.problem->blocks()[i].first;
      const int row = friction.rows[first];
      for (const Block& block : problem->blocks()) {
        if (block.first + 1 != row) continue;
        EXPECT_NEAR(friction.problem->data().upper[first], block.friction[0] * std::max(lambda[block.first], 0.0), 1e-15);
      }
    }
  }
}

}  // namespace
}  // namespace cairn
