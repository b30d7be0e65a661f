// The stepper "penalty": restitution, energy, and thin things in the way of fast ones.
#include "world/building.hpp"

namespace cairn::test {
namespace {

WorldSettings penaltySettings(bool implicit, const char* law) {
  WorldSettings settings;
  settings.stepper = "penalty";
  settings.penalty.implicit = implicit;
  settings.penalty.law = law;
  if (std::string_view(law) == "hertz") settings.penalty.stiffness = 1e8;
  return settings;
}

const std::vector<std::pair<bool, const char*>> kVariants = {
    {true, "linear"}, {false, "linear"}, {true, "hertz"}, {false, "hertz"}};

// The highest points (m) after each of the first bounces of a ball dropped from 1 m.
std::vector<double> apexes(const WorldSettings& settings, double restitution, std::size_t count) {
  World world(settings);
  const Material material{.friction = 0.0, .restitution = restitution};
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
  const BodyId ball = world.addBody(solid(Sphere{0.1}, {0, 0, 1.1}, material));
  std::vector<double> heights;
  double before = 0.0;
  while (heights.size() < count && world.time() < 25.0) {
    world.step(kDt);
    const double z = world.state(ball)->center.z() - 0.1, v = world.state(ball)->linearVelocity.z();
    if (before > 0.0 && v <= 0.0) heights.push_back(z + 0.5 * v * v / kGravity);
    before = v;
  }
  return heights;
}

TEST(PenaltyBounce, ElasticBallKeepsItsHeightForTwentyBounces) {
  for (const auto& [implicit, law] : kVariants) {
    SCOPED_TRACE(testing::Message() << law << (implicit ? ", implicit" : ", explicit"));
    const std::vector<double> heights = apexes(penaltySettings(implicit, law), 1.0, 20);
    ASSERT_EQ(heights.size(), 20u);
    for (const double height : heights) {
      EXPECT_LT(height, 1.0 + 1e-6);
      EXPECT_GT(height, 1.0 - 1e-5);
    }
  }
}

TEST(PenaltyBounce, RestitutionIsWhatTheMaterialSays) {
  for (const auto& [implicit, law] : kVariants) {
    for (const double restitution : {0.9, 0.5, 0.2}) {
      SCOPED_TRACE(testing::Message() << law << (implicit ? ", implicit, e = " : ", explicit, e = ") << restitution);
      WorldSettings settings = penaltySettings(implicit, law);
      settings.gravity.setZero();
      World world(settings);
      const Material material{.friction = 0.0, .restitution = restitution};
      world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
      BodyDesc desc = solid(Sphere{0.1}, {0, 0, 0.15}, material);
      desc.linearVelocity = {0, 0, -4};
      const BodyId ball = world.addBody(desc);
      int substeps = 0;
      for (int i = 0; i < 6; ++i) substeps += world.step(kDt).substeps;
      EXPECT_NEAR(world.state(ball)->linearVelocity.z(), 4 * restitution, 0.03);
      EXPECT_GT(substeps, 6 * 4 + 10);  // said: the time of the impact in twenty pieces
      EXPECT_LT(substeps, 100);
    }
  }
}

// f_bouncing_ball.json: half of the time that the springs are pressed is added to each flight, 6 ms here.
TEST(PenaltyBounce, TimesOfBounces) {
  WorldSettings settings = penaltySettings(true, "linear");
  World world(settings);
  const Material material{.friction = 0.0, .restitution = 0.8};
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
  const BodyId ball = world.addBody(solid(Sphere{0.1}, {0, 0, 1.1}, material));
  const std::vector<double> times = {0.451523640986, 1.17396146656, 1.75191172702, 2.21427193539};
  std::size_t bounce = 0;
  double before = 0.0;
  while (bounce < times.size() && world.time() < 4.0) {
    world.step(kDt);
    const double z = world.state(ball)->center.z() - 0.1, v = world.state(ball)->linearVelocity.z();
    if (before < 0.0 && v > 0.0) {
      const double since = z > 0.0 ? (v - std::sqrt(v * v + 2.0 * kGravity * z)) / kGravity : 0.0;
      EXPECT_NEAR(world.time() + since, times[bounce], 0.015 * times[bounce] + 0.008) << bounce;
      ++bounce;
    }
    before = v;
  }
  EXPECT_EQ(bounce, times.size());
}

TEST(PenaltyBounce, FastAndThinIsHeldAndSaid) {
  for (const auto& [implicit, law] : kVariants) {
    for (const double start : {0.0, 0.07, -5.0}) {
      SCOPED_TRACE(testing::Message() << law << (implicit ? ", implicit" : ", explicit") << ", from " << start);
      WorldSettings settings = penaltySettings(implicit, law);
      settings.gravity.setZero();
      settings.continuous.enabled = false;  // which would leave the stepper nothing to hold
      World world(settings);
      const Material material{.friction = 0.0, .restitution = 0.5};
      world.addBody(fixedSolid(Box{{0.001, 0.5, 0.5}}, {2, 0, 0}, material));
      BodyDesc desc = solid(Sphere{0.005}, {start, 0, 0}, material);
      desc.linearVelocity = {900, 0, 0};
      const BodyId bullet = world.addBody(desc);
      std::string message;
      for (int i = 0; i < 3; ++i) message += world.step(kDt).method.message;
      EXPECT_NEAR(world.state(bullet)->linearVelocity.x(), -450, 2.0);
      EXPECT_NE(message.find("so as not to go through"), std::string::npos) << message;
    }
  }
}

// A damper that suits a ton is far too strong for a gram in explicit steps.
TEST(PenaltyBounce, LightBodiesDoNotGain) {
  for (const auto& [implicit, law] : kVariants) {
    for (const double restitution : {0.0, 0.5, 1.0}) {
      SCOPED_TRACE(testing::Message() << law << (implicit ? ", implicit, e = " : ", explicit, e = ") << restitution);
      WorldSettings settings = penaltySettings(implicit, law);
      settings.gravity.setZero();
      World world(settings);
      const Material material{.friction = 0.5, .restitution = restitution};
      world.addBody(fixedSolid(Box{{0.001, 0.5, 0.5}}, {0.2, 0, 0}, material));
      BodyDesc desc = solid(Sphere{0.005}, Vec3::Zero(), material);
      desc.linearVelocity = {5, 1, 0};
      world.addBody(desc);
      const double energy = world.energy().kinetic;
      for (int i = 0; i < 6; ++i) world.step(kDt);
      EXPECT_LT(world.energy().kinetic, energy * (1.0 + 1e-6));
    }
  }
}

// Springs that nothing has pressed do not push: bodies that start inside each other part slowly.
TEST(PenaltyBounce, OverlapsPartGently) {
  for (const auto& [implicit, law] : kVariants) {
    SCOPED_TRACE(testing::Message() << law << (implicit ? ", implicit" : ", explicit"));
    WorldSettings settings = penaltySettings(implicit, law);
    settings.gravity.setZero();
    World world(settings);
    const BodyId a = world.addBody(solid(Sphere{0.2}, {0, 0, 0})), b = world.addBody(solid(Sphere{0.2}, {0.25, 0, 0}));
    run(world, 3.0);
    EXPECT_LT(world.state(a)->linearVelocity.norm() + world.state(b)->linearVelocity.norm(), 1.5);
    EXPECT_GT((world.state(a)->center - world.state(b)->center).norm(), 0.4 - 1e-3);
  }
}

TEST(PenaltyBounce, PhasesAreBookedAsWhatTheyAre) {
  World world(penaltySettings(true, "linear"));
  world.addBody(fixedSolid(Plane{}));
  for (int i = 0; i < 8; ++i) world.addBody(solid(Sphere{0.1}, {0.3 * i, 0, 0.1}));
  double integrate = 0.0;
  for (int i = 0; i < 20; ++i) integrate += world.step(kDt).phaseMs[static_cast<int>(Phase::Integrate)];
  EXPECT_GT(integrate, 0.0);
}

}  // namespace
}  // namespace cairn::test
