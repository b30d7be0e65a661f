// Joints against closed forms and high-order references.
#include "world/building.hpp"

namespace cairn::test {
namespace {

struct Pendulum {
  World world;
  std::vector<BodyId> bobs;
  std::vector<JointId> joints;
};

// Uniform rods hinged one to the next about y, released from the horizontal.
Pendulum rods(int links, double length) {
  Pendulum p;
  BodyId previous = addAnchor(p.world);
  Vec3 anchorOnPrevious = Vec3::Zero();
  for (int i = 0; i < links; ++i) {
    BodyDesc rod;
    rod.pose.position = {(i + 0.5) * length, 0, 0};
    rod.shapes = {{.geometry = Box{Vec3(0.5 * length, 0.02, 0.02)}}};
    const BodyId id = p.world.addBody(rod);
    JointDesc joint;
    joint.a = previous;
    joint.b = id;
    joint.anchorA = anchorOnPrevious;
    joint.anchorB = {-0.5 * length, 0, 0};
    joint.kind = HingeJoint{Vec3::UnitY(), Vec3::UnitY()};
    p.joints.push_back(p.world.addJoint(joint));
    p.bobs.push_back(id);
    previous = id;
    anchorOnPrevious = {0.5 * length, 0, 0};
  }
  return p;
}

TEST(Joint, HingedRodSwingsWithItsOwnPeriod) {
  // A uniform rod released from the horizontal: quarter period by the complete elliptic integral,
  // T/4 = sqrt(2 L / (3 g)) K(sin^2(45 deg)), K(1/2) = 1.8540746773.
  Pendulum p = rods(1, 1.0);
  const double quarter = std::sqrt(2.0 / (3.0 * kGravity)) * 1.8540746773;
  double passing = -1.0;
  double before = 0.5;
  for (int i = 0; i < 120 && passing < 0.0; ++i) {
    p.world.step(kDt);
    const double x = p.world.state(p.bobs[0])->center.x();
    if (x <= 0.0) passing = p.world.time() - kDt * x / (x - before);
    before = x;
  }
  EXPECT_NEAR(passing, quarter, 2e-3);
}

TEST(Joint, ChainOfFiveRodsHoldsTogetherAndNeverGainsEnergy) {
  Pendulum p = rods(5, 0.5);
  const double start = p.world.energy().total();
  double worst = 0.0, highest = 0.0, lowest = 0.0;
  for (int i = 0; i < 600; ++i) {
    worst = std::max(worst, p.world.step(kDt).jointError);
    highest = std::max(highest, p.world.energy().total() - start);
    lowest = std::min(lowest, p.world.energy().total() - start);
  }
  // 4 kg, whose centre can fall by 1.25 m. The whip of the free end asks most of the joints.
  const double scale = 4.0 * kGravity * 1.25;
  EXPECT_LT(worst, 2e-3);
  EXPECT_LT(highest, 1e-3 * scale);  // never gains
  EXPECT_GT(lowest, -0.7 * scale);   // projecting velocities once per substep loses some
}

TEST(Joint, ReactionOfAHangingBodyIsItsWeight) {
  World world;
  const BodyId anchor = addAnchor(world);
  BodyDesc desc = solid(Box{}, {0, 0, -1});
  desc.mass = 10.0;
  const BodyId id = world.addBody(desc);
  const JointId joint = world.addJoint({.a = anchor, .b = id, .anchorA = {0, 0, 0}, .anchorB = {0, 0, 1}});
  run(world, 3.0);
  EXPECT_NEAR(world.reaction(joint)->force.z(), 10.0 * kGravity, 1e-3 * 10.0 * kGravity);
  EXPECT_LT(world.reaction(joint)->error, 1e-4);
}

TEST(Joint, FixedJointHoldsABeamOut) {
  World world;
  const BodyId anchor = addAnchor(world);
  BodyDesc desc = solid(Box{Vec3(0.5, 0.05, 0.05)}, {0.5, 0, 0});
  desc.mass = 2.0;
  const BodyId id = world.addBody(desc);
  const JointId joint = world.addJoint({.a = anchor, .b = id, .anchorB = {-0.5, 0, 0}, .kind = FixedJoint{}});
  run(world, 5.0);
  EXPECT_LT(world.state(id)->pose.rotation.angularDistance(Quat::Identity()), 2e-3);
  EXPECT_NEAR(world.reaction(joint)->torque.norm(), 2.0 * kGravity * 0.5, 0.01 * 2.0 * kGravity * 0.5);
}

TEST(Joint, DistanceJointKeepsTheDistanceAndLeavesTheRest) {
  World world;
  const BodyId anchor = addAnchor(world);
  BodyDesc desc = solid(Sphere{0.1}, {1, 0, 0});
  const BodyId id = world.addBody(desc);
  world.addJoint({.a = anchor, .b = id, .kind = DistanceJoint{}});
  for (int i = 0; i < 300; ++i) {
    world.step(kDt);
    EXPECT_NEAR(world.state(id)->center.norm(), 1.0, 1e-3);
  }
  EXPECT_LT(world.state(id)->center.z(), 0.0);
}

TEST(Joint, StatedSpringStretchesByWeightOverStiffness) {
  World world;
  const BodyId anchor = addAnchor(world);
  BodyDesc desc = solid(Sphere{0.1}, {0, 0, -1});
  desc.mass = 5.0;
  const BodyId id = world.addBody(desc);
  world.addJoint({.a = anchor, .b = id, .kind = DistanceJoint{.length = 1.0}, .spring = JointSpring{2000.0, 200.0}});
  run(world, 5.0);
  EXPECT_NEAR(-world.state(id)->center.z() - 1.0, 5.0 * kGravity / 2000.0, 1e-5);
}

// A top on a ball joint. Reference: the exact solution by elliptic integrals (nutation bounds and period).
TEST(Joint, HeavyTopNutatesBetweenItsBounds) {
  WorldSettings settings;
  World world(settings);
  const BodyId anchor = addAnchor(world);
  const double mass = 0.5, length = 0.04, transverse = 0.001 - mass * length * length, axial = 0.0004, theta0 = M_PI / 6;
  BodyDesc top;
  top.massProperties = MassProperties{mass, {0, 0, length}, Vec3(transverse, transverse, axial).asDiagonal()};
  top.pose.rotation = turn(theta0, Vec3::UnitX());
  const Vec3 axis = top.pose.rotation * Vec3::UnitZ();
  top.angularVelocity = 120.0 * axis;
  const BodyId id = world.addBody(top);
  world.addJoint({.a = anchor, .b = id});
  double lowest = theta0, highest = theta0;
  const double dt = 1.0 / 240.0;
  for (int i = 0; i < 480; ++i) {
    world.step(dt);
    const double theta = std::acos(std::clamp((world.state(id)->pose.rotation * Vec3::UnitZ()).z(), -1.0, 1.0));
    lowest = std::min(lowest, theta);
    highest = std::max(highest, theta);
  }
  EXPECT_NEAR(lowest, 0.523598775598, 5e-3);
  EXPECT_NEAR(highest, 0.63260833753, 5e-3);
  EXPECT_LT(world.jointError(), 1e-4);
}

TEST(Joint, JoinedBodiesDoNotCollideUnlessAsked) {
  World world;
  const BodyId a = world.addBody(fixedSolid(Box{}));
  const BodyId b = world.addBody(solid(Box{}, {0.2, 0, 0}));
  const JointId joint = world.addJoint({.a = a, .b = b, .kind = FixedJoint{}, .bodiesCollide = false});
  EXPECT_EQ(world.step(kDt).contacts, 0);
  EXPECT_TRUE(world.removeJoint(joint));
  EXPECT_GT(world.step(kDt).contacts, 0);
}

}  // namespace
}  // namespace cairn::test
