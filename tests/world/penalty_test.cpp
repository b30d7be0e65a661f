// Contact springs against closed forms.
#include "world/building.hpp"

namespace cairn::test {
namespace {

World worldWith(bool implicit, const char* law, double stiffness, double damping, const Vec3& gravity = {0, 0, -kGravity}) {
  WorldSettings settings;
  settings.stepper = "penalty";
  settings.gravity = gravity;
  settings.penalty.law = law;
  settings.penalty.stiffness = stiffness;
  settings.penalty.damping = damping;
  settings.penalty.implicit = implicit;
  settings.solver.tolerance = 1e-10;
  return World(settings);
}

Material elastic(double friction = 0.0) {
  Material material;
  material.restitution = 1.0;
  material.friction = friction;
  return material;
}

BodyDesc ball(double mass, double height, const Material& material) {
  BodyDesc desc = solid(Sphere{0.1}, {0, 0, height}, material);
  desc.mass = mass;
  return desc;
}

TEST(Penalty, RestsAtWeightOverStiffness) {
  for (const bool implicit : {true, false}) {
    World world = worldWith(implicit, "linear", 1e5, 300.0);
    world.addBody(fixedSolid(Plane{}));
    const BodyId id = world.addBody(ball(2.0, 0.1, {}));
    run(world, 3.0);
    EXPECT_NEAR(0.1 - world.state(id)->center.z(), 2.0 * kGravity / 1e5, 1e-8) << implicit;
    EXPECT_LT(world.state(id)->linearVelocity.norm(), 1e-6) << implicit;
  }
}

// Hertz: deepest (5 m v^2/(4 k))^(2/5), contact lasts 2.943 deepest/v (formulations B8; Johnson, Contact Mechanics, 11.1).
TEST(Penalty, HertzianContactLastsAndGoesAsDeepAsItShould) {
  const double mass = 0.5, speed = 2.0, stiffness = 1e8;
  World world = worldWith(false, "hertz", stiffness, 0.0, Vec3::Zero());
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), elastic()));
  BodyDesc desc = ball(mass, 0.1005, elastic());
  desc.linearVelocity = {0, 0, -speed};
  const BodyId id = world.addBody(desc);
  const double deepest = std::pow(5.0 * mass * speed * speed / (4.0 * stiffness), 0.4);
  const double dt = 2e-6;
  double depth = 0.0, touching = 0.0;
  for (int i = 0; i < 1500; ++i) {
    ASSERT_EQ(world.step(dt).status, StepStatus::Ok);
    const double now = 0.1 - world.state(id)->center.z();
    depth = std::max(depth, now);
    if (now > 0.0) touching += dt;
  }
  EXPECT_NEAR(depth, deepest, 0.01 * deepest);
  EXPECT_NEAR(touching, 2.943 * deepest / speed, 0.02 * touching);
  EXPECT_NEAR(world.state(id)->linearVelocity.z(), speed, 0.01 * speed);
}

// A linear spring with the damping of e comes out with e times the speed.
TEST(Penalty, RestitutionComesFromTheDamper) {
  World world = worldWith(false, "linear", 1e6, 0.0, Vec3::Zero());
  Material material;
  material.friction = 0.0;
  material.restitution = 0.6;
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
  BodyDesc desc = ball(1.0, 0.1005, material);
  desc.linearVelocity = {0, 0, -1.0};
  const BodyId id = world.addBody(desc);
  run(world, 0.02, 1e-5);
  // F >= 0 lets go a little early, which costs a little less than the closed form of the free oscillator says.
  EXPECT_NEAR(world.state(id)->linearVelocity.z(), 0.6, 0.04);
}

// Ever stiffer implicit springs are rigid contacts.
TEST(Penalty, StiffSpringsAreTheVelocityProblem) {
  const auto slide = [](const char* stepper) {
    WorldSettings settings;
    settings.stepper = stepper;
    settings.penalty.stiffness = settings.penalty.frictionStiffness = 1e12;
    settings.penalty.damping = settings.penalty.frictionDamping = 1e9;
    settings.penalty.substeps = 1;
    settings.solver.tolerance = 1e-10;
    World world(settings);
    world.addBody(fixedSolid(Plane{}));
    BodyDesc box = solid(Box{Vec3(0.5, 0.5, 0.1)}, {0, 0, 0.1});
    box.linearVelocity = {2.0, 0.5, 0};
    const BodyId id = world.addBody(box);
    run(world, 0.3, 0.01);
    return Vec3(world.state(id)->linearVelocity);
  };
  EXPECT_LT((slide("penalty") - slide("velocity")).norm(), 1e-4);
}

// A box on a slope below the angle of friction stretches its springs and then stays.
TEST(Penalty, FrictionSpringsHold) {
  for (const bool implicit : {true, false}) {
    World world = worldWith(implicit, "linear", 1e6, 1e3, kGravity * Vec3(std::sin(0.3), 0, -std::cos(0.3)));
    world.addBody(fixedSolid(Plane{}));
    BodyDesc box = solid(Box{Vec3(0.5, 0.5, 0.1)}, {0, 0, 0.1});
    box.mass = 10.0;
    const BodyId id = world.addBody(box);
    run(world, 1.0);
    const double settled = world.state(id)->center.x();
    run(world, 2.0);
    EXPECT_LT(settled, 1e-3) << implicit;
    EXPECT_LT(std::abs(world.state(id)->center.x() - settled), 1e-6) << implicit << ": no creep";
  }
}

}  // namespace
}  // namespace cairn::test
