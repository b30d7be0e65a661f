// What a report says of each island.
#include "world/building.hpp"

namespace cairn::test {
namespace {

// A stack of three boxes, a ball on the ground, and a ball in the air that nothing holds.
void build(World& world) {
  world.addBody(fixedSolid(Plane{}));
  for (int i = 0; i < 3; ++i) world.addBody(solid(Box{Vec3(0.5, 0.5, 0.5)}, {0, 0, 0.5 + i}));
  world.addBody(solid(Sphere{0.5}, {5, 0, 0.5}));
  world.addBody(solid(Sphere{0.5}, {9, 0, 9}));
}

StepReport stepOf(const std::string& stepper, Audit audit) {
  WorldSettings settings;
  settings.stepper = stepper;
  settings.audit = audit;
  World world(settings);
  build(world);
  StepReport report;
  for (int i = 0; i < 10; ++i) report = world.step(kDt);
  return report;
}

TEST(IslandReports, AreThereIfAskedFor) {
  EXPECT_TRUE(stepOf("soft", Audit::None).islandReports.empty());
  EXPECT_TRUE(stepOf("velocity", Audit::None).islandReports.empty());
}

TEST(IslandReports, SayForEachIslandHowItWasSolvedAndHowWell) {
  for (const std::string stepper : {"soft", "velocity"}) {
    const StepReport report = stepOf(stepper, Audit::Residual);
    ASSERT_EQ(report.islandReports.size(), 2u) << stepper;  // the ball in the air touches nothing
    int bodies = 0;
    double worst = 0.0;
    for (const IslandReport& island : report.islandReports) {
      bodies += island.bodies;
      worst = std::max(worst, island.residual);
      EXPECT_EQ(island.method, stepper == "soft" ? "sweep" : "auto");
      EXPECT_GT(island.work, 0.0);
      EXPECT_EQ(island.rows, island.bodies == 3 ? 3 * 4 * 3 : 3) << stepper;
    }
    EXPECT_EQ(bodies, 4);
    EXPECT_EQ(worst, report.solve->residual);
  }
}

}  // namespace
}  // namespace cairn::test
