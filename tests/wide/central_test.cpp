// Contacts of balls have kernels of their own: they leave out what is zero, and know a ball by two numbers. Up to rounding
// in single precision they come out as any others.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <random>
#include <vector>

#include "wide/contact_block.hpp"

namespace cairn::wide {
namespace {

// Numbers are about 1, and go through some fifty operations in three substeps.
constexpr float kRounding = 2e-5f;

TEST(Central, BlocksOfBallsComeOutAsAnyOthers) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<float> number(-1.0f, 1.0f);
  const SubstepValues values{1.0f / 480.0f, 480.0f, 1.0f};
  bool anySlid = false, anyStuck = false;
  for (int round = 0; round < 100; ++round) {
    ContactBlock block{};
    ContactPointLanes point{};
    std::vector<SolverBody> bodies(2 * kLanes + 1);
    block.points = 1;
    block.lanes = static_cast<std::uint16_t>(1 + random() % kLanes);
    for (int lane = 0; lane < kLanes; ++lane) {
      block.contact[lane] = static_cast<std::uint32_t>(lane);
      block.bodyA[lane] = static_cast<std::uint32_t>(2 * lane);
      block.bodyB[lane] = static_cast<std::uint32_t>(2 * lane + 1);
      if (lane >= block.lanes) continue;
      block.writesA |= static_cast<std::uint16_t>(1u << lane);
      block.writesB |= static_cast<std::uint16_t>(1u << lane);
      const Eigen::Vector3f normal = Eigen::Vector3f(number(random), number(random), number(random)).normalized();
      const float radiusA = 0.5f + 0.4f * number(random), radiusB = 0.5f + 0.4f * number(random);
      for (int k = 0; k < 3; ++k) {
        block.normal[k][lane] = normal[k];
        point.arm[k][lane] = radiusA * normal[k];
        block.apart[k][lane] = -(radiusA + radiusB) * normal[k];
      }
      block.inverseMassA[lane] = 1.0f + 0.5f * number(random);
      block.inverseMassB[lane] = random() % 4 == 0 ? 0.0f : 1.0f;
      for (int k = 0; k < 3; ++k) {
        block.inertiaA[k][lane] = 2.5f * block.inverseMassA[lane] / (radiusA * radiusA);
        block.inertiaB[k][lane] = 2.5f * block.inverseMassB[lane] / (radiusB * radiusB);
      }
      block.relaxes[lane] = 1.0f;
      block.friction[lane] = 0.5f;
      block.biasRate[lane] = 100.0f;
      block.pushOut[lane] = 3.0f;
      point.mass[lane] = 1.0f;
      point.stiffness[lane] = 0.8f;
      // Close to touching, and no gap between them: they are where `apart` says.
      point.separation[lane] = point.gap[lane] = 1e-6f * number(random);
      for (const int body : {2 * lane, 2 * lane + 1}) {
        for (int k = 0; k < 3; ++k) {
          bodies[body].velocity[k] = number(random);
          bodies[body].spin[k] = number(random);
        }
      }
    }
    ContactBlock central = block;
    central.central = 1;
    ContactPointLanes centralPoint = point;
    std::vector<SolverBody> centralBodies = bodies;
    prepare(Blocks(&block, 1), &point, bodies.data(), false);
    prepare(Blocks(&central, 1), &centralPoint, centralBodies.data(), false);
    for (int substep = 0; substep < 3; ++substep) {
      solveSoft(Blocks(&block, 1), &point, bodies.data(), values);
      solveSoft(Blocks(&central, 1), &centralPoint, centralBodies.data(), values);
      relax(Blocks(&block, 1), &point, bodies.data(), values);
      relax(Blocks(&central, 1), &centralPoint, centralBodies.data(), values);
    }
    for (int lane = 0; lane < block.lanes; ++lane) {
      ASSERT_NEAR(point.impulse[lane], centralPoint.impulse[lane], kRounding);
      ASSERT_NEAR(point.gap[lane], centralPoint.gap[lane], kRounding);
      ASSERT_NEAR(point.total[lane], centralPoint.total[lane], kRounding);
      ASSERT_NEAR(block.friction1[lane], central.friction1[lane], kRounding);
      ASSERT_NEAR(block.friction2[lane], central.friction2[lane], kRounding);
      for (const int body : {2 * lane, 2 * lane + 1}) {
        for (int k = 0; k < 3; ++k) {
          ASSERT_NEAR(bodies[body].velocity[k], centralBodies[body].velocity[k], kRounding);
          ASSERT_NEAR(bodies[body].spin[k], centralBodies[body].spin[k], kRounding);
        }
      }
      const float limit = block.friction[lane] * point.impulse[lane];
      const float force = std::hypot(block.friction1[lane], block.friction2[lane]);
      EXPECT_LE(force, 1.0001f * limit);
      anySlid |= limit > 0.0f && force > 0.999f * limit;
      anyStuck |= limit > 0.0f && force < 0.9f * limit;
    }
  }
  EXPECT_TRUE(anySlid);
  EXPECT_TRUE(anyStuck);
}

}  // namespace
}  // namespace cairn::wide
