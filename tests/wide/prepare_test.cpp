// Rows made eight at a time, against their definitions with plain matrices in double precision.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>
#include <vector>

#include "wide/contact_block.hpp"
#include "wide/lanes.hpp"

namespace cairn::wide {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// One contact, as the definitions know it.
struct Plain {
  int points = 0;
  Vector3d normal, friction;
  double massA = 0, massB = 0;  // inverse
  Matrix3d inertiaA, inertiaB;  // inverse
  std::array<Vector3d, 4> anchorsA, anchorsB;
  std::array<double, 4> weights;
};

class Prepare : public testing::Test {
 protected:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vector3d vector() { return {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}; }
  Matrix3d positive() {
    const Matrix3d m = Matrix3d::NullaryExpr([&] { return uniform(-1, 1); });
    return m * m.transpose() + 0.1 * Matrix3d::Identity();
  }

  std::mt19937_64 random_{7};
};

TEST_F(Prepare, RowsAreWhatTheyAreDefinedToBe) {
  for (int round = 0; round < 200; ++round) {
    ContactBlock block{};
    std::array<ContactPointLanes, 4> points{};
    std::array<Plain, kLanes> plain;
    block.points = 4;
    const int used = 1 + static_cast<int>(random_() % kLanes);
    block.lanes = static_cast<std::uint16_t>(used);
    for (int lane = 0; lane < used; ++lane) {
      Plain& p = plain[lane];
      p.points = 1 + static_cast<int>(random_() % 4);
      p.normal = random_() % 3 == 0 ? Vector3d::Unit(static_cast<int>(random_() % 3)) : vector().normalized();
      p.friction = vector();
      p.massA = random_() % 4 == 0 ? 0.0 : uniform(0.1, 2.0);
      p.massB = uniform(0.1, 2.0);
      p.inertiaA = p.massA == 0.0 ? Matrix3d(Matrix3d::Zero()) : positive();
      p.inertiaB = positive();
      const bool pressed = random_() % 2 == 0;
      block.relaxes[lane] = 1.0f;
      block.inverseMassA[lane] = static_cast<float>(p.massA);
      block.inverseMassB[lane] = static_cast<float>(p.massB);
      set(block.inertiaA, lane, p.inertiaA);
      set(block.inertiaB, lane, p.inertiaB);
      set(block.normal, lane, p.normal);
      set(block.centre, lane, p.friction);
      const Vector3d between = vector();
      set(block.apart, lane, between);
      for (int i = 0; i < p.points; ++i) {
        p.anchorsA[i] = vector();
        const double separation = uniform(-0.01, 0.01);
        p.anchorsB[i] = p.anchorsA[i] + between + separation * p.normal;
        p.weights[i] = pressed ? uniform(0.0, 3.0) : 0.0;
        set(points[i].arm, lane, p.anchorsA[i]);
        points[i].separation[lane] = static_cast<float>(separation);
        points[i].mass[lane] = 1.0f;
        points[i].stiffness[lane] = 0.7f;
        points[i].lever[lane] = static_cast<float>(p.weights[i]);
      }
    }
    std::array<SolverBody, 1> bodies{};
    prepare(Blocks(&block, 1), points.data(), bodies.data(), false);

    for (int lane = 0; lane < used; ++lane) {
      const Plain& p = plain[lane];
      // The coupling of two directions d at places with arms r: d1.d2 (1/mA + 1/mB) + (r x d1).I^-1 (r x d2) of both.
      const auto coupling = [&](const Vector3d& rA1, const Vector3d& rB1, const Vector3d& d1, const Vector3d& rA2,
                                const Vector3d& rB2, const Vector3d& d2) {
        return (p.massA + p.massB) * d1.dot(d2) + rA1.cross(d1).dot(p.inertiaA * rA2.cross(d2)) +
               rB1.cross(d1).dot(p.inertiaB * rB2.cross(d2));
      };
      double weight = 0.0;
      for (int i = 0; i < p.points; ++i) weight += p.weights[i];
      Vector3d centreA = Vector3d::Zero(), centreB = Vector3d::Zero();
      for (int i = 0; i < p.points; ++i) {
        const double share = weight > 0.0 ? p.weights[i] / weight : 1.0 / p.points;
        centreA += share * p.anchorsA[i];
        centreB += share * p.anchorsB[i];
      }
      for (int i = 0; i < 4; ++i) {
        if (i >= p.points) {
          ASSERT_EQ(points[i].mass[lane], 0.0f);
          continue;
        }
        const double k = coupling(p.anchorsA[i], p.anchorsB[i], p.normal, p.anchorsA[i], p.anchorsB[i], p.normal);
        ASSERT_NEAR(points[i].mass[lane] * k, 1.0, 1e-4);
        ASSERT_NEAR(points[i].lever[lane], (p.anchorsA[i] - centreA).norm(), 1e-5);
        ASSERT_EQ(points[i].stiffness[lane], 0.7f);
        const Vector3d armA = get(points[i].arm, lane), armB = armA + get(block.apart, lane).cross(p.normal);
        ASSERT_NEAR((armA - p.anchorsA[i].cross(p.normal)).norm(), 0.0, 1e-5);
        ASSERT_NEAR((armB - p.anchorsB[i].cross(p.normal)).norm(), 0.0, 1e-5);
        for (int q = 0; q < i; ++q)
          ASSERT_NEAR(block.coupling[i * (i - 1) / 2 + q][lane],
                      coupling(p.anchorsA[i], p.anchorsB[i], p.normal, p.anchorsA[q], p.anchorsB[q], p.normal), 1e-4);
      }
      const Vector3d t1 = get(block.tangent, lane), t2 = p.normal.cross(t1);
      ASSERT_NEAR(t1.norm(), 1.0, 1e-5);
      ASSERT_NEAR(t1.dot(p.normal), 0.0, 1e-5);
      Eigen::Matrix2d k, inverse;
      k(0, 0) = coupling(centreA, centreB, t1, centreA, centreB, t1);
      k(1, 1) = coupling(centreA, centreB, t2, centreA, centreB, t2);
      k(0, 1) = k(1, 0) = coupling(centreA, centreB, t1, centreA, centreB, t2);
      inverse << block.k11[lane], block.k12[lane], block.k12[lane], block.k22[lane];
      ASSERT_LT((inverse * k - Eigen::Matrix2d::Identity()).norm(), 1e-3);
      ASSERT_NEAR(block.twistMass[lane] * p.normal.dot((p.inertiaA + p.inertiaB) * p.normal), 1.0, 1e-4);
      ASSERT_NEAR(block.friction1[lane], p.friction.dot(t1), 1e-5);
      ASSERT_NEAR(block.friction2[lane], p.friction.dot(t2), 1e-5);
    }
    for (int lane = used; lane < kLanes; ++lane)
      for (const float empty : {points[0].mass[lane], block.k11[lane], block.twistMass[lane], block.friction1[lane]})
        ASSERT_EQ(empty, 0.0f);
  }
}

TEST_F(Prepare, ResultsAreThoseOfTheLanes) {
  for (int round = 0; round < 50; ++round) {
    ContactBlock block{};
    std::array<ContactPointLanes, 4> points{};
    block.points = 4;
    block.lanes = static_cast<std::uint16_t>(1 + random_() % kLanes);
    std::array<int, kLanes> counts{};
    const auto number = [&](double low, double high) { return static_cast<float>(uniform(low, high)); };
    for (int lane = 0; lane < block.lanes; ++lane) {
      const Vector3d normal = vector().normalized(), tangent = normal.unitOrthogonal();
      set(block.normal, lane, normal);
      set(block.tangent, lane, tangent);
      for (float* row : {block.friction1, block.friction2, block.total1, block.total2, block.twist})
        row[lane] = number(-1, 1);
      counts[lane] = 1 + static_cast<int>(random_() % 4);
      for (int i = 0; i < 4; ++i) {
        const bool used = i < counts[lane], pressed = random_() % 2 == 0;
        points[i].mass[lane] = used ? 1.0f : 0.0f;
        points[i].gap[lane] = number(-0.01, 0.01);  // where there is no point, it says nothing
        points[i].impulse[lane] = used && pressed ? number(0.0, 1.0) : 0.0f;
        points[i].total[lane] = used && pressed ? number(0.0, 1.0) : 0.0f;
      }
    }
    const float up[3] = {0.6f, 0.0f, 0.8f};
    constexpr float kUnscale = 8.0f;
    BlockResults results{};
    readBack(block, points.data(), kUnscale, up, results);
    for (int lane = 0; lane < block.lanes; ++lane) {
      const Vector3d normal = get(block.normal, lane), t1 = get(block.tangent, lane), t2 = normal.cross(t1);
      const Vector3d friction = kUnscale * (block.friction1[lane] * t1 + block.friction2[lane] * t2);
      EXPECT_LT((get(results.friction, lane) - friction).norm(), 1e-5);
      EXPECT_LT((get(results.totalFriction, lane) - (block.total1[lane] * t1 + block.total2[lane] * t2)).norm(), 1e-6);
      EXPECT_EQ(results.twist[lane], kUnscale * block.twist[lane]);
      EXPECT_NEAR(results.steepness[lane], std::abs(normal.dot(Vector3d(0.6, 0.0, 0.8))), 1e-6);
      float load = 0.0f, gap = 1e30f, most = 0.0f;
      for (int i = 0; i < counts[lane]; ++i) {
        load += kUnscale * points[i].impulse[lane];
        gap = std::min(gap, points[i].gap[lane]);
        most = std::max(most, points[i].total[lane]);
      }
      EXPECT_EQ(results.load[lane], load);
      EXPECT_EQ(results.gap[lane], gap);
      EXPECT_EQ(results.total[lane], most);
    }
  }
}

// What the last step left is where the next one begins; the rows stay.
TEST_F(Prepare, KeptRowsBeginWhereTheyEnded) {
  for (int round = 0; round < 50; ++round) {
    ContactBlock block{};
    std::array<ContactPointLanes, 4> points{};
    std::array<SolverBody, 2 * kLanes> bodies{};
    for (SolverBody& body : bodies)
      for (int k = 0; k < 3; ++k) {
        body.velocity[k] = static_cast<float>(uniform(-1, 1));
        body.spin[k] = static_cast<float>(uniform(-1, 1));
      }
    block.points = static_cast<std::uint16_t>(1 + random_() % 4);
    block.lanes = static_cast<std::uint16_t>(1 + random_() % kLanes);
    std::array<double, kLanes> approach{};
    for (int lane = 0; lane < block.lanes; ++lane) {
      block.bodyA[lane] = 2 * lane;
      block.bodyB[lane] = 2 * lane + 1;
      const SolverBody &a = bodies[2 * lane], &b = bodies[2 * lane + 1];
      const Vector3d normal = vector().normalized();
      set(block.normal, lane, normal);
      block.total1[lane] = block.total2[lane] = block.totalTwist[lane] = 1.0f;
      block.friction1[lane] = static_cast<float>(uniform(-1, 1));
      const int used = 1 + static_cast<int>(random_() % block.points);
      const Vector3d between = vector();
      set(block.apart, lane, between);
      for (int i = 0; i < used; ++i) {
        const Vector3d rA = vector(), rB = rA + between;
        set(points[i].arm, lane, rA.cross(normal));
        points[i].mass[lane] = 2.0f;
        points[i].gap[lane] = static_cast<float>(uniform(-1, 1));
        points[i].impulse[lane] = points[i].total[lane] = 1.0f + static_cast<float>(i);
        const auto at = [](const SolverBody& body, const Vector3d& r) -> Vector3d {
          return Vector3d(body.velocity[0], body.velocity[1], body.velocity[2]) +
                 Vector3d(body.spin[0], body.spin[1], body.spin[2]).cross(r);
        };
        approach[lane] += normal.dot(at(a, rA) - at(b, rB)) / used;
      }
    }
    const ContactBlock before = block;
    const std::array<ContactPointLanes, 4> pointsBefore = points;
    keepRows(Blocks(&block, 1), points.data(), bodies.data());
    for (int lane = 0; lane < block.lanes; ++lane) {
      ASSERT_NEAR(block.approachSpeed[lane], approach[lane], 1e-5);
      ASSERT_EQ(block.friction1[lane], before.friction1[lane]);
      for (const float total : {block.total1[lane], block.total2[lane], block.totalTwist[lane]}) ASSERT_EQ(total, 0.0f);
      for (int i = 0; i < block.points; ++i) {
        ASSERT_EQ(points[i].separation[lane], pointsBefore[i].gap[lane]);
        ASSERT_EQ(points[i].gap[lane], pointsBefore[i].gap[lane]);
        ASSERT_EQ(points[i].impulse[lane], pointsBefore[i].impulse[lane]);
        ASSERT_EQ(points[i].total[lane], 0.0f);
      }
    }
  }
}

}  // namespace
}  // namespace cairn::wide
