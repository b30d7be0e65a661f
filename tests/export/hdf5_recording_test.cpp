// Recordings as HDF5, looked at with h5py, which knows nothing of ours.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "../app/running.hpp"
#include "decode.hpp"
#include "export/recorded_run.hpp"

namespace cairn {
namespace {

using Recordings = InAFolder;

std::string python(const std::string& arguments) {
  const std::string script = std::string(CAIRN_SOURCE_DIR) + "/tests/export/h5py_check.py";
  std::FILE* pipe = ::popen(("/usr/bin/python3 " + script + " " + arguments).c_str(), "r");
  std::string text;
  char part[4096];
  while (const std::size_t count = std::fread(part, 1, sizeof part, pipe)) text.append(part, count);
  EXPECT_EQ(::pclose(pipe), 0) << arguments;
  return text;
}

TEST_F(Recordings, PythonReadsFromTheHdf5WhatTheCsvSays) {
  // The block and the ball of the tower appear later.
  ASSERT_EQ(run({"run", "tower", "--set", "layers=2", "--seconds", "6", "--dt", "0.05", "--quiet", "--record", path("a.csv"),
                 "--record", path("a.h5"), "--report", path("a.json")})
                .code,
            0);
  python("csv " + path("a.h5") + " " + path("b.csv"));
  const testing::CsvTable ours = testing::readCsv(text("a.csv")), theirs = testing::readCsv(text("b.csv"));
  ASSERT_EQ(ours.size(), 121u);
  ASSERT_EQ(theirs.size(), ours.size());
  EXPECT_GT(ours.rbegin()->second.size(), ours.begin()->second.size()) << "nothing appeared";
  for (const auto& [time, rows] : ours) {
    const auto& others = theirs.at(time);
    ASSERT_EQ(rows.size(), others.size());
    for (const auto& [name, row] : rows) EXPECT_EQ(std::memcmp(&row, &others.at(name), sizeof row), 0) << name << time;
  }
  rapidjson::Document facts;
  facts.Parse(python("facts " + path("a.h5")).c_str());
  ASSERT_FALSE(facts.HasParseError());
  const auto report = json("a.json");
  EXPECT_EQ(facts["contacts_max"].GetInt(), report["contacts"]["max"].GetInt());
  EXPECT_EQ(facts["penetration_max"].GetDouble(), report["penetration_m"]["max"].GetDouble());
  EXPECT_EQ(facts["energy_end"].GetDouble(), report["energy_j"]["end"].GetDouble());
  EXPECT_EQ(facts["residual_max"].GetDouble(), report["residual"]["max"].GetDouble());
  EXPECT_STREQ(facts["state_hash"].GetString(), report["state_hash"].GetString());
  EXPECT_STREQ(facts["phases"].GetString(), "edits,broad_phase,narrow_phase,islands,prepare,solve,integrate,continuous,finish");
  EXPECT_NEAR(facts["phase_share"].GetDouble(), 1.0, 0.2);  // phases make up a step, but for the gaps between them
  EXPECT_EQ(facts["dt"].GetDouble(), 0.05);
}

// At rest, the impulses of a step hold the weight for its duration: m g dt.
TEST_F(Recordings, TheContactsCarryTheWeight) {
  const std::string scene = write("box.json", R"({"cairn": 1, "settings": {"seconds": 3},
    "bodies": [{"name": "ground", "kind": "static", "shape": {"type": "plane"}},
               {"name": "box", "position": [0, 0, 0.5], "mass": 7, "shape": {"type": "box", "size": [1, 1, 1]}}]})");
  const Outcome outcome = run({"run", scene, "--quiet", "--record", path("a.h5"), "--every", "2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  rapidjson::Document facts;
  facts.Parse(python("facts " + path("a.h5")).c_str());
  EXPECT_EQ(facts["rows"].GetInt(), 91);
  EXPECT_EQ(facts["last_count"].GetInt(), 4);
  EXPECT_NEAR(facts["last_up"].GetDouble(), 7 * 9.81 / 60.0, 1e-3 * 7 * 9.81 / 60.0);
  EXPECT_NEAR(facts["mass"][1].GetDouble(), 7.0, 1e-12);
}

// Kills a long run at many moments: every file must be readable up to its last batch, by Python and by us.
TEST_F(Recordings, AKilledRunLeavesAGoodFile) {
  int readable = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const std::string file = path(std::string("k").append(std::to_string(trial)).append(".h5"));
    const pid_t child = ::fork();
    if (child == 0) {
      run({"run", "stack25", "--seconds", "100000", "--quiet", "--record", file});
      ::_exit(0);
    }
    // Until some of it is there, and then a little longer.
    for (int wait = 0; wait < 1000; ++wait) {
      std::error_code error;
      if (std::filesystem::file_size(file, error) > 300000 && !error) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(37 * trial));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const int rows = std::atoi(python("rows " + file + " swmr").c_str());
    RecordedRun recorded(file);
    EXPECT_TRUE(recorded.report().empty());
    EXPECT_GE(recorded.moments(), rows);
    long count = 0;
    for (Moment moment; recorded.next(moment);) EXPECT_EQ(moment.step, count++);
    EXPECT_EQ(count, recorded.moments());
    if (rows > 0) ++readable;
    EXPECT_EQ(run({"export", file, path("k.csv"), "--quiet"}).code, 0);
  }
  EXPECT_EQ(readable, 6);
}

TEST_F(Recordings, AFullDiskIsAMessage) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{300000, 300000};  // bytes of any file
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Outcome outcome = run({"run", "pyramid", "--seconds", "60", "--quiet", "--record", path("full.h5")});
    const bool good = outcome.code == 1 && has(outcome.err, "full.h5: writing failed");
    if (!good) std::fprintf(stderr, "code %d, %s\n", outcome.code, outcome.err.c_str());
    std::exit(good ? 0 : 1);  // with everything that happens at the end of a program
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(Recordings, ASceneWithoutBodiesHasARecordingToo) {
  const std::string scene = write("none.json", R"({"cairn": 1, "settings": {"seconds": 0.1}, "bodies": []})");
  const Outcome outcome = run({"run", scene, "--quiet", "--record", path("a.h5"), "--record", path("a.glb"), "--replay",
                               path("a.html"), "--record", path("a.csv")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(run({"export", path("a.h5"), path("b.csv"), "--quiet"}).code, 0);
  EXPECT_EQ(text("a.csv"), text("b.csv"));
}

}  // namespace
}  // namespace cairn
