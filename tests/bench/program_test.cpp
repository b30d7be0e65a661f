// cairn bench as people use it.
#include "program.hpp"

#include <thread>

#include "app/bad_input.hpp"
#include "app/commands.hpp"
#include "app/running.hpp"
#include "engine.hpp"
#include "growth.hpp"

namespace cairn::bench {
namespace {

class Bench : public InAFolder {};

Outcome bench(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = runBench(arguments, out, err);
  return {code, out.str(), err.str()};
}

TEST_F(Bench, WritesOneRowForEachSceneEngineAndNumberOfThreads) {
  const Outcome outcome = bench({"--scenes", "mass_ratio,pendulum", "--quick", "--threads", "1,2", "--machine", "mine",
                                 "--report", path("out.json"), "--set", "settings.soft.substeps=9"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const rapidjson::Document all = json("out.json");
  EXPECT_STREQ(all["machine"].GetString(), "mine");
  EXPECT_STREQ(all["mode"].GetString(), "quick");
  EXPECT_EQ(all["dt_s"].GetDouble(), 1.0 / 60.0);
  const auto& trip = all["round_trip_ns"];
  EXPECT_GE(trip["least"].GetDouble(), std::thread::hardware_concurrency() > 1 ? 5.0 : 0.0);  // faster than light it is not
  EXPECT_LE(trip["least"].GetDouble(), trip["median"].GetDouble());
  EXPECT_LE(trip["median"].GetDouble(), trip["most"].GetDouble());
  EXPECT_NE(outcome.out.find("two cores answered each other within"), std::string::npos);
  ASSERT_EQ(all["rows"].Size(), 12u);  // two scenes; Cairn and ODE with one thread and two, Bullet and MuJoCo with one
  const std::vector<std::string> fields{"scene",
                                        "engine",
                                        "version",
                                        "settings",
                                        "threads",
                                        "bodies",
                                        "steps",
                                        "ms_median",
                                        "ms_p95",
                                        "penetration_max_m",
                                        "penetration_end_m",
                                        "drift_m",
                                        "sag_m",
                                        "joint_gap_m",
                                        "energy_drift",
                                        "bodies_lost",
                                        "stands"};
  for (const auto& row : all["rows"].GetArray()) {
    ASSERT_EQ(row.MemberCount(), fields.size());
    std::size_t i = 0;
    for (const auto& member : row.GetObject()) EXPECT_EQ(member.name.GetString(), fields[i++]);
    EXPECT_GT(row["ms_median"].GetDouble(), 0.0);
    EXPECT_GE(row["ms_p95"].GetDouble(), row["ms_median"].GetDouble());
    EXPECT_FALSE(std::string(row["version"].GetString()).empty());
    EXPECT_GT(row["settings"].GetStringLength(), 20u);
    const bool stack = std::string(row["scene"].GetString()) == "mass_ratio";
    EXPECT_EQ(row["stands"].IsBool(), stack);
    EXPECT_EQ(row["drift_m"].IsNull(), !stack);
    EXPECT_EQ(row["joint_gap_m"].IsNull(), stack);
    EXPECT_EQ(row["bodies"].GetInt(), stack ? 10 : 5);
    EXPECT_EQ(row["steps"].GetInt(), stack ? 600 : 120);
    const bool cairn = std::string(row["engine"].GetString()) == "cairn";
    EXPECT_EQ(has(row["settings"].GetString(), "settings.soft.substeps=9"), cairn);
    EXPECT_EQ(has(row["settings"].GetString(), "9 substeps"), cairn);
  }
  EXPECT_EQ(all["refused"].Size(), 4u);
  for (const auto& one : all["refused"].GetArray()) {
    EXPECT_EQ(one["threads"].GetInt(), 2);
    EXPECT_TRUE(has(outcome.out, one["reason"].GetString())) << outcome.out;
  }
  EXPECT_TRUE(has(outcome.out, "1.00x")) << outcome.out;  // Bullet over Bullet
}

TEST_F(Bench, RefusesWithASuggestionAndWritesNothing) {
  struct Case {
    std::vector<std::string> arguments;
    const char* says;
  };
  for (const Case& c :
       {Case{{"--scenes", "towr"}, "did you mean \"tower\"?"}, Case{{"--scenes", "tower,"}, "found \"\""},
        Case{{"--engines", "bulet"}, "did you mean \"bullet\"?"},
        Case{{"--engines", "jolt"}, "allowed: cairn, bullet, ode, mujoco"},
        Case{{"--threads", "0"}, "whole number from 1 to 64"}, Case{{"--threads", "1,two"}, "found \"two\""},
        Case{{"--scens", "tower"}, "did you mean \"--scenes\"?"}, Case{{"--limit-s", "-1"}, "--limit-s"},
        Case{{"--set", "substeps"}, "key=value"},
        Case{{"--scenes", "tower", "--set", "layer=3"}, "did you mean \"layers\"?"},
        Case{{"--set", "settings.soft.substep=3"}, "substeps"},
        Case{{"--report", "no/such/folder/out.json", "--scenes", "mass_ratio"}, "--report"},
        Case{{"--growth", path("g.svg"), "--threads", "1,2"}, "allowed with --growth: one"},
        Case{{"--growth", path("g.svg"), "--set", "count=3"}, "settings.* only"}, Case{{"tower"}, "--help"}}) {
    const Outcome outcome = bench(c.arguments);
    EXPECT_EQ(outcome.code, 2) << c.says;
    EXPECT_TRUE(has(outcome.err, c.says)) << outcome.err;
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(Bench, SaysWhatItTakes) {
  const Outcome outcome = bench({"--help"});
  EXPECT_EQ(outcome.code, 0);
  for (const char* option : {"--quick", "--scenes", "--engines", "--threads", "--report", "--growth", "--set"})
    EXPECT_TRUE(has(outcome.out, option)) << option;
}

// The command hands its arguments over to the program beside it, and its exit code back.
TEST_F(Bench, IsRunByTheCommand) {
  EXPECT_EQ(run({"bench", "--scenes", "towr"}).code, 2);
  EXPECT_EQ(
      run({"bench", "--engines", "cairn", "--scenes", "pendulum", "--quick", "--quiet", "--report", path("out.json")}).code,
      0);
  EXPECT_EQ(json("out.json")["rows"].Size(), 1u);
}

TEST_F(Bench, SaysHowToBuildTheProgramThatIsNotThere) {
  std::ostringstream err;
  try {
    runBenchProgram(path("cairn-bench"), {}, err);
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_TRUE(has(error.what(), "./cairn bench"));
  }
}

TEST_F(Bench, GrowthIsFittedAndDrawn) {
  GrowthPlan plan;
  plan.sizes = {50, 100};
  Waiting waiting;
  const std::vector<GrowthPoint> points = measureGrowth(plan, waiting, [](double, const std::string&) { return true; });
  ASSERT_EQ(points.size(), 4u);
  for (const GrowthPoint& point : points) {
    EXPECT_GT(point.msMedian, 0.0);
    EXPECT_GT(point.contacts, 0.0);
    EXPECT_GT(point.bytesPerBody, 200.0);  // a body's state alone is that
    EXPECT_LT(point.bytesPerBody, 1e5);
  }
  EXPECT_GT(waiting.wall, 0.0);
  EXPECT_GT(waiting.processor, 0.0);
  const std::string svg = growthSvg(points);
  EXPECT_TRUE(has(svg, "<svg")) << svg;
  EXPECT_FALSE(has(svg, "nan"));
  std::vector<GrowthPoint> quadratic(3);
  for (int i = 0; i < 3; ++i) quadratic[i] = {"pile", 1000 << i, 3.0 * (1 << (2 * i)), 0.0, 0.0};
  EXPECT_NEAR(growthExponent(quadratic, "pile"), 2.0, 1e-12);
}

}  // namespace
}  // namespace cairn::bench
