#include <gtest/gtest.h>

#include <numbers>

#include "../solvers/random_problems.hpp"
#include "problem/admissible.hpp"

namespace cairn {
namespace {

using testing::makeRandomProblem;

// A sphere of 2 kg that slides on the ground with friction 0.3: the solution by hand.
ProblemData slidingSphere(Law law, double vx, double vz) {
  ProblemData data;
  data.inverseMass = std::make_shared<FreeBodies>(std::vector<FreeBodies::Item>{{0.5, Mat3::Zero()}});
  data.freeVelocity = Vector::Zero(6);
  data.freeVelocity[0] = vx;
  data.freeVelocity[2] = vz;
  data.blocks.push_back({.law = law, .first = 0, .size = 3, .friction = {0.3, 0.3}, .facets = 8});
  BlockJacobian j;
  j.b = 0;
  j.partB = BlockJacobian::Part::Zero(3, 6);
  j.partB(0, 2) = j.partB(1, 0) = j.partB(2, 1) = 1.0;
  data.jacobians.push_back(j);
  return data;
}

TEST(Residual, VanishesAtSolutionsKnownInClosedForm) {
  for (const Law law : {Law::Box, Law::Pyramid, Law::Cone}) {
    const ContactProblem slides(slidingSphere(law, 5.0, -1.0));  // normal 2 N s, friction at its limit
    EXPECT_LT(judge(slides, Vec3(2.0, -0.6, 0.0)).worst, 1e-15) << nameOf(law);
    EXPECT_LT(judge(slides, Vec3(2.0, -0.6, 0.0)).naturalMapRelative, 1e-15);
    EXPECT_LT(judge(slides, Vec3(2.0, -0.6, 0.0)).merit, 1e-30);
    const ContactProblem sticks(slidingSphere(law, 0.2, -1.0));
    EXPECT_LT(judge(sticks, Vec3(2.0, -0.4, 0.0)).worst, 1e-15) << nameOf(law);
    const ContactProblem leaves(slidingSphere(law, 3.0, 1.0));
    EXPECT_LT(judge(leaves, Vec3::Zero()).worst, 1e-15) << nameOf(law);
  }
}

TEST(Residual, NamesWhatIsWrong) {
  const ContactProblem slides(slidingSphere(Law::Cone, 5.0, -1.0));
  EXPECT_NEAR(judge(slides, Vec3(1.0, -0.3, 0.0)).penetration, 0.5, 1e-15);  // half the impulse: still 0.5 m/s inward
  EXPECT_NEAR(judge(slides, Vec3(3.0, -0.9, 0.0)).complementarity, 0.5, 1e-15);
  EXPECT_GT(judge(slides, Vec3(2.0, -1.0, 0.0)).coneExcess, 0.01);
  EXPECT_GT(judge(slides, Vec3(2.0, 0.0, 0.6)).dissipation, 0.1);  // pushes across the slip
  EXPECT_EQ(judge(slides, Vec3(2.0, -0.6, 0.0)).coneExcess, 0.0);
}

// A contact that only just closes, among contacts that open: rounding in its impulse is no error.
TEST(Residual, DoesNotMeasureErrorsAgainstImpulsesOfRoundingSize) {
  ProblemData data;
  data.blocks = {{.law = Law::Interval, .first = 0, .size = 2}};
  data.bias = Vector{{1.0, -1e-17}};
  data.delassus.resize(2, 2);
  data.delassus.setIdentity();
  const ContactProblem problem(std::move(data));
  EXPECT_LT(judge(problem, Vector{{0.0, 1e-17}}).forTolerance(), 1e-10);
  EXPECT_LT(judge(problem, Vector{{0.0, 0.0}}).forTolerance(), 1e-10);
  EXPECT_LT(judge(problem, Vector{{1e-17, 0.0}}).forTolerance(), 1e-10);
  EXPECT_GT(judge(problem, Vector{{1e-6, 0.0}}).forTolerance(), 0.1);
}

// One contact that slides on an ellipse-shaped pyramid: the most dissipative corner, found by trying all.
// So fast that friction does not turn the slip.
TEST(Residual, VanishesAtTheMostDissipativeCornerOfStretchedPyramids) {
  const std::array<double, 2> mu{0.3, 0.8};
  for (int k = 0; k < 40; ++k) {
    ProblemData data = slidingSphere(Law::Pyramid, 5e3 * std::cos(0.17 * k + 0.01), -1.0);
    data.freeVelocity[1] = 5e3 * std::sin(0.17 * k + 0.01);
    data.blocks[0].friction = mu;
    const ContactProblem problem(std::move(data));
    Vec3 best = Vec3::Zero();
    double least = 1e9;
    for (int corner = 0; corner < 8; ++corner) {
      const double angle = std::numbers::pi * corner / 4;
      const Vec3 impulse(2.0, 2.0 * mu[0] * std::cos(angle), 2.0 * mu[1] * std::sin(angle));
      const double work = impulse.tail<2>().dot(problem.velocity(impulse).tail<2>());
      if (work < least) least = work, best = impulse;
    }
    EXPECT_LT(judge(problem, best).forTolerance(), 1e-14) << k;
  }
}

// Masses and lengths in other units: the relative numbers stay.
TEST(Residual, DoesNotDependOnUnits) {
  for (const double mass : {1e-3, 1.0, 1e3}) {
    for (const double length : {1e-3, 1.0, 1e3}) {
      const auto base = makeRandomProblem({.elliptic = true}, 11);
      ProblemData data = base->data();
      std::vector<FreeBodies::Item> items = static_cast<const FreeBodies&>(*data.inverseMass).items();
      for (auto& item : items) {
        item.inverseMass /= mass;
        item.inverseInertia /= mass * length * length;
      }
      data.inverseMass = std::make_shared<FreeBodies>(items);
      for (int i = 0; i < base->data().inverseMass->bodies(); ++i) data.freeVelocity.segment<3>(6 * i) *= length;
      for (auto& j : data.jacobians) {
        if (j.a >= 0) j.partA.rightCols<3>() *= length;
        if (j.b >= 0) j.partB.rightCols<3>() *= length;
      }
      const ContactProblem other(std::move(data));
      srand(3);
      const Vector lambda = Vector::Random(base->rows());
      const Residual a = judge(*base, lambda), b = judge(other, mass * length * lambda);
      EXPECT_NEAR(b.relative / a.relative, 1.0, 1e-10);
      EXPECT_NEAR(b.energyNorm / a.energyNorm, 1.0, 1e-10);
      EXPECT_NEAR(b.naturalMapRelative / a.naturalMapRelative, 1.0, 1e-10);
      EXPECT_NEAR(b.worst / a.worst, length, 1e-10 * length);
    }
  }
}

// Against brute force: no point of the set on a fine grid is nearer.
TEST(Projection, PolygonAndConeAreNearest) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (int trial = 0; trial < 200; ++trial) {
    const int corners = 4 + 2 * (trial % 7);
    const Eigen::Vector2d t(uniform(random), uniform(random));
    const Eigen::Vector2d p = projectPolygon(t, 0.8, corners);
    double best = 1e9;
    for (int k = 0; k < corners; ++k) {  // the boundary, edge by edge
      const double a = 2 * std::numbers::pi * k / corners, b = 2 * std::numbers::pi * (k + 1) / corners;
      const Eigen::Vector2d from(0.8 * std::cos(a), 0.8 * std::sin(a)), to(0.8 * std::cos(b), 0.8 * std::sin(b));
      const double x = std::clamp((t - from).dot(to - from) / (to - from).squaredNorm(), 0.0, 1.0);
      best = std::min(best, (t - from - x * (to - from)).norm());
    }
    const bool inside = (p - t).norm() < 1e-14;
    if (!inside) {
      EXPECT_NEAR((p - t).norm(), best, 1e-12);
    }
    EXPECT_LE(polygonSupport(p, corners) / std::max(p.norm(), 1e-12), 1.0 + 1e-12);

    Vec3 l(uniform(random), uniform(random), uniform(random)), q = l;
    projectUnitCone(q.data(), 3);
    EXPECT_LE(q.tail<2>().norm(), q[0] + 1e-14);
    for (int k = 0; k < 200; ++k) {
      const double n = 2.5 * (k % 20) / 20.0, a = 0.1 * k;
      const Vec3 other(n, n * std::cos(a), n * std::sin(a));
      EXPECT_LE((q - l).dot(q - other), 1e-12) << "a projection sees every point of the set at an obtuse angle";
    }
  }
}

}  // namespace
}  // namespace cairn
