// The command as people use it: arguments in, text and an exit code out.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "app/recorder.hpp"
#include "app/running.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

std::string fileText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Command : public InAFolder {
 protected:
  int fileCount() const {
    return static_cast<int>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
};

// Every path of a JSON object, such as "time_ms.phases.solve".
void collect(const rapidjson::Value& value, const std::string& prefix, std::set<std::string>& paths) {
  for (const auto& member : value.GetObject()) {
    const std::string name = prefix + member.name.GetString();
    if (member.value.IsObject()) {
      collect(member.value, name + ".", paths);
    } else {
      paths.insert(name);
    }
  }
}

TEST_F(Command, HelpVersionListInfoAndSchemaSucceed) {
  EXPECT_EQ(run({"--help"}).code, 0);
  EXPECT_TRUE(has(run({"--help"}).out, "run"));
  EXPECT_EQ(run({}).code, 0);
  EXPECT_TRUE(has(run({"run", "--help"}).out, "--record"));
  EXPECT_TRUE(has(run({"--version"}).out, "cairn "));
  const Outcome list = run({"list"});
  EXPECT_EQ(list.code, 0);
  EXPECT_TRUE(has(list.out, "tower") && has(list.out, "802") && has(list.out, "--set layers=40")) << list.out;
  const Outcome info = run({"info", "tower", "--set", "layers=2"});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_TRUE(has(info.out, "1 static") && has(info.out, "42 dynamic") && has(info.out, "layers = 2") &&
              has(info.out, "N/m"))
      << info.out;
  EXPECT_TRUE(has(run({"schema"}).out, "draft-07"));
  for (const char* scene : {"shapes", "pendulum", "bounce"}) EXPECT_EQ(run({"info", scene}).code, 0) << scene;
}

TEST_F(Command, TheReportHasExactlyItsFields) {
  const std::string report = path("out.json");
  const Outcome outcome = run({"run", "pendulum", "--seconds", "0.2", "--report", report});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "pendulum")) << outcome.out;
  EXPECT_TRUE(outcome.err.empty()) << outcome.err;  // no progress bar without a terminal
  EXPECT_FALSE(has(outcome.out, "\x1b")) << "colours without a terminal";
  rapidjson::Document json;
  json.Parse(fileText(report).c_str());
  ASSERT_FALSE(json.HasParseError());
  std::set<std::string> paths;
  collect(json, "", paths);
  const std::set<std::string> expected{"scene",
                                       "stepper",
                                       "solver",
                                       "dt",
                                       "steps",
                                       "seconds",
                                       "threads",
                                       "bodies",
                                       "contacts.mean",
                                       "contacts.max",
                                       "time_ms.mean",
                                       "time_ms.median",
                                       "time_ms.p95",
                                       "time_ms.max",
                                       "time_ms.variance",
                                       "time_ms.phases.edits",
                                       "time_ms.phases.broad_phase",
                                       "time_ms.phases.continuous",
                                       "time_ms.phases.narrow_phase",
                                       "time_ms.phases.islands",
                                       "time_ms.phases.prepare",
                                       "time_ms.phases.solve",
                                       "time_ms.phases.integrate",
                                       "time_ms.phases.finish",
                                       "penetration_m.max",
                                       "penetration_m.end",
                                       "drift_m.max",
                                       "joint_error_m.max",
                                       "energy_j.start",
                                       "energy_j.end",
                                       "energy_j.max_gain",
                                       "energy_j.max_rise",
                                       "energy_j.driven_by",
                                       "residual.median",
                                       "residual.max",
                                       "bodies_lost",
                                       "quarantined",
                                       "state_hash"};
  EXPECT_EQ(paths, expected);
  EXPECT_EQ(json["steps"].GetInt(), 12);
  EXPECT_EQ(json["bodies"].GetInt(), 5);
  EXPECT_EQ(json["dt"].GetDouble(), 1.0 / 60.0);
  EXPECT_TRUE(json["solver"].IsNull());
  EXPECT_TRUE(json["residual"]["max"].IsNumber());
  EXPECT_TRUE(json["joint_error_m"]["max"].IsNumber());
  EXPECT_EQ(json["state_hash"].GetStringLength(), 16u);
  EXPECT_EQ(fileCount(), 1) << "something was left beside the report";
  run({"run", "spinning_bodies", "--seconds", "0.1", "--report", report});
  json.Parse(fileText(report).c_str());
  EXPECT_TRUE(json["joint_error_m"]["max"].IsNull());
  EXPECT_TRUE(json["drift_m"]["max"].IsNull());
}

// The way from a scene to a comparison of solvers: run, dump, solve.
TEST_F(Command, TheProblemsOfAStepCanBeWrittenAndSolved) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  const Outcome dumped =
      run({"run", "stack25", "--stepper", "velocity", "--solver", "bgs", "--seconds", "0.1", "--dump-problem", "3"});
  const Outcome solved = run({"solve", "stack25-step3.h5", "--solver", "auto,nncg", "--tolerance", "1e-7"});
  fs::current_path(before);
  EXPECT_EQ(dumped.code, 0) << dumped.err;
  EXPECT_NE(dumped.out.find("1 contact problem of step 3 in stack25-step3.h5"), std::string::npos) << dumped.out;
  EXPECT_EQ(solved.code, 0) << solved.err;
  EXPECT_NE(solved.out.find("1 of 1 problem solved"), std::string::npos) << solved.out;
}

TEST_F(Command, TwoRunsHaveOneHashWhateverTheThreads) {
  const auto hash = [&](const char* threads) {
    const std::string report = path("hash.json");
    EXPECT_EQ(run({"run", "stack25", "--seconds", "0.5", "--threads", threads, "--report", report, "--quiet"}).code, 0);
    rapidjson::Document json;
    json.Parse(fileText(report).c_str());
    return std::string(json["state_hash"].GetString());
  };
  EXPECT_EQ(hash("1"), hash("1"));
  EXPECT_EQ(hash("1"), hash("2"));
}

TEST_F(Command, TheRecordingHasARowPerBodyAndStep) {
  const std::string csv = path("out.csv");
  ASSERT_EQ(run({"run", "shapes", "--seconds", "0.2", "--dt", "0.02", "--record", csv, "--quiet"}).code, 0);
  std::istringstream rows(fileText(csv));
  std::string line;
  std::getline(rows, line);
  EXPECT_EQ(line, "time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  std::getline(rows, line);
  EXPECT_EQ(line.rfind("0,sphere,0,0,1,1,0,0,0,0,0,0,0,0,0", 0), 0u) << line;
  int count = 1;
  while (std::getline(rows, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 14) << line;
    ++count;
  }
  EXPECT_EQ(count, 7 * 11);  // the ground is static
  ASSERT_EQ(run({"run", "shapes", "--seconds", "0.2", "--dt", "0.02", "--record", csv, "--every", "5", "--quiet"}).code, 0);
  const std::string some = fileText(csv);
  EXPECT_EQ(std::count(some.begin(), some.end(), '\n'), 1 + 7 * 3);
}

TEST_F(Command, NamesAreQuotedOnlyWhereTheyMustBe) {
  EXPECT_EQ(csvField("brick.3.12"), "brick.3.12");
  EXPECT_EQ(csvField("a,b"), "\"a,b\"");
  EXPECT_EQ(csvField("say \"hi\""), "\"say \"\"hi\"\"\"");
}

TEST_F(Command, QuietPrintsNothing) {
  const Outcome outcome = run({"run", "incline", "--seconds", "0.1", "--quiet"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.empty() && outcome.err.empty());
}

struct Refusal {
  std::vector<std::string> arguments;
  std::vector<std::string> says;
};

TEST_F(Command, WrongArgumentsAreRefusedByNameWithCodeTwo) {
  const std::vector<Refusal> cases{
      {{"run"}, {"SCENE"}},
      {{"rnu", "tower"}, {"did you mean \"run\"?"}},
      {{"run", "towr"}, {"did you mean \"tower\"?", "pyramid"}},
      {{"run", "nowhere.json"}, {"nowhere.json", "no such file"}},
      {{"run", folder_.string() + "/"}, {"directory"}},
      {{"run", "tower", "--secnods", "3"}, {"--secnods", "did you mean \"--seconds\"?"}},
      {{"run", "tower", "--stepper", "sotf"}, {"--stepper", "did you mean \"soft\"?"}},
      {{"run", "tower", "--solver", "pgs"}, {"--solver", "soft"}},
      {{"run", "stack25", "--stepper", "velocity", "--solver", "pgz"}, {"--solver", "did you mean \"pgs\"?"}},
      {{"run", "stack25", "--stepper", "velocity", "--solver", "pgs:order=sideways"}, {"--solver", "order", "natural"}},
      {{"run", "stack25", "--stepper", "velocity", "--solver", "nnls"}, {"friction.law", "nnls", "none"}},
      {{"run", "stack25", "--stepper", "velocity", "--solver", "exhaustive"}, {"--solver", "exhaustive", "16"}},
      {{"run", "stack25", "--set", "settings.solver.name=pgz"}, {"settings.solver.name", "pgz"}},
      {{"run", "stack25", "--dump-problem", "0"}, {"--dump-problem", "from 1"}},
      {{"run", "tower", "--dt", "0"}, {"--dt", "above 0 and at most 1 s"}},
      {{"run", "tower", "--dt", "-0.1"}, {"--dt", "found \"-0.1\""}},
      {{"run", "tower", "--dt", "nan"}, {"--dt", "nan"}},
      {{"run", "tower", "--dt", "inf"}, {"--dt", "inf"}},
      {{"run", "tower", "--dt", "2"}, {"--dt", "at most 1 s"}},
      {{"run", "tower", "--dt", "fast"}, {"--dt", "fast"}},
      {{"run", "tower", "--dt", "1e-12"}, {"steps"}},
      {{"run", "tower", "--dt"}, {"--dt"}},
      {{"run", "tower", "--seconds", "-1"}, {"--seconds", "above 0"}},
      {{"run", "tower", "--seconds", "1e30"}, {"--seconds"}},
      {{"run", "tower", "--threads", "0"}, {"--threads", "from 1 to 256"}},
      {{"run", "tower", "--threads", "257"}, {"--threads"}},
      {{"run", "tower", "--threads", "1.5"}, {"--threads"}},
      {{"run", "tower", "--every", "0", "--record", path("x.csv")}, {"--every", "whole number"}},
      {{"run", "tower", "--every", "2"}, {"--every", "--record"}},
      {{"run", "tower", "--set", "layers"}, {"--set", "key=value"}},
      {{"run", "tower", "--set", "layrs=2"}, {"did you mean \"layers\"?"}},
      {{"run", "tower", "--set", "layers=-2"}, {"--set layers=-2", "from 1 to 1000"}},
      {{"run", "shapes", "--set", "layers=2"}, {"unknown key", "no parameters"}},
      {{"run", "tower", "--report", path("none/out.json")}, {"--report", "no directory"}},
      {{"run", "tower", "--report", folder_.string()}, {"--report", "directory"}},
      {{"run", "tower", "--record", path("none/out.csv")}, {"--record", "no directory"}},
      {{"run", "tower", "--record", path("same"), "--report", path("same")}, {"two files"}},
      {{"info", "towr"}, {"tower"}},
      {{"check", "towr"}, {"tower"}},
      {{"info"}, {"SCENE"}},
      {{"run", "tower", "wall"}, {}},
  };
  for (const Refusal& one : cases) {
    const Outcome outcome = run(one.arguments);
    std::string line;
    for (const std::string& word : one.arguments) line += word + " ";
    SCOPED_TRACE(line + "-> " + outcome.err);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_FALSE(outcome.err.empty());
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
    for (const std::string& part : one.says) EXPECT_TRUE(has(outcome.err, part)) << "lacks: " << part;
  }
  EXPECT_EQ(fileCount(), 0) << "a refused run left files behind";
}

TEST_F(Command, CheckSaysWhichFilesAreGood) {
  const std::string good = write("good.json", R"({"cairn": 1, "bodies": [{"shape": {"type": "sphere", "radius": 1}}]})");
  const std::string bad =
      write("bad.json", "{\"cairn\": 1,\n\"bodies\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0}}]}");
  const Outcome outcome = run({"check", good, bad, "tower"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(has(outcome.out, "good.json: good")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "tower: good")) << outcome.out;
  EXPECT_TRUE(has(outcome.err, "bad.json:2:")) << outcome.err;
  EXPECT_EQ(run({"check", good}).code, 0);
}

TEST_F(Command, AFileIsRunFromAnywhereAndNamedAfterItself) {
  const std::string file = write("my_scene.json", R"({"cairn": 1, "settings": {"seconds": 0.1},
    "bodies": [{"name": "a,b", "shape": {"type": "sphere", "radius": 1}}]})");
  const Outcome outcome = run({"run", file, "--record", path("r.csv")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "my_scene")) << outcome.out;
  EXPECT_TRUE(has(fileText(path("r.csv")), "0,\"a,b\",0,0,0,"));
}

TEST_F(Command, SpecialFilesAreWrittenNotReplaced) {
  EXPECT_EQ(run({"run", "incline", "--seconds", "0.1", "--quiet", "--report", "/dev/null"}).code, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const Outcome full = run({"run", "incline", "--seconds", "0.1", "--quiet", "--record", "/dev/full"});
  EXPECT_EQ(full.code, 1) << full.err;
  EXPECT_TRUE(has(full.err, "--record")) << full.err;
}

TEST_F(Command, AnInterruptEndsTheRunWithItsReport) {
  const std::string report = path("out.json");
  // The signal comes while the run goes: it would take hours.
  std::thread killer([&] {
    while (!fs::exists(path("out.csv"))) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::kill(::getpid(), SIGINT);
  });
  const Outcome outcome =
      run({"run", "incline", "--seconds", "900000", "--report", report, "--record", path("out.csv"), "--every", "100"});
  killer.join();
  EXPECT_EQ(outcome.code, kExitInterrupted);
  EXPECT_TRUE(has(outcome.err, "interrupted at")) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "state hash"));
  rapidjson::Document json;
  json.Parse(fileText(report).c_str());
  ASSERT_FALSE(json.HasParseError());
  EXPECT_GT(json["steps"].GetInt(), 0);
  const std::string csv = fileText(path("out.csv"));
  EXPECT_EQ(csv.back(), '\n');
}

}  // namespace
}  // namespace cairn
