// Nothing is thrown out of a step, and a step that fails leaves every body as it was.
#include <random>

#include "counting_new.hpp"
#include "mechanics/stepper.hpp"
#include "world/building.hpp"

namespace cairn {
namespace {

using test::fixedSolid;
using test::kDt;
using test::solid;

// Three boxes, two of them stacked, that fall a little. Where a stepper takes none, without friction.
World stack(const std::string& stepper, int threads) {
  WorldSettings settings;
  settings.stepper = stepper;
  settings.threads = threads;
  World world(settings);
  Material material;
  material.friction = stepper == "gauss" ? 0.0 : 0.5;
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
  for (const Vec3& at : {Vec3(0, 0, 0.501), Vec3(0.1, 0, 1.502), Vec3(3, 0, 0.6)})
    world.addBody(solid(Box{Vec3(0.5, 0.5, 0.5)}, at, material));
  return world;
}

std::vector<BodyState> statesOf(const World& world) {
  std::vector<BodyState> states;
  for (const BodyId body : world.bodies()) states.push_back(*world.state(body));
  return states;
}

void expectSame(const std::vector<BodyState>& a, const std::vector<BodyState>& b, const std::string& where) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].center, b[i].center) << where;
    EXPECT_EQ(a[i].pose.rotation.coeffs(), b[i].pose.rotation.coeffs()) << where;
    EXPECT_EQ(a[i].linearVelocity, b[i].linearVelocity) << where;
    EXPECT_EQ(a[i].angularVelocity, b[i].angularVelocity) << where;
  }
}

// Memory runs out at every single place where a step asks for some, one after the other.
TEST(FailingStep, LeavesEveryBodyAsItWasWhereverMemoryRunsOut) {
  for (const std::string_view name : stepperNames()) {
    const std::string stepper(name);
    for (const int threads : {1, 2}) {
      World world = stack(stepper, threads);
      for (int i = 0; i < 4; ++i) ASSERT_EQ(world.step(kDt).status, StepStatus::Ok) << stepper;
      int failures = 0;
      for (long n = 0; n < 40; n = n < 20 ? n + 1 : n + 7) {
        const std::string where = stepper + ", allocation " + std::to_string(n);
        const std::vector<BodyState> before = statesOf(world);
        const double time = world.time();
        test::failAfter(n);
        StepReport report;
        EXPECT_NO_THROW(report = world.step(kDt)) << where;
        test::failAfter(-1);
        if (report.status == StepStatus::Ok) continue;  // it asked for less, or did without
        ++failures;
        EXPECT_EQ(report.status, StepStatus::OutOfMemory) << where;
        EXPECT_NE(report.refusal().find("memory"), std::string_view::npos) << where << ": " << report.refusal();
        EXPECT_EQ(world.time(), time) << where;
        expectSame(before, statesOf(world), where);
        EXPECT_EQ(world.step(kDt).status, StepStatus::Ok) << where;
        EXPECT_GT(world.time(), time) << where;
      }
      if (stepper != "soft") {  // that one asks for none when it is warm
        EXPECT_GT(failures, 0) << stepper;
      }
    }
  }
}

}  // namespace
}  // namespace cairn
