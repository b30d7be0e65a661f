// What a step says of its joints: how far they are off when it ends, and nothing that was meant to be.
#include "world/building.hpp"

namespace cairn::test {
namespace {

WorldSettings floating(std::string_view stepper) {
  WorldSettings settings;
  settings.stepper = stepper;
  settings.gravity.setZero();
  settings.solver.tolerance = 1e-10;
  return settings;
}

// A carriage at 2 m/s that turns, and a load that goes along with it: nothing has to be held back.
TEST(JointError, OfAJointToAMovingBodyIsThatOfTheStepsEnd) {
  for (const char* stepper : {"soft", "velocity", "lcp", "implicit", "acceleration"}) {
    World world(floating(stepper));
    BodyDesc carriage = solid(Box{Vec3::Constant(0.1)}, Vec3::Zero());
    carriage.kind = BodyKind::Kinematic;
    carriage.linearVelocity = {2.0, 0.0, 0.0};
    BodyDesc load = solid(Sphere{0.1}, {0.0, 0.0, -1.0});
    load.linearVelocity = carriage.linearVelocity;
    JointDesc joint;
    joint.a = world.addBody(carriage);
    joint.b = world.addBody(load);
    joint.anchorB = {0.0, 0.0, 1.0};
    world.addJoint(joint);
    for (int i = 0; i < 30; ++i) {
      const StepReport report = world.step(kDt);
      ASSERT_EQ(report.status, StepStatus::Ok) << stepper << report.refusal();
      EXPECT_NEAR(report.jointError, world.jointError(), 1e-12) << stepper;
      EXPECT_LT(report.jointError, 1e-7) << stepper;  // v dt is 33 mm
    }
  }
}

TEST(JointError, OfADriveIsMeasuredWhereTheDriveIsThen) {
  for (const char* stepper : {"soft", "velocity", "lcp", "implicit"}) {
    World world(floating(stepper));
    JointDesc joint;
    joint.a = addAnchor(world);
    joint.b = world.addBody(solid(Sphere{0.1}, {1.0, 0.0, 0.0}));
    joint.kind = DistanceJoint{};
    joint.drive = JointDrive{.rate = 1.0};
    const BodyId body = joint.b;
    const JointId id = world.addJoint(joint);
    StepReport report;
    for (int i = 0; i < 60; ++i) report = world.step(kDt);
    const double off = std::abs(world.state(body)->center.norm() - (1.0 + world.time()));
    EXPECT_NEAR(report.jointError, off, 1e-9) << stepper;  // rate dt is 17 mm
    EXPECT_NEAR(world.jointError(), off, 1e-9) << stepper;
    EXPECT_NEAR(world.reaction(id)->error, off, 1e-9) << stepper;
    EXPECT_LT(off, 1e-3) << stepper;
  }
}

// A load on a spring that gives way by m g/k = 49 mm, as it should.
TEST(JointError, ASpringsTravelIsNone) {
  for (const char* stepper : {"soft", "velocity", "lcp", "implicit"}) {
    WorldSettings settings = floating(stepper);
    settings.gravity = {0.0, 0.0, -kGravity};
    World world(settings);
    BodyDesc load = solid(Sphere{0.1}, {0.0, 0.0, -1.0});
    load.massProperties = MassProperties{1.0, Vec3::Zero(), 0.004 * Mat3::Identity()};
    JointDesc joint;
    joint.a = addAnchor(world);
    joint.b = world.addBody(load);
    joint.kind = DistanceJoint{};
    joint.spring = JointSpring{.stiffness = 200.0, .damping = 20.0};
    const JointId id = world.addJoint(joint);
    for (int i = 0; i < 180; ++i) EXPECT_EQ(world.step(kDt).jointError, 0.0) << stepper;
    EXPECT_EQ(world.jointError(), 0.0) << stepper;
    EXPECT_NEAR(world.reaction(id)->error, kGravity / 200.0, 1e-3)
        << stepper << ": the travel itself can still be asked for";
  }
}

}  // namespace
}  // namespace cairn::test
