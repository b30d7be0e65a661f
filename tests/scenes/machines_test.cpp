// Machines of the gallery do what their descriptions claim.
#include <gtest/gtest.h>

#include <numbers>

#include "cairn/cairn.hpp"
#include "scene/gallery.hpp"
#include "scene/scene_run.hpp"

namespace cairn {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

struct Machine {
  explicit Machine(const std::string& name, const std::vector<Override>& overrides = {})
      : run(openScene(name, overrides)), seconds(run.model().seconds) {}
  // Until so many seconds, calling see() after each step.
  template <class See>
  void runUntil(double time, See&& see) {
    while (run.world().time() < time - 1e-6) {
      const StepReport report = run.step();
      ASSERT_EQ(report.status, StepStatus::Ok) << report.refusal();
      ASSERT_TRUE(report.quarantined.empty());
      gap = std::max(gap, report.jointError);
      see();
    }
  }
  void runUntil(double time) {
    runUntil(time, [] {});
  }
  const World& world() const { return run.world(); }
  BodyState state(const std::string& name) const { return *world().state(*world().findBody(name)); }
  JointId joint(std::string_view name) const {
    for (const JointId id : world().joints())
      if (world().name(id) == name) return id;
    throw std::runtime_error(std::string(name));
  }
  AxisState axis(std::string_view name, int number = 0) const { return *world().axis(joint(name), number); }

  SceneRun run;
  double seconds, gap = 0.0;
};

TEST(Machines, BridgeBearsItsOwnWeightAgain) {
  Machine bridge("bridge");
  const double before = bridge.state("load").center.z();
  bridge.runUntil(10.0);
  EXPECT_LT(bridge.gap, 1e-3);
  EXPECT_GT(bridge.state("load").center.z(), before - 4.0);
  EXPECT_LT(std::abs(bridge.state("load").center.y()), 0.2);
}

TEST(Machines, RagdollsKeepTheirLimitsAndComeToRest) {
  Machine dolls("ragdolls");
  double beyond = 0.0;
  dolls.runUntil(dolls.seconds, [&] {
    const World& world = dolls.world();
    for (const JointId id : world.joints()) {
      const JointKind kind = *world.kind(id);
      const SceneJoint& made = dolls.run.model().joints[id.index];
      const AxisLimits& limits = *made.desc.axes[0].limits;
      const double angle = world.axis(id, 0)->position;
      beyond = std::max({beyond, angle - limits.upper, limits.lower - angle});
      if (const auto* cone = std::get_if<ConeTwistJoint>(&kind))
        beyond = std::max(beyond, world.axis(id, 3)->position - std::min((*cone->cone)[0], (*cone->cone)[1]));
    }
  });
  std::printf("ragdolls: %.3f degrees beyond, gap %.2e m\n", beyond / kDegree, dolls.gap);
  EXPECT_LT(beyond, 4.0 * kDegree);  // 1.44 measured, for a moment, as they strike the stairs
  EXPECT_LT(dolls.gap, 0.0069);  // 2.3 mm measured
  double fastest = 0.0;
  for (const BodyId body : dolls.world().bodies()) fastest = std::max(fastest, dolls.world().state(body)->linearVelocity.norm());
  EXPECT_LT(fastest, 0.3);
}

TEST(Machines, VehicleDrivesOverBumpsTurnsAndStops) {
  Machine car("vehicle");
  double wheelsOff = 0.0, lowest = 1.0;
  car.runUntil(car.seconds, [&] {
    for (const char* wheel : {"front left", "front right", "rear left", "rear right"}) {
      const JointReaction reaction = *car.world().reaction(car.joint(std::string(wheel) + " suspension"));
      wheelsOff = std::max({wheelsOff, reaction.error, reaction.angleError});
    }
    lowest = std::min(lowest, (car.state("chassis").pose.rotation * Vec3::UnitZ()).z());
  });
  const BodyState end = car.state("chassis");
  std::printf("vehicle: ends at %.2f %.2f %.2f, wheels off by %.1e, upright %.3f\n", end.center.x(), end.center.y(),
              end.center.z(), wheelsOff, lowest);
  EXPECT_LT(wheelsOff, 5e-3);
  EXPECT_GT(lowest, 0.9);
  EXPECT_GT(end.center.x(), 30.0);
  EXPECT_GT(end.center.y(), 2.0);
  EXPECT_LT(end.linearVelocity.norm(), 0.1);
}

TEST(Machines, GearTrainTurnsAsItsTeethSay) {
  Machine train("gear_train");
  train.runUntil(1.0);
  const double start = train.state("load").center.z();
  train.runUntil(5.0);
  EXPECT_NEAR(train.axis("axle 12").position, -5.0 * 22.5 * kDegree, 0.02);
  EXPECT_NEAR(train.axis("axle 54").position, -train.axis("axle 12").position / 4.5, 5e-3);
  EXPECT_NEAR(train.state("load").center.z() - start, 4.0 * 5.0 * kDegree * 0.5, 3e-3);
}

TEST(Machines, FourBarRocksBetweenItsDeadCentres) {
  Machine linkage("four_bar");
  double least = 1e9, most = -1e9;
  linkage.runUntil(linkage.seconds, [&] {
    least = std::min(least, linkage.axis("pivot").position);
    most = std::max(most, linkage.axis("pivot").position);
  });
  EXPECT_NEAR(linkage.axis("motor").position, 2.0 * std::numbers::pi * linkage.seconds, 0.1);
  // Crank and coupler in line: triangles of 1.2 and of 0.6 with 0.7 and 1.
  const auto corner = [](double across) { return std::acos((0.7 * 0.7 + 1.0 - across * across) / (2.0 * 0.7)); };
  EXPECT_NEAR(most - least, corner(1.2) - corner(0.6), 0.01);
  EXPECT_LT(linkage.gap, 1e-3);
}

TEST(Machines, PistonGoesHalfAMetre) {
  Machine engine("crank_slider");
  double least = 1e9, most = -1e9;
  engine.runUntil(3.0, [&] {
    least = std::min(least, engine.state("piston").center.x());
    most = std::max(most, engine.state("piston").center.x());
  });
  EXPECT_NEAR(least, 0.5, 0.01);
  EXPECT_NEAR(most, 1.0, 0.01);
  EXPECT_LT(engine.gap, 1e-3);
}

TEST(Machines, SeeSawBalancesUntilABoxFallsOnIt) {
  Machine saw("see_saw");
  saw.runUntil(2.9);
  EXPECT_NEAR(saw.axis("pivot").position, 0.0, 1.0 * kDegree);
  saw.runUntil(5.0);
  EXPECT_NEAR(saw.axis("pivot").position, 15.0 * kDegree, 1.0 * kDegree);
}

TEST(Machines, TrebuchetThrowsFar) {
  Machine treb("trebuchet");
  treb.runUntil(treb.seconds);
  std::printf("trebuchet: %.1f m\n", treb.state("ball").center.x());
  EXPECT_TRUE(treb.world().isBroken(treb.joint("sling")));
  EXPECT_GT(treb.state("ball").center.x(), 40.0);
}

TEST(Machines, FastWheelsStayOnTheirAxles) {
  Machine wheels("spinning_wheels");
  double off = 0.0;
  wheels.runUntil(wheels.seconds, [&] {
    for (const char* axle : {"left axle", "right axle"}) off = std::max(off, wheels.world().reaction(wheels.joint(axle))->error);
  });
  std::printf("spinning_wheels: axles off by %.2e m, spin %.1f\n", off, wheels.axis("left axle").speed);
  EXPECT_LT(off, 1e-4);
  EXPECT_NEAR(wheels.axis("turntable").speed, std::numbers::pi, 0.05);
  EXPECT_NEAR(wheels.axis("left axle").speed, 200.0 * std::numbers::pi, 10.0);
}

TEST(Machines, CraneSetsItsLoadAside) {
  Machine crane("crane");
  crane.runUntil(crane.seconds);
  const Vec3 load = crane.state("load").center, trolley = crane.state("trolley").center;
  std::printf("crane: load %.2f %.2f, trolley %.2f %.2f, gap %.1e\n", load.x(), load.y(), trolley.x(), trolley.y(), crane.gap);
  EXPECT_LT(crane.gap, 1e-3);
  EXPECT_NEAR(trolley.y(), 7.0, 0.1);
  EXPECT_LT((load - trolley).head<2>().norm(), 0.5);
}

}  // namespace
}  // namespace cairn
