// The hybrid of impulses and constraints: it takes the better method contact by contact, and says what it took.
#include "world/building.hpp"

namespace cairn::test {
namespace {

World worldWith(std::string_view stepper) {
  WorldSettings settings;
  settings.stepper = stepper;
  return World(settings);
}

Material bouncy(double restitution) {
  Material material;
  material.restitution = restitution;
  return material;
}

// A ball bounces as impulses have it (times of the closed form), then comes to rest as constraints have it.
TEST(Hybrid, BallBouncesExactlyAndThenRests) {
  World world = worldWith("hybrid");
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), bouncy(0.5)));
  const BodyId ball = world.addBody(solid(Sphere{0.1}, {0, 0, 1.1}, bouncy(0.5)));
  const double fall = std::sqrt(2.0 * 1.0 / kGravity), speed = kGravity * fall;
  int switches = 0;
  std::vector<double> hits;
  for (int i = 0; i < 240; ++i) {
    const StepReport report = world.step(kDt);
    ASSERT_EQ(report.status, StepStatus::Ok) << report.refusal();
    switches += report.method.switches;
    for (const ImpactRecord& impact : world.impacts())
      if (impact.approach > 0.5) hits.push_back(impact.approach);
  }
  // Speeds of approach halve with every bounce: 4.43, 2.21, 1.11, 0.55.
  ASSERT_GE(hits.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(hits[i], speed * std::pow(0.5, i), 0.01) << i;
  EXPECT_NEAR(world.state(ball)->center.z(), 0.1, 1e-6);
  EXPECT_LT(world.state(ball)->linearVelocity.norm(), 1e-6);
  EXPECT_LE(switches, 4);
  const StepReport last = world.step(kDt);
  EXPECT_EQ(last.method.lasting, 1);
  EXPECT_EQ(last.method.brief, 0);
}

// A ball falls on a stack at rest: the stack is one capped impact, energy never rises, and contacts do not flip.
TEST(Hybrid, StackIsHitAndComesToRest) {
  World world = worldWith("hybrid");
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), bouncy(0.3)));
  std::vector<BodyId> boxes;
  for (int i = 0; i < 5; ++i) boxes.push_back(world.addBody(solid(Box{}, {0, 0, 0.5 + i}, bouncy(0.3))));
  world.addBody(solid(Sphere{0.2}, {0.05, 0, 7}, bouncy(0.3)));
  double energy = world.energy().total(), rise = 0.0;
  const double start = energy;
  int switches = 0, points = 0;
  for (int i = 0; i < 240; ++i) {
    const StepReport report = world.step(kDt);
    ASSERT_EQ(report.status, StepStatus::Ok);
    switches += report.method.switches;
    points += report.method.lasting + report.method.brief;
    rise = std::max(rise, world.energy().total() - energy);
    energy = world.energy().total();
    EXPECT_GE(report.impacts.energyGained, 0.0);
    EXPECT_LE(report.impacts.energyGained, 1e-9 * start);
  }
  EXPECT_LT(rise, 1e-4 * start);
  EXPECT_LT(switches, points / 10);
  for (std::size_t i = 0; i < boxes.size(); ++i)
    EXPECT_LT((world.state(boxes[i])->center - Vec3(0, 0, 0.5 + static_cast<double>(i))).norm(), 0.05) << i;
}

TEST(Hybrid, TakesStrongesLawAndNeverGains) {
  World world = worldWith("hybrid");
  Material material = bouncy(0.9);
  material.impact = ImpactLaw::Stronge;
  material.friction = 0.7;
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
  for (int i = 0; i < 4; ++i) {
    BodyDesc rod = solid(Box{Vec3(0.5, 0.05, 0.05)}, {1.5 * i, 0, 2.0 + i}, material);
    rod.pose.rotation = turn(0.4 + 0.5 * i, Vec3(0, 1, 0.2).normalized());
    rod.angularVelocity = {1, 5, 2};
    world.addBody(rod);
  }
  int impacts = 0;
  for (int i = 0; i < 180; ++i) {
    const StepReport report = world.step(kDt);
    ASSERT_EQ(report.status, StepStatus::Ok);
    impacts += report.impacts.count;
    EXPECT_LE(report.impacts.energyGained, 1e-9);
  }
  EXPECT_GT(impacts, 5);
}

TEST(Hybrid, HoldsJointsWhileBodiesBounce) {
  World world = worldWith("hybrid");
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), bouncy(0.5)));
  const BodyId a = world.addBody(solid(Sphere{0.2}, {0, 0, 2}, bouncy(0.5)));
  const BodyId b = world.addBody(solid(Sphere{0.2}, {1, 0, 2.3}, bouncy(0.5)));
  JointDesc rod;
  rod.a = a;
  rod.b = b;
  rod.kind = DistanceJoint{};
  world.addJoint(rod);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(world.step(kDt).status, StepStatus::Ok);
    // What a straight step leaves of a rod that turns: L (w h)^2/2; the next step takes it back.
    const Vec3 across = world.state(b)->linearVelocity - world.state(a)->linearVelocity;
    const double turned = across.norm() * kDt;
    EXPECT_LT(world.jointError(), 0.6 * turned * turned + 1e-6) << i;
  }
  EXPECT_LT(world.state(a)->linearVelocity.norm(), 0.5);
}

}  // namespace
}  // namespace cairn::test
