// Rows of every kind of joint: what they hold, what they leave free, and that rates are the derivatives of values.
#include <gtest/gtest.h>

#include <random>

#include "dynamics/joint_curve.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/joint_axis.hpp"
#include "mechanics/joint_rows.hpp"

namespace cairn {
namespace {

std::mt19937 random_(11);
double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
Vec3 anyVector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
Quat anyRotation(double size) { return rotated(Quat::Identity(), anyVector(size)); }

struct Moving {
  Vec3 center, velocity, spin;
  Quat rotation;
};
Pose poseOf(const Moving& body) { return {body.center, body.rotation}; }

// A joint of the kind between bodies that are anywhere: B is `apart` (m and rad) from where the joint holds.
struct Case {
  Joint joint;
  Moving a, b;
};

std::vector<JointKind> allKinds() {
  const Vec3 axis = anyVector(1.0).normalized();
  const Vec3 across = axis.unitOrthogonal();
  CurveJoint curve;
  for (int i = 0; i < 7; ++i) curve.points.push_back(Vec3(std::cos(0.9 * i), std::sin(0.9 * i), 0.2 * i));
  SixDofJoint one, two, none;
  one.frameA = two.frameA = none.frameA = anyRotation(1.0);
  one.holdsTravel = {true, false, true};
  one.holdsTurn = {false, true, true};
  two.holdsTravel = {false, false, true};
  two.holdsTurn = {true, false, false};
  none.holdsTravel = {false, false, false};
  none.holdsTurn = {false, false, false};
  PulleyJoint pulley;
  pulley.groundA = Vec3(3.0, 0.0, 4.0);
  pulley.groundB = Vec3(-3.0, 0.0, 4.0);
  pulley.ratio = 2.5;
  pulley.length = 20.0;
  return {BallJoint{},
          HingeJoint{axis, axis},
          FixedJoint{Quat::Identity()},
          DistanceJoint{1.0},
          SliderJoint{axis},
          CylindricalJoint{axis, axis},
          UniversalJoint{axis, across},
          ConeTwistJoint{axis, axis, across, std::array<double, 2>{0.4, 0.9}},
          SuspensionJoint{axis, across},
          PlanarJoint{axis, axis, across},
          GearJoint{axis, anyVector(1.0).normalized(), -1.7},
          RackAndPinionJoint{axis, across, 0.3},
          ScrewJoint{axis, axis, 0.2},
          pulley,
          curve,
          one,
          two,
          none};
}

// The rest pose is A at the origin; both are then moved along the joint's freedom, by what its rows allow: a few Newton
// steps back onto the rows from a random pose.
Case caseOf(const JointKind& kind, double wander) {
  Case made;
  Joint& joint = made.joint;
  joint.kind = kind;
  joint.anchorA = anyVector(1.0);
  joint.anchorB = anyVector(1.0);
  made.a = {anyVector(1.0), anyVector(2.0), anyVector(2.0), anyRotation(1.0)};
  made.b = made.a;
  made.b.center = made.a.center + made.a.rotation * joint.anchorA - made.b.rotation * joint.anchorB;
  joint.rest = Quat::Identity();
  joint.startA = poseOf(made.a);
  joint.startB = poseOf(made.b);
  if (const auto* curve = std::get_if<CurveJoint>(&kind)) {
    joint.curve = std::make_shared<const JointCurve>(curve->points, curve->closed);
    const Vec3 on = joint.curve->at(2.3).point;
    made.b.center = made.a.center + made.a.rotation * on - made.b.rotation * joint.anchorB;
    joint.turns[0] = 2.3;
  }
  made.b.center += anyVector(wander);
  made.b.rotation = rotated(made.b.rotation, anyVector(wander));
  made.b.velocity = anyVector(2.0);
  made.b.spin = anyVector(2.0);
  // Least change of B's pose that takes the errors back.
  for (int pass = 0; pass < 30; ++pass) {
    std::array<JointRow, kJointRows> rows;
    const int n = jointRows(joint, made.a.center, made.a.rotation, made.b.center, made.b.rotation, rows);
    if (n == 0) break;
    Eigen::MatrixXd j(n, 6);
    Eigen::VectorXd error(n);
    for (int i = 0; i < n; ++i) {
      j.row(i) << rows[i].linear.transpose(), rows[i].angularB.transpose();
      error[i] = rows[i].error;
    }
    const Eigen::VectorXd change = -j.completeOrthogonalDecomposition().solve(error);
    made.b.center += change.head<3>();
    made.b.rotation = rotated(made.b.rotation, change.tail<3>());
  }
  return made;
}

// Velocities of B that the rows allow.
void obey(Case& made) {
  std::array<JointRow, kJointRows> rows;
  const int n = jointRows(made.joint, made.a.center, made.a.rotation, made.b.center, made.b.rotation, rows);
  if (n == 0) return;
  Eigen::MatrixXd j(n, 6);
  Eigen::VectorXd speed(n);
  for (int i = 0; i < n; ++i) {
    j.row(i) << rows[i].linear.transpose(), rows[i].angularB.transpose();
    speed[i] = rows[i].speed(made.a.velocity, made.a.spin, made.b.velocity, made.b.spin);
  }
  const Eigen::VectorXd change = -j.completeOrthogonalDecomposition().solve(speed);
  made.b.velocity += change.head<3>();
  made.b.spin += change.tail<3>();
}

constexpr double kStep = 1e-5;  // s

template <class Use>
void forEachCase(Use&& use) {
  for (int trial = 0; trial < 40; ++trial)
    for (const JointKind& kind : allKinds()) {
      Case made = caseOf(kind, 0.4);
      use(made, std::string(jointKindName(kind)) + ", trial " + std::to_string(trial));
    }
}

TEST(JointKinds, RatesOfAxesAreTheDerivativesOfTheirValues) {
  forEachCase([](Case& made, const std::string& name) {
    // A hinge's angle is a coordinate only where the joint holds.
    obey(made);
    std::array<JointAxis, kMostJointAxes> now, before, after;
    const int count = jointAxes(made.joint, poseOf(made.a), poseOf(made.b), now);
    ASSERT_EQ(count, axisCount(made.joint.kind)) << name;
    Moving a0 = made.a, b0 = made.b, a1 = made.a, b1 = made.b;
    advance(a0, -kStep);
    advance(b0, -kStep);
    advance(a1, kStep);
    advance(b1, kStep);
    jointAxes(made.joint, poseOf(a0), poseOf(b0), before);
    jointAxes(made.joint, poseOf(a1), poseOf(b1), after);
    for (int i = 0; i < count; ++i) {
      const double rate = now[i].rate(made.a.velocity, made.a.spin, made.b.velocity, made.b.spin);
      EXPECT_NEAR(rate, (after[i].value - before[i].value) / (2.0 * kStep), 2e-7) << name << ", axis " << i;
    }
  });
}

// Along any motion, also one that the joint does not allow.
TEST(JointKinds, RatesOfHeldRowsAreTheDerivativesOfTheirErrors) {
  forEachCase([](Case& made, const std::string& name) {
    std::array<JointRow, kJointRows> now, before, after;
    const auto rowsOf = [&](const Moving& a, const Moving& b, std::array<JointRow, kJointRows>& rows) {
      return jointRows(made.joint, a.center, a.rotation, b.center, b.rotation, rows);
    };
    const int count = rowsOf(made.a, made.b, now);
    Moving a0 = made.a, b0 = made.b, a1 = made.a, b1 = made.b;
    advance(a0, -kStep);
    advance(b0, -kStep);
    advance(a1, kStep);
    advance(b1, kStep);
    rowsOf(a0, b0, before);
    rowsOf(a1, b1, after);
    // Across an axis any two directions will do: errors are compared as the vectors that they are parts of.
    Vec3 turned0 = Vec3::Zero(), turned1 = Vec3::Zero();
    for (int i = 0; i < count; ++i) {
      EXPECT_NEAR(now[i].error, 0.0, 1e-9) << name << ", row " << i;
      if (!now[i].linear.isZero(0.0)) continue;
      turned0 += before[i].error * before[i].angularB;
      turned1 += after[i].error * after[i].angularB;
    }
    const bool sums = std::holds_alternative<GearJoint>(made.joint.kind);
    for (int i = 0; i < count; ++i) {
      const double rate = now[i].speed(made.a.velocity, made.a.spin, made.b.velocity, made.b.spin);
      double change = after[i].error - before[i].error;
      if (now[i].linear.isZero(0.0) && !sums) {
        change = now[i].angularB.dot(turned1 - turned0) / now[i].angularB.squaredNorm();
        if (now[i].angularB.squaredNorm() < 0.99) change = after[i].error - before[i].error;
      }
      if (std::holds_alternative<CurveJoint>(made.joint.kind)) {
        Vec3 off0 = Vec3::Zero(), off1 = Vec3::Zero();
        for (int k = 0; k < 2; ++k) {
          off0 += before[k].error * before[k].linear;
          off1 += after[k].error * after[k].linear;
        }
        change = now[i].linear.dot(off1 - off0);
      }
      EXPECT_NEAR(rate, change / (2.0 * kStep), 2e-7 * (1.0 + std::abs(rate))) << name << ", row " << i;
    }
  });
}

// Held rows and free axes together say all there is to say of how B moves against A.
TEST(JointKinds, HeldRowsAndFreeAxesAreSixAndIndependent) {
  forEachCase([](Case& made, const std::string& name) {
    const JointKind& kind = made.joint.kind;
    if (std::holds_alternative<GearJoint>(kind) || std::holds_alternative<RackAndPinionJoint>(kind) ||
        std::holds_alternative<PulleyJoint>(kind) || std::holds_alternative<DistanceJoint>(kind) ||
        std::holds_alternative<CurveJoint>(kind))
      return;  // one condition each; the rest of the motion has no name
    std::array<JointRow, kJointRows> rows;
    const int held = jointRows(made.joint, made.a.center, made.a.rotation, made.b.center, made.b.rotation, rows);
    std::array<JointAxis, kMostJointAxes> axes;
    const int count = jointAxes(made.joint, poseOf(made.a), poseOf(made.b), axes);
    Eigen::MatrixXd all(0, 6);
    const auto add = [&](const Vec3& linear, const Vec3& angular) {
      all.conservativeResize(all.rows() + 1, 6);
      all.row(all.rows() - 1) << linear.transpose(), angular.transpose();
    };
    for (int i = 0; i < held; ++i) add(rows[i].linear, rows[i].angularB);
    for (int i = 0; i < count; ++i) {
      if (!isFree(kind, i) || (std::holds_alternative<ConeTwistJoint>(kind) && i == 3)) continue;
      if (std::holds_alternative<ScrewJoint>(kind) && i == 0) continue;  // goes with the other
      add(axes[i].linear, axes[i].angularB);
    }
    EXPECT_EQ(all.rows(), 6) << name;
    EXPECT_EQ(all.completeOrthogonalDecomposition().rank(), 6) << name;
  });
}

TEST(JointKinds, AnglesCountTurns) {
  Joint joint;
  joint.kind = HingeJoint{Vec3::UnitX(), Vec3::UnitX()};
  Body a, b;
  const double rate = 2.0 * std::numbers::pi * 100.0, dt = 1.0 / 60.0;
  b.spin = rate * Vec3::UnitX();
  joint.turnRates[0] = rate;
  for (int i = 1; i <= 600; ++i) {
    b.rotation = rotated(Quat::Identity(), std::remainder(i * dt * rate, 2.0 * std::numbers::pi) * Vec3::UnitX());
    countTurns(joint, a, b, dt);
    ASSERT_NEAR(joint.turns[0], i * dt * rate, 1e-6) << i;
  }
}

TEST(JointKinds, ArcLengthOfACircleIsItsAngle) {
  std::vector<Vec3> points;
  constexpr int kPoints = 64;
  for (int i = 0; i < kPoints; ++i)
    points.push_back({std::cos(2.0 * std::numbers::pi * i / kPoints), std::sin(2.0 * std::numbers::pi * i / kPoints), 0.0});
  const JointCurve circle(points, true);
  EXPECT_NEAR(circle.length(), 2.0 * std::numbers::pi, 1e-5);
  EXPECT_NEAR(circle.arc(16.0), 0.5 * std::numbers::pi, 1e-5);
  EXPECT_NEAR(circle.arc(kPoints + 16.0), 2.5 * std::numbers::pi, 2e-5);
  EXPECT_NEAR(circle.nearestOfAll({0.0, 2.0, 0.3}), 16.0, 1e-6);
}

}  // namespace
}  // namespace cairn
