// cairn view and cairn replay as commands; the lab itself is tested in tests/lab and tests/server.
#include "app/running.hpp"
#include "lab/input_log.hpp"
#include "lab/session.hpp"

namespace cairn {
namespace {

TEST(View, WrongOptionsAreRefusedBeforeAnythingStarts) {
  const std::pair<std::vector<std::string>, std::string> wrong[] = {
      {{"view", "towr"}, "did you mean \"tower\"?"},
      {{"view", "--port", "0"}, "--port: found \"0\"; allowed: a whole number from 1 to 65535"},
      {{"view", "--port", "http"}, "--port: found \"http\""},
      {{"view", "bounce", "--host", "0.0.0.0"}, "allowed: together with --token"},
      {{"view", "bounce", "--host", "everywhere", "--token", "12345678"}, "--host: found \"everywhere\""},
      {{"view", "bounce", "--token", "short"}, "--token: allowed: 8 to 200 letters"},
      {{"view", "bounce", "--token", "with space 123"}, "--token"},
      {{"view", "bounce", "--log", "x.txt"}, "--log: found \"x.txt\"; allowed: a name that ends in .cairnlog"},
      {{"view", "bounce", "--log", "/nowhere/x.cairnlog"}, "--log"},
      {{"view", "bounce", "--set", "nothing=1"}, "unknown key \"nothing\""},
  };
  for (const auto& [arguments, expected] : wrong) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, kExitBadInput) << expected;
    EXPECT_TRUE(has(outcome.err, expected)) << outcome.err;
  }
}

TEST(ReplayCommand, SaysWhetherTheBitsAreTheSame) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("cairn_replay_" + std::to_string(getpid()) + ".cairnlog")).string();
  {
    const OpenedScene scene = openWithOrigin("stack_hit", {});
    LabSession session(scene.model);
    InputLogWriter log(path, scene.origin, session.settings().dt, session.stateHash());
    for (int i = 1; i <= 5; ++i) {
      session.step();
      log.step(i, session.stateHash());
    }
    log.close();
  }
  const Outcome same = run({"replay", path});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.out, "the same bits in all 5 steps, 0 edits\n");

  std::stringstream content;
  content << std::ifstream(path).rdbuf();
  const std::string text = content.str();
  std::ofstream(path) << text.substr(0, text.find("\"step\":4"));
  const Outcome cut = run({"replay", path});
  EXPECT_EQ(cut.code, 0);
  EXPECT_TRUE(has(cut.out, "the same bits in all 3 steps")) << cut.out;
  EXPECT_TRUE(has(cut.out, "cut off after line 4")) << cut.out;

  std::string changed = text;
  char& digit = changed[changed.find("\"step\":4") + 20];
  digit = digit == '1' ? '2' : '1';
  std::ofstream(path) << changed;
  const Outcome differs = run({"replay", path});
  EXPECT_EQ(differs.code, 1);
  EXPECT_TRUE(has(differs.out, "differs at step 4: the log has the hash")) << differs.out;

  std::ofstream(path) << "nonsense\n";
  const Outcome bad = run({"replay", path});
  EXPECT_EQ(bad.code, kExitBadInput);
  EXPECT_TRUE(has(bad.err, ".cairnlog:1: this is no JSON")) << bad.err;
  std::filesystem::remove(path);
  EXPECT_EQ(run({"replay", path}).code, kExitBadInput);
}

// Whatever the options were that made the run, the log knows them.
TEST(ReplayCommand, RepeatsAPlainRun) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("cairn_run_" + std::to_string(getpid()) + ".cairnlog")).string();
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"run", "wall", "--set", "rows=3", "--seconds", "0.2"},
           {"run", "stack_hit", "--stepper", "lcp", "--solver", "lemke", "--dt", "0.01", "--seconds", "0.2"},
           {"run", "pile", "--set", "count=30", "--threads", "2", "--seconds", "0.3"}}) {
    std::vector<std::string> arguments = options;
    arguments.insert(arguments.end(), {"--record", path, "--quiet"});
    const Outcome recorded = run(arguments);
    ASSERT_EQ(recorded.code, 0) << recorded.err;
    const Outcome same = run({"replay", path});
    EXPECT_EQ(same.code, 0) << options[1] << ": " << same.out << same.err;
    EXPECT_TRUE(has(same.out, "the same bits in all ")) << same.out;
  }
  const Outcome hurried =
      run({"run", "stack_hit", "--stepper", "velocity", "--set", "settings.solver.milliseconds=5", "--record", path});
  EXPECT_EQ(hurried.code, 2);
  EXPECT_TRUE(has(hurried.err, "settings.solver.milliseconds")) << hurried.err;
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace cairn
