// Free axes of joints, and what acts along them, without a world: bodies and joints by hand, one contact problem, one solve.
#include "mechanics/joint_axis.hpp"

#include <gtest/gtest.h>

#include <random>

#include "mechanics/integrate.hpp"
#include "mechanics/island_problem.hpp"
#include "mechanics/warm_start.hpp"

namespace cairn {
namespace {

std::mt19937 random_(7);
double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
Vec3 anyVector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }

struct Moving {
  Vec3 center, velocity, spin;
  Quat rotation;
};
Moving anything() { return {anyVector(1.0), anyVector(2.0), anyVector(2.0), rotated(Quat::Identity(), anyVector(1.0))}; }
Pose poseOf(const Moving& body) { return {body.center, body.rotation}; }

// The row of an axis gives the rate of its value: by central differences of the value along the motion.
TEST(JointAxis, RateIsTheDerivativeOfTheValue) {
  for (int trial = 0; trial < 200; ++trial) {
    Joint joint;
    joint.anchorA = anyVector(1.0);
    joint.anchorB = anyVector(1.0);
    joint.rest = rotated(Quat::Identity(), anyVector(0.5));
    Moving a = anything(), b = anything();
    if (trial % 3 == 0) joint.kind = BallJoint{};
    if (trial % 3 == 1) {
      // A hinge's angle is a coordinate where its axes agree, and B turns against A about them alone.
      const Vec3 axis = anyVector(1.0).normalized();
      joint.rest = Quat::Identity();
      joint.kind = HingeJoint{axis, axis};
      b.rotation = a.rotation * rotated(Quat::Identity(), uniform(-3.0, 3.0) * axis);
      b.spin = a.spin + uniform(-3.0, 3.0) * (a.rotation * axis);
    }
    if (trial % 3 == 2) joint.kind = DistanceJoint{};
    std::array<JointAxis, kMostJointAxes> now, before, after;
    const int count = jointAxes(joint, poseOf(a), poseOf(b), now);
    ASSERT_GT(count, 0);
    constexpr double kStep = 1e-5;  // s
    Moving a1 = a, b1 = b;
    advance(a, -kStep);
    advance(b, -kStep);
    advance(a1, kStep);
    advance(b1, kStep);
    jointAxes(joint, poseOf(a), poseOf(b), before);
    jointAxes(joint, poseOf(a1), poseOf(b1), after);
    for (int i = 0; i < count; ++i) {
      const double rate =
          now[i].linear.dot(b.velocity - a.velocity) + now[i].angularA.dot(a.spin) + now[i].angularB.dot(b.spin);
      EXPECT_NEAR(rate, (after[i].value - before[i].value) / (2.0 * kStep), 1e-7) << "trial " << trial << ", axis " << i;
    }
  }
}

// A flywheel (1 kg m^2 about x) on a hinge to the ground, 2 N m on it for a step of 0.01 s.
class Flywheel : public testing::Test {
 protected:
  static constexpr double kDt = 0.01, kTorque = 2.0;
  Flywheel() {
    settings_.gravity.setZero();
    system_.bodies.resize(2);
    Body& wheel = system_.bodies[1];
    wheel.kind = BodyKind::Dynamic;
    wheel.alive = true;
    wheel.mass = wheel.inverseMass = 1.0;
    wheel.inertia = wheel.inverseInertia = Mat3::Identity();
    wheel.island = 0;
    wheel.torque = kTorque * Vec3::UnitX();
    system_.bodies[0].alive = true;
    Joint& joint = system_.joints.emplace_back();
    joint.kind = HingeJoint{Vec3::UnitX(), Vec3::UnitX()};
    joint.a = 0;
    joint.b = 1;
    joint.alive = true;
    joint.forces.resize(1);
  }
  AxisForces& forces() { return system_.joints[0].forces[0]; }
  // Returns the wheel's spin after the step; impulses are stored.
  double step() {
    Formulation formulation;
    formulation.normalBias = [](const ContactTerms&) { return 0.0; };
    std::vector<IslandProblem> islands = buildProblems(system_, settings_, kDt, formulation);
    EXPECT_EQ(islands.size(), 1u);
    Vector impulse = islands[0].problem->data().warmStart;
    EXPECT_EQ(makeSolver("bgs")->solve(*islands[0].problem, {.tolerance = 1e-12}, impulse).exit, Exit::Converged);
    forgetImpulses(system_);
    storeImpulses(system_, islands[0], impulse);
    EXPECT_NEAR((storedImpulses(system_, islands[0]) - impulse).norm(), 0.0, 1e-12);
    system_.impulseSeconds = kDt;
    std::vector<char> marked(2, 0);
    setVelocities(system_, islands[0], impulse, marked);
    return system_.bodies[1].spin.x();
  }
  double total(AxisForce force) { return forces().total[static_cast<std::size_t>(force)]; }

  WorldSettings settings_;
  System system_;
};

TEST_F(Flywheel, TurnsFreelyWithoutForcesOnItsAxis) { EXPECT_NEAR(step(), kDt * kTorque, 1e-12); }

TEST_F(Flywheel, LimitStopsItExactlyThere) {
  forces().highest = 0.5 * kDt * kDt * kTorque;  // half of what it would reach
  EXPECT_NEAR(step() * kDt, forces().highest, 1e-12);
  EXPECT_NEAR(total(AxisForce::UpperLimit), 0.5 * kDt * kTorque, 1e-12);
  EXPECT_EQ(total(AxisForce::LowerLimit), 0.0);
}

TEST_F(Flywheel, LowerLimitHoldsTheOtherWay) {
  system_.bodies[1].torque *= -1.0;
  forces().lowest = 0.0;
  EXPECT_NEAR(step(), 0.0, 1e-12);
  EXPECT_NEAR(total(AxisForce::LowerLimit), kDt * kTorque, 1e-12);
}

TEST_F(Flywheel, MotorReachesItsSpeedWithinItsEffort) {
  forces().motorSpeed = -0.1;
  forces().motorEffort = 20.0;
  EXPECT_NEAR(step(), -0.1, 1e-12);
  EXPECT_NEAR(total(AxisForce::Motor), -0.1 - kDt * kTorque, 1e-12);
}

TEST_F(Flywheel, MotorAtItsMaximumGivesExactlyThat) {
  forces().motorSpeed = -10.0;
  forces().motorEffort = 5.0;
  EXPECT_NEAR(step(), kDt * (kTorque - 5.0), 1e-12);
  EXPECT_NEAR(total(AxisForce::Motor), -kDt * 5.0, 1e-12);
}

TEST_F(Flywheel, DryFrictionSticksBelowItsBoundAndSlipsAbove) {
  forces().friction = 3.0;
  EXPECT_NEAR(step(), 0.0, 1e-12);
  system_.bodies[1].torque *= 2.0;
  EXPECT_NEAR(step(), kDt * (4.0 - 3.0), 1e-12);
}

// Eight rows: the five of the hinge, both limits and a motor against one of them.
TEST_F(Flywheel, HasMoreThanSixRows) {
  forces().lowest = 0.0;
  forces().highest = 1.0;
  forces().motorSpeed = -1.0;
  forces().motorEffort = 7.0;
  EXPECT_NEAR(step(), 0.0, 1e-12);
  EXPECT_NEAR(total(AxisForce::LowerLimit), kDt * (7.0 - kTorque), 1e-12);
  EXPECT_NEAR(total(AxisForce::Motor), -kDt * 7.0, 1e-12);
}

}  // namespace
}  // namespace cairn
