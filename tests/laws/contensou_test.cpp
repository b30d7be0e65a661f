#include "laws/contensou.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

namespace cairn {
namespace {

constexpr double kPi = std::numbers::pi;

// Tanh-sinh quadrature, which does not mind singular ends. The integrand gets the distances to both ends, exact near them.
double integrate(double a, double b, const std::function<double(double fromA, double fromB)>& f) {
  const double half = 0.5 * (b - a), h = 1.0 / 32.0;
  double sum = 0.0;
  for (int i = -120; i <= 120; ++i) {
    const double t = i * h, u = 0.5 * kPi * std::sinh(t);
    const double weight = 0.5 * kPi * std::cosh(t) / (std::cosh(u) * std::cosh(u));
    const double fromA = 2.0 * half / (1.0 + std::exp(-2.0 * u)), fromB = 2.0 * half / (1.0 + std::exp(2.0 * u));
    if (fromA > 0.0 && fromB > 0.0 && weight > 0.0) sum += weight * f(fromA, fromB);
  }
  return h * half * sum;
}

// Friction over the disc of radius 1 with pressure 1/pi: polar coordinates about the point where slip vanishes, which for
// v = s along x and w = 1 is (0, s) from the middle, up to a sign; slip there is the distance rho, perpendicular to it. So
//   F = (1/pi) int cos(a) rho drho da,  M = (1/pi) int (rho - s cos a) rho drho da   over the disc,
// whose rays from the point at angle a (from the direction to the middle) cross it between distances r1 and r2.
PatchFriction byQuadrature(double s) {
  const auto ray = [&](double angle, double distance1, double distance2) {
    // rho cos(a) is the projection on the direction to the middle: force and moment of the ray, both against the motion.
    const double force = std::cos(angle) * 0.5 * (distance2 * distance2 - distance1 * distance1);
    const double cubes = (distance2 * distance2 * distance2 - distance1 * distance1 * distance1) / 3.0;
    const double squares = 0.5 * (distance2 * distance2 - distance1 * distance1);
    return std::pair(force, cubes - s * std::cos(angle) * squares);
  };
  PatchFriction sum;
  if (s <= 1.0) {
    const auto part = [&](double angle) {
      const double sine = s * std::sin(angle);
      return ray(angle, 0.0, s * std::cos(angle) + std::sqrt((1.0 - sine) * (1.0 + sine)));
    };
    for (const double from : {0.0, 0.5 * kPi}) {
      sum.force += 2.0 / kPi * integrate(from, from + 0.5 * kPi, [&](double x, double) { return part(from + x).first; });
      sum.moment += 2.0 / kPi * integrate(from, from + 0.5 * kPi, [&](double x, double) { return part(from + x).second; });
    }
    return sum;
  }
  const double most = std::asin(1.0 / s);
  const auto part = [&](double angle, double left) {  // left: most - angle
    // 1 - s^2 sin^2 a = s^2 sin(most - a) sin(most + a)
    const double root = s * std::sqrt(std::sin(left) * std::sin(most + angle)), middle = s * std::cos(angle);
    return ray(angle, middle - root, middle + root);
  };
  sum.force = 2.0 / kPi * integrate(0.0, most, [&](double x, double left) { return part(x, left).first; });
  sum.moment = 2.0 / kPi * integrate(0.0, most, [&](double x, double left) { return part(x, left).second; });
  return sum;
}

std::vector<double> slips() {
  std::vector<double> all{0.0, 1e-9, 1e-4, 0.5, 1.0 - 1e-12, 1.0, 1.0 + 1e-12, 2.0, 100.0};
  for (int i = 0; i <= 400; ++i) all.push_back(std::pow(10.0, -3.0 + 5.0 * i / 400.0));
  for (int i = -20; i <= 20; ++i) all.push_back(1.0 + 1e-3 * i);
  return all;
}

TEST(Contensou, MatchesQuadratureOverTheDisc) {
  for (const double s : slips()) {
    const PatchFriction exact = patchFriction(s), expected = byQuadrature(s);
    ASSERT_NEAR(exact.force, expected.force, 1e-10) << s;
    ASSERT_NEAR(exact.moment, expected.moment, 1e-8) << s;  // the quadrature loses s^2 digits by cancellation
  }
}

// A second look at the disc that knows nothing of poles: sums over small cells.
TEST(Contensou, MatchesASumOverCells) {
  for (const double s : {0.3, 0.9, 1.7, 8.0}) {
    constexpr int kRings = 1000, kSectors = 1000;
    double force = 0.0, moment = 0.0;
    for (int i = 0; i < kRings; ++i) {
      const double r = (i + 0.5) / kRings;
      for (int k = 0; k < kSectors; ++k) {
        const double a = 2.0 * kPi * (k + 0.5) / kSectors, x = r * std::cos(a), y = r * std::sin(a);
        const double vx = s - y, vy = x, speed = std::hypot(vx, vy), area = 2.0 * r / (kRings * kSectors);
        force += area * vx / speed;
        moment += area * (x * vy - y * vx) / speed;
      }
    }
    EXPECT_NEAR(patchFriction(s).force, force, 1e-5) << s;
    EXPECT_NEAR(patchFriction(s).moment, moment, 1e-5) << s;
  }
}

TEST(Contensou, LimitsOfPureSpinningAndPureSliding) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const PatchModel model : {PatchModel::Exact, PatchModel::Pade, PatchModel::PadeHertz, PatchModel::Ellipsoid}) {
    const double moment = model == PatchModel::PadeHertz ? 3.0 * kPi / 16.0 : 2.0 / 3.0;
    EXPECT_EQ(patchFriction(0.0, model).force, 0.0);
    EXPECT_NEAR(patchFriction(0.0, model).moment, moment, 1e-15);
    EXPECT_EQ(patchFriction(infinity, model).force, 1.0);
    EXPECT_EQ(patchFriction(infinity, model).moment, 0.0);
    EXPECT_NEAR(patchFriction(1e12, model).force, 1.0, 1e-11);
    EXPECT_NEAR(patchFriction(1e12, model).moment, 0.0, 1e-11);
    EXPECT_EQ(patchFriction(1e300, model).force, 1.0);
    EXPECT_TRUE(std::isnan(patchFriction(-1.0, model).force));
    EXPECT_TRUE(std::isnan(patchFriction(std::nan(""), model).moment));
  }
  // Next to them: F = s, M = 2/3 - s^2/2; 1 - F = 1/(8 s^2), M = 1/(4 s).
  EXPECT_NEAR(patchFriction(1e-6).force, 1e-6, 1e-18);
  EXPECT_NEAR(patchFriction(1e-3).moment, 2.0 / 3.0 - 0.5e-6, 1e-12);
  EXPECT_NEAR(1.0 - patchFriction(1e3).force, 1.0 / 8e6, 1e-12);
  EXPECT_NEAR(patchFriction(1e6).moment, 0.25e-6, 1e-17);
}

TEST(Contensou, ALoadOnTheLimitSurfaceIsFoundThere) {
  for (const double slip : {0.01, 0.3, 0.7093, 1.0, 2.0, 50.0}) {
    const PatchFriction point = patchFriction(slip);
    for (const double size : {0.5, 1.0, 3.0}) {
      const PatchLimit limit = patchLimit({size * point.force, size * point.moment});
      EXPECT_NEAR(limit.scale * size, 1.0, 1e-12) << slip;
      EXPECT_NEAR(limit.slip / slip, 1.0, 1e-6) << slip;
    }
  }
  EXPECT_NEAR(patchLimit({0.25, 0.0}).scale, 4.0, 1e-15);
  EXPECT_NEAR(patchLimit({0.0, 2.0}).scale, 1.0 / 3.0, 1e-15);
  EXPECT_NEAR(patchLimit({1.0, 2.0 / 3.0}).scale, 0.661303, 1e-6);  // of the corner of the box: 34 % too much
  EXPECT_TRUE(std::isinf(patchLimit({0.0, 0.0}).scale));
}

TEST(Contensou, SimpleModelsAreAsWrongAsStated) {
  const auto worst = [](PatchModel model) {
    PatchFriction most;
    for (const double s : slips()) {
      const PatchFriction exact = patchFriction(s), found = patchFriction(s, model);
      most.force = std::max(most.force, std::abs(found.force - exact.force));
      most.moment = std::max(most.moment, std::abs(found.moment - exact.moment) / (2.0 / 3.0));
    }
    return most;
  };
  EXPECT_NEAR(worst(PatchModel::Pade).force, 0.36, 0.006);
  EXPECT_NEAR(worst(PatchModel::Pade).moment, 0.40, 0.006);
  EXPECT_NEAR(worst(PatchModel::Ellipsoid).force, 0.12, 0.006);
  EXPECT_NEAR(worst(PatchModel::Ellipsoid).moment, 0.15, 0.006);
}

// A disc that slides and spins on a table: m v' = -mu N F(s), (m R^2/2) w' = -mu N R M(s). Both motions
// end at once, at one ratio s, whatever the start: the one with F = 2 s M.
double stoppingRatio(double slip, PatchModel model) {
  double v = slip, w = 1.0;  // R = 1, mu N/m = 1
  for (int i = 0; i < 200000 && v + w > 1e-30; ++i) {
    // Steps in proportion to the speeds that are left; midpoint rule.
    const auto rate = [&](double v1, double w1) { return patchFriction(v1 / w1, model); };
    const double h = 1e-3 * std::min(v, w);
    const PatchFriction first = rate(v, w);
    const PatchFriction middle = rate(v - 0.5 * h * first.force, w - h * first.moment);
    v -= h * middle.force;
    w -= 2.0 * h * middle.moment;
  }
  return v / w;
}

TEST(Contensou, SlidingSpinningDiscStopsAtTheRatioOf0653) {
  for (const double start : {0.1, 0.653, 5.0}) EXPECT_NEAR(stoppingRatio(start, PatchModel::Exact), 0.653, 5e-4) << start;
  EXPECT_NEAR(stoppingRatio(0.5, PatchModel::Pade), 0.25, 1e-3);
}

TEST(Contensou, HertzPatchOfAKnownBall) {
  // Steel ball of 10 mm radius on steel, E = 210 GPa, nu = 0.3, 10 N: contact modulus 115.38 GPa.
  const double modulus = 1.0 / (2.0 * (1.0 - 0.09) / 210e9);
  const double radius = hertzPatchRadius(10.0, 0.01, modulus);
  EXPECT_NEAR(radius, 8.66e-5, 1e-7);
  // Hertz: mean pressure N/(pi a^2) is 2/3 of the largest, 6 N E^2/(pi^3 R^2) to the power 1/3.
  EXPECT_NEAR(10.0 / (kPi * radius * radius),
              2.0 / 3.0 * std::cbrt(6.0 * 10.0 * modulus * modulus / (kPi * kPi * kPi * 1e-4)),
              1e-3 * 10.0 / (kPi * radius * radius));
  EXPECT_EQ(hertzPatchRadius(0.0, 0.01, modulus), 0.0);
  EXPECT_EQ(hertzPatchRadius(-1.0, 0.01, modulus), 0.0);
}

}  // namespace
}  // namespace cairn
