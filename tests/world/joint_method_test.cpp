// Joints as rows of the contact problem, or as part of the masses: the same motion, and how far few sweeps get with either.
#include "world/building.hpp"

namespace cairn::test {
namespace {

// A ball of 1 t on ten links of 1 kg, held out along a direction and let go.
struct Chain {
  World world;
  std::vector<BodyId> links;

  Chain(const std::string& stepper, const std::string& method, bool hasFloor, const Vec3& along = Vec3::UnitX())
      : world(settingsOf(stepper, method)) {
    const BodyId ground = world.addBody(fixedSolid(Box{Vec3(0.1, 0.1, 0.1)}, Vec3(0, 0, 3)));
    if (hasFloor) world.addBody(fixedSolid(Plane{}, Vec3(0, 0, 2.75), {.friction = 0.0}));
    BodyId before = ground;
    constexpr double kLength = 0.2;
    for (int i = 0; i <= 10; ++i) {
      const bool isBall = i == 10;
      BodyDesc desc = solid(Sphere{isBall ? 0.15 : 0.04}, Vec3(0, 0, 3) + kLength * (i + 1) * along, {.friction = 0.0});
      desc.mass = isBall ? 1000.0 : 1.0;
      links.push_back(world.addBody(desc));
      world.addJoint({.a = before,
                      .b = links.back(),
                      .anchorA = (before == ground ? 0.0 : 0.5 * kLength) * along,
                      .anchorB = (before == ground ? -1.0 : -0.5) * kLength * along});
      before = links.back();
    }
  }
  static WorldSettings settingsOf(const std::string& stepper, const std::string& method) {
    WorldSettings settings;
    settings.stepper = stepper;
    settings.jointMethod = method;
    settings.solver.tolerance = 1e-12;
    return settings;
  }
};

// "shock" corrects places by five sweeps and "implicit" halves steps that do not settle: with rows they take other motions.
class SameMotion : public testing::TestWithParam<std::string> {};
// "gauss" has a solver of its own.
class FewSweeps : public testing::TestWithParam<std::string> {};

TEST_P(SameMotion, OfRowsAndMasses) {
  for (const bool hasFloor : {false, true}) {
    Chain rows(GetParam(), "multipliers", hasFloor), masses(GetParam(), "elimination", hasFloor);
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(rows.world.step(kDt).status, StepStatus::Ok);
      ASSERT_EQ(masses.world.step(kDt).status, StepStatus::Ok);
    }
    for (std::size_t i = 0; i < rows.links.size(); ++i)
      EXPECT_LT((rows.world.state(rows.links[i])->center - masses.world.state(masses.links[i])->center).norm(),
                5e-5)  // measured 2e-5: contacts are solved to a tolerance
          << "link " << i << (hasFloor ? " on the floor" : "");
  }
}

// Hanging at rest: ten sweeps hold the chain if its joints are masses, and not if they are rows.
TEST_P(FewSweeps, AreEnoughWithElimination) {
  const auto errorOf = [&](const std::string& method) {
    Chain chain(GetParam(), method, false, -Vec3::UnitZ());
    WorldSettings settings = chain.world.settings();
    settings.solver = {.name = "pgs", .iterations = 10};
    chain.world.setSettings(settings);
    double worst = 0.0;
    for (int i = 0; i < 60; ++i) {
      EXPECT_EQ(chain.world.step(kDt).status, StepStatus::Ok);
      worst = std::max(worst, chain.world.jointError());
    }
    return worst;
  };
  const double rows = errorOf("multipliers"), masses = errorOf("elimination");
  EXPECT_LT(masses, 1e-9);
  EXPECT_GT(rows, 1e-3);
}

// Who has no contact problems with joints in them refuses by name.
TEST(JointMethodRefused, ByAccelerationNamesWhoTakesIt) {
  Chain chain("acceleration", "elimination", false);
  const StepReport report = chain.world.step(kDt);
  EXPECT_EQ(report.status, StepStatus::Refused);
  EXPECT_NE(std::string(report.refusal()).find("elimination"), std::string::npos) << report.refusal();
}

const auto kName = [](const auto& one) { return one.param; };
INSTANTIATE_TEST_SUITE_P(JointMethod, SameMotion, testing::Values("velocity", "lcp", "hybrid", "gauss"), kName);
INSTANTIATE_TEST_SUITE_P(JointMethod, FewSweeps, testing::Values("velocity", "lcp", "shock", "implicit", "hybrid"), kName);

}  // namespace
}  // namespace cairn::test
