#include "laws/single_impact.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "random_impacts.hpp"

namespace cairn {
namespace {

using testing::energyScale;
using testing::RandomImpacts;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kImpacts = 3000;  // sanitized builds are thirty times slower
#else
constexpr int kImpacts = 100000;
#endif

constexpr std::array kOnHodograph{ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Stronge};
constexpr std::array kAll{ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Stronge, ImpactLaw::ChatterjeeRuina};

ImpactResult resolve(Impact impact, ImpactLaw law) {
  impact.law = law;
  return resolveImpact(impact);
}

// What every law must keep, and the largest gain of energy over energyScale.
double largestGain(ImpactLaw law, unsigned seed) {
  RandomImpacts random(seed);
  double gain = -1.0;
  for (int i = 0; i < kImpacts; ++i) {
    const Impact impact = random.impact(law);
    const ImpactResult result = resolveImpact(impact);
    EXPECT_TRUE(result.complete) << "impact " << i << ": " << result.why;
    const double p = result.impulse[0];
    EXPECT_GT(p, 0.0) << "impact " << i;
    EXPECT_LE(result.impulse.tail<2>().norm(), impact.friction * p * (1 + 1e-12) + 1e-15 * p) << "impact " << i;
    EXPECT_GE(result.velocity[0], -1e-12 * impact.velocity.norm()) << "impact " << i;
    EXPECT_LE((impact.velocity + impact.w * result.impulse - result.velocity).norm(), 1e-12 * impact.w.norm() * p);
    EXPECT_NEAR(result.energyChange, 0.5 * result.impulse.dot(impact.velocity + result.velocity), 1e-15);
    gain = std::max(gain, result.energyChange / energyScale(impact, result));
  }
  return gain;
}

TEST(SingleImpact, StrongeNeverGainsEnergy) { EXPECT_LE(largestGain(ImpactLaw::Stronge, 1), 1e-12); }

TEST(SingleImpact, ChatterjeeRuinaNeverGainsEnergy) { EXPECT_LE(largestGain(ImpactLaw::ChatterjeeRuina, 2), 1e-12); }

TEST(SingleImpact, PoissonGainedNoEnergyInRandomImpacts) { EXPECT_LE(largestGain(ImpactLaw::Poisson, 3), 1e-12); }

TEST(SingleImpact, NewtonGainsEnergyInRandomImpactsWithFriction) { EXPECT_GT(largestGain(ImpactLaw::Newton, 4), 0.01); }

TEST(SingleImpact, NewtonAndChatterjeeRuinaReverseTheNormalVelocity) {
  RandomImpacts random(5);
  for (int i = 0; i < kImpacts; ++i) {
    const Impact impact = random.impact(ImpactLaw::Newton);
    for (const ImpactLaw law : {ImpactLaw::Newton, ImpactLaw::ChatterjeeRuina}) {
      const ImpactResult result = resolve(impact, law);
      // Rounding of W P, which is larger than its result where normal and friction pull against each other.
      const double rounding = 1e-13 * (impact.w.cwiseAbs() * result.impulse.cwiseAbs())[0];
      ASSERT_NEAR(result.velocity[0], -impact.restitution * impact.velocity[0], rounding) << "impact " << i;
    }
  }
}

// The rods of Kane and Levinson: a double pendulum of two uniform rods (1 kg, 1 m) whose tip strikes the ground while it
// slides. q = (angle of the upper, angle of the lower rod from the vertical), tip = (sin a + sin b, -cos a - cos b).
Impact doublePendulum(double friction, double restitution) {
  const double a = 20.0 * M_PI / 180.0, b = 30.0 * M_PI / 180.0;
  Eigen::Matrix2d mass, j;
  mass << 4.0 / 3.0, 0.5 * std::cos(a - b), 0.5 * std::cos(a - b), 1.0 / 3.0;
  j << std::sin(a), std::sin(b), std::cos(a), std::cos(b);
  Impact impact;
  impact.w.topLeftCorner<2, 2>() = j * mass.inverse() * j.transpose();
  impact.velocity.head<2>() = j * Eigen::Vector2d(-0.1, -0.2);  // rad/s
  impact.friction = friction;
  impact.restitution = restitution;
  return impact;
}

TEST(SingleImpact, NewtonLetsTheDoublePendulumOfKaneAndLevinsonGainEnergy) {
  const Impact impact = doublePendulum(0.5, 0.9);
  const Vec3 v = impact.velocity;
  // Kinetic energy before: that of the rods.
  const double a = 20.0 * M_PI / 180.0, b = 30.0 * M_PI / 180.0;
  const double before = 0.5 * (4.0 / 3.0 * 0.01 + std::cos(a - b) * 0.02 + 1.0 / 3.0 * 0.04);
  const ImpactResult newton = resolve(impact, ImpactLaw::Newton);
  EXPECT_TRUE(newton.slipStopped);
  EXPECT_TRUE(newton.sliding);  // the other way: reverse slip
  EXPECT_LT(newton.velocity[1] * v[1], 0.0);
  EXPECT_NEAR(newton.velocity[0], -0.9 * v[0], 1e-14);
  EXPECT_GT(newton.energyChange, 0.05 * before);
  for (const ImpactLaw law : {ImpactLaw::Poisson, ImpactLaw::Stronge, ImpactLaw::ChatterjeeRuina})
    EXPECT_LT(resolve(impact, law).energyChange, 0.0);
}

TEST(SingleImpact, LawsAgreeWithoutFrictionAndHaveAClosedForm) {
  RandomImpacts random(6);
  for (int i = 0; i < 2000; ++i) {
    Impact impact = random.impact(ImpactLaw::Newton);
    impact.friction = 0.0;
    const double p = -(1.0 + impact.restitution) * impact.velocity[0] / impact.w(0, 0);
    const double e = impact.restitution;
    const double loss = 0.5 * (1.0 - e * e) * impact.velocity[0] * impact.velocity[0] / impact.w(0, 0);
    for (const ImpactLaw law : kAll) {
      const ImpactResult result = resolve(impact, law);
      ASSERT_LE((result.impulse - Vec3(p, 0, 0)).norm(), 1e-14 * p) << "impact " << i;
      ASSERT_NEAR(result.energyChange, -loss, 1e-13 * p) << "impact " << i;
    }
    // Friction too small to matter leads to the same, by the other code.
    impact.friction = 1e-13;
    for (const ImpactLaw law : kOnHodograph)
      ASSERT_LE((resolve(impact, law).impulse - Vec3(p, 0, 0)).norm(), 1e-10 * p) << "impact " << i;
  }
}

TEST(SingleImpact, LawsAgreeInCentralImpacts) {
  RandomImpacts random(7);
  for (int i = 0; i < 5000; ++i) {
    Impact impact = random.impact(ImpactLaw::Newton);
    impact.w.block<1, 2>(0, 1).setZero();
    impact.w.block<2, 1>(1, 0).setZero();
    const Vec3 newton = resolve(impact, ImpactLaw::Newton).impulse;
    ASSERT_NEAR(newton[0], -(1.0 + impact.restitution) * impact.velocity[0] / impact.w(0, 0), 1e-13 * newton[0]);
    for (const ImpactLaw law : kOnHodograph) {
      const ImpactResult result = resolve(impact, law);
      ASSERT_LE((result.impulse - newton).norm(), 1e-11 * newton.norm()) << "impact " << i;
      ASSERT_LE(result.energyChange, 1e-15 * energyScale(impact, result)) << "impact " << i;
    }
  }
}

// As long as slip keeps its direction, v_n is linear in p, and the three coefficients mean the same.
TEST(SingleImpact, LawsAgreeWhileSlipKeepsItsDirection) {
  RandomImpacts random(8);
  int seen = 0;
  for (int i = 0; i < 20000; ++i) {
    Impact impact = random.planar(ImpactLaw::Newton);
    const ImpactResult newton = resolveImpact(impact);
    if (newton.slipStopped || impact.friction == 0.0) continue;
    ++seen;
    const double s = impact.velocity[1] > 0.0 ? 1.0 : -1.0;
    const double rate = impact.w(0, 0) - impact.friction * s * impact.w(0, 1);
    const double p = -(1.0 + impact.restitution) * impact.velocity[0] / rate;
    const Vec3 closed(p, -impact.friction * s * p, 0.0);
    for (const ImpactLaw law : kOnHodograph) {
      const ImpactResult result = resolve(impact, law);
      ASSERT_FALSE(result.slipStopped) << "impact " << i;
      ASSERT_LE((result.impulse - closed).norm(), 1e-10 * p) << "impact " << i;
    }
  }
  EXPECT_GT(seen, 2000);
}

TEST(SingleImpact, ContactThatDoesNotApproachGetsNothing) {
  RandomImpacts random(9);
  for (const ImpactLaw law : kAll) {
    Impact impact = random.impact(law);
    for (const double speed : {0.0, 0.3}) {
      impact.velocity[0] = speed;
      const ImpactResult result = resolveImpact(impact);
      EXPECT_TRUE(result.complete);
      EXPECT_EQ(result.impulse, Vec3::Zero());
      EXPECT_EQ(result.velocity, impact.velocity);
    }
  }
}

TEST(SingleImpact, NumbersThatAreNoImpactAreRefused) {
  RandomImpacts random(10);
  for (const ImpactLaw law : kAll) {
    const Impact good = random.impact(law);
    const auto refused = [&](const char* part, auto spoil) {
      Impact bad = good;
      spoil(bad);
      const ImpactResult result = resolveImpact(bad);
      EXPECT_FALSE(result.complete) << part;
      EXPECT_EQ(result.impulse, Vec3::Zero()) << part;
      EXPECT_NE(std::string(result.why).find(part), std::string::npos) << part << " in " << result.why;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    refused("w", [&](Impact& bad) { bad.w(1, 2) = nan; });
    refused("velocity", [&](Impact& bad) { bad.velocity[1] = -infinity; });
    refused("friction", [&](Impact& bad) { bad.friction = nan; });
    refused("friction", [&](Impact& bad) { bad.friction = -0.1; });
    refused("friction", [&](Impact& bad) { bad.friction = infinity; });
    refused("restitution", [&](Impact& bad) { bad.restitution = 1.5; });
    refused("restitution", [&](Impact& bad) { bad.restitution = nan; });
    refused("tangential", [&](Impact& bad) { bad.tangentialRestitution = -1.2; });
    refused("w_nn", [&](Impact& bad) { bad.w.setZero(); });
  }
}

// Friction that holds v_n - v_t fixed, so that the contact can only open by sliding faster, which friction forbids.
TEST(SingleImpact, JamThatASingularMatrixMakesEndlessIsReported) {
  Impact impact;
  impact.w.topLeftCorner<2, 2>().setOnes();
  impact.velocity = Vec3(-1, 1, 0);
  impact.friction = 2.0;
  for (const ImpactLaw law : kOnHodograph) {
    const ImpactResult result = resolve(impact, law);
    EXPECT_FALSE(result.complete);
    EXPECT_NE(std::string(result.why).find("singular"), std::string::npos) << result.why;
  }
}

TEST(SingleImpact, ScalesOfMassAndSpeedChangeNothing) {
  RandomImpacts random(11);
  for (int i = 0; i < 300; ++i) {
    const Impact impact = random.impact(kAll[i % 4]);
    const ImpactResult result = resolveImpact(impact);
    for (const double mass : {1e-12, 1e9}) {
      for (const double speed : {1e-9, 1e6}) {
        Impact other = impact;
        other.w /= mass;
        other.velocity *= speed;
        const ImpactResult scaled = resolveImpact(other);
        ASSERT_TRUE(scaled.complete) << scaled.why;
        ASSERT_LE((scaled.impulse / (mass * speed) - result.impulse).norm(), 1e-10 * result.impulse.norm())
            << "impact " << i;
      }
    }
  }
}

// The tangents' directions are a choice that must not matter.
TEST(SingleImpact, TurningTheTangentsChangesNothing) {
  RandomImpacts random(13);
  double worst = 0.0;
  for (int i = 0; i < 10000; ++i) {
    const Impact impact = random.impact(kAll[i % 4]);
    const Mat3 turn = Eigen::AngleAxisd(random.uniform(0, 6), Vec3::UnitX()).toRotationMatrix();
    Impact turned = impact;
    turned.w = turn * impact.w * turn.transpose();
    turned.velocity = turn * impact.velocity;
    const Vec3 expected = resolveImpact(impact).impulse, found = turn.transpose() * resolveImpact(turned).impulse;
    worst = std::max(worst, (found - expected).norm() / expected.norm());
  }
  EXPECT_LE(worst, 1e-10);
}

// Nearly grazing, nearly sticking, nearly frictionless, nearly rigid in one direction, and their mixtures.
TEST(SingleImpact, ExtremesEndAndKeepTheLaws) {
  RandomImpacts random(12);
  const auto wild = [&] { return std::pow(10.0, random.uniform(-12, 12)); };
  for (int i = 0; i < kImpacts / 5; ++i) {
    Impact impact = random.impact(kAll[i % 4]);
    if (i % 3 == 0) impact.velocity[0] *= wild();
    if (i % 5 == 0) impact.velocity.tail<2>() *= wild();
    if (i % 7 == 0) impact.friction *= wild();
    const Vec3 soft = random.direction();
    if (i % 2 == 0) impact.w += std::pow(10.0, random.uniform(0, 8)) * (soft * soft.transpose());
    if (i % 11 == 0) impact.velocity.tail<2>().setZero();
    const ImpactResult result = resolveImpact(impact);
    ASSERT_TRUE(result.complete) << "impact " << i << ": " << result.why;
    ASSERT_LE(result.impulse.tail<2>().norm(), impact.friction * result.impulse[0] * (1 + 1e-9)) << "impact " << i;
    const double rounding = (impact.w.cwiseAbs() * result.impulse.cwiseAbs())[0];
    ASSERT_GE(result.velocity[0], -1e-12 * rounding) << "impact " << i;
    if (impact.law == ImpactLaw::Newton || impact.law == ImpactLaw::Poisson) continue;
    // W P rounds to 1e-16 of its terms, which may be far larger than the velocities here.
    const double gain = 1e-12 * energyScale(impact, result) +
                        1e-15 * result.impulse.cwiseAbs().dot(impact.w.cwiseAbs() * result.impulse.cwiseAbs());
    ASSERT_LE(result.energyChange, gain) << "impact " << i;
  }
}

}  // namespace
}  // namespace cairn
