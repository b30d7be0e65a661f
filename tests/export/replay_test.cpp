// Replay files, decoded from outside, against the CSV of the same run.
#include "export/replay.hpp"

#include <gtest/gtest.h>

#include "../app/running.hpp"
#include "decode.hpp"

namespace cairn {
namespace {

class Replays : public InAFolder {
 protected:
  static rapidjson::Document data(const std::string& html) {
    const std::string text = testing::elementText(html, "cairn-replay");
    EXPECT_EQ(text.find('<'), std::string::npos) << "something may end the element early";
    rapidjson::Document document;
    document.Parse(text.c_str());
    EXPECT_FALSE(document.HasParseError());
    return document;
  }
  static testing::DecodedMotion motion(const std::string& html) {
    return testing::decodeMotion(testing::fromBase64(testing::elementText(html, "cairn-motion")));
  }
};

TEST_F(Replays, ShowWhatTheCsvSays) {
  ASSERT_EQ(run({"run", "tower", "--set", "layers=2", "--seconds", "10.5", "--quiet", "--record", path("a.csv"), "--replay",
                 path("a.html"), "--report", path("a.json")})
                .code,
            0);
  const std::string html = text("a.html");
  const auto document = data(html);
  const auto motionOf = motion(html);
  const testing::CsvTable csv = testing::readCsv(text("a.csv"));
  ASSERT_EQ(motionOf.frames, 316u);  // 10.5 s at 30 per second, and the start
  const auto& bodies = document["scene"]["bodies"];
  const auto& origin = document["scene"]["origin"];
  std::map<unsigned, const rapidjson::Value*> bySlot;
  for (const auto& body : bodies.GetArray()) bySlot[body["slot"].GetUint()] = &body;
  std::size_t later = 0;
  auto row = csv.begin();
  for (std::uint32_t frame = 0; frame < motionOf.frames; ++frame) {
    const double time = motionOf.times[frame];
    while (row->first < time - 1e-3) ++row;
    ASSERT_NEAR(row->first, time, 1e-6 * (1.0 + time));
    for (std::uint32_t i = 0; i < motionOf.bodies; ++i) {
      const rapidjson::Value& body = *bySlot.at(motionOf.slots[i]);
      const auto found = row->second.find(body["name"].GetString());
      const std::uint32_t appears = body.HasMember("appears") ? body["appears"].GetUint() : 0;
      ASSERT_EQ(found != row->second.end(), frame >= appears) << body["name"].GetString() << " at " << time;
      if (found == row->second.end()) continue;
      if (appears > 0 && frame == appears) ++later;
      const testing::CsvRow& is = found->second;
      const Quat q(is.q[0], is.q[1], is.q[2], is.q[3]);
      const auto& c = body["center"];
      const Vec3 center(c[0].GetDouble(), c[1].GetDouble(), c[2].GetDouble());
      const Vec3 frameAt = Vec3(is.p[0], is.p[1], is.p[2]) - q * center;
      for (int k = 0; k < 3; ++k)
        ASSERT_NEAR(motionOf.at(frame, k, i) + origin[k].GetDouble(), frameAt[k], 0.51 * motionOf.resolution);
      const Quat shown(motionOf.at(frame, 6, i), motionOf.at(frame, 3, i), motionOf.at(frame, 4, i),
                       motionOf.at(frame, 5, i));
      ASSERT_LT(shown.normalized().angularDistance(q), 2e-4);  // rad
    }
  }
  EXPECT_EQ(later, 2u) << "the block and the ball";
  EXPECT_EQ(document["series"]["time"].Size(), 630u);
  EXPECT_EQ(document["series"]["contacts"].Size(), 630u);
  EXPECT_EQ(document["report"], json("a.json"));
  EXPECT_NEAR(document["interval"].GetDouble(), 1.0 / 30.0, 1e-12);
}

TEST_F(Replays, NamesCannotBreakThePage) {
  const std::string scene = write("evil.json", R"x({"cairn": 1, "settings": {"seconds": 0.1},
    "bodies": [{"name": "</script><!--<script>alert(1)", "shape": {"type": "sphere", "radius": 1}}]})x");
  const Outcome outcome = run({"run", scene, "--quiet", "--replay", path("a.html")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = data(text("a.html"));
  EXPECT_STREQ(document["scene"]["bodies"][0]["name"].GetString(), "</script><!--<script>alert(1)");
}

TEST_F(Replays, TheRateAndTheLastFrameAreThoseAskedFor) {
  const std::string out = path("a.html");
  const auto frames = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"run", "incline", "--quiet", "--replay", out};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words).code, 0);
    return motion(text("a.html")).times;
  };
  EXPECT_EQ(frames({"--seconds", "1", "--dt", "0.01"}).size(), 35u);  // every third of 101, and the last
  EXPECT_FLOAT_EQ(frames({"--seconds", "1", "--dt", "0.01"}).back(), 1.0f);
  EXPECT_EQ(frames({"--seconds", "1", "--dt", "0.1"}).size(), 11u);  // every step
  EXPECT_EQ(frames({"--seconds", "1", "--dt", "0.01", "--replay-fps", "5"}).size(), 6u);
  EXPECT_EQ(frames({"--seconds", "1", "--dt", "0.01", "--replay-fps", "100"}).size(), 101u);
}

TEST(ReplayPace, ManyBodiesForLongGetFewerFrames) {
  EXPECT_EQ(replayStride({1.0 / 60.0, 901}, 800), 2);
  EXPECT_EQ(replayStride({1.0 / 60.0, 3601}, 20000), 37);  // 1.6 per second
  EXPECT_LE(3601 * 20000 / 37, kMostReplayPoses);
  EXPECT_EQ(replayStride({1.0 / 60.0, 3601, 30.0}, 20000), 2) << "what was asked for";
  EXPECT_EQ(replayStride({0.5, 100}, 1), 1);
  EXPECT_EQ(replayStride({1e-6, 100000000}, 1), 33333);
}

}  // namespace
}  // namespace cairn
