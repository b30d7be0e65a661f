// Rows of a joint within a joint tree, without a World: what a substep asks of them, against closed forms.
#include "soft/joint_tree/joint_tree_rows.hpp"

#include <gtest/gtest.h>

#include "soft/hand_made.hpp"

namespace cairn {
namespace {

constexpr double kH = 1.0 / 240.0;         // s
constexpr double kSingle = 4.0 * 0x1p-24;  // relative: the solver's velocities are in single precision
constexpr double kArm = 0.5;               // m
const Vec3 kAnchor(kArm, 0, 0);

// Two boxes side by side along x, 1 m apart, with a joint half way; the batch's numbers of them are 0 and 1.
class JointTreeRowsTest : public testing::Test {
 protected:
  JointTreeRowsTest() {
    world_.addBox({0, 0, 0}, Vec3::Ones(), 1.0);
    world_.addBox({1, 0, 0}, Vec3::Ones(), 2.0);
    joint_.kind = BallJoint{};
    joint_.a = 0;
    joint_.b = 1;
    joint_.anchorA = kAnchor;
    joint_.anchorB = -kAnchor;
    joint_.alive = true;
  }
  Body& a() { return world_.system.bodies[0]; }
  Body& b() { return world_.system.bodies[1]; }
  // The rows for the bodies as they are.
  JointTreeRows refreshed() {
    StepContext context = world_.context();
    bodies_ = world_.batch();
    bodies_.begin(context, kH, kH, false);
    bodies_.follow(context, 0, kH);
    bodies_.follow(context, 1, kH);
    JointTreeRows rows(joint_, {0, 0, 1}, kH);
    rows.refresh(joint_, bodies_, 0.0, hold_);
    return rows;
  }
  Vec3 kept(const JointTreeRows& rows, bool alongArcs) {
    rows.askKept(joint_, bodies_, alongArcs, hold_);
    const auto& ask = hold_.questions[kKept].ask;
    return {ask[0], ask[1], ask[2]};
  }
  // What the first three rows ask for is along x, y and z.
  void expectAxes(const JointTreeRows& rows) {
    for (int k = 0; k < 3; ++k) ASSERT_EQ(Vec3(rows.factors(k, true).head<3>()), Vec3::Unit(k));
  }

  hand_made::HandMade world_;
  Joint joint_;
  SoftBodies bodies_;
  RowHold hold_;
};

TEST_F(JointTreeRowsTest, EachKindOfJointHasItsRowsAndTheFactorsOfItsEnds) {
  EXPECT_EQ((refreshed(), hold_.rows), 3);
  joint_.kind = HingeJoint{Vec3::UnitZ(), Vec3::UnitZ()};
  const JointTreeRows hinge = refreshed();
  EXPECT_EQ(hold_.rows, 5);
  EXPECT_EQ(hold_.compliance, 0.0);
  EXPECT_EQ(hinge.armA, kAnchor);
  EXPECT_EQ(hinge.armB, Vec3(-kAnchor));
  // Moved as one rigid body, and B turned about the hinge: no row notices.
  const Vec3 velocity(1, -2, 3), spin(0.3, 0.4, -0.5);
  for (int k = 0; k < hold_.rows; ++k) {
    RowHold::Vector6 twistA, twistB;
    twistA << velocity, spin;
    twistB << velocity + spin.cross(Vec3::UnitX()), spin;
    EXPECT_NEAR(hinge.factors(k, false).dot(twistA) + hinge.factors(k, true).dot(twistB), 0.0, 1e-15);
    twistB << Vec3::UnitZ().cross(kAnchor), Vec3::UnitZ();
    EXPECT_NEAR(hinge.factors(k, true).dot(twistB), 0.0, 1e-15);
  }
  joint_.kind = FixedJoint{};
  EXPECT_EQ((refreshed(), hold_.rows), 6);
}

TEST_F(JointTreeRowsTest, WhatIsKeptUndoesTheVelocityOfTheEnds) {
  a().velocity = {1, 2, 3};
  b().velocity = {4, 4, 4};
  const JointTreeRows rows = refreshed();
  expectAxes(rows);
  EXPECT_LT((kept(rows, true) - Vec3(-3, -2, -1)).norm(), 3.0 * kSingle);
}

// B turns about its centre, and its end goes along the arc of the Cayley transform: by 2 atan(h w/2) in a substep.
TEST_F(JointTreeRowsTest, EndsFollowTheirArcs) {
  constexpr double kSpin = 20.0;  // rad/s
  b().spin = {0, 0, kSpin};
  JointTreeRows rows = refreshed();
  expectAxes(rows);
  const double angle = 2.0 * std::atan(0.5 * kH * kSpin);
  const Vec3 straight(0, -kArm * kSpin, 0);  // w x r
  const Vec3 arc = Vec3(-kArm * (std::cos(angle) - 1.0), -kArm * std::sin(angle), 0) / kH;
  EXPECT_LT((kept(rows, false) + straight).norm(), kSpin * kSingle);
  EXPECT_LT((kept(rows, true) + arc).norm(), kSpin * kSingle);
  rows.scaleArcs(0.25);
  EXPECT_LT((kept(rows, true) + (straight + 0.25 * (arc - straight))).norm(), kSpin * kSingle);
  // What turns too far in a substep has no arc that could be followed.
  b().spin = {0, 0, 1.01 * policy::joint_tree::kMostArc / kH};
  const JointTreeRows fast = refreshed();
  EXPECT_EQ(kept(fast, true), kept(fast, false));
}

TEST_F(JointTreeRowsTest, SmallErrorsAreTakenBackAtOnceAndLargeOnesByShares) {
  for (const double error : {0.004, 0.04, 0.4}) {
    b().center = {1.0 + error, 0, 0};
    const JointTreeRows rows = refreshed();
    expectAxes(rows);
    const double share = error < 0.01 ? 1.0 : std::max(0.2, 0.01 / error);
    EXPECT_NEAR(rows.askCorrection(false, hold_), share * error, 1e-12);
    const auto& ask = hold_.questions[kCorrection].ask;
    EXPECT_NEAR(ask[0], -share * error / kH, 1e-9);
    EXPECT_EQ(ask[1], 0.0);
    EXPECT_EQ(ask[2], 0.0);
  }
}

// Implicit Euler: (W + 1/(h (h k + c))) f = -(u + k/(h k + c) x), and a spring is never corrected.
TEST_F(JointTreeRowsTest, AStatedSpringIsACompliance) {
  constexpr double kStiffness = 500.0, kDamping = 3.0, kStretch = 0.1, kBefore = 0.7;
  joint_.spring = JointSpring{kStiffness, kDamping};
  joint_.impulse[0] = kBefore;
  b().center = {1.0 + kStretch, 0, 0};
  b().velocity = {2, 0, 0};
  const JointTreeRows rows = refreshed();
  expectAxes(rows);
  const double softness = 1.0 / (kH * (kH * kStiffness + kDamping)), rate = kStiffness / (kH * kStiffness + kDamping);
  EXPECT_NEAR(hold_.compliance, softness, 1e-12 * softness);
  const double expected = -(2.0 + rate * kStretch + softness * kBefore);
  EXPECT_NEAR(kept(rows, true).x(), expected, 1e-12 * std::abs(expected));
  EXPECT_EQ(rows.askCorrection(true, hold_), 0.0);
  EXPECT_EQ(rows.load, Vec3(kBefore, 0, 0));
}

TEST_F(JointTreeRowsTest, ImpulsesAreBookedAsReactions) {
  joint_.kind = HingeJoint{Vec3::UnitZ(), Vec3::UnitZ()};
  const JointTreeRows rows = refreshed();
  expectAxes(rows);
  hold_.questions[kKept].impulse = {1, 2, 3, 4, 5, 0};
  EXPECT_EQ(rows.force(hold_), Vec3(1, 2, 3));
  rows.addImpulse(hold_, joint_);
  rows.addImpulse(hold_, joint_);
  EXPECT_EQ(joint_.impulse[4], 10.0);
  rows.addUp(joint_);
  EXPECT_EQ(joint_.totalImpulse, Vec3(2, 4, 6));
  // Across the hinge only, by the two last rows.
  EXPECT_NEAR(joint_.totalAngularImpulse.norm(), std::hypot(8.0, 10.0), 1e-12);
  EXPECT_EQ(joint_.totalAngularImpulse.z(), 0.0);
  EXPECT_EQ(joint_.totalRows[3], 8.0);
}

}  // namespace
}  // namespace cairn
