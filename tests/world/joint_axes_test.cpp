// Limits, motors, springs, friction and breaking of joints, in every stepper that takes them. Statics with closed forms.
#include "building.hpp"

#include <numbers>

namespace cairn::test {
namespace {

// A bar of 2 kg on a hinge (axis y) at its end, 1 m long, level: its weight turns it by 9.81 N m.
constexpr double kMass = 2.0, kHalf = 0.5, kTorque = kMass * kGravity * kHalf;

class JointAxes : public testing::TestWithParam<const char*> {
 protected:
  WorldSettings settings() const {
    WorldSettings settings;
    settings.stepper = GetParam();
    settings.sleep.enabled = false;
    return settings;
  }
  bool isSoft() const { return std::string(GetParam()) == "soft"; }
  // What steppers hold a force to: the solver's tolerance, or single precision.
  double slack() const { return isSoft() ? 2e-3 : 1e-3; }

  JointId addBar(World& world, const JointAxisDesc& axis) {
    const BodyId ground = addAnchor(world);
    BodyDesc bar;
    bar.massProperties = MassProperties{kMass, Vec3::Zero(), Vec3(0.01, kMass / 12.0, kMass / 12.0).asDiagonal()};
    bar.pose.position = {kHalf, 0.0, 0.0};
    bar_ = world.addBody(bar);
    JointDesc joint;
    joint.a = ground;
    joint.b = bar_;
    joint.anchorB = {-kHalf, 0.0, 0.0};
    joint.kind = HingeJoint{Vec3::UnitY(), Vec3::UnitY()};
    joint.axes = {axis};
    return world.addJoint(joint);
  }
  BodyId bar_;
};

JointAxisDesc withMotor(MotorKind kind, double target, double most, double stiffness = 0.0) {
  JointAxisDesc axis;
  axis.motor = AxisMotor{kind, target, most, stiffness, {}};
  return axis;
}

TEST_P(JointAxes, MotorHoldsALoadBelowItsMaximum) {
  World world(settings());
  const JointId joint = addBar(world, withMotor(MotorKind::Velocity, 0.0, 1.001 * kTorque));
  run(world, 1.0);
  EXPECT_NEAR(world.axis(joint, 0)->position, 0.0, 2e-3);
  EXPECT_NEAR(world.reaction(joint)->axes[0].motor, -kTorque, slack() * kTorque);
}

TEST_P(JointAxes, MotorAtItsMaximumGivesExactlyThatAndSlips) {
  World world(settings());
  const JointId joint = addBar(world, withMotor(MotorKind::Velocity, 0.0, 0.9 * kTorque));
  run(world, 0.1);
  EXPECT_NEAR(world.reaction(joint)->axes[0].motor, -0.9 * kTorque, 1e-9 * kTorque);
  // I a = 0.1 torque, I about the end.
  const double acceleration = 0.1 * kTorque / (kMass / 3.0);
  EXPECT_NEAR(world.axis(joint, 0)->speed, 0.1 * acceleration, 1e-2 * 0.1 * acceleration);
}

TEST_P(JointAxes, MotorByVelocityReachesItsSpeed) {
  World world(settings());
  const JointId joint = addBar(world, withMotor(MotorKind::Velocity, -1.0, 1e3));
  run(world, 0.5);
  EXPECT_NEAR(world.axis(joint, 0)->speed, -1.0, 1e-3);
  world.setMotorTarget(joint, 0, 0.5);
  run(world, 0.2);
  EXPECT_NEAR(world.axis(joint, 0)->speed, 0.5, 1e-3);
}

TEST_P(JointAxes, MotorByPositionSettlesWhereItsSpringBearsTheLoad) {
  World world(settings());
  constexpr double kStiffness = 200.0;  // N m/rad
  const JointId joint = addBar(world, withMotor(MotorKind::Position, 0.3, 1e3, kStiffness));
  run(world, 4.0);
  const double angle = world.axis(joint, 0)->position;
  EXPECT_NEAR(kStiffness * (angle - 0.3), kTorque * std::cos(angle), 2e-3 * kTorque);
  EXPECT_NEAR(world.reaction(joint)->axes[0].motor, -kStiffness * (angle - 0.3), 2e-3 * kTorque);
}

TEST_P(JointAxes, MotorByEffortBalancesTheLoad) {
  World world(settings());
  const JointId joint = addBar(world, withMotor(MotorKind::Effort, -kTorque, 1e3));
  run(world, 0.2);
  EXPECT_NEAR(world.axis(joint, 0)->speed, 0.0, 1e-3);
  EXPECT_NEAR(world.reaction(joint)->axes[0].motor, -kTorque, 1e-9);
}

TEST_P(JointAxes, LimitBearsTheLoad) {
  World world(settings());
  JointAxisDesc axis;
  axis.limits = AxisLimits{-0.2, 0.4};
  const JointId joint = addBar(world, axis);
  run(world, 2.0);
  EXPECT_NEAR(world.axis(joint, 0)->position, 0.4, 1e-3);
  EXPECT_NEAR(world.reaction(joint)->axes[0].limit, -kTorque * std::cos(0.4), 3e-3 * kTorque);
}

TEST_P(JointAxes, ElasticLimitGives) {
  World world(settings());
  JointAxisDesc axis;
  axis.limits = AxisLimits{-0.2, 0.1, 500.0, 20.0};
  const JointId joint = addBar(world, axis);
  run(world, 4.0);
  const double angle = world.axis(joint, 0)->position;
  EXPECT_NEAR(500.0 * (angle - 0.1), kTorque * std::cos(angle), 5e-3 * kTorque);
}

TEST_P(JointAxes, SpringBearsTheLoad) {
  World world(settings());
  JointAxisDesc axis;
  axis.spring = AxisSpring{100.0, 10.0, 0.0};
  const JointId joint = addBar(world, axis);
  run(world, 6.0);
  const double angle = world.axis(joint, 0)->position;
  EXPECT_NEAR(100.0 * angle, kTorque * std::cos(angle), 2e-3 * kTorque);
}

// STAR eq. 26-27.
TEST_P(JointAxes, FrictionSticksBelowItsBoundAndSlipsAbove) {
  for (const double share : {1.01, 0.9}) {
    World world(settings());
    JointAxisDesc axis;
    axis.friction = share * kTorque;
    const JointId joint = addBar(world, axis);
    run(world, 0.1);
    const double acceleration = std::max(0.0, 1.0 - share) * kTorque / (kMass / 3.0);
    EXPECT_NEAR(world.axis(joint, 0)->speed, 0.1 * acceleration, 2e-2 * 0.1 * acceleration + 1e-6) << share;
    EXPECT_NEAR(world.reaction(joint)->axes[0].friction, -std::min(share, 1.0) * kTorque, slack() * kTorque);
  }
}

// I + armature.
TEST_P(JointAxes, ArmatureIsInertia) {
  World world(settings());
  JointAxisDesc axis;
  axis.armature = kMass / 3.0;
  const JointId joint = addBar(world, axis);
  run(world, 0.1);
  const double acceleration = kTorque / (2.0 * kMass / 3.0);
  EXPECT_NEAR(world.axis(joint, 0)->speed, 0.1 * acceleration, 2e-2 * 0.1 * acceleration);
}

TEST_P(JointAxes, RopeOnlyPulls) {
  World world(settings());
  const BodyId ground = addAnchor(world);
  const BodyId ball = world.addBody(solid(Sphere{0.1}, {0.0, 0.0, -0.5}));
  JointDesc joint;
  joint.a = ground;
  joint.b = ball;
  joint.kind = DistanceJoint{.longest = 1.0};
  const JointId rope = world.addJoint(joint);
  run(world, 0.2);
  EXPECT_NEAR(world.state(ball)->linearVelocity.z(), -0.2 * kGravity, 1e-3);  // it falls freely
  run(world, 2.0);
  EXPECT_NEAR(world.axis(rope, 0)->position, 1.0, 1e-3);
  const double weight = kGravity * world.massProperties(ball)->mass;
  EXPECT_NEAR(world.reaction(rope)->axes[0].limit, -weight, 5e-3 * weight);
}

// A load of 2 kg on one side of a block and tackle (ratio 2), 1 kg on the other: it is in balance. The rope bears 9.81 N.
TEST_P(JointAxes, PulleyBalances) {
  World world(settings());
  BodyDesc desc;
  desc.massProperties = MassProperties{1.0, Vec3::Zero(), 0.01 * Mat3::Identity()};
  desc.pose.position = {-1.0, 0.0, 0.0};
  const BodyId a = world.addBody(desc);
  desc.massProperties->mass = 2.0;
  desc.pose.position = {1.0, 0.0, 0.0};
  const BodyId b = world.addBody(desc);
  JointDesc joint;
  joint.a = a;
  joint.b = b;
  PulleyJoint pulley;
  pulley.groundA = {-1.0, 0.0, 2.0};
  pulley.groundB = {1.0, 0.0, 2.0};
  pulley.ratio = 2.0;
  joint.kind = pulley;
  const JointId id = world.addJoint(joint);
  run(world, 1.0);
  EXPECT_NEAR(world.state(a)->center.z(), 0.0, 1e-3);
  EXPECT_NEAR(world.state(b)->center.z(), 0.0, 1e-3);
  EXPECT_NEAR(world.reaction(id)->force.norm(), 2.0 * kGravity, 1e-2);
  EXPECT_LT(world.reaction(id)->error, isSoft() ? 5e-4 : 1e-5);  // soft gives a little under a load
}

// A motor of 1 N m on the small gear holds 3 N m on the large one, and turns it by a third.
TEST_P(JointAxes, GearMultipliesTorque) {
  World world(settings());
  const BodyId ground = addAnchor(world);
  BodyDesc desc;
  desc.massProperties = MassProperties{1.0, Vec3::Zero(), 0.1 * Mat3::Identity()};
  const BodyId small = world.addBody(desc);
  desc.pose.position = {1.0, 0.0, 0.0};
  const BodyId large = world.addBody(desc);
  const auto axle = [&](BodyId body, const Vec3& at) {
    JointDesc joint;
    joint.a = ground;
    joint.b = body;
    joint.anchorA = at;
    joint.kind = HingeJoint{};
    return world.addJoint(joint);
  };
  const JointId axleA = axle(small, Vec3::Zero()), axleB = axle(large, Vec3::UnitX());
  JointDesc joint;
  joint.a = small;
  joint.b = large;
  joint.kind = GearJoint{Vec3::UnitZ(), Vec3::UnitZ(), 3.0};
  const JointId gear = world.addJoint(joint);
  for (int i = 0; i < 60; ++i) {
    world.addTorque(small, Vec3::UnitZ());
    world.addTorque(large, 3.0 * Vec3::UnitZ());
    ASSERT_EQ(world.step(kDt).status, StepStatus::Ok);
  }
  EXPECT_NEAR(world.axis(axleA, 0)->position, 0.0, 3e-4);
  world.setVelocity(small, Vec3::Zero(), 60.0 * Vec3::UnitZ());
  world.setVelocity(large, Vec3::Zero(), -20.0 * Vec3::UnitZ());
  run(world, 2.0);
  EXPECT_NEAR(world.axis(axleA, 0)->position, -3.0 * world.axis(axleB, 0)->position, isSoft() ? 5e-3 : 1e-3);
  EXPECT_NEAR(world.axis(axleA, 0)->position, 120.0, 0.5);
  EXPECT_LT(world.reaction(gear)->angleError, isSoft() ? 5e-3 : 1e-3);
}

// A nut with 2 cm a turn: it falls as it turns. m g p/(2 pi) turns it, and it accelerates by that over I + m (p/2 pi)^2.
TEST_P(JointAxes, ScrewTurnsAsItFalls) {
  World world(settings());
  const BodyId ground = addAnchor(world);
  BodyDesc desc;
  desc.massProperties = MassProperties{1.0, Vec3::Zero(), 1e-3 * Mat3::Identity()};
  const BodyId nut = world.addBody(desc);
  JointDesc joint;
  joint.a = ground;
  joint.b = nut;
  joint.kind = ScrewJoint{Vec3::UnitZ(), Vec3::UnitZ(), 0.2};
  const JointId screw = world.addJoint(joint);
  run(world, 1.0);
  const double lead = 0.2 / (2.0 * std::numbers::pi);
  const double acceleration = kGravity * lead / (1e-3 + lead * lead);  // rad/s^2
  EXPECT_NEAR(world.axis(screw, 1)->speed, -acceleration, 2e-2 * acceleration);
  EXPECT_NEAR(world.axis(screw, 0)->position, lead * world.axis(screw, 1)->position, 1e-4);
}

TEST_P(JointAxes, BreaksAndSaysSo) {
  World world(settings());
  const BodyId ground = addAnchor(world);
  const BodyId ball = world.addBody(solid(Sphere{0.1}, {0.0, 0.0, -1.0}));
  const double weight = kGravity * world.massProperties(ball)->mass;
  JointDesc joint;
  joint.a = ground;
  joint.b = ball;
  joint.anchorB = Vec3::UnitZ();
  joint.breakForce = 1.5 * weight;
  const JointId id = world.addJoint(joint);
  run(world, 0.5);
  EXPECT_TRUE(world.isEnabled(id));
  world.addForce(ball, {0.0, 0.0, -weight});
  ASSERT_EQ(world.step(kDt).status, StepStatus::Ok);
  ASSERT_EQ(world.jointEvents().size(), 1u);
  EXPECT_EQ(world.jointEvents()[0].joint, id);
  EXPECT_NEAR(world.jointEvents()[0].force.z(), 2.0 * weight, 2e-2 * weight);
  EXPECT_FALSE(world.isEnabled(id));
  EXPECT_TRUE(world.isBroken(id));
  run(world, 0.5);
  EXPECT_TRUE(world.jointEvents().empty());
  EXPECT_LT(world.state(ball)->linearVelocity.z(), -0.4 * kGravity);
}

INSTANTIATE_TEST_SUITE_P(Steppers, JointAxes, testing::Values("soft", "velocity", "lcp", "shock", "implicit", "hybrid"),
                         [](const auto& info) { return std::string(info.param); });

TEST(JointAxisInput, WrongOnesAreRefusedByName) {
  World world;
  const BodyId ground = addAnchor(world);
  const BodyId ball = world.addBody(solid(Sphere{0.1}, {0.0, 0.0, -1.0}));
  const auto refusal = [&](const JointDesc& desc) -> std::string {
    try {
      world.addJoint(desc);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  JointDesc joint;
  joint.a = ground;
  joint.b = ball;
  joint.kind = HingeJoint{};
  joint.axes.resize(2);
  EXPECT_NE(refusal(joint).find("axes: a hinge joint has 1, got 2"), std::string::npos) << refusal(joint);
  joint.axes.resize(1);
  joint.axes[0].limits = AxisLimits{1.0, -1.0};
  EXPECT_NE(refusal(joint).find("axes[0].limits"), std::string::npos);
  joint.axes[0] = withMotor(MotorKind::Position, 0.0, 1.0);
  EXPECT_NE(refusal(joint).find("axes[0].motor.stiffness"), std::string::npos);
  joint.axes[0] = {};
  joint.axes[0].friction = -1.0;
  EXPECT_NE(refusal(joint).find("axes[0].friction"), std::string::npos);
  joint.axes[0] = withMotor(MotorKind::Velocity, 0.0, 1.0);
  joint.kind = DistanceJoint{};
  EXPECT_NE(refusal(joint).find("holds this axis"), std::string::npos);
  joint.kind = GearJoint{Vec3::UnitZ(), Vec3::UnitZ(), 0.0};
  EXPECT_NE(refusal(joint).find("ratio"), std::string::npos);
  joint.axes.clear();
  joint.kind = CurveJoint{};
  EXPECT_NE(refusal(joint).find("points"), std::string::npos);
  joint.kind = HingeJoint{};
  const JointId id = world.addJoint(joint);
  EXPECT_THROW(world.setMotorTarget(id, 0, 1.0), std::invalid_argument);
  EXPECT_THROW(world.axis(id, 1), std::invalid_argument);
  EXPECT_FALSE(world.setMotorTarget(JointId{}, 0, 1.0));
}

TEST(JointAxisInput, DisabledJointsDoNothing) {
  World world;
  const BodyId ground = addAnchor(world);
  const BodyId ball = world.addBody(solid(Sphere{0.1}, {0.0, 0.0, -1.0}));
  JointDesc joint;
  joint.a = ground;
  joint.b = ball;
  joint.anchorB = Vec3::UnitZ();
  joint.enabled = false;
  const JointId id = world.addJoint(joint);
  EXPECT_TRUE(world.isValid(id));
  run(world, 0.1);
  EXPECT_NEAR(world.state(ball)->linearVelocity.z(), -0.1 * kGravity, 1e-2);
  world.setEnabled(id, true);
  run(world, 1.0);
  EXPECT_LT(world.reaction(id)->error, 1e-3);
  EXPECT_TRUE(world.removeJoint(id));
  EXPECT_FALSE(world.isValid(id));
  EXPECT_EQ(world.joints().size(), 0u);
}

}  // namespace
}  // namespace cairn::test
