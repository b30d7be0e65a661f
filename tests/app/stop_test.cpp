// What is left when a command is stopped, killed, or the disk is full: whole files or none, and a word about it.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "app/running.hpp"
#include "cairn/world.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A solve to 1e-15 by a method that never gets there: the first step does not end.
constexpr const char* kEndless = R"({"cairn": 1, "name": "endless",
  "settings": {"seconds": 10, "stepper": "velocity",
    "solver": {"name": "jacobi", "tolerance": 1e-15, "iterations": 1000000000}},
  "bodies": [{"kind": "static", "shape": {"type": "plane"}},
    {"name": "b", "shape": {"type": "box", "size": [0.5, 0.5, 0.5]},
     "pattern": {"type": "wall", "columns": 10, "rows": 10}}]})";

class Stops : public InAFolder {
 protected:
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& one : fs::directory_iterator(folder_)) names.push_back(one.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string scene(const std::string& steps = "10") const {
    return write("scene.json", R"({"cairn": 1, "name": "heap", "settings": {"seconds": )" + steps + R"(},
      "bodies": [{"kind": "static", "shape": {"type": "plane"}},
        {"name": "b", "position": [0, 0, 2], "shape": {"type": "sphere", "radius": 0.2},
         "pattern": {"type": "grid", "count": [6, 6, 6], "step": [0.5, 0.5, 0.5]}}]})");
  }
};

// Sends itself a signal after a while; says how long it took from then on.
class Killer {
 public:
  Killer(int signal, std::chrono::milliseconds wait)
      : thread_([this, signal, wait] {
          std::this_thread::sleep_for(wait);
          sent_ = Clock::now();
          ::kill(::getpid(), signal);
        }) {}
  double secondsSince() {
    const Clock::time_point now = Clock::now();
    thread_.join();
    return std::chrono::duration<double>(now - sent_).count();
  }

 private:
  Clock::time_point sent_;
  std::thread thread_;
};

TEST_F(Stops, AStepThatTakesLongEndsWithTheRun) {
  const std::string endless = write("endless.json", kEndless);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Killer killer(signal, std::chrono::milliseconds(300));
    const Outcome outcome = run({"run", endless, "--report", path("r.json"), "--record", path("r.csv"), "--record",
                                 path("r.h5"), "--replay", path("r.html"), "--picture", path("r.png")});
    EXPECT_LT(killer.secondsSince(), 1.0);
    EXPECT_EQ(outcome.code, 128 + signal) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "interrupted at 0 s")) << outcome.err;
    EXPECT_EQ(json("r.json")["steps"].GetInt(), 0);
    EXPECT_EQ(text("r.csv").back(), '\n');
    EXPECT_TRUE(has(outcome.err, "r.png: no picture was drawn")) << outcome.err;
    EXPECT_EQ(files(), (std::vector<std::string>{"endless.json", "r.csv", "r.h5", "r.html", "r.json"}));
  }
}

TEST_F(Stops, OtherCommandsEndSoonToo) {
  const std::string endless = write("endless.json", kEndless);
  {
    Killer killer(SIGTERM, std::chrono::milliseconds(300));
    const Outcome outcome = run({"compare", endless, "--steppers", "velocity", "--limit-s", "0", "--json", path("c.json")});
    EXPECT_LT(killer.secondsSince(), 1.0);
    EXPECT_EQ(outcome.code, kExitTerminated) << outcome.err;
  }
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  EXPECT_EQ(run({"run", endless, "--set", "settings.solver.iterations=1", "--dump-problem", "1", "--seconds", "0.02"}).code,
            0);
  fs::current_path(before);
  {
    Killer killer(SIGTERM, std::chrono::milliseconds(300));
    const Outcome outcome = run({"solve", path("endless-step1.h5"), "--solver", "jacobi", "--tolerance", "1e-15",
                                 "--limit-ms", "0", "--iterations", "1000000000", "--report", path("s.json")});
    EXPECT_LT(killer.secondsSince(), 1.0);
    EXPECT_EQ(outcome.code, kExitTerminated) << outcome.err;
    EXPECT_EQ(json("s.json")["rows"].Size(), 0u) << "half a solve is none";
  }
}

TEST_F(Stops, TheLimitOfACompareHoldsWithinAStep) {
  const std::string endless = write("endless.json", kEndless);
  const Clock::time_point start = Clock::now();
  const Outcome outcome = run({"compare", "tower", "--steppers", "acceleration", "--limit-s", "0.3"});
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - start).count(), 3.0) << outcome.out << outcome.err;
}

// Even SIGKILL, which nobody can answer.
TEST_F(Stops, AKilledRunLeavesNothingHalfWritten) {
  const std::string file = scene("100000");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const Outcome never = run({"run", file, "--quiet", "--report", path("r.json"), "--replay", path("r.html"), "--record",
                               path("r.glb"), "--picture", path("r.png")});
    _exit(never.code);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  ::kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it had ended before";
  EXPECT_EQ(files(), (std::vector<std::string>{"scene.json"}));
}

// A full disk, or nearly: files of more than some kilobytes cannot be written.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    old_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, old_);
  }

 private:
  rlimit before_{};
  void (*old_)(int) = nullptr;
};

TEST_F(Stops, AFullDiskIsNoticedAndNothingPartialStays) {
  const std::vector<std::vector<std::string>> kinds{{"--report", path("out.json")}, {"--record", path("out.csv")},
                                                    {"--record", path("out.h5")},   {"--record", path("out.cairnlog")},
                                                    {"--record", path("out.glb")},  {"--replay", path("out.html")},
                                                    {"--picture", path("out.png")}};
  for (const auto& kind : kinds) {
    const bool isLong = kind[1].ends_with(".h5");  // it has a head of its own, which must be there before
    std::vector<std::string> arguments{"run", scene(isLong ? "2" : "0.1"), "--quiet"};
    arguments.insert(arguments.end(), kind.begin(), kind.end());
    Outcome outcome;
    {
      const FullDisk full(isLong ? 100000 : kind[1].ends_with(".json") || kind[1].ends_with(".cairnlog") ? 500 : 4096);
      outcome = run(arguments);
    }
    EXPECT_EQ(outcome.code, 1) << kind[1] << outcome.err;
    EXPECT_TRUE(has(outcome.err, fs::path(kind[1]).filename())) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "written") || has(outcome.err, "writing failed")) << outcome.err;
    EXPECT_EQ(files(), (std::vector<std::string>{"scene.json"})) << kind[1];
  }
}

TEST_F(Stops, AnOutputThatFailsLeavesTheFileThatWasThere) {
  const std::string file = scene("0.5");
  write("r.json", "old");
  const FullDisk full(500);
  EXPECT_EQ(run({"run", file, "--quiet", "--report", path("r.json")}).code, 1);
  EXPECT_EQ(text("r.json"), "old");
}

TEST_F(Stops, ANameIsNoPath) {
  fs::create_directories(folder_ / "inside");
  for (const char* name : {"../out", "a/b", "a\\\\b", "..", "."}) {
    const std::string file = write("bad.json", std::string("{\"cairn\": 1,\n \"name\": \"") + name + "\"}");
    const Outcome outcome = run({"run", file, "--dump-problem", "1"});
    EXPECT_EQ(outcome.code, 2) << name << outcome.out;
    EXPECT_TRUE(has(outcome.err, "bad.json:2:10: name: found")) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "allowed")) << outcome.err;
  }
}

TEST_F(Stops, TimeStepsThatMakeNoSenseGiveAMessage) {
  const std::string file = scene("0.1");
  for (const char* dt : {"0", "-0.01", "nan", "-nan", "inf", "1e9", "1e-300", "0x", "1/0"}) {
    for (const char* command : {"run", "compare"}) {
      const Outcome outcome = run({command, file, "--dt", dt});
      EXPECT_EQ(outcome.code, 2) << command << " --dt " << dt;
      EXPECT_TRUE(has(outcome.err, "allowed")) << outcome.err;
    }
    const std::string literal = std::string(dt).find_first_not_of("0123456789.e-") == std::string::npos ? dt : "\"x\"";
    const std::string bad = write("bad.json", std::string(R"({"cairn": 1, "settings": {"dt": )") + literal + "}}");
    EXPECT_EQ(run({"run", bad}).code, 2) << dt;
  }
}

}  // namespace
}  // namespace cairn
