// --record, --replay and `cairn export` as people type them.
#include <gtest/gtest.h>

#include "../app/running.hpp"

namespace cairn {
namespace {

using Exports = InAFolder;

TEST_F(Exports, ARecordingBecomesWhatTheRunWouldHaveWritten) {
  ASSERT_EQ(run({"run", "shapes", "--seconds", "1", "--quiet", "--every", "2", "--record", path("a.csv"), "--record",
                 path("a.h5"), "--record", path("a.glb"), "--record", path("a.gltf")})
                .code,
            0);
  for (const std::string ending : {"csv", "glb", "gltf"}) {
    const Outcome outcome = run({"export", path("a.h5"), path("b." + ending)});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "31 moments of shapes")) << outcome.out;
    EXPECT_EQ(text("a." + ending), text("b." + ending)) << ending;
  }
  ASSERT_EQ(run({"run", "shapes", "--seconds", "1", "--quiet", "--record", path("c.h5"), "--replay", path("c.html")}).code,
            0);
  ASSERT_EQ(run({"export", path("c.h5"), path("d.html"), "--quiet"}).code, 0);
  EXPECT_EQ(text("c.html"), text("d.html"));
}

TEST_F(Exports, WrongFilesAndOptionsAreRefusedByName) {
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> cases{
      {{"--record", path("a.txt")}, {"--record", "the ending \".txt\"", ".csv", ".h5", ".glb", ".gltf", ".mp4", ".webm"}},
      {{"--record", path("a")}, {"no ending"}},
      {{"--record", path("a.html")}, {"--record", ".html"}},
      {{"--replay", path("a.csv")}, {"--replay", "the ending \".csv\"", ".html"}},
      {{"--replay", path("none/a.html")}, {"--replay", "no directory"}},
      {{"--record", path("none/a.h5")}, {"--record", "no directory"}},
      {{"--record", path("none/a.glb")}, {"--record", "no directory"}},
      {{"--record", path("none/a.mp4")}, {"--record", "no directory"}},
      {{"--record", path("a.csv"), "--record", path("a.csv")}, {"--record and --record", "two files"}},
      {{"--replay", path("a.html"), "--report", path("a.html")}, {"two files"}},
      {{"--replay-fps", "10"}, {"--replay-fps", "--replay FILE"}},
      {{"--replay", path("a.html"), "--replay-fps", "0"}, {"--replay-fps", "above 0"}},
      {{"--replay", path("a.html"), "--replay-fps", "nan"}, {"--replay-fps"}},
      {{"--size", "640x480"}, {"--size", "mp4"}},
      {{"--record", path("a.mp4"), "--size", "640"}, {"--size", "1280x720"}},
      {{"--record", path("a.mp4"), "--size", "641x480"}, {"--size", "even"}},
      {{"--record", path("a.mp4"), "--size", "640x480x3"}, {"--size"}},
      {{"--record", path("a.mp4"), "--size", "99999999999x2"}, {"--size"}},
      {{"--record", path("a.mp4"), "--size", "-16x16"}, {"--size"}},
  };
  for (const auto& [more, says] : cases) {
    std::vector<std::string> words{"run", "tower", "--seconds", "1000"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    SCOPED_TRACE(more.back() + " -> " + outcome.err);
    EXPECT_EQ(outcome.code, 2);
    for (const std::string& part : says) EXPECT_TRUE(has(outcome.err, part)) << "lacks: " << part;
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
  }
}

TEST_F(Exports, AFullDiskIsAMessageForEveryKind) {
  std::filesystem::create_symlink("/dev/full", path("full.glb"));
  const Outcome outcome = run({"run", "incline", "--seconds", "0.1", "--quiet", "--record", path("full.glb")});
  EXPECT_EQ(outcome.code, 1) << outcome.err;  // a device, and so a table
  EXPECT_TRUE(has(outcome.err, "--record")) << outcome.err;
  const Outcome page = run({"run", "incline", "--seconds", "0.1", "--quiet", "--replay", path("full.glb")});
  EXPECT_EQ(page.code, 1) << page.err;
  EXPECT_TRUE(has(page.err, "--replay")) << page.err;
}

}  // namespace
}  // namespace cairn
