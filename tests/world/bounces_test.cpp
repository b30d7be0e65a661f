// Restitution of the steppers that bounce where a step ends: the right speed, and no energy from nowhere.
#include <numbers>

#include "world/building.hpp"

namespace cairn::test {
namespace {

constexpr const char* kBouncing[] = {"velocity", "lcp", "shock", "implicit"};

WorldSettings with(const std::string& stepper) {
  WorldSettings settings;
  settings.stepper = stepper;
  if (stepper == "gauss") settings.friction.law = "none";
  return settings;
}

Material elastic(double restitution, double friction = 0.0) {
  Material material;
  material.restitution = restitution;
  material.friction = friction;
  return material;
}

// Heights of the first apexes of a ball that falls from 1 m, from its energy.
std::vector<double> apexes(const std::string& stepper, double restitution, double dt, std::size_t count) {
  World world(with(stepper));
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), elastic(restitution)));
  const BodyId ball = world.addBody(solid(Sphere{0.1}, {0, 0, 1.1}, elastic(restitution)));
  std::vector<double> heights;
  double before = 0.0;
  for (int i = 0; i < 100000 && heights.size() < count; ++i) {
    EXPECT_EQ(world.step(dt).status, StepStatus::Ok);
    const BodyState state = *world.state(ball);
    const double speed = state.linearVelocity.z();
    if (before > 0.0 && speed <= 0.0) heights.push_back(state.center.z() - 0.1 + speed * speed / (2.0 * kGravity));
    before = speed;
  }
  return heights;
}

// Nothing is gained in 20 bounces. What shock loses: its steps near the ground are x + h u+, m (g h)^2/2 each.
TEST(Bounces, ElasticBallsReturnToTheirHeightAndNoHigher) {
  for (const double dt : {1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0}) {
    for (const char* stepper : {"velocity", "lcp", "shock", "implicit", "gauss"}) {
      const std::vector<double> heights = apexes(stepper, 1.0, dt, 20);
      ASSERT_EQ(heights.size(), 20u) << stepper;
      const bool loses = stepper == std::string("shock");
      for (const double height : heights) EXPECT_LT(height, 1.0 + 1e-9) << stepper << ", dt " << dt;
      EXPECT_GT(heights.back(), loses ? 1.0 - 900.0 * dt * dt * 0.5 : 1.0 - 1e-6) << stepper << ", dt " << dt;
    }
  }
}

TEST(Bounces, HalfTheSpeedIsAQuarterOfTheHeight) {
  for (const double dt : {1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0}) {
    for (const char* stepper : {"velocity", "lcp", "implicit"}) {
      const std::vector<double> heights = apexes(stepper, 0.5, dt, 3);
      ASSERT_EQ(heights.size(), 3u) << stepper;
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(heights[i], std::pow(0.25, i + 1), 3e-6) << stepper << ", dt " << dt;
    }
  }
}

// A ball that strikes at 5 m/s, beside a lift that takes a ton up, and beside one that takes nothing.
double reboundBesideALift(const std::string& stepper, bool loaded, double& factor) {
  World world(with(stepper));
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), elastic(0.7)));
  BodyDesc ball = solid(Sphere{0.1}, {5, 0, 0.5}, elastic(0.7));
  ball.linearVelocity = {0, 0, -5};
  const BodyId id = world.addBody(ball);
  BodyDesc lift = solid(Box{Vec3(1, 1, 0.1)}, {0, 0, 1});
  lift.kind = BodyKind::Kinematic;
  lift.linearVelocity = {0, 0, 2};
  world.addBody(lift);
  BodyDesc load = solid(Box{Vec3(0.5, 0.5, 0.5)}, {0, 0, 1.6});
  load.shapes[0].density = 1000.0;
  load.linearVelocity = {0, 0, 2};
  if (loaded) world.addBody(load);
  double fastest = 0.0;
  for (int i = 0; i < 15; ++i) {
    factor = std::min(factor, world.step(kDt).impacts.restitutionFactor);
    fastest = std::max(fastest, world.state(id)->linearVelocity.z());
  }
  return fastest;
}

TEST(Bounces, WhatRisesElsewhereTakesNothing) {
  for (const char* stepper : kBouncing) {
    double factor = 1.0;
    const double alone = reboundBesideALift(stepper, false, factor), beside = reboundBesideALift(stepper, true, factor);
    EXPECT_EQ(alone, beside) << stepper;
    EXPECT_EQ(factor, 1.0) << stepper;
    // At the surface it has sqrt(v^2 + 2 g s); it is then slower by what gravity takes until a step ends.
    const double expected = 0.7 * std::sqrt(25.0 + 2.0 * kGravity * 0.4);
    EXPECT_NEAR(beside, expected, stepper == std::string("shock") ? 0.03 : 1e-4) << stepper;
  }
}

// In one island: a driven rod lifts a ton, and a ball bounces on it. The drive's work is not the ball's.
TEST(Bounces, WorkOfADriveIsNoGain) {
  for (const char* stepper : {"velocity", "lcp", "implicit"}) {
    World world(with(stepper));
    const BodyId anchor = addAnchor(world);
    BodyDesc load = solid(Box{Vec3(0.5, 0.5, 0.5)}, {0, 0, -2}, elastic(0.7));
    load.locks.rotation = {true, true, true};
    load.locks.position = {true, true, false};
    load.linearVelocity = {0, 0, 1};
    const BodyId lift = world.addBody(load);
    JointDesc rod;
    rod.a = anchor;
    rod.b = lift;
    rod.kind = DistanceJoint{2.0};
    rod.drive = JointDrive{};
    rod.drive->rate = -1.0;
    world.addJoint(rod);
    BodyDesc ball = solid(Sphere{0.1}, {0.1, 0, -1.0}, elastic(0.7));
    ball.linearVelocity = {0, 0, -5};
    const BodyId id = world.addBody(ball);
    double factor = 1.0, fastest = 0.0;
    for (int i = 0; i < 12; ++i) {
      factor = std::min(factor, world.step(kDt).impacts.restitutionFactor);
      fastest = std::max(fastest, world.state(id)->linearVelocity.z() - world.state(lift)->linearVelocity.z());
    }
    EXPECT_EQ(factor, 1.0) << stepper;
    // The lift moves evenly. What gravity adds within the last step is not seen: loads would let the lift fall as well.
    EXPECT_NEAR(fastest, 0.7 * std::sqrt(36.0 + 2.0 * kGravity * 0.4), 0.7 * kGravity * kDt) << stepper;
  }
}

// Newton's law with friction gains where a double pendulum strikes the ground with its tip (docs/laws.md: 0.30 of its energy
// at mu = 0.5, e = 0.9). A ton that falls plastically elsewhere must not pay for it.
TEST(Bounces, LossesElsewhereHideNoGain) {
  for (const char* stepper : {"velocity", "lcp", "implicit"}) {
    World world(with(stepper));
    world.addBody(fixedSolid(Plane{}, Vec3::Zero(), elastic(0.9, 0.5)));
    const double first = std::numbers::pi * 20.0 / 180.0, second = std::numbers::pi * 30.0 / 180.0;
    const Vec3 upper(std::sin(first), 0, -std::cos(first)), lower(std::sin(second), 0, -std::cos(second));
    const Vec3 top(0, 0, -upper.z() - lower.z() + 1e-3), knee = top + upper;
    const auto rod = [&](const Vec3& center, double angle, const Vec3& velocity, double spin) {
      BodyDesc desc = solid(Capsule{1e-3, 0.499}, center, elastic(0.9, 0.5));
      desc.pose.rotation = turn(-angle, Vec3::UnitY());
      desc.massProperties = MassProperties{1.0, Vec3::Zero(), Vec3(1.0 / 12.0, 1.0 / 12.0, 1e-4).asDiagonal()};
      desc.linearVelocity = velocity;
      desc.angularVelocity = {0, -spin, 0};
      return world.addBody(desc);
    };
    const double w1 = -0.1, w2 = -0.2;
    const Vec3 kneeSpeed = w1 * Vec3(std::cos(first), 0, std::sin(first));
    const BodyId a = rod(top + 0.5 * upper, first, 0.5 * kneeSpeed, w1);
    const BodyId b = rod(knee + 0.5 * lower, second, kneeSpeed + 0.5 * w2 * Vec3(std::cos(second), 0, std::sin(second)), w2);
    JointDesc joint;
    joint.a = addAnchor(world);
    joint.b = a;
    joint.anchorA = top;
    joint.anchorB = {0, 0, 0.5};
    world.addJoint(joint);
    joint.a = a;
    joint.b = b;
    joint.anchorA = {0, 0, -0.5};
    world.addJoint(joint);
    BodyDesc weight = solid(Box{Vec3(0.5, 0.5, 0.5)}, {5, 0, 0.51});
    weight.linearVelocity = {0, 0, -2};
    world.addBody(weight);
    const auto energyOf = [&](BodyId id) {
      const BodyState state = *world.state(id);
      const Vec3 local = state.pose.rotation.conjugate() * state.angularVelocity;
      const double turning = (local.x() * local.x() + local.y() * local.y()) / 12.0 + 1e-4 * local.z() * local.z();
      return 0.5 * (state.linearVelocity.squaredNorm() + turning) + kGravity * state.center.z();
    };
    const double start = energyOf(a) + energyOf(b);
    double most = start, factor = 1.0;
    for (int i = 0; i < 120; ++i) {
      const StepReport report = world.step(1e-3);
      ASSERT_EQ(report.status, StepStatus::Ok);
      factor = std::min(factor, report.impacts.restitutionFactor);
      most = std::max(most, energyOf(a) + energyOf(b));
    }
    EXPECT_LT(factor, 1.0) << stepper;
    EXPECT_LT(most - start, 1e-4) << stepper;
  }
}

}  // namespace
}  // namespace cairn::test
