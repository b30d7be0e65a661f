// Bodies that overlap where joints and levers hold them: pushing out must not make anything fast. And impacts on islands.
#include "world/building.hpp"

namespace cairn::test {
namespace {

World worldWith(std::string_view stepper) {
  WorldSettings settings;
  settings.stepper = stepper;
  settings.gravity.setZero();
  if (stepper == "gauss") settings.friction.law = "none";
  return World(settings);
}

Material smooth(double restitution = 0.0) { return {.friction = 0.0, .restitution = restitution}; }

// A rod on a hinge overlaps a ball two centimetres from the hinge: out of there at 0.6 m/s it would turn at 30 rad/s.
TEST(PushOut, LeversDoNotTurnItIntoSpeed) {
  for (const std::string_view stepper : {"gauss", "hybrid"}) {
    World world = worldWith(stepper);
    const BodyId anchor = addAnchor(world);
    const BodyId rod = world.addBody(solid(Box{{0.5, 0.02, 0.02}}, {0.5, 0, 0}, smooth()));
    world.addBody(fixedSolid(Sphere{0.05}, {0.02, 0, -0.06}, smooth()));
    JointDesc hinge;
    hinge.a = anchor;
    hinge.b = rod;
    hinge.anchorB = {-0.5, 0, 0};
    hinge.kind = HingeJoint{Vec3::UnitY(), Vec3::UnitY()};
    world.addJoint(hinge);
    const double mass = world.massProperties(rod)->mass;
    std::string message;
    for (int i = 0; i < 10; ++i) {
      const double before = world.energy().kinetic;
      const StepReport report = world.step(kDt);
      ASSERT_EQ(report.status, StepStatus::Ok) << stepper;
      if (message.empty()) message = report.method.message;
      EXPECT_LT(world.energy().kinetic, before + 0.5 * mass * 9.0) << stepper << ' ' << i;
    }
    EXPECT_NE(message.find("without"), std::string::npos) << stepper << ": " << message;
  }
}

// What moves by itself is no reason to be plastic: a plate comes up at 1 m/s, a ball down at 2 m/s.
TEST(IslandImpacts, BounceOffKinematicBodies) {
  World world = worldWith("gauss");
  BodyDesc plate = solid(Box{{1, 1, 0.1}}, {0, 0, 0}, smooth(0.5));
  plate.kind = BodyKind::Kinematic;
  plate.linearVelocity = {0, 0, 1};
  world.addBody(plate);
  BodyDesc desc = solid(Sphere{0.1}, {0, 0, 0.5}, smooth(0.5));
  desc.linearVelocity = {0, 0, -2};
  const BodyId ball = world.addBody(desc);
  std::string message;
  for (int i = 0; i < 12; ++i) message += world.step(kDt).method.message;
  EXPECT_NEAR(world.state(ball)->linearVelocity.z(), 1.0 + 0.5 * 3.0, 1e-6);
  EXPECT_EQ(message, "");
}

TEST(IslandImpacts, SayThatLawsOfSingleImpactsAreTakenOneAfterTheOther) {
  for (const ImpactLaw law : {ImpactLaw::Newton, ImpactLaw::Stronge, ImpactLaw::ChatterjeeRuina}) {
    WorldSettings settings;
    settings.stepper = "hybrid";
    World world(settings);
    const Material material{.friction = 0.3, .restitution = 0.5, .impact = law};
    world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
    for (int i = 0; i < 2; ++i) world.addBody(solid(Box{}, {0, 0, 0.5 + i}, material));
    run(world, 0.2);
    world.addBody(solid(Sphere{0.2}, {0.1, 0, 2.6}, material));
    std::string message;
    for (int i = 0; i < 60; ++i) message += world.step(kDt).method.message;
    EXPECT_EQ(message.find("one after the other") != std::string::npos, law != ImpactLaw::Newton) << message;
  }
}

}  // namespace
}  // namespace cairn::test
