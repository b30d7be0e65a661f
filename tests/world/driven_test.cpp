// Prescribed motion, constraints on velocities, locked freedom and drag, against closed forms.
#include <numbers>

#include "world/building.hpp"

namespace cairn::test {
namespace {

BodyId addFixed(World& world) {
  BodyDesc desc;
  desc.kind = BodyKind::Static;
  return world.addBody(desc);
}

World worldWith(std::string_view stepper, const Vec3& gravity = {0, 0, -kGravity}) {
  WorldSettings settings;
  settings.stepper = stepper;
  settings.gravity = gravity;
  settings.solver.tolerance = 1e-10;
  return World(settings);
}

TEST(Trajectory, IsFollowedToTheBit) {
  World world;
  BodyDesc lift = solid(Box{}, {0, 0, 0});
  lift.kind = BodyKind::Kinematic;
  lift.trajectory = Trajectory{};
  lift.trajectory->keys = {{1.0, {{0, 0, 0}, Quat::Identity()}}, {2.0, {{0, 0, 3}, turn(1.0, Vec3::UnitZ())}}};
  const BodyId id = world.addBody(lift);
  run(world, 1.5, 0.01);
  EXPECT_NEAR(world.state(id)->center.z(), 1.5, 1e-12);  // the cubic is half way at half time
  run(world, 1.0, 0.01);
  EXPECT_NEAR(world.state(id)->center.z(), 3.0, 1e-12);
  EXPECT_LT(world.state(id)->pose.rotation.angularDistance(turn(1.0, Vec3::UnitZ())), 1e-9);
  EXPECT_LT(world.state(id)->linearVelocity.norm(), 1e-9);
}

TEST(Trajectory, CarriesWhatStandsOnIt) {
  for (const std::string_view stepper : {"soft", "velocity", "lcp", "shock", "implicit"}) {
    World world = worldWith(stepper);
    BodyDesc table = solid(Box{Vec3(2, 2, 0.1)}, {0, 0, 0});
    table.kind = BodyKind::Kinematic;
    table.trajectory = Trajectory{};
    table.trajectory->amplitude = {0.2, 0, 0.05};
    table.trajectory->frequency = 0.5;
    table.trajectory->phase = std::numbers::pi / 2;  // starts at the end of a swing, at rest
    const BodyId below = world.addBody(table);
    const BodyId lower = world.addBody(solid(Box{Vec3::Constant(0.2)}, {0.2, 0, 0.35}));
    const BodyId upper = world.addBody(solid(Box{Vec3::Constant(0.2)}, {0.2, 0, 0.75}));
    run(world, 3.5);
    const Vec3 at = world.state(below)->center;
    EXPECT_LT((world.state(lower)->center - at - Vec3(0, 0, 0.3)).norm(), 0.01) << stepper;
    EXPECT_LT((world.state(upper)->center - at - Vec3(0, 0, 0.7)).norm(), 0.02) << stepper;
  }
}

TEST(DrivenHinge, TurnsAsTold) {
  for (const std::string_view stepper : {"soft", "velocity", "lcp", "implicit"}) {
    World world = worldWith(stepper);
    JointDesc joint;
    joint.a = addFixed(world);
    joint.b = world.addBody(solid(Box{Vec3(0.5, 0.05, 0.05)}, {0.5, 0, 0}));
    joint.anchorB = {-0.5, 0, 0};
    joint.kind = HingeJoint{Vec3::UnitY(), Vec3::UnitY()};
    joint.drive = JointDrive{.rate = 2.0, .amplitude = 0.3, .frequency = 1.0};
    world.addJoint(joint);
    run(world, 2.25, 1.0 / 240);
    const double angle = 2.0 * 2.25 + 0.3;
    const Vec3 expected = 0.5 * (turn(angle, Vec3::UnitY()) * Vec3::UnitX());
    EXPECT_LT((world.state(joint.b)->center - expected).norm(), 0.01) << stepper;
  }
}

TEST(DrivenDistance, PullsAsTold) {
  World world = worldWith("velocity", Vec3::Zero());
  JointDesc joint;
  joint.a = addFixed(world);
  joint.b = world.addBody(solid(Sphere{0.1}, {1, 0, 0}));
  joint.kind = DistanceJoint{};
  joint.drive = JointDrive{.keys = {{0.0, 0.0}, {1.0, 0.5}}};
  world.addJoint(joint);
  run(world, 2.0, 0.01);
  EXPECT_NEAR(world.state(joint.b)->center.norm(), 1.5, 1e-6);
}

// Chaplygin's sleigh with its mass at the blade turns at a constant rate and draws a circle of radius v/w.
TEST(SkateJoint, DrawsACircle) {
  for (const std::string_view stepper : {"soft", "velocity", "lcp", "implicit"}) {
    World world = worldWith(stepper, Vec3::Zero());
    BodyDesc sleigh = solid(Box{Vec3(0.3, 0.1, 0.05)}, {0, 0, 0});
    sleigh.linearVelocity = {1, 0, 0};
    sleigh.angularVelocity = {0, 0, 1};
    JointDesc joint;
    joint.a = addFixed(world);
    joint.b = world.addBody(sleigh);
    joint.kind = SkateJoint{Vec3::UnitY()};
    world.addJoint(joint);
    run(world, std::numbers::pi, 1e-3);  // half way round
    EXPECT_LT((world.state(joint.b)->center - Vec3(0, 2, 0)).norm(), 0.01) << stepper;
    EXPECT_NEAR(world.state(joint.b)->linearVelocity.norm(), 1.0, 2e-3) << stepper;
  }
}

// An upright wheel that rolls and turns about the vertical rolls in a circle, without slipping and without falling over
// sideways (an upright rolling disc with spin about its axle and the vertical moves in a circle of radius v/w).
TEST(WheelJoint, RollsWithoutSlipping) {
  for (const std::string_view stepper : {"velocity", "lcp", "implicit"}) {
    World world = worldWith(stepper, Vec3::Zero());
    BodyDesc wheel = solid(Sphere{0.5}, {0, 0, 0.5});  // of equal moments: no gyroscopic tilt
    wheel.linearVelocity = {1, 0, 0};
    wheel.angularVelocity = {0, 2, 1};
    JointDesc joint;
    joint.a = addFixed(world);
    joint.b = world.addBody(wheel);
    joint.kind = WheelJoint{Vec3::UnitZ(), Vec3::UnitY(), 0.5};
    world.addJoint(joint);
    for (int i = 0; i < 1000; ++i) {
      ASSERT_EQ(world.step(1e-3).status, StepStatus::Ok);
      const BodyState state = *world.state(joint.b);
      const Vec3 axle = state.pose.rotation * Vec3::UnitY();
      const Vec3 down = -(Vec3::UnitZ() - axle.z() * axle).normalized();
      const Vec3 slip = state.linearVelocity + state.angularVelocity.cross(0.5 * down);
      ASSERT_LT(slip.head<2>().norm(), 5e-3) << stepper << ' ' << i;
      ASSERT_NEAR(state.center.z() + 0.5 * down.z(), 0.0, 1e-5) << stepper;
    }
  }
}

TEST(Locks, KeepABodyInItsPlane) {
  for (const std::string_view stepper : {"soft", "velocity", "lcp", "shock", "implicit", "penalty"}) {
    World world = worldWith(stepper);
    world.addBody(fixedSolid(Plane{Vec3(0.1, 0.2, 1.0).normalized(), 0.0}));  // pushes sideways too
    BodyDesc box = solid(Box{Vec3(0.3, 0.2, 0.1)}, {0, 0, 1});
    box.pose.rotation = turn(0.5, Vec3::UnitY());
    box.linearVelocity = {1, 5, 0};
    box.angularVelocity = {3, 2, 1};
    box.locks.position = {false, true, false};
    box.locks.rotation = {true, false, true};
    const BodyId id = world.addBody(box);
    run(world, 2.0);
    const BodyState state = *world.state(id);
    EXPECT_EQ(state.center.y(), 0.0) << stepper;
    EXPECT_LT(std::abs(state.angularVelocity.x()) + std::abs(state.angularVelocity.z()), 1e-12) << stepper;
    EXPECT_LT(std::abs((state.pose.rotation * Vec3::UnitY()).y() - 1.0), 1e-9) << stepper;
    EXPECT_GT(std::abs(state.center.x()), 0.05) << stepper << ": and it does move";
  }
}

TEST(Locks, RefuseWhatHasNoMeaning) {
  World world;
  BodyDesc box = solid(Box{}, {0, 0, 1});
  box.locks.rotation = {true, false, false};
  EXPECT_THROW(world.addBody(box), std::invalid_argument);
  box.locks = {};
  box.trajectory = Trajectory{};
  EXPECT_THROW(world.addBody(box), std::invalid_argument);
}

// v' = -k v |v|: 1/v grows linearly.
TEST(Drag, SlowsAsStated) {
  World world = worldWith("soft", Vec3::Zero());
  BodyDesc ball = solid(Sphere{0.5}, {0, 0, 0});
  ball.linearVelocity = {10, 0, 0};
  ball.angularVelocity = {0, 0, 10};
  ball.mass = 2.0;
  ball.drag.quadratic = 0.4;
  ball.drag.angularLinear = 0.1;
  const BodyId id = world.addBody(ball);
  run(world, 2.0, 1e-3);
  EXPECT_NEAR(world.state(id)->linearVelocity.x(), 1.0 / (0.1 + 0.2 * 2.0), 2e-3);
  EXPECT_NEAR(world.state(id)->angularVelocity.z(), 10.0 * std::exp(-0.1 / 0.2 * 2.0), 5e-3);  // I = 2/5 m r^2 = 0.2
}

TEST(Drag, IsStableForAnyStep) {
  World world = worldWith("soft", Vec3::Zero());
  BodyDesc ball = solid(Sphere{0.5}, {0, 0, 0});
  ball.linearVelocity = {10, 0, 0};
  ball.angularVelocity = {3, 0, 10};
  ball.drag = {1e12, 1e12, 1e12, 1e12};
  const BodyId id = world.addBody(ball);
  run(world, 1.0, 0.5);
  EXPECT_LT(world.state(id)->linearVelocity.norm(), 1e-6);
  EXPECT_LT(world.state(id)->angularVelocity.norm(), 1e-6);
}

// The tumbling of a free body by each integrator, beside itself with a hundred times finer steps.
TEST(Integrators, ConvergeWithTheirOrder) {
  const auto end = [](const char* integrator, double dt) {
    WorldSettings settings;
    settings.gravity.setZero();
    settings.integrator = integrator;
    settings.soft.substeps = 1;
    World world(settings);
    const BodyId id = world.addBody(spinningBody({1, 2, 3}, {0.5, 2, 0.3}));
    const int steps = static_cast<int>(std::lround(1.0 / dt));
    for (int i = 0; i < steps; ++i) world.step(dt);
    return Vec3(world.state(id)->angularVelocity);
  };
  const Vec3 exact = end("cash_karp", 0.1);
  const auto order = [&](const char* integrator) {
    const double coarse = (end(integrator, 0.02) - exact).norm(), fine = (end(integrator, 0.01) - exact).norm();
    return std::log2(coarse / fine);
  };
  EXPECT_NEAR(order("euler"), 1.0, 0.2);
  EXPECT_NEAR(order("momentum"), 2.0, 0.2);
  EXPECT_NEAR(order("rk4"), 4.0, 0.4);
  EXPECT_LT((end("cash_karp", 0.5) - exact).norm(), 1e-8);
}

}  // namespace
}  // namespace cairn::test
