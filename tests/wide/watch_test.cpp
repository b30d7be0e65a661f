// What is not reported as meeting must not meet: against the gaps of single points, one by one.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>
#include <vector>

#include "wide/watch_kernels.hpp"

namespace cairn::wide {
namespace {

using Eigen::Vector3d;

class Watch : public testing::Test {
 protected:
  static constexpr int kBodies = 2 * kLanes;
  static constexpr float kAhead = 0.01f, kClosest = 0.002f;

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vector3d vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  static void set(float (&to)[3], const Vector3d& v) {
    for (int k = 0; k < 3; ++k) to[k] = static_cast<float>(v[k]);
  }

  struct Lane1 {
    Vector3d normal, armA, armB;  // arms: r x n of the only point
    double gap;
  };
  // How far apart a lane's point is, if the velocities stay.
  double gapAhead(const Lane1& lane, const SolverBody& a, const SolverBody& b) const {
    const auto vec = [](const float(&v)[3]) { return Vector3d(v[0], v[1], v[2]); };
    const auto along = [&](const Vector3d& linA, const Vector3d& angA, const Vector3d& linB, const Vector3d& angB) {
      return lane.normal.dot(linB - linA) + lane.armB.dot(angB) - lane.armA.dot(angA);
    };
    return lane.gap + along(vec(a.moved), vec(a.turned), vec(b.moved), vec(b.turned)) +
           kAhead * along(vec(a.velocity), vec(a.spin), vec(b.velocity), vec(b.spin));
  }

  std::mt19937_64 random_{5};
};

TEST_F(Watch, NothingMeetsUnseenAndWhatStandsStillIsLeftAlone) {
  int met = 0, seen = 0, quiet = 0;
  for (int round = 0; round < 3000; ++round) {
    const double size = std::pow(10.0, uniform(-3, 1));
    std::vector<SolverBody> bodies(kBodies);
    for (SolverBody& body : bodies) {
      set(body.velocity, vector(size));
      set(body.spin, vector(size));
      set(body.moved, vector(0.01 * size));
      set(body.turned, vector(0.01 * size));
    }
    WatchBlock block{};
    block.lanes = 1 + random_() % kLanes;
    std::vector<Lane1> lanes(block.lanes);
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      block.bodyA[i] = 2 * i;
      block.bodyB[i] = 2 * i + 1;
      block.gap[i] = 1e30f;
      if (i >= block.lanes) continue;
      Lane1& lane = lanes[i];
      lane = {vector(1).normalized(), vector(0.3), vector(0.3), uniform(kClosest, 0.03)};
      for (int k = 0; k < 3; ++k) block.normal[k][i] = static_cast<float>(lane.normal[k]);
      block.gap[i] = static_cast<float>(lane.gap);
      block.reachA[i] = static_cast<float>(lane.armA.norm());
      block.reachB[i] = static_cast<float>(lane.armB.norm());
    }
    watch(std::span(&block, 1), bodies.data(), kAhead, kClosest);
    bool meets = false;
    for (std::uint32_t i = 0; i < block.lanes; ++i)
      meets |= gapAhead(lanes[i], bodies[block.bodyA[i]], bodies[block.bodyB[i]]) < kClosest - 1e-6;
    EXPECT_TRUE(block.meets || !meets);
    met += meets ? 1 : 0;
    seen += block.meets ? 1 : 0;
    quiet += block.meets ? 0 : 1;
  }
  // Both happen, and few are called in vain.
  EXPECT_GT(met, 500);
  EXPECT_GT(quiet, 500);
  EXPECT_LT(seen, 2 * met);
}

TEST_F(Watch, WhatIsNotANumberIsNotLeftAlone) {
  std::vector<SolverBody> bodies(2);
  bodies[0].velocity[1] = std::numeric_limits<float>::quiet_NaN();
  WatchBlock block{};
  block.lanes = 1;
  block.bodyB[0] = 1;
  block.normal[1][0] = 1.0f;
  for (float& gap : block.gap) gap = 1.0f;
  watch(std::span(&block, 1), bodies.data(), kAhead, kClosest);
  EXPECT_TRUE(block.meets);
}

}  // namespace
}  // namespace cairn::wide
