// Articulations in a world: contacts, limits, motors, friction and loops, under the exact steppers and the default one.
#include <gtest/gtest.h>

#include <numbers>

#include "cairn/world.hpp"

namespace cairn {
namespace {

constexpr double kGravity = 9.81;
const std::vector<std::string> kSteppers = {"velocity", "lcp", "soft"};

World worldOf(const std::string& stepper) {
  WorldSettings settings;
  settings.stepper = stepper;
  settings.sleep.enabled = false;
  return World(settings);
}

MassProperties rod(double length, double mass) {
  MassProperties out;
  out.mass = mass;
  out.center = {0.0, 0.0, -0.5 * length};
  const double across = mass * length * length / 12.0;
  out.inertia = Vec3(across, across, 1e-3 * across).asDiagonal();
  return out;
}

// Rods of 1 m and 1 kg hanging on each other, turning about -y: a positive angle swings towards +x.
ArticulationDesc pendulum(int links) {
  ArticulationDesc desc;
  for (int i = 0; i < links; ++i) {
    LinkDesc link;
    link.parent = i - 1;
    if (i > 0) link.placement.position = {0.0, 0.0, -1.0};
    link.axis = -Vec3::UnitY();
    link.massProperties = rod(1.0, 1.0);
    desc.links.push_back(link);
  }
  return desc;
}

void run(World& world, double seconds, double dt = 1.0 / 60.0) {
  for (long i = 0; i < std::lround(seconds / dt); ++i) {
    const StepReport report = world.step(dt);
    ASSERT_EQ(report.status, StepStatus::Ok) << report.method.message;
  }
}

// What nothing touches moves as it does alone, to the bit: `soft` in eight substeps.
TEST(ArticulationInAWorld, MovesAsItDoesAlone) {
  for (const std::string& stepper : kSteppers) {
    World world = worldOf(stepper);
    ArticulationDesc desc = pendulum(3);
    desc.positions = {1.2, 0.3, -0.4};
    const ArticulationId id = world.addArticulation(desc);
    Articulation alone(desc);
    alone.setState(world.state(id)->q, world.state(id)->v);
    const int parts = stepper == "soft" ? 8 : 1;
    for (int i = 0; i < 60; ++i) {
      ASSERT_EQ(world.step(0.01).status, StepStatus::Ok);
      for (int k = 0; k < parts; ++k) ASSERT_TRUE(alone.step(0.01 / parts, Vector::Zero(3)));
    }
    EXPECT_EQ(world.state(id)->q, alone.q()) << stepper;
    EXPECT_EQ(world.state(id)->v, alone.v()) << stepper;
    const BodyId last = world.links(id)[2];
    EXPECT_LT((world.state(last)->pose.position - alone.linkPose(2).position).norm(), 1e-14);
    EXPECT_LT((world.state(last)->linearVelocity - alone.pointVelocity(2, {0.0, 0.0, -0.5}).head<3>()).norm(), 1e-14);
    EXPECT_NEAR(world.energy().total(), alone.kineticEnergy() + alone.potentialEnergy(), 1e-12);
  }
}

// A slider with a box on its end, standing on the ground: the ground carries all of it, and it does not sink.
TEST(ArticulationInAWorld, StandsOnTheGround) {
  for (const std::string& stepper : kSteppers) {
    World world = worldOf(stepper);
    world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Plane{}}}});
    ArticulationDesc desc;
    desc.base.position = {0.0, 0.0, 0.5};
    desc.links.push_back({.joint = LinkJoint::Prismatic, .shapes = {{.geometry = Box{.halfExtents = Vec3(0.2, 0.2, 0.5)}}}});
    const ArticulationId id = world.addArticulation(desc);
    run(world, 1.0);
    const double mass = world.massProperties(world.links(id)[0])->mass;
    double force = 0.0;
    for (const ContactEvent& event : world.contactEvents()) force += event.normalImpulse * 60.0;
    EXPECT_NEAR(force, mass * kGravity, (stepper == "soft" ? 1e-2 : 1e-4) * mass * kGravity) << stepper;
    EXPECT_NEAR(world.state(id)->q[0], 0.0, 1e-3) << stepper;
  }
}

TEST(ArticulationInAWorld, StopsAtItsLimits) {
  for (const std::string& stepper : kSteppers) {
    World world = worldOf(stepper);
    ArticulationDesc desc = pendulum(1);
    desc.links[0].axes.push_back({.lower = 0.5, .upper = 2.0});
    desc.positions = {1.5};
    const ArticulationId id = world.addArticulation(desc);
    double least = 10.0;
    for (int i = 0; i < 120; ++i) {
      ASSERT_EQ(world.step(1.0 / 60.0).status, StepStatus::Ok);
      least = std::min(least, world.state(id)->q[0]);
    }
    EXPECT_GT(least, 0.5 - std::numbers::pi / 180.0) << stepper;
    EXPECT_NEAR(world.state(id)->q[0], 0.5, 1e-3) << stepper;
    // The limit carries the moment of the weight.
    EXPECT_NEAR(world.state(id)->efforts[0].limit, kGravity * 0.5 * std::sin(0.5), 1e-3) << stepper;
  }
}

// A motor by position is a spring: it gives way by the moment of the weight over its stiffness.
TEST(ArticulationInAWorld, IsHeldByMotorsUpToTheirEffort) {
  for (const std::string& stepper : kSteppers) {
    const double moment = kGravity * 0.5;  // of a rod that is level
    for (const double most : {2.0 * moment, 0.5 * moment}) {
      World world = worldOf(stepper);
      ArticulationDesc desc = pendulum(1);
      AxisDesc axis;
      axis.motor = {
          .mode = LinkMotor::Mode::Position, .target = 0.5 * std::numbers::pi, .stiffness = 1e4, .maxEffort = most};
      desc.links[0].axes.push_back(axis);
      desc.positions = {0.5 * std::numbers::pi};
      const ArticulationId id = world.addArticulation(desc);
      run(world, 0.5);
      const ArticulationState state = *world.state(id);
      if (most > moment) {
        EXPECT_NEAR(state.q[0], 0.5 * std::numbers::pi - moment / 1e4, 1e-5) << stepper;
        EXPECT_NEAR(state.efforts[0].motor, moment, 1e-3 * moment) << stepper;
      } else {
        EXPECT_LT(state.q[0], 1.4) << stepper;  // it slips
        EXPECT_NEAR(state.efforts[0].motor, most, 1e-6 * moment) << stepper;
      }
    }
  }
}

TEST(ArticulationInAWorld, IsDrivenAtASpeedAndHeldByFriction) {
  for (const std::string& stepper : kSteppers) {
    World world = worldOf(stepper);
    ArticulationDesc desc = pendulum(2);
    AxisDesc turning, sticking;
    turning.motor = {.mode = LinkMotor::Mode::Velocity, .target = 2.0};
    sticking.friction = 20.0;
    desc.links[0].axes.push_back(turning);
    desc.links[1].axes.push_back(sticking);
    const ArticulationId id = world.addArticulation(desc);
    run(world, 1.0);
    EXPECT_NEAR(world.state(id)->v[0], 2.0, 1e-5) << stepper;  // what the solver is asked for
    EXPECT_NEAR(world.state(id)->v[1], 0.0, 1e-6) << stepper;
    EXPECT_NEAR(world.state(id)->q[0], 2.0, 0.05) << stepper;
    ASSERT_TRUE(world.setMotorTarget(id, 0, -1.0));
    run(world, 0.5);
    EXPECT_NEAR(world.state(id)->v[0], -1.0, 1e-5) << stepper;
    ASSERT_TRUE(world.setEfforts(id, Eigen::Vector2d(0.0, 60.0)));  // more than friction holds
    world.step(1.0 / 60.0);
    EXPECT_GT(world.state(id)->v[1], 1.0) << stepper;
  }
}

// A trunk on four legs, each with a hip and a knee that hold their angle: it falls, lands and stands.
ArticulationDesc quadruped() {
  ArticulationDesc desc;
  desc.name = "dog";
  LinkDesc trunk;
  trunk.name = "trunk";
  trunk.joint = LinkJoint::Free;
  trunk.shapes = {{.geometry = Box{.halfExtents = Vec3(0.3, 0.15, 0.05)}}};
  desc.links.push_back(trunk);
  for (const double x : {-0.25, 0.25}) {
    for (const double y : {-0.2, 0.2}) {
      AxisDesc axis;
      axis.motor = {.mode = LinkMotor::Mode::Position, .target = 0.4, .stiffness = 400.0, .maxEffort = 100.0};
      LinkDesc thigh;
      thigh.parent = 0;
      thigh.placement.position = {x, y, 0.0};
      thigh.axis = Vec3::UnitY();
      thigh.shapes = {{.geometry = Capsule{.radius = 0.03, .halfHeight = 0.1}, .local = {.position = {0.0, 0.0, -0.13}}}};
      thigh.axes = {axis};
      desc.links.push_back(thigh);
      LinkDesc shank = thigh;
      shank.parent = static_cast<int>(desc.links.size()) - 1;
      shank.placement.position = {0.0, 0.0, -0.26};
      shank.axes[0].motor.target = -0.8;
      desc.links.push_back(shank);
    }
  }
  desc.positions = {0.0, 0.0, 0.65, 1.0, 0.0, 0.0, 0.0};
  for (int leg = 0; leg < 4; ++leg) desc.positions.insert(desc.positions.end(), {0.4, -0.8});
  return desc;
}

TEST(ArticulationInAWorld, StandsOnFourLegsAndTheGroundCarriesItsWeight) {
  for (const std::string& stepper : {std::string("velocity"), std::string("soft")}) {
    World world = worldOf(stepper);
    world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Plane{}}}});
    const ArticulationId id = world.addArticulation(quadruped());
    run(world, 3.0);
    const double weight = kGravity * world.articulation(id)->mass();
    double force = 0.0;
    for (const ContactEvent& event : world.contactEvents()) force += event.normalImpulse * 60.0;
    EXPECT_NEAR(force, weight, (stepper == "soft" ? 1e-2 : 1e-4) * weight) << stepper;
    const double height = world.state(world.links(id)[0])->center.z();
    EXPECT_GT(height, 0.4) << stepper;
    EXPECT_LT(world.state(id)->v.norm(), 1e-3) << stepper;
    EXPECT_LT(world.deepestPenetration().depth, 2e-3) << stepper;
  }
}

// A chain swings into a pile of free boxes: links and boxes push each other, and nothing gains energy.
TEST(ArticulationInAWorld, PushesFreeBodiesAndIsPushed) {
  for (const std::string& stepper : kSteppers) {
    World world = worldOf(stepper);
    world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Plane{}}}});
    ArticulationDesc desc = pendulum(2);
    desc.base.position = {0.0, 0.0, 2.3};
    for (LinkDesc& link : desc.links) {
      link.massProperties.reset();
      link.shapes = {{.geometry = Capsule{.radius = 0.1, .halfHeight = 0.35}, .local = {.position = {0.0, 0.0, -0.5}}}};
    }
    desc.positions = {-1.2, 0.0};
    const ArticulationId id = world.addArticulation(desc);
    const BodyId box = world.addBody({.pose = {.position = {0.4, 0.0, 0.25}},
                                      .shapes = {{.geometry = Box{.halfExtents = Vec3::Constant(0.25)}, .density = 100.0}}});
    const double before = world.energy().total();
    double most = before;
    for (int i = 0; i < 180; ++i) {
      ASSERT_EQ(world.step(1.0 / 120.0).status, StepStatus::Ok);
      most = std::max(most, world.energy().total());
    }
    EXPECT_GT(world.state(box)->center.x(), 0.6) << stepper;
    EXPECT_LT(most - before, 0.02 * std::abs(before)) << stepper;
    EXPECT_LT(world.deepestPenetration().depth, 0.02) << stepper;
    EXPECT_TRUE(world.state(id)->q.allFinite());
  }
}

TEST(ArticulationInAWorld, AnswersImpulsesOnItsLinks) {
  World world = worldOf("velocity");
  const ArticulationId id = world.addArticulation(pendulum(2));
  const BodyId last = world.links(id)[1];
  const Vec3 impulse(3.0, 0.0, 1.0), point = world.state(last)->center + Vec3(0.0, 0.0, -0.3);
  ASSERT_TRUE(world.applyImpulseAt(last, impulse, point));
  Articulation alone(pendulum(2));
  const Vector expected = alone.solveMass(alone.jacobian(1, {0.0, 0.0, -0.8}).topRows(3).transpose() * impulse);
  EXPECT_LT((world.state(id)->v - expected).norm(), 1e-12);
  EXPECT_THROW(world.setPose(last, {}), std::invalid_argument);
  EXPECT_THROW(world.removeBody(last), std::invalid_argument);
}

// Three bars and the ground: a tree of three links, closed by a hinge. In space a hinge is five conditions, of which a plane
// mechanism needs two.
struct FourBar {
  World world;
  ArticulationId id;
};
FourBar crankRocker(const std::string& stepper) {
  FourBar out{worldOf(stepper), {}};
  const double lengths[] = {0.3, 0.9, 0.7}, angles[] = {1.57079632679, 0.430827928783, 1.83417617636},
               rates[] = {10.0, -0.88012785358, 3.94932503058};
  ArticulationDesc desc;
  for (int i = 0; i < 3; ++i) {
    LinkDesc link;
    link.parent = i == 1 ? 0 : -1;
    if (i == 1) link.placement.position = {lengths[0], 0.0, 0.0};
    if (i == 2) link.placement.position = {1.0, 0.0, 0.0};
    link.axis = -Vec3::UnitY();  // angles from +x towards +z
    MassProperties bar;
    bar.mass = lengths[i];
    bar.center = {0.5 * lengths[i], 0.0, 0.0};
    const double across = bar.mass * lengths[i] * lengths[i] / 12.0;
    bar.inertia = Vec3(1e-3 * across, across, across).asDiagonal();
    link.massProperties = bar;
    desc.links.push_back(link);
  }
  desc.positions = {angles[0], angles[1] - angles[0], angles[2]};
  desc.velocities = {rates[0], rates[1] - rates[0], rates[2]};
  out.id = out.world.addArticulation(desc);
  const std::vector<BodyId> links = out.world.links(out.id);
  out.world.addJoint({.a = links[1],
                      .b = links[2],
                      .anchorA = {0.9, 0.0, 0.0},
                      .anchorB = {0.7, 0.0, 0.0},
                      .kind = HingeJoint{.axisA = Vec3::UnitY(), .axisB = Vec3::UnitY()}});
  return out;
}

TEST(ArticulationInAWorld, ClosesLoopsAndCountsWhatIsRedundant) {
  FourBar bar = crankRocker("velocity");
  const Mobility mobility = bar.world.mobility(bar.id);
  EXPECT_EQ(mobility.tree, 3);
  EXPECT_EQ(mobility.loops, 1);
  EXPECT_EQ(mobility.rows, 5);
  EXPECT_EQ(mobility.redundant, 3);
  EXPECT_EQ(mobility.degrees(), 1);
}

// Reference angles of the crank after 0.5 s; the closure is of first order in dt.
TEST(ArticulationInAWorld, TurnsACrankAndConverges) {
  constexpr double kCrank = 8.33478996274, kRocker = 2.03560410005;
  double errors[2], gap = 0.0;
  for (const int fine : {0, 1}) {
    FourBar bar = crankRocker("velocity");
    run(bar.world, 0.5, fine != 0 ? 1e-4 : 2e-4);
    const Vector q = bar.world.state(bar.id)->q;
    errors[fine] = std::max(std::abs(q[0] - kCrank), std::abs(q[2] - kRocker));
    gap = bar.world.jointError();
    EXPECT_LT(gap, fine != 0 ? 1.3e-6 : 5.2e-6);  // measured 4.4e-7 at the finer step; of second order
  }
  EXPECT_LT(errors[1], 1.5e-3);  // measured 5.1e-4
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 1.0, 0.15);
}

TEST(ArticulationInAWorld, IsPartOfSnapshotsAndHashes) {
  for (const std::string& stepper : kSteppers) {
    World world = worldOf(stepper);
    world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Plane{}}}});
    const ArticulationId id = world.addArticulation(quadruped());
    run(world, 0.3);
    const Snapshot snapshot = world.snapshot();
    const std::uint64_t then = world.stateHash();
    run(world, 0.3);
    const std::uint64_t after = world.stateHash();
    world.restore(snapshot);
    EXPECT_EQ(world.stateHash(), then);
    run(world, 0.3);
    EXPECT_EQ(world.stateHash(), after) << stepper;
    ASSERT_TRUE(world.removeArticulation(id));
    EXPECT_FALSE(world.isValid(id));
    EXPECT_FALSE(world.state(id));
    run(world, 0.1);
    EXPECT_TRUE(world.articulations().empty());
  }
}

TEST(ArticulationInAWorld, SleepsAndWakes) {
  WorldSettings settings;
  settings.sleep.enabled = true;
  World world(settings);
  world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Plane{}}}});
  const ArticulationId id = world.addArticulation(quadruped());
  run(world, 6.0);
  const BodyId trunk = world.links(id)[0];
  EXPECT_FALSE(world.isAwake(trunk));
  EXPECT_TRUE(world.state(id)->v.isZero(0.0));
  ASSERT_TRUE(world.setMotorTarget(id, 6, 0.6));
  EXPECT_TRUE(world.isAwake(trunk));
  run(world, 0.5);
  EXPECT_GT(world.state(id)->q[7], 0.45);
}

TEST(ArticulationInAWorld, IsRefusedByNameWhereAStepperDoesNotTakeIt) {
  for (const std::string_view name : stepperNames()) {
    World world = worldOf(std::string(name));
    world.addArticulation(pendulum(2));
    const StepReport report = world.step(0.01);
    if (std::find(kSteppers.begin(), kSteppers.end(), name) != kSteppers.end()) {
      EXPECT_EQ(report.status, StepStatus::Ok) << name;
    } else {
      EXPECT_EQ(report.status, StepStatus::Refused) << name;
      EXPECT_NE(report.method.message.find("articulations"), std::string::npos) << report.method.message;
      EXPECT_NE(report.method.message.find("velocity"), std::string::npos) << report.method.message;
    }
  }
}

TEST(ArticulationInAWorld, WithWrongLinksLeavesTheWorldAsItWas) {
  World world = worldOf("soft");
  ArticulationDesc desc = pendulum(2);
  desc.links[1].massProperties->inertia = Vec3(1.0, 1.0, 5.0).asDiagonal();  // no body has that
  try {
    world.addArticulation(desc);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("links[1]"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(world.bodies().empty());
  EXPECT_TRUE(world.articulations().empty());
}

}  // namespace
}  // namespace cairn
