// What is recorded comes back to the bit, and what was tampered with is found where it was.
#include "lab/replay.hpp"

#include "lab/lab_scenes.hpp"
#include "lab/session.hpp"

namespace cairn {
namespace {

SceneOrigin originOf(const std::string& stepper) {
  return {"playground.json", {{"settings.stepper", stepper}}, {{"playground.json", kPlayground}}};
}

// Plays at random for so many steps, recording. Returns how many edits were accepted.
int play(const std::string& path, const std::string& stepper, unsigned seed, int steps) {
  const SceneOrigin origin = originOf(stepper);
  LabSession session(reopen(origin));
  InputLogWriter log(path, origin, session.settings().dt, session.stateHash());
  RandomEdits random(seed);
  int accepted = 0;
  for (int i = 0; i < steps; ++i) {
    for (int k = random.whole(0, 3); k > 1; --k) {
      const Edit edit = random.next();
      try {
        session.apply(edit);
      } catch (const EditRefused&) {
        continue;
      }
      ++accepted;
      log.edit(session.steps(), edit);
    }
    session.setAudit(random.whole(0, 3) == 0 ? Audit::Residual : Audit::None);  // must not reach the bits
    const StepReport report = session.step();
    if (report.status == StepStatus::Ok) {
      log.step(session.steps(), session.stateHash());
    } else {
      log.refused(session.steps(), report.refusal());
    }
  }
  log.close();
  return accepted;
}

ReplayResult replay(const std::string& path) {
  InputLogReader log(path);
  return replayLog(log);
}

TEST(Replay, RandomSessionsComeBackToTheBit) {
  const Folder folder;
  for (const char* stepper : {"soft", "lcp", "velocity", "shock", "penalty", "hybrid", "implicit"}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(std::string(stepper) + " " + std::to_string(seed));
      const int accepted = play(folder.file("run.cairnlog"), stepper, seed, 40);
      const ReplayResult result = replay(folder.file("run.cairnlog"));
      EXPECT_FALSE(result.firstDifferent.has_value()) << *result.firstDifferent << ": " << result.difference;
      EXPECT_TRUE(result.isComplete);
      EXPECT_EQ(result.edits, accepted);
      EXPECT_GT(result.edits, 5) << "a session without edits tests nothing";
    }
  }
}

TEST(Replay, RefusedStepsAreTriedAgain) {
  const Folder folder;
  const SceneOrigin origin = originOf("gauss");
  {
    LabSession session(reopen(origin));
    InputLogWriter log(folder.file("run.cairnlog"), origin, session.settings().dt, session.stateHash());
    const auto edit = [&](const Edit& one) {
      session.apply(one);
      log.edit(session.steps(), one);
    };
    EXPECT_EQ(session.step().status, StepStatus::Refused);
    log.refused(0, "friction");
    edit(SetEdit{"friction", "0"});
    for (int i = 0; i < 5; ++i) {
      ASSERT_EQ(session.step().status, StepStatus::Ok);
      log.step(session.steps(), session.stateHash());
    }
    log.close();
  }
  const ReplayResult result = replay(folder.file("run.cairnlog"));
  EXPECT_FALSE(result.firstDifferent.has_value());
  EXPECT_EQ(result.steps, 5);
}

TEST(Replay, ALogCutOffAnywhereHoldsUpToItsLastWholeLine) {
  const Folder folder;
  play(folder.file("run.cairnlog"), "soft", 3, 6);
  const std::string whole = contentOf(folder.file("run.cairnlog"));
  const std::size_t header = whole.find('\n');
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const std::string part = whole.substr(0, length);
    writeFile(folder.file("part.cairnlog"), part);
    if (length <= header) {
      EXPECT_THROW(replay(folder.file("part.cairnlog")), LogReadError) << length;
      continue;
    }
    const ReplayResult result = replay(folder.file("part.cairnlog"));
    EXPECT_FALSE(result.firstDifferent.has_value()) << length;
    EXPECT_EQ(result.isComplete, length == whole.size()) << length;
    // Counted from the text: whole lines with a hash, but for the header.
    long steps = 0;
    for (std::size_t at = part.find("\"hash\"", header); at != std::string::npos; at = part.find("\"hash\"", at + 1)) {
      steps += part.find('\n', at) != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(result.steps, steps) << length;
  }
}

TEST(Replay, AChangedHashIsFoundAtItsStep) {
  const Folder folder;
  play(folder.file("run.cairnlog"), "lcp", 5, 12);
  const std::string whole = contentOf(folder.file("run.cairnlog"));
  long step = 0;  // the header's is the scene's before any step
  for (std::size_t at = whole.find("\"hash\":\""); at != std::string::npos; at = whole.find("\"hash\":\"", at + 1), ++step) {
    std::string changed = whole;
    char& digit = changed[at + 8 + 7];
    digit = digit == '0' ? '1' : '0';
    writeFile(folder.file("changed.cairnlog"), changed);
    const ReplayResult result = replay(folder.file("changed.cairnlog"));
    ASSERT_TRUE(result.firstDifferent.has_value()) << step;
    EXPECT_EQ(*result.firstDifferent, step);
    EXPECT_EQ(result.steps, std::max(0L, step - 1));
  }
  EXPECT_EQ(step, 13);
}

TEST(Replay, AChangedEditIsFoundInTheStepAfterIt) {
  const Folder folder;
  const SceneOrigin origin = originOf("soft");
  {
    LabSession session(reopen(origin));
    InputLogWriter log(folder.file("run.cairnlog"), origin, session.settings().dt, session.stateHash());
    for (int i = 0; i < 10; ++i) {
      if (i == 6) {
        const Edit ball = ThrowEdit{{0, 0, 9}, {1, 0, 0}, 0.2, 1000};
        session.apply(ball);
        log.edit(6, ball);
      }
      session.step();
      log.step(session.steps(), session.stateHash());
    }
    log.close();
  }
  std::string text = contentOf(folder.file("run.cairnlog"));
  const std::string was = "\"velocity\":[1,0,0]";
  ASSERT_NE(text.find(was), std::string::npos);
  text.replace(text.find(was), was.size(), "\"velocity\":[1.0000000000000002,0,0]");
  writeFile(folder.file("changed.cairnlog"), text);
  EXPECT_EQ(replay(folder.file("changed.cairnlog")).firstDifferent, 7) << "one bit of a velocity";
}

TEST(Replay, AChangedSceneIsFoundBeforeTheFirstStep) {
  const Folder folder;
  play(folder.file("run.cairnlog"), "soft", 1, 3);
  std::string text = contentOf(folder.file("run.cairnlog"));
  const std::string was = "[0, 3, 0.5]";
  ASSERT_NE(text.find(was), std::string::npos);
  text.replace(text.find(was), was.size(), "[0, 3, 0.6]");
  writeFile(folder.file("changed.cairnlog"), text);
  EXPECT_EQ(replay(folder.file("changed.cairnlog")).firstDifferent, 0);
}

TEST(Replay, ALogThatMakesNoSenseIsRefusedWithItsLine) {
  const Folder folder;
  play(folder.file("run.cairnlog"), "soft", 1, 3);
  const std::string whole = contentOf(folder.file("run.cairnlog"));
  const std::string header = whole.substr(0, whole.find('\n') + 1);
  const std::pair<std::string, std::string> wrong[] = {
      {"", "no whole first line"},
      {"{}\n", ":1: found no \"cairnlog\""},
      {"{\"cairnlog\":99}\n", ":1: cairnlog: found format 99; allowed: up to 1"},
      {"nonsense\n", ":1: this is no JSON"},
      {header + "nonsense\n", ":2: this is no JSON"},
      {header + "{}\n", ":2: step: found nothing"},
      {header + "{\"step\":1,\"hash\":\"12\"}\n", ":2: hash: found \"12\"; allowed: 16 hexadecimal digits"},
      {header + "{\"step\":5,\"hash\":\"0123456789abcdef\"}\n", ":2: found a line that belongs after step 4; 0 were taken"},
      {header + "{\"step\":0,\"do\":\"dance\"}\n", ":2: do: found \"dance\", which is no edit"},
      {header + "{\"step\":0,\"do\":\"pin\",\"body\":\"nobody\"}\n",
       ":2: the edit \"pin\" cannot be done: body: there is no"},
      {header + "{\"end\":0}\n{\"end\":0}\n", ":3: found a line after the last one"},
      {header + std::string(70000, 'x') + "\n", ":2: found a line of more than 65536 bytes"},
  };
  for (const auto& [text, expected] : wrong) {
    writeFile(folder.file("wrong.cairnlog"), text);
    try {
      replay(folder.file("wrong.cairnlog"));
      ADD_FAILURE() << expected;
    } catch (const LogReadError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(InputLogReader("/nowhere/x.cairnlog"), LogReadError);
  EXPECT_THROW(InputLogReader("/tmp"), LogReadError);
}

TEST(Replay, DamagedLogsAreReadOrRefused) {
  const Folder folder;
  play(folder.file("run.cairnlog"), "soft", 2, 4);
  const std::string whole = contentOf(folder.file("run.cairnlog"));
  RandomEdits random(11);
  int refused = 0, differed = 0;
  for (int i = 0; i < 400; ++i) {
    std::string text = whole;
    for (int change = random.whole(1, 3); change > 0; --change) {
      std::size_t at = static_cast<std::size_t>(random.whole(0, static_cast<int>(text.size()) - 1));
      const bool isDigit = random.whole(0, 1) == 1;  // another digit leaves the line readable
      while (isDigit && at + 1 < text.size() && (text[at] < '0' || text[at] > '9')) ++at;
      text[at] = static_cast<char>(isDigit ? random.whole('0', '9') : random.whole(1, 255));
    }
    writeFile(folder.file("damaged.cairnlog"), text);
    try {
      differed += replay(folder.file("damaged.cairnlog")).firstDifferent ? 1 : 0;
    } catch (const LogReadError&) {
      ++refused;
    } catch (const SceneError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
  EXPECT_GT(differed, 5);
}

// What `cairn run --record run.cairnlog` does.
TEST(Replay, APlainRunIsALogWithoutEdits) {
  const Folder folder;
  OpenedScene scene = openWithOrigin("stack_hit", {});
  scene.model.dt = 0.1 / 7;  // as options of the command do
  scene.model.settings.stepper = "lcp";
  scene.model.settings.solver.name = "bgs";
  scene.model.settings.audit = Audit::Residual;
  addOptions(scene.origin, scene.model);
  {
    SceneRun run(scene.model);
    InputLogWriter log(folder.file("run.cairnlog"), scene.origin, scene.model.dt, run.world().stateHash());
    for (int i = 1; i <= 40; ++i) {
      ASSERT_EQ(run.step().status, StepStatus::Ok);
      log.step(i, run.world().stateHash());
    }
    log.close();
  }
  const ReplayResult result = replay(folder.file("run.cairnlog"));
  EXPECT_FALSE(result.firstDifferent.has_value()) << *result.firstDifferent << ": " << result.difference;
  EXPECT_EQ(result.steps, 40);
}

TEST(SceneOrigin, AFileWithItsIncludesComesBackWithoutTheDisk) {
  const Folder folder;
  writeFile(folder.file("part.json"),
            R"({"cairn": 1, "bodies": [{"name": "ball", "shape": {"type": "sphere", "radius": 1}}]})");
  writeFile(folder.file("main.json"), R"({"cairn": 1, "include": ["part.json"], "parameters": {"n": 2}, "bodies": [
    {"name": "box", "position": [5, 0, "$n"], "shape": {"type": "box", "size": [2, 2, 2]}}]})");
  const OpenedScene opened = openWithOrigin(folder.file("main.json"), {{"n", "3"}});
  EXPECT_EQ(opened.origin.files.size(), 2u);
  std::filesystem::remove(folder.file("part.json"));
  std::filesystem::remove(folder.file("main.json"));
  EXPECT_EQ(LabSession(reopen(opened.origin)).stateHash(), LabSession(opened.model).stateHash());
}

}  // namespace
}  // namespace cairn
