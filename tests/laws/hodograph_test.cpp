// The way through an impact against three other ways of computing it.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "laws/single_impact.hpp"
#include "random_impacts.hpp"

namespace cairn {
namespace {

using testing::RandomImpacts;
using Vec2 = Eigen::Vector2d;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kBruteForce = 60;  // sanitized builds are thirty times slower
#else
constexpr int kBruteForce = 300;
#endif

constexpr std::array kOnHodograph{ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Stronge};

// Planar impacts by Routh's construction: at most two straight pieces, all quadratics solved by hand.
Vec2 planarImpulse(const Impact& impact) {
  const double wnn = impact.w(0, 0), wnt = impact.w(0, 1), wtt = impact.w(1, 1), mu = impact.friction,
               e = impact.restitution;
  const double vn = impact.velocity[0], vt = impact.velocity[1], s = vt > 0.0 ? 1.0 : -1.0;
  // First piece: dP_t/dp = -mu s until the slip vanishes at p = stop.
  const double slipRate = wnt - mu * s * wtt, stop = slipRate * s < 0.0 ? -vt / slipRate : INFINITY;
  // Second piece: dP_t/dp = second, from p = stop on.
  const double stick = -wnt / wtt;
  const double second = std::abs(stick) <= mu ? stick : stick > 0.0 ? mu : -mu;
  const double rise1 = wnn - mu * s * wnt, rise2 = wnn + wnt * second;
  const double vStop = std::isinf(stop) ? INFINITY : vn + rise1 * stop, workStop = stop * (vn + 0.5 * rise1 * stop);
  // The laws, by where compression and restitution end.
  const auto whenVelocity = [&](double target) {  // v_n reaches target
    return rise1 > 0.0 && (target - vn) / rise1 <= stop ? (target - vn) / rise1 : stop + (target - vStop) / rise2;
  };
  const double pc = whenVelocity(0.0);
  double p = 0.0;
  if (impact.law == ImpactLaw::Newton) p = whenVelocity(-e * vn);
  if (impact.law == ImpactLaw::Poisson) p = (1.0 + e) * pc;
  if (impact.law == ImpactLaw::Stronge) {
    const double wc = pc <= stop ? vn * pc + 0.5 * rise1 * pc * pc
                                 : workStop + vStop * (pc - stop) + 0.5 * rise2 * (pc - stop) * (pc - stop);
    const double released = -e * e * wc;
    p = pc + std::sqrt(2.0 * released / (pc < stop ? rise1 : rise2));
    if (pc < stop && p > stop) {  // the rest of the work on the second piece
      const double left = released - 0.5 * rise1 * (stop - pc) * (stop - pc);
      p = stop + (-vStop + std::sqrt(vStop * vStop + 2.0 * rise2 * left)) / rise2;
    }
  }
  return {p, p <= stop ? -mu * s * p : -mu * s * stop + second * (p - stop)};
}

TEST(Hodograph, PlanarImpactsMatchRouthsClosedForm) {
  RandomImpacts random(21);
  int jams = 0, reversals = 0;
  for (int i = 0; i < 30000; ++i) {
    const Impact impact = random.planar(kOnHodograph[i % 3]);
    const ImpactResult result = resolveImpact(impact);
    const Vec2 expected = planarImpulse(impact);
    ASSERT_LE((result.impulse.head<2>() - expected).norm(), 1e-9 * expected.norm()) << "impact " << i;
    ASSERT_EQ(result.impulse[2], 0.0);
    const double s = impact.velocity[1] > 0.0 ? 1.0 : -1.0;
    jams += impact.w(0, 0) - impact.friction * s * impact.w(0, 1) < 0.0;
    reversals += result.slipStopped && result.sliding;
  }
  EXPECT_GT(jams, 300);
  EXPECT_GT(reversals, 500);
}

// Turned about the normal, a planar impact is one in space whose slip keeps its direction.
TEST(Hodograph, PlanarImpactsTurnedInSpaceStayPlanar) {
  RandomImpacts random(22);
  for (int i = 0; i < 3000; ++i) {
    Impact impact = random.planar(kOnHodograph[i % 3]);
    impact.w(2, 2) = random.uniform(0.1, 10.0);
    const Vec2 expected = planarImpulse(impact);
    const Mat3 turn = Eigen::AngleAxisd(random.uniform(0, 6), Vec3::UnitX()).toRotationMatrix();
    impact.w = turn * impact.w * turn.transpose();
    impact.velocity = turn * impact.velocity;
    const Vec3 found = turn.transpose() * resolveImpact(impact).impulse;
    // Slip may be unstable across the plane, and then rounding grows: rarely by more than a thousandfold.
    ASSERT_LE((found - Vec3(expected[0], expected[1], 0)).norm(), 1e-9 * expected.norm()) << "impact " << i;
  }
}

// Coulomb's law for small steps of normal impulse, implicit in the velocity (so that stick, and slip from it, come by
// themselves): P_t in the disc of radius mu dp, as near as it can to -W_tt^-1 q in the norm of W_tt. First order in dp.
Vec2 discStep(const Eigen::Matrix2d& w, const Vec2& q, double radius) {
  const Vec2 free = -w.inverse() * q;
  if (free.norm() <= radius) return free;
  double low = 0.0, high = q.norm() / radius;  // |(W + k)^-1 q| falls with k
  for (int i = 0; i < 60; ++i) {
    const double k = 0.5 * (low + high);
    const double a = w(0, 0) + k, b = w(0, 1), d = w(1, 1) + k, det = a * d - b * b;
    const Vec2 p((d * q[0] - b * q[1]) / det, (a * q[1] - b * q[0]) / det);
    (p.norm() > radius ? low : high) = k;
  }
  return -(w + high * Eigen::Matrix2d::Identity()).inverse() * q;
}

Vec3 bruteForce(const Impact& impact, double dp) {
  Vec3 v = impact.velocity, impulse = Vec3::Zero();
  double work = 0.0, pc = -1.0, wc = 0.0;
  for (;;) {
    const Vec2 q = v.tail<2>() + impact.w.block<2, 1>(1, 0) * dp;
    Vec3 step;
    step << dp, discStep(impact.w.block<2, 2>(1, 1), q, impact.friction * dp);
    const Vec3 next = v + impact.w * step;
    const double workStep = 0.5 * dp * (v[0] + next[0]);
    // Share of this step until an event, by linear interpolation.
    if (pc < 0.0 && next[0] >= 0.0) {
      const double share = -v[0] / (next[0] - v[0]);
      pc = impulse[0] + share * dp;
      wc = work + 0.5 * share * dp * v[0];
    }
    double share = 2.0;
    const double e = impact.restitution;
    if (impact.law == ImpactLaw::Newton && next[0] >= -e * impact.velocity[0])
      share = (-e * impact.velocity[0] - v[0]) / (next[0] - v[0]);
    if (impact.law == ImpactLaw::Poisson && pc >= 0.0) share = ((1 + e) * pc - impulse[0]) / dp;
    if (impact.law == ImpactLaw::Stronge && pc >= 0.0 && work + workStep >= (1 - e * e) * wc && next[0] > 0.0)
      share = std::clamp(((1 - e * e) * wc - work) / workStep, 0.0, 1.0);
    if (share <= 1.0) return impulse + share * step;
    impulse += step;
    v = next;
    work += workStep;
  }
}

TEST(Hodograph, ImpactsInSpaceMatchSmallImplicitStepsOfCoulombsLaw) {
  RandomImpacts random(23);
  int turned = 0, stuck = 0;
  double worst = 0.0;
  for (int i = 0; i < kBruteForce; ++i) {
    Impact impact = random.impact(kOnHodograph[i % 3]);
    impact.restitution = random.uniform(0.1, 1.0);
    impact.friction = std::max(impact.friction, 0.01);
    const ImpactResult result = resolveImpact(impact);
    if (result.compressions > 1) continue;
    turned += result.sliding && result.velocity.tail<2>().dot(impact.velocity.tail<2>()) < 0.0;
    stuck += result.slipStopped && !result.sliding;
    const double p = result.impulse[0];
    const double error = (bruteForce(impact, p / 10000) - result.impulse).norm() / result.impulse.norm();
    worst = std::max(worst, error);
    ASSERT_LE(error, 2e-3) << "impact " << i;
    // Twice the steps, about half the error: that of the small steps, not of the answer.
    if (error < 1e-5) continue;
    const Vec3 finer = bruteForce(impact, p / 20000);
    ASSERT_LE((finer - result.impulse).norm() / result.impulse.norm(), 0.75 * error) << "impact " << i;
  }
  EXPECT_GT(turned, 0);
  EXPECT_GT(stuck, 5);
  RecordProperty("worst", std::to_string(worst));
}

// Where slip never comes near zero the equation is smooth, and the classical Runge-Kutta method gets it to 1e-10.
TEST(Hodograph, SlipThatTurnsMatchesRungeKutta) {
  RandomImpacts random(24);
  int seen = 0;
  for (int i = 0; i < 4000 && seen < 60; ++i) {
    Impact impact = random.impact(ImpactLaw::Poisson);
    if (impact.friction == 0.0 || impact.restitution == 0.0) continue;
    const ImpactResult result = resolveImpact(impact);
    if (result.slipStopped) continue;
    const double p = result.impulse[0];
    constexpr int kSteps = 20000;
    const double h = p / kSteps;
    const auto rate = [&](const Vec3& v) {
      return Vec3(1.0, -impact.friction * v[1] / v.tail<2>().norm(), -impact.friction * v[2] / v.tail<2>().norm());
    };
    Vec3 impulse = Vec3::Zero();
    double slowest = INFINITY, pc = 0.0;
    for (int k = 0; k < kSteps; ++k) {
      const auto velocity = [&](const Vec3& extra) { return Vec3(impact.velocity + impact.w * (impulse + extra)); };
      const Vec3 k1 = rate(velocity(Vec3::Zero())), k2 = rate(velocity(0.5 * h * k1)), k3 = rate(velocity(0.5 * h * k2)),
                 k4 = rate(velocity(h * k3));
      const double before = velocity(Vec3::Zero())[0];
      impulse += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
      const double after = velocity(Vec3::Zero())[0];
      if (before < 0.0 && after >= 0.0) pc = h * (k - before / (after - before));
      slowest = std::min(slowest, velocity(Vec3::Zero()).tail<2>().norm());
    }
    if (slowest < 0.05) continue;
    ++seen;
    ASSERT_LE((impulse - result.impulse).norm(), 1e-9 * p) << "impact " << i;
    ASSERT_NEAR(p, (1.0 + impact.restitution) * pc, 1e-6 * p) << "impact " << i;  // pc interpolated linearly
  }
  EXPECT_EQ(seen, 60);
}

}  // namespace
}  // namespace cairn
