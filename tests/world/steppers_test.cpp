// What every stepper must do: obey, refuse by name, survive. Each law and method has its own tests beside this.
#include <random>

#include "world/building.hpp"

namespace cairn::test {
namespace {

WorldSettings with(std::string_view stepper) {
  WorldSettings settings;
  settings.stepper = stepper;
  if (stepper == "gauss") settings.friction.law = "none";
  return settings;
}

BodyDesc randomSolid(std::mt19937& random, const Material& material) {
  std::uniform_real_distribution<double> u(-1, 1);
  const double size = 0.2 + 0.1 * u(random);
  Geometry geometry = Sphere{size};
  switch (random() % 6) {
    case 0:
      geometry = Box{Vec3(size, 1.3 * size, 0.8 * size)};
      break;
    case 1:
      geometry = Capsule{0.6 * size, size};
      break;
    case 2:
      geometry = Cylinder{size, 0.7 * size};
      break;
    case 3:
      geometry = Ellipsoid{Vec3(size, 0.7 * size, 1.2 * size)};
      break;
    case 4:
      geometry = ConvexHull{{{size, 0, 0}, {-size, 0, 0}, {0, size, 0}, {0, -size, 0}, {0, 0, size}, {0, 0, -size}}};
      break;
    default:
      break;
  }
  BodyDesc desc = solid(geometry, {0.8 * u(random), 0.8 * u(random), 1.2 + 0.8 * u(random)}, material);
  desc.pose.rotation = Quat(u(random), u(random), u(random), u(random)).normalized();
  desc.linearVelocity = {2 * u(random), 2 * u(random), 2 * u(random)};
  desc.angularVelocity = {5 * u(random), 5 * u(random), 5 * u(random)};
  return desc;
}

// Boxes, balls, hulls thrown together, many of them overlapping at the start.
TEST(EveryStepper, SurvivesRandomScenes) {
  for (const std::string_view stepper : stepperNames()) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      std::mt19937 random(seed);
      World world(with(stepper));
      Material material;
      material.friction = stepper == "gauss" ? 0.0 : 0.1 * (random() % 10);
      material.restitution = 0.3 * (seed % 3);
      world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
      for (int i = 0; i < 8; ++i) world.addBody(randomSolid(random, material));
      for (int i = 0; i < 60; ++i) {
        const StepReport report = world.step(1.0 / 60.0);
        ASSERT_EQ(report.status, StepStatus::Ok) << stepper << ": " << report.refusal();
        ASSERT_TRUE(report.quarantined.empty()) << stepper << ' ' << seed << ": " << report.quarantined[0].reason;
      }
      for (const BodyId body : world.bodies()) {
        const BodyState state = *world.state(body);
        EXPECT_TRUE(state.center.allFinite()) << stepper;
        EXPECT_LT(state.linearVelocity.norm(), 50.0) << stepper << ' ' << seed;
      }
    }
  }
}

TEST(EveryStepper, FallsAsBodiesFall) {
  for (const std::string_view stepper : stepperNames()) {
    World world(with(stepper));
    const BodyId ball = world.addBody(solid(Sphere{}, {0, 0, 100}));
    run(world, 1.0);
    const double expected = 100.0 - 0.5 * kGravity;
    EXPECT_NEAR(world.state(ball)->center.z(), expected, 0.09) << stepper;
    EXPECT_NEAR(world.state(ball)->linearVelocity.z(), -kGravity, 1e-9) << stepper;
  }
}

TEST(EveryStepper, HoldsABoxOnTheGround) {
  for (const std::string_view stepper : stepperNames()) {
    World world(with(stepper));
    Material material;
    if (stepper == "gauss") material.friction = 0.0;
    world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
    const BodyId box = world.addBody(solid(Box{}, {0, 0, 0.5}, material));
    run(world, 2.0);
    // penalty: four springs of 1e6 N/m under 1000 kg; impulse: it trembles within its envelope.
    const double give = stepper == "penalty" ? 4e-3 : 1.5e-3;
    EXPECT_NEAR(world.state(box)->center.z(), 0.5, give) << stepper;
    EXPECT_NEAR(world.state(box)->center.head<2>().norm(), 0.0, 1e-4) << stepper;
  }
}

TEST(EveryStepper, GainsNoEnergyWherePlasticBodiesFallTogether) {
  for (const std::string_view stepper : stepperNames()) {
    World world(with(stepper));
    Material material;
    if (stepper == "gauss") material.friction = 0.0;
    world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
    for (int i = 0; i < 6; ++i) {
      BodyDesc box = solid(Box{Vec3(0.3, 0.2, 0.25)}, {0.15 * i, 0.1 * (i % 2), 0.5 + 0.7 * i}, material);
      box.pose.rotation = turn(0.3 * i, Vec3(1, 1, i).normalized());
      world.addBody(box);
    }
    const double start = world.energy().total();
    double most = start;
    for (int i = 0; i < 150; ++i) {
      ASSERT_EQ(world.step(kDt).status, StepStatus::Ok) << stepper;
      most = std::max(most, world.energy().total());
    }
    EXPECT_LT(most, start * (1.0 + 1e-3)) << stepper;
  }
}

TEST(EveryStepper, TakesTheSameStepTwice) {
  for (const std::string_view stepper : stepperNames()) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2}) {
      std::mt19937 random(7);
      WorldSettings settings = with(stepper);
      settings.threads = threads;
      World world(settings);
      Material material;
      if (stepper == "gauss") material.friction = 0.0;
      world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
      for (int i = 0; i < 6; ++i) world.addBody(randomSolid(random, material));
      run(world, 0.3);
      const Snapshot middle = world.snapshot();
      run(world, 0.3);
      hashes.push_back(world.stateHash());
      world.restore(middle);
      run(world, 0.3);
      hashes.push_back(world.stateHash());
    }
    for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes[0]) << stepper;
  }
}

TEST(EveryStepper, RefusesByNameWhatItCannotDo) {
  World world(with("gauss"));
  WorldSettings settings = world.settings();
  settings.friction.law = "auto";
  world.setSettings(settings);
  world.addBody(fixedSolid(Plane{}));
  BodyDesc desc = solid(Box{}, {0, 0, 0.5});
  desc.name = "crate";
  const BodyId box = world.addBody(desc);
  const std::uint64_t before = world.stateHash();
  const StepReport report = world.step(kDt);
  EXPECT_EQ(report.status, StepStatus::Refused);
  EXPECT_NE(report.refusal().find("friction"), std::string_view::npos);
  EXPECT_NE(report.refusal().find("crate"), std::string_view::npos);
  EXPECT_NE(report.refusal().find("soft"), std::string_view::npos);
  EXPECT_EQ(world.stateHash(), before);
  EXPECT_EQ(world.time(), 0.0);
  world.removeBody(box);  // nothing rubs any more
  EXPECT_EQ(world.step(kDt).status, StepStatus::Ok);
}

TEST(EveryStepper, RefusesImpactLawsThatItDoesNotKnow) {
  for (const std::string_view stepper : {"soft", "velocity", "lcp", "shock", "implicit", "penalty"}) {
    World world(with(stepper));
    Material material;
    material.impact = ImpactLaw::Stronge;
    world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
    world.addBody(solid(Sphere{}, {0, 0, 1}, material));
    const StepReport report = world.step(kDt);
    EXPECT_EQ(report.status, StepStatus::Refused) << stepper;
    EXPECT_NE(report.refusal().find("Stronge"), std::string_view::npos) << stepper;
  }
}

// Three boxes in one place, a ball inside the ground, a box wedged between two walls that are too near.
TEST(EveryStepper, RecoversFromIllegalStarts) {
  for (const std::string_view stepper : {"soft", "shock", "lcp", "velocity", "implicit"}) {
    World world(with(stepper));
    world.addBody(fixedSolid(Plane{}));
    for (int i = 0; i < 3; ++i) world.addBody(solid(Box{}, {0, 0, 0.5}));
    world.addBody(solid(Sphere{}, {5, 0, -0.2}));
    world.addBody(fixedSolid(Box{}, {10, 0, 0.5}));
    world.addBody(fixedSolid(Box{}, {11.8, 0, 0.5}));
    world.addBody(solid(Box{}, {10.9, 0, 0.5}));
    double fastest = 0.0;
    for (int i = 0; i < 120; ++i) {
      ASSERT_EQ(world.step(kDt).status, StepStatus::Ok) << stepper;
      for (const BodyId body : world.bodies()) fastest = std::max(fastest, world.state(body)->linearVelocity.norm());
    }
    EXPECT_LT(fastest, 15.0) << stepper;
  }
}

TEST(EveryStepper, MovesNothingForStepsThatAreNoSteps) {
  for (const std::string_view stepper : stepperNames()) {
    World world(with(stepper));
    world.addBody(solid(Sphere{}, {0, 0, 1}));
    const std::uint64_t before = world.stateHash();
    for (const double dt : {0.0, -1.0, 1e9, std::nan(""), std::numeric_limits<double>::infinity()})
      EXPECT_EQ(world.step(dt).status, StepStatus::InvalidTimeStep) << stepper;
    EXPECT_EQ(world.stateHash(), before) << stepper;
  }
}

}  // namespace
}  // namespace cairn::test
