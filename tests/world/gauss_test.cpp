// Least constraint in motion space, and Anitescu's variants: what sets them apart from the rest.
#include "world/building.hpp"

namespace cairn::test {
namespace {

World worldWith(std::string_view stepper) {
  WorldSettings settings;
  settings.stepper = stepper;
  settings.friction.law = "none";
  settings.solver.tolerance = 1e-10;
  return World(settings);
}

// Without friction the nearest motion is the solution of the complementarity problem: both steppers take the same step.
TEST(Gauss, TakesTheStepOfTheComplementarityProblem) {
  std::vector<Vec3> ends;
  for (const std::string_view stepper : {"gauss", "lcp"}) {
    World world = worldWith(stepper);
    world.addBody(fixedSolid(Plane{}));
    std::vector<BodyId> bodies;
    for (int i = 0; i < 4; ++i) bodies.push_back(world.addBody(solid(Sphere{0.3}, {0.2 * i, 0.1 * i, 0.3 + 0.62 * i})));
    run(world, 0.5, 0.005);
    for (const BodyId body : bodies) ends.push_back(world.state(body)->center);
  }
  for (int i = 0; i < 4; ++i) EXPECT_LT((ends[i] - ends[i + 4]).norm(), 1e-5) << i;
}

TEST(Gauss, CollisionsNeverGainEnergy) {
  World world = worldWith("gauss");
  Material material;
  material.restitution = 1.0;
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
  for (const double x : {-1.0, 1.0}) world.addBody(fixedSolid(Box{Vec3(0.2, 3, 3)}, {1.4 * x, 0, 1}, material));
  for (int i = 0; i < 5; ++i) {
    BodyDesc ball = solid(Sphere{0.25}, {-0.8 + 0.4 * i, 0.02 * i, 1.0 + 0.3 * i}, material);
    ball.linearVelocity = {3.0 - i, 0, 0};
    world.addBody(ball);
  }
  const double start = world.energy().total();
  for (int i = 0; i < 400; ++i) {
    const StepReport report = world.step(0.005);
    ASSERT_EQ(report.status, StepStatus::Ok);
    EXPECT_LE(report.impacts.energyGained, 1e-9 * start) << i;
  }
  EXPECT_LT(world.energy().total(), start * 1.02);  // flights of first order
}

// A first-order world has no inertia: a ball creeps downhill at relaxation times g, and stops at once at a wall.
TEST(Gauss, FirstOrderWorldsCreep) {
  World world = worldWith("gauss");
  WorldSettings settings = world.settings();
  settings.gauss.order = "first";
  settings.gauss.relaxation = 0.05;
  settings.gravity = {1.0, 0, -9.0};
  world.setSettings(settings);
  world.addBody(fixedSolid(Plane{}));
  world.addBody(fixedSolid(Box{Vec3(0.5, 2, 2)}, {1.5, 0, 0}));
  const BodyId ball = world.addBody(solid(Sphere{0.2}, {0, 0, 0.2}));
  run(world, 1.0, 0.01);
  EXPECT_NEAR(world.state(ball)->center.x(), 0.05, 1e-9);  // 1 m/s^2 times 0.05 s for 1 s
  run(world, 20.0, 0.01);
  EXPECT_NEAR(world.state(ball)->center.x(), 0.8, 1e-9);
  EXPECT_LT(world.state(ball)->linearVelocity.norm(), 1e-9);
}

// Stewart and Trinkle's scheme is plastic whatever the materials say; Anitescu and Potra's forgets gaps and drifts.
TEST(Lcp, VariantsDifferAsTheyShould) {
  const auto drop = [](const char* variant, double restitution) {
    WorldSettings settings;
    settings.stepper = "lcp";
    settings.lcp.variant = variant;
    World world(settings);
    Material material;
    material.restitution = restitution;
    world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
    const BodyId id = world.addBody(solid(Sphere{0.1}, {0, 0, 0.6}, material));
    double highest = 0.0;
    for (int i = 0; i < 200; ++i) {
      world.step(0.005);
      if (i > 75) highest = std::max(highest, world.state(id)->center.z());
    }
    return std::pair(highest, world.state(id)->center.z());
  };
  EXPECT_GT(drop("anitescu", 0.8).first, 0.3);
  EXPECT_NEAR(drop("stewart_trinkle", 0.8).first, 0.1, 1e-6);
  EXPECT_NEAR(drop("stewart_trinkle", 0.8).second, 0.1, 1e-9);
}

// gamma below 1 takes a penetration back by that share in each step.
TEST(Lcp, StabilisationTakesBackItsShare) {
  WorldSettings settings;
  settings.stepper = "lcp";
  settings.lcp.stabilisation = 0.25;
  settings.gravity.setZero();
  World world(settings);
  world.addBody(fixedSolid(Plane{}));
  const BodyId id = world.addBody(solid(Sphere{0.5}, {0, 0, 0.49}));
  world.step(0.01);
  EXPECT_NEAR(world.state(id)->center.z(), 0.49 + 0.25 * 0.01, 1e-9);
}

// A planar four-bar of hinges in space has more rows than freedoms; the reactions are not unique, the motion is.
TEST(Lcp, RedundantFourBarMoves) {
  for (const std::string_view stepper : {"lcp", "velocity", "implicit", "gauss"}) {
    World world = worldWith(stepper);
    BodyDesc fixed;
    fixed.kind = BodyKind::Static;
    const BodyId ground = world.addBody(fixed);
    const auto bar = [&](const Vec3& center, double length, double angle) {
      BodyDesc desc = solid(Box{Vec3(0.5 * length, 0.02, 0.02)}, center);
      desc.pose.rotation = turn(-angle, Vec3::UnitY());
      return world.addBody(desc);
    };
    const double right = 1.5707963267948966;
    const BodyId left = bar({0, 0, 0.5}, 1.0, right), top = bar({0.5, 0, 1.0}, 1.0, 0.0),
                 other = bar({1, 0, 0.5}, 1.0, right);
    const auto hinge = [&](BodyId a, BodyId b, const Vec3& at) {
      JointDesc joint;
      joint.a = a;
      joint.b = b;
      const BodyState sa = *world.state(a), sb = *world.state(b);
      joint.anchorA = sa.pose.rotation.conjugate() * (at - sa.pose.position);
      joint.anchorB = sb.pose.rotation.conjugate() * (at - sb.pose.position);
      joint.kind = HingeJoint{sa.pose.rotation.conjugate() * Vec3::UnitY(), sb.pose.rotation.conjugate() * Vec3::UnitY()};
      world.addJoint(joint);
    };
    hinge(ground, left, {0, 0, 0});
    hinge(left, top, {0, 0, 1});
    hinge(top, other, {1, 0, 1});
    hinge(other, ground, {1, 0, 0});
    world.setVelocity(left, {0.05, 0, 0}, {0, 0.1, 0});
    world.setVelocity(top, {0.1, 0, 0}, {0, 0, 0});
    world.setVelocity(other, {0.05, 0, 0}, {0, 0.1, 0});
    for (int i = 0; i < 500; ++i) {
      const StepReport report = world.step(0.002);
      ASSERT_EQ(report.status, StepStatus::Ok) << stepper;
      ASSERT_LT(report.jointError, 1e-3) << stepper << ' ' << i;
    }
    // It falls over, as a parallelogram: the top stays level.
    EXPECT_LT(world.state(top)->center.z(), 0.97) << stepper;
    EXPECT_LT(std::abs((world.state(top)->pose.rotation * Vec3::UnitX()).z()), 2e-3) << stepper;
  }
}

}  // namespace
}  // namespace cairn::test
