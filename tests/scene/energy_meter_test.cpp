// The energy of a run, against sums by hand.
#include "scene/energy_meter.hpp"

#include <gtest/gtest.h>

#include "scene/gallery.hpp"
#include "scene/run_report.hpp"

namespace cairn {
namespace {

void step(EnergyMeter& meter, const Energy& before, const Energy& after) {
  meter.beforeStep(before);
  meter.afterStep(after);
}

TEST(EnergyMeter, ARiseIsMeasuredFromTheLowestBefore) {
  EnergyMeter meter({0.0, 10.0});
  step(meter, {0.0, 10.0}, {3.0, 4.0});  // 7
  step(meter, {3.0, 4.0}, {4.0, 5.0});   // 9: up by 2
  step(meter, {4.0, 5.0}, {6.0, 6.0});   // 12: up by 3, by 5 in all
  step(meter, {6.0, 6.0}, {0.0, 1.0});   // 1
  step(meter, {0.0, 1.0}, {0.0, 3.0});   // 3: up by 2 only
  EXPECT_EQ(meter.start(), 10.0);
  EXPECT_EQ(meter.now(), 3.0);
  EXPECT_EQ(meter.largestGain(), 3.0);
  EXPECT_EQ(meter.largestRise(), 5.0);
  EXPECT_EQ(meter.scale(), 6.0 + 9.0);  // most kinetic, and potential from 1 to 10
}

TEST(EnergyMeter, WhatAppearsIsNoRiseAndNoPartOfTheScale) {
  EnergyMeter meter({0.0, 10.0});
  step(meter, {0.0, 10.0}, {1.0, 8.0});
  step(meter, {1.0, 1008.0}, {2.0, 1006.0});  // 1000 J appear
  EXPECT_EQ(meter.largestRise(), 0.0);
  EXPECT_EQ(meter.scale(), 2.0 + 4.0);
  step(meter, {2.0, 1006.0}, {2.0, 1007.0});
  EXPECT_EQ(meter.largestRise(), 1.0);
}

// A book that falls freely for 1 s: its potential energy falls by m g h while its kinetic energy rises by as much.
TEST(RunMeter, TheScaleOfAFallIsTwiceItsEnergy) {
  SceneModel model = loadSceneText("fall.json", R"({"cairn": 1, "settings": {"seconds": 1},
    "bodies": [{"mass": 2, "shape": {"type": "box", "size": [1, 1, 1]}}]})");
  model.dt = 1e-3;
  const RunReport report = runScene(model);
  const double fallen = 0.5 * 2.0 * 9.81 * 9.81;                  // J: m g h with h = g t^2 / 2
  EXPECT_NEAR(report.energy.scale, 2.0 * fallen, 0.01 * fallen);  // a step's order: dt/t is 0.1 %
  EXPECT_LT(report.energy.maxRise, 0.01 * fallen);
}

TEST(RunMeter, AtRestTheScaleIsWhatGravityAddsInAStep) {
  SceneModel model =
      loadSceneText("rest.json", R"({"cairn": 1, "settings": {"gravity": [0, 0, -10], "seconds": 0.1, "dt": 0.01},
    "bodies": [{"kind": "static", "shape": {"type": "plane"}},
               {"mass": 2, "position": [0, 0, 0.5], "shape": {"type": "box", "size": [1, 1, 1]}}]})");
  model.settings.stepper = "velocity";
  const RunReport report = runScene(model);
  EXPECT_DOUBLE_EQ(report.energy.scale, 0.5 * 2.0 * 0.1 * 0.1);  // J: 2 kg at g dt = 0.1 m/s
  ASSERT_TRUE(report.movedMax && report.driftMax);
  EXPECT_GE(*report.movedMax, *report.driftMax);
}

}  // namespace
}  // namespace cairn
