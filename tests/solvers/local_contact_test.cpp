// One block solved exactly, against the conditions themselves, against each other and against enumeration.
#include "solvers/local_contact.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "problem/admissible.hpp"
#include "solvers/local_interval.hpp"

namespace cairn {
namespace {

struct Draw {
  std::mt19937 random;
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); }
  // Symmetric positive definite with condition numbers up to some thousands, of any size between 1e-3 and 1e3 per kg.
  BlockMatrix matrix(int size) {
    const Matrix a = Matrix::NullaryExpr(size, size, [&] { return uniform(-1, 1); });
    const Matrix w = a * a.transpose() + 0.01 * Matrix::Identity(size, size);
    return std::pow(10.0, uniform(-3, 3)) * w;
  }
  Vec3 vector() { return Vec3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)); }
};

Block contact(Law law, int size, double mu1, double mu2, int facets = 0) {
  return {.law = law, .first = 0, .size = size, .friction = {mu1, mu2}, .facets = facets};
}

// How far from Coulomb's law, relative: every condition by itself, in plain words. For an elliptic cone the slip is measured
// with the coefficients: friction is -l_n S^2 v/|S v|.
double coulombError(const Vec3& lambda, const Vec3& v, double mu1, double mu2, double speed, double impulse) {
  double error = std::max(0.0, -lambda[0] / impulse);
  error = std::max(error, -v[0] / speed);
  error = std::max(error, std::min(lambda[0] / impulse, std::abs(v[0]) / speed));
  const Eigen::Vector2d s(mu1 * v[1], mu2 * v[2]), l(mu1 > 0 ? lambda[1] / mu1 : 0, mu2 > 0 ? lambda[2] / mu2 : 0);
  error = std::max(error, (l.norm() - lambda[0]) / impulse);
  return std::max(error, (s.norm() * l + s * lambda[0]).norm() / (impulse * speed) * (lambda[0] > 0 ? 1.0 : 0.0));
}

Vec3 solved(const Block& block, const BlockMatrix& w, const Vec3& q, LocalSolver method) {
  LocalContact local(block, w);
  Vec3 lambda = Vec3::Zero();
  local.solve(method, q.data(), lambda.data());
  return lambda;
}

TEST(LocalContact, NewtonAndQuarticObeyCoulombsLawAndAgree) {
  Draw draw{std::mt19937(1)};
  int sticks = 0, slips = 0;
  double worst = 0.0, apart = 0.0;
  for (int trial = 0; trial < 20000; ++trial) {
    const BlockMatrix w = draw.matrix(3);
    const Vec3 q = draw.vector();
    const double mu1 = draw.uniform(0, 3), mu2 = trial % 2 == 0 ? mu1 : draw.uniform(0.1, 3);
    const Block block = contact(Law::Cone, 3, mu1, mu2);
    const Vec3 newton = solved(block, w, q, LocalSolver::Newton), quartic = solved(block, w, q, LocalSolver::Quartic);
    const Vec3 v = Mat3(w) * newton + q;
    const double size = std::max(newton.norm(), 1e-300);
    // Rounding in v is that of its terms.
    worst = std::max(worst, coulombError(newton, v, mu1, mu2, q.norm() + (Mat3(w) * newton).norm(), size));
    apart = std::max(apart, (newton - quartic).norm() / size);
    if (q[0] >= 0.0) {
      EXPECT_EQ(newton.norm(), 0.0);
    } else {
      (v.norm() < 1e-9 * q.norm() ? sticks : slips) += 1;
    }
  }
  EXPECT_LT(worst, 1e-12);
  EXPECT_LT(apart, 1e-9);  // impulses may be ill determined where the law holds to the last digits
  EXPECT_GT(sticks, 1000);
  EXPECT_GT(slips, 1000);
}

TEST(LocalContact, StartingFromTheLastAnswerFindsTheSameRoot) {
  Draw draw{std::mt19937(2)};
  for (int trial = 0; trial < 2000; ++trial) {
    const BlockMatrix w = draw.matrix(3);
    const double mu = draw.uniform(0.1, 3);
    const Block block = contact(Law::Cone, 3, mu, mu);
    LocalContact warm(block, w);
    Vec3 q = draw.vector(), lambda = Vec3::Zero();
    for (int step = 0; step < 10; ++step) {
      q += 0.2 * draw.vector();
      lambda.setZero();  // what is remembered is k
      warm.solve(LocalSolver::Auto, q.data(), lambda.data());
      const Vec3 cold = solved(block, w, q, LocalSolver::Quartic);
      EXPECT_NEAR((lambda - cold).norm(), 0.0, 1e-9 * cold.norm()) << trial << " " << step;
    }
  }
}

TEST(LocalContact, ProjectionsFindTheSameForModerateFriction) {
  Draw draw{std::mt19937(3)};
  for (int trial = 0; trial < 300; ++trial) {
    Matrix a = Matrix::NullaryExpr(3, 3, [&] { return draw.uniform(-1, 1); });
    const BlockMatrix w = a * a.transpose() + 0.5 * Matrix::Identity(3, 3);
    const Vec3 q = draw.vector();
    const double mu = draw.uniform(0.2, 0.8);
    const Block block = contact(Law::Cone, 3, mu, mu);
    const Vec3 exact = solved(block, w, q, LocalSolver::Newton), found = solved(block, w, q, LocalSolver::FixedPoint);
    EXPECT_NEAR((found - exact).norm(), 0.0, 1e-11 * std::max(exact.norm(), 1e-12)) << trial;  // linear convergence
  }
}

// The largest root is the one that is left when friction is so strong that there are three.
TEST(CoulombSlip, TakesTheLargestOfThreeRoots) {
  Draw draw{std::mt19937(4)};
  int several = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const BlockMatrix w = draw.matrix(3);
    const Vec3 q(-draw.uniform(0, 1), draw.uniform(-1, 1), draw.uniform(-1, 1));
    const double mu = draw.uniform(1, 3);
    const Eigen::Matrix2d h = mu * mu * (w.block<2, 2>(1, 1) - w.block<2, 1>(1, 0) * w.block<1, 2>(0, 1) / w(0, 0));
    const Eigen::Vector2d p = mu * (q.tail<2>() - w.block<2, 1>(1, 0) * q[0] / w(0, 0));
    Eigen::Matrix2d adjugate;
    adjugate << h(1, 1), -h(0, 1), -h(1, 0), h(0, 0);
    const Eigen::Vector2d a = adjugate * p;
    const Eigen::RowVector2d wnt = mu * w.block<1, 2>(0, 1);
    const SlipEquation e{wnt * a - q[0] * h.determinant(),
                         wnt * p - q[0] * h.trace(),
                         -q[0],
                         a.squaredNorm(),
                         p.dot(a),
                         p.squaredNorm(),
                         std::pow(p[0] * a[1] - p[1] * a[0], 2),
                         w(0, 0)};
    const auto phi = [&](double k) {
      return e.z0 + k * (e.z1 + k * e.z2) - e.wnn * std::sqrt(e.y0 + k * (2.0 * e.y1 + k * e.y2));
    };
    if (phi(0.0) >= 0.0) continue;
    const double k = slipByNewton(e, 0.0), bound = slipUpperBound(e);
    EXPECT_LE(k, bound * (1 + 1e-12));
    // Sign changes on a grid that is finer than one percent, over eight decades below the bound.
    int changes = 0;
    for (int i = 1; i < 2000; ++i) {
      const double x = bound * std::pow(10.0, -8.0 * (2000 - i) / 2000.0),
                   y = bound * std::pow(10.0, -8.0 * (1999 - i) / 2000.0);
      if ((phi(x) < 0.0) == (phi(y) < 0.0)) continue;
      ++changes;
      EXPECT_LE(x, k * (1 + 1e-9)) << "a root above the largest";
    }
    several += changes > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 0) << "the draw should meet cases with three roots";
}

TEST(LocalContact, PlanarContactsObeyCoulombsLaw) {
  Draw draw{std::mt19937(5)};
  for (int trial = 0; trial < 5000; ++trial) {
    const BlockMatrix w = draw.matrix(2);
    const Vec3 q = draw.vector();
    const double mu = draw.uniform(0, 3);
    for (const Law law : {Law::Box, Law::Pyramid, Law::Cone}) {
      LocalContact local(contact(law, 2, mu, 0.0), w);
      Vec3 lambda = Vec3::Zero(), v = Vec3::Zero();  // two rows of them
      local.solve(LocalSolver::Auto, q.data(), lambda.data());
      v.head<2>() = Eigen::Matrix2d(w) * lambda.head<2>();
      const double speed = q.norm() + v.norm(), size = std::max(lambda.norm(), 1e-300);
      v.head<2>() += q.head<2>();
      EXPECT_LT(coulombError(lambda, v, mu, 0.0, speed, size), 1e-12);
    }
  }
}

// A polygon's law: lambda_n complementary to v_n, lambda_t inside, and lambda_t . v_t as low as it gets inside.
TEST(LocalContact, BoxesAndPyramidsTakeTheMostOutOfTheSlip) {
  Draw draw{std::mt19937(6)};
  double worst = 0.0;
  for (int trial = 0; trial < 20000; ++trial) {
    const BlockMatrix w = draw.matrix(3);
    const Vec3 q = draw.vector();
    const double mu1 = draw.uniform(0.05, 1.5), mu2 = trial % 2 == 0 ? mu1 : draw.uniform(0.05, 1.5);
    const int facets = 4 + 2 * (trial % 9);
    const Law law = trial % 3 == 0 ? Law::Box : Law::Pyramid;
    const Block block = contact(law, 3, mu1, mu2, facets);
    const Vec3 lambda = solved(block, w, q, LocalSolver::Auto), v = Mat3(w) * lambda + q;
    const double speed = q.norm() + (Mat3(w) * lambda).norm(), size = std::max(lambda.norm(), 1e-300);
    double error = std::max({-lambda[0] / size, -v[0] / speed, std::min(lambda[0] / size, std::abs(v[0]) / speed)});
    const Eigen::Vector2d l(lambda[1] / mu1, lambda[2] / mu2), s(mu1 * v[1], mu2 * v[2]);
    const double most = law == Law::Box ? s.lpNorm<1>() : polygonSupport(-s, facets);
    error = std::max(error, std::abs(l.dot(s) + most * lambda[0]) / (size * speed));
    const Eigen::Vector2d inside =
        law == Law::Box ? l.cwiseMax(-lambda[0]).cwiseMin(lambda[0]).eval() : projectPolygon(l, lambda[0], facets);
    error = std::max(error, (l - inside).norm() / size);
    worst = std::max(worst, error);
  }
  EXPECT_LT(worst, 1e-11);  // corners of a polygon with nearly parallel neighbours cost a digit
}

TEST(LocalContact, NoFrictionAlongOneTangentOrBoth) {
  Draw draw{std::mt19937(7)};
  for (int trial = 0; trial < 500; ++trial) {
    const BlockMatrix w = draw.matrix(3);
    const Vec3 q = draw.vector();
    for (const Law law : {Law::Box, Law::Pyramid, Law::Cone})
      for (const auto& [mu1, mu2] : {std::pair(0.0, 0.0), std::pair(0.7, 0.0), std::pair(0.0, 0.7)})
        for (const int facets : {4, 6, 8}) {
          ProblemData data;
          data.blocks.push_back(contact(law, 3, mu1, mu2, facets));
          data.bias = q;
          data.delassus = Matrix(w).sparseView();
          const ContactProblem problem(std::move(data));
          const Vec3 lambda = solved(problem.blocks()[0], w, q, LocalSolver::Auto);
          EXPECT_LT(judge(problem, lambda).relative, 1e-12) << nameOf(law) << mu1 << mu2;
          if (mu1 == 0.0) {
            EXPECT_EQ(lambda[1], 0.0);
          }
          if (mu2 == 0.0) {
            EXPECT_EQ(lambda[2], 0.0);
          }
        }
  }
}

// Singular: repeating the solve, as sweeps do, must settle on a solution of the true problem.
TEST(LocalContact, RepeatedSolvesOfSingularBlocksEndAtTrueSolutions) {
  Draw draw{std::mt19937(8)};
  for (int trial = 0; trial < 2000; ++trial) {
    const int rank = 1 + trial % 2;
    Matrix a = Matrix::NullaryExpr(3, rank, [&] { return draw.uniform(-1, 1); });
    if (trial % 4 < 2) a.row(2).setZero();  // a tangent along which nothing can move
    Matrix w = a * a.transpose();
    Vec3 q = a * Vector::NullaryExpr(rank, [&] { return draw.uniform(-1, 1); });
    for (const Law law : {Law::Box, Law::Pyramid, Law::Cone}) {
      ProblemData data;
      data.blocks.push_back(contact(law, 3, 0.4, 0.6, 6));
      data.bias = q;
      data.delassus = w.sparseView();
      const ContactProblem problem(std::move(data));
      LocalContact local(problem.blocks()[0], w);
      Vec3 lambda = Vec3::Zero();
      for (int i = 0; i < 50; ++i) local.solve(LocalSolver::Auto, q.data(), lambda.data());
      EXPECT_TRUE(lambda.allFinite());
      EXPECT_LT(judge(problem, lambda).relative, 1e-8) << trial << " " << nameOf(law);
    }
  }
}

// All 3^n choices of lower, free and upper.
TEST(LocalInterval, AgreesWithEnumeration) {
  Draw draw{std::mt19937(9)};
  const double infinity = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < 2000; ++trial) {
    const int size = 2 + trial % 5;
    const BlockMatrix w = draw.matrix(size);
    Vector lower(size), upper(size), q(size), lambda(size);
    const double unit = 1.0 / w.trace();
    for (int i = 0; i < size; ++i) {
      lower[i] = trial % 3 == 0 ? 0.0 : -unit * draw.uniform(0, 1);
      upper[i] = trial % 3 == 0 ? infinity : trial % 7 == 0 ? lower[i] : unit * draw.uniform(0, 1);
      q[i] = draw.uniform(-1, 1);
      lambda[i] = std::clamp(unit * draw.uniform(-2, 2), lower[i], upper[i]);
    }
    LocalInterval(w, lower.data(), upper.data()).solve(q.data(), lambda.data());
    int choices = 1, found = 0;
    for (int i = 0; i < size; ++i) choices *= 3;
    for (int choice = 0; choice < choices && found == 0; ++choice) {
      Matrix m = w;
      Vector right = -q;
      for (int i = 0, rest = choice; i < size; ++i, rest /= 3) {
        if (rest % 3 == 1) continue;
        m.row(i).setZero();
        m(i, i) = 1.0;
        right[i] = rest % 3 == 0 ? lower[i] : upper[i];
      }
      if (!right.allFinite()) continue;
      const Vector x = m.fullPivLu().solve(right), v = w * x + q;
      bool good = true;
      for (int i = 0, rest = choice; i < size; ++i, rest /= 3) {
        if (rest % 3 == 0) good = good && v[i] >= -1e-12;
        if (rest % 3 == 1) good = good && x[i] >= lower[i] && x[i] <= upper[i];
        if (rest % 3 == 2) good = good && v[i] <= 1e-12;
      }
      // Bounds that meet allow any velocity.
      if (!good && !(lower.array() == upper.array()).all()) continue;
      if (!good) break;
      ++found;
      EXPECT_LT((lambda - x).norm(), 1e-10 * std::max(x.norm(), unit)) << trial;
    }
    const bool pinned = (lower.array() == upper.array()).all();
    if (pinned) {
      EXPECT_EQ((lambda - lower).norm(), 0.0);
    } else {
      EXPECT_EQ(found, 1) << trial;
    }
  }
}

}  // namespace
}  // namespace cairn
