// The two passes over a block against plain code in double precision, written from the laws at the head of
// wide/contact_kernels.cpp: places and moments as they are, one row after another, nothing known in advance.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "wide/contact_block.hpp"
#include "wide/lanes.hpp"

namespace cairn::wide {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct PlainBody {
  double inverseMass;
  Matrix3d inverseInertia;
  Vector3d velocity, spin, moved, turned;
  Vector3d velocityAt(const Vector3d& r) const { return velocity + spin.cross(r); }
  void push(const Vector3d& impulse, const Vector3d& r) {
    velocity += inverseMass * impulse;
    spin += inverseInertia * r.cross(impulse);
  }
};

struct PlainContact {
  int points;
  Vector3d normal, t1, t2;
  std::array<Vector3d, 4> onA, onB;  // from the centres
  std::array<double, 4> separation, gap, impulse, total;
  Vector3d centreA, centreB;
  double friction, stiffness, biasRate, pushOut;
  double f1 = 0, f2 = 0, twist = 0;

  void pass(PlainBody& a, PlainBody& b, double h, bool relax) {
    double force = 0, moment = 0;
    for (int p = 0; p < points; ++p) {
      const double u = normal.dot(b.velocityAt(onB[p]) - a.velocityAt(onA[p]));
      const Vector3d ra = onA[p].cross(normal), rb = onB[p].cross(normal);
      const double mass =
          1.0 / (a.inverseMass + b.inverseMass + ra.dot(a.inverseInertia * ra) + rb.dot(b.inverseInertia * rb));
      double change;
      if (relax) {
        gap[p] = separation[p] + normal.dot(b.moved + b.turned.cross(onB[p]) - a.moved - a.turned.cross(onA[p]));
        change = -mass * (u + std::max(gap[p], 0.0) / h);
      } else if (gap[p] > 0.0) {
        change = -mass * (u + gap[p] / h);
      } else {
        change = -stiffness * mass * (u + std::max(biasRate * gap[p], -pushOut)) - (1.0 - stiffness) * impulse[p];
      }
      change = std::max(change, -impulse[p]);
      impulse[p] += change;
      if (relax) total[p] += impulse[p];
      a.push(-change * normal, onA[p]);
      b.push(change * normal, onB[p]);
      force += impulse[p];
      moment += impulse[p] * (onA[p] - centreA).norm();
    }
    // Both tangents at once.
    const Vector3d slip = b.velocityAt(centreB) - a.velocityAt(centreA);
    Eigen::Matrix2d k;
    const std::array<Vector3d, 2> t{t1, t2};
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        k(i, j) = (a.inverseMass + b.inverseMass) * t[i].dot(t[j]) +
                  centreA.cross(t[i]).dot(a.inverseInertia * centreA.cross(t[j])) +
                  centreB.cross(t[i]).dot(b.inverseInertia * centreB.cross(t[j]));
    const Eigen::Vector2d old(f1, f2), u(t1.dot(slip), t2.dot(slip));
    Eigen::Vector2d f = old - k.inverse() * u;
    if (f.norm() > friction * force) f = friction * force * (old - u / k.trace()).normalized();
    const Vector3d push = (f[0] - f1) * t1 + (f[1] - f2) * t2;
    f1 = f[0];
    f2 = f[1];
    a.push(-push, centreA);
    b.push(push, centreB);
    if (points == 1) return;
    const double stiff = normal.dot((a.inverseInertia + b.inverseInertia) * normal);
    const double most = friction * moment;
    const double now = std::clamp(twist - normal.dot(b.spin - a.spin) / stiff, -most, most);
    a.spin -= a.inverseInertia * normal * (now - twist);
    b.spin += b.inverseInertia * normal * (now - twist);
    twist = now;
  }
};

class ContactKernels : public testing::Test {
 protected:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vector3d vector() { return {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}; }
  PlainBody body() {
    const Matrix3d m = Matrix3d::NullaryExpr([&] { return uniform(-1, 1); });
    return {uniform(0.2, 2.0), m * m.transpose() + 0.3 * Matrix3d::Identity(), vector(), vector(), Vector3d::Zero(),
            Vector3d::Zero()};
  }

  std::mt19937_64 random_{11};
};

// Numbers are about 1; matrices of inertia have condition numbers up to some hundreds.
constexpr double kTolerance = 2e-3;

TEST_F(ContactKernels, PassesAreThoseOfPlainCode) {
  const double h = 1.0 / 480.0;
  const SubstepValues values{static_cast<float>(h), static_cast<float>(1.0 / h), 1.0f};
  int slid = 0, stuck = 0, open = 0;
  for (int round = 0; round < 300; ++round) {
    ContactBlock block{};
    std::array<ContactPointLanes, 4> points{};
    std::vector<SolverBody> bodies(2 * kLanes + 1);
    std::vector<PlainBody> plainBodies;
    std::vector<PlainContact> contacts;
    block.points = static_cast<std::uint16_t>(1 + random_() % 4);
    block.lanes = static_cast<std::uint16_t>(1 + random_() % kLanes);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      block.bodyA[lane] = 2 * lane;
      block.bodyB[lane] = 2 * lane + 1;
      if (lane >= block.lanes) continue;
      block.writesA |= static_cast<std::uint16_t>(1u << lane);
      block.writesB |= static_cast<std::uint16_t>(1u << lane);
      plainBodies.push_back(body());
      plainBodies.push_back(body());
      const PlainBody &a = plainBodies[2 * lane], &b = plainBodies[2 * lane + 1];
      PlainContact c;
      c.points = block.points;
      c.normal = vector().normalized();
      c.friction = uniform(0.0, 1.0);
      c.stiffness = 0.8;
      c.biasRate = 100.0;
      c.pushOut = 3.0;
      const Vector3d between = vector();
      c.centreA.setZero();
      double gap = 0;
      for (int p = 0; p < c.points; ++p) {
        c.separation[p] = c.gap[p] = uniform(-0.005, 0.005);
        c.onA[p] = vector();
        c.onB[p] = c.onA[p] + between + c.separation[p] * c.normal;
        c.impulse[p] = c.total[p] = 0.0;
        c.centreA += c.onA[p] / c.points;
        gap += c.separation[p] / c.points;
        set(points[p].arm, static_cast<int>(lane), c.onA[p]);
        points[p].mass[lane] = 1.0f;
        points[p].stiffness[lane] = static_cast<float>(c.stiffness);
        points[p].separation[lane] = points[p].gap[lane] = static_cast<float>(c.separation[p]);
      }
      c.centreB = c.centreA + between + gap * c.normal;
      set(block.normal, static_cast<int>(lane), c.normal);
      set(block.apart, static_cast<int>(lane), between);
      block.inverseMassA[lane] = static_cast<float>(a.inverseMass);
      block.inverseMassB[lane] = static_cast<float>(b.inverseMass);
      set(block.inertiaA, static_cast<int>(lane), a.inverseInertia);
      set(block.inertiaB, static_cast<int>(lane), b.inverseInertia);
      block.relaxes[lane] = 1.0f;
      block.friction[lane] = static_cast<float>(c.friction);
      block.biasRate[lane] = static_cast<float>(c.biasRate);
      block.pushOut[lane] = static_cast<float>(c.pushOut);
      contacts.push_back(c);
      for (std::uint32_t i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k) {
          bodies[2 * lane + i].velocity[k] = static_cast<float>(plainBodies[2 * lane + i].velocity[k]);
          bodies[2 * lane + i].spin[k] = static_cast<float>(plainBodies[2 * lane + i].spin[k]);
        }
    }
    prepare(Blocks(&block, 1), points.data(), bodies.data(), false);
    for (int lane = 0; lane < block.lanes; ++lane) {
      const Vector3d t = get(block.tangent, lane);
      contacts[lane].t1 = (t - t.dot(contacts[lane].normal) * contacts[lane].normal).normalized();
      contacts[lane].t2 = contacts[lane].normal.cross(contacts[lane].t1);
    }
    for (int substep = 0; substep < 2; ++substep) {
      solveSoft(Blocks(&block, 1), points.data(), bodies.data(), values);
      for (SolverBody& one : bodies)
        for (int k = 0; k < 3; ++k) {
          one.moved[k] += values.h * one.velocity[k];
          one.turned[k] += values.h * one.spin[k];
        }
      relax(Blocks(&block, 1), points.data(), bodies.data(), values);
      for (int lane = 0; lane < block.lanes; ++lane) {
        PlainBody &a = plainBodies[2 * lane], &b = plainBodies[2 * lane + 1];
        contacts[lane].pass(a, b, h, false);
        for (PlainBody* one : {&a, &b}) {
          one->moved += h * one->velocity;
          one->turned += h * one->spin;
        }
        contacts[lane].pass(a, b, h, true);
      }
    }
    for (int lane = 0; lane < block.lanes; ++lane) {
      const PlainContact& c = contacts[lane];
      double force = 0;
      for (int p = 0; p < c.points; ++p) {
        ASSERT_NEAR(points[p].impulse[lane], c.impulse[p], kTolerance);
        ASSERT_NEAR(points[p].total[lane], c.total[p], kTolerance);
        ASSERT_NEAR(points[p].gap[lane], c.gap[p], kTolerance * h);
        force += c.impulse[p];
        open += c.impulse[p] == 0.0 ? 1 : 0;
      }
      ASSERT_NEAR(block.friction1[lane], c.f1, kTolerance);
      ASSERT_NEAR(block.friction2[lane], c.f2, kTolerance);
      ASSERT_NEAR(block.twist[lane], c.twist, kTolerance);
      ++(std::hypot(c.f1, c.f2) > 0.999 * c.friction * force ? slid : stuck);
      for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k) {
          ASSERT_NEAR(bodies[2 * lane + i].velocity[k], plainBodies[2 * lane + i].velocity[k], kTolerance);
          ASSERT_NEAR(bodies[2 * lane + i].spin[k], plainBodies[2 * lane + i].spin[k], 5.0 * kTolerance);
        }
    }
  }
  // All kinds of contact were among them.
  EXPECT_GT(slid, 100);
  EXPECT_GT(stuck, 100);
  EXPECT_GT(open, 100);
}

}  // namespace
}  // namespace cairn::wide
