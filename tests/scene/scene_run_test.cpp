#include "scene/scene_run.hpp"

#include "scene/gallery.hpp"
#include "scene/helpers.hpp"
#include "scene/run_report.hpp"

namespace cairn {
namespace {

constexpr const char* kLate = R"({"cairn": 1, "settings": {"dt": 0.1, "seconds": 1, "gravity": [0, 0, 0]}, "bodies": [
  {"name": "first", "shape": {"type": "sphere", "radius": 1}},
  {"name": "late", "position": [1.5, 0, 5], "appear": 0.3, "shape": {"type": "sphere", "radius": 1}}],
  "joints": [{"type": "distance", "a": "first", "b": "late"}]})";

TEST(SceneRun, BodiesAndTheirJointsAppearInTime) {
  SceneRun run(load(kLate));
  EXPECT_EQ(run.stepCount(), 10);
  for (int i = 0; i < 3; ++i) run.step();
  EXPECT_TRUE(run.bodies()[1].isNull());
  EXPECT_TRUE(run.world().joints().empty());
  run.step();  // the one that starts at 0.3 s
  EXPECT_FALSE(run.bodies()[1].isNull());
  EXPECT_EQ(run.world().joints().size(), 1u);
  EXPECT_TRUE(run.world().findBody("late").has_value());
}

TEST(SceneRun, WhatTheWorldRefusesIsNamedWhereItStands) {
  const std::string flat = sceneWith(
      "\n\"bodies\": [{\"name\": \"flat\", \"shape\": {\"type\": \"hull\", \"points\": "
      "[[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}}]");
  const SceneModel model = load(flat);
  World world;
  try {
    instantiate(model, world);
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_EQ(error.problems().front().line, 2);
    EXPECT_EQ(error.problems().front().field, "bodies[0]");
    EXPECT_NE(std::string(error.what()).find("\"flat\""), std::string::npos) << error.what();
  }
  EXPECT_THROW(checkModel(model), SceneError);
}

TEST(SceneRun, AWrongBodyThatAppearsLaterIsRefusedAtOnce) {
  SceneModel model = load(kLate);
  model.bodies[1].desc.mass = -1.0;
  EXPECT_THROW(SceneRun{model}, SceneError);
}

TEST(RunMeter, FreeFallNeitherGainsEnergyNorDrifts) {
  const RunReport report = runScene(load(R"({"cairn": 1, "settings": {"seconds": 1}, "bodies": [
    {"name": "ball", "position": [3, 2, 100], "shape": {"type": "sphere", "radius": 1}, "mass": 2}]})"));
  EXPECT_EQ(report.steps, 60);
  EXPECT_NEAR(report.seconds, 1.0, 1e-9);
  EXPECT_NEAR(report.energy.start, 2 * 9.81 * 100, 1e-6);
  EXPECT_LT(*report.driftMax, 1e-9);
  EXPECT_EQ(report.bodiesLost, 0);
  EXPECT_EQ(report.penetration.max, 0.0);
  EXPECT_FALSE(report.jointErrorMax.has_value());
  EXPECT_FALSE(report.solver.has_value());
  EXPECT_FALSE(report.residualMax.has_value());
}

TEST(RunMeter, TheEnergyOfABodyThatAppearsIsNoGain) {
  const RunReport report = runScene(load(R"({"cairn": 1, "settings": {"seconds": 0.5}, "bodies": [
    {"name": "late", "position": [0, 0, 1000], "appear": 0.1, "shape": {"type": "sphere", "radius": 1}}]})"));
  EXPECT_EQ(report.energy.start, 0.0);
  EXPECT_GT(report.energy.end, 1e6);
  EXPECT_LT(report.energy.maxGain, 1e-3 * report.energy.end);
}

TEST(RunMeter, BodiesThatFallOffOrLeaveTheirPlaceAreLost) {
  // A box beside its ledge falls past it; nothing else is below.
  const RunReport fallen = runScene(load(R"({"cairn": 1, "settings": {"seconds": 2}, "bodies": [
    {"name": "ledge", "kind": "static", "shape": {"type": "box", "size": [1, 1, 1]}},
    {"name": "falls", "position": [5, 0, 0], "shape": {"type": "box", "size": [1, 1, 1]}}]})"));
  EXPECT_EQ(fallen.bodiesLost, 1);
  // Sliding off by more than its own radius counts only in a scene that should stand.
  const auto sliding = [](const char* stands) {
    return runScene(
        load(std::string(R"({"cairn": 1, "stands": )") + stands + R"(, "settings": {"seconds": 1, "gravity": [5, 0, -9]},
      "bodies": [{"kind": "static", "shape": {"type": "plane", "material": {"friction": 0}}},
                 {"position": [0, 0, 0.5], "shape": {"type": "box", "size": [1, 1, 1]}}]})"));
  };
  EXPECT_EQ(sliding("false").bodiesLost, 0);
  EXPECT_EQ(sliding("true").bodiesLost, 1);
}

TEST(RunMeter, RunsRepeatToTheBit) {
  const auto hash = [] { return runScene(openScene("shapes", {{"settings.seconds", "1"}})).stateHash; };
  EXPECT_EQ(hash(), hash());
}

// A builder that forgets the anchor of its joints hears of it.
TEST(SceneRun, JointsToBodiesThatNeverComeAreRefused) {
  SceneModel model;
  SceneBody ball;
  ball.desc.name = "ball";
  ball.desc.shapes = {{.geometry = Sphere{}}};
  model.bodies.push_back(ball);
  SceneJoint joint;
  joint.desc.name = "string";
  joint.a = "ceiling";
  joint.b = "ball";
  model.joints.push_back(joint);
  EXPECT_THROW(SceneRun{model}, SceneError);
}

}  // namespace
}  // namespace cairn
