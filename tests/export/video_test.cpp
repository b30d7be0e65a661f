// Videos, through the ffmpeg of this machine and through others that misbehave.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "../app/running.hpp"
#include "app/command.hpp"
#include "export/frame_spool.hpp"
#include "export/video_pipe.hpp"

namespace cairn {
namespace {

class Videos : public InAFolder {
 protected:
  void SetUp() override {
    InAFolder::SetUp();
    oldPath_ = std::getenv("PATH");
  }
  void TearDown() override {
    ::setenv("PATH", oldPath_.c_str(), 1);
    InAFolder::TearDown();
  }
  // Another ffmpeg, the only one on PATH.
  void pretend(const std::string& script) {
    write("bin/ffmpeg", "#!/bin/sh\n" + script + "\n");
    ::chmod(path("bin/ffmpeg").c_str(), 0755);
    ::setenv("PATH", path("bin").c_str(), 1);
  }
  std::string probe(const std::string& file) const {
    ::setenv("PATH", oldPath_.c_str(), 1);
    std::FILE* pipe =
        ::popen(("ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames,r_frame_rate "
                 "-of csv=p=0 " +
                 file)
                    .c_str(),
                "r");
    char text[200] = {};
    const std::size_t count = std::fread(text, 1, sizeof text - 1, pipe);
    ::pclose(pipe);
    return std::string(text, count);
  }
  int filesLeft() const {
    int count = 0;
    for (const auto& one : std::filesystem::directory_iterator(folder_)) count += one.is_regular_file();
    return count;
  }
  std::string oldPath_;
};

TEST_F(Videos, HaveAllTheirFrames) {
  if (findFfmpeg().empty()) GTEST_SKIP() << "there is no ffmpeg";
  for (const std::string ending : {"mp4", "webm"}) {
    const Outcome outcome = run({"run", "shapes", "--seconds", "0.5", "--dt", "0.01", "--quiet", "--record",
                                 path("a." + ending), "--size", "160x90", "--record", path("a.h5")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(probe(path("a." + ending)), "160,90,30/1,16\n") << ending;  // 0.5 s and the start, at 30 per second
  }
  const Outcome outcome = run({"export", path("a.h5"), path("b.mp4"), "--size", "160x90", "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(text("b.mp4"), text("a.mp4")) << "drawn from the run, and from its recording";
}

TEST_F(Videos, WithoutFfmpegNothingStarts) {
  ::setenv("PATH", "/nowhere", 1);
  const Outcome outcome = run({"run", "tower", "--seconds", "100000", "--record", path("a.mp4")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(has(outcome.err, "install ffmpeg")) << outcome.err;
  EXPECT_EQ(filesLeft(), 0);
}

TEST_F(Videos, AnFfmpegThatFailsIsAMessage) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"echo 'no such coder' >&2; exit 1", "no such coder"},               // at once
      {"/usr/bin/head -c 100000 >/dev/null; exit 3", "ffmpeg"},            // in the middle
      {"/bin/cat >/dev/null; echo 'disk full' >&2; exit 1", "disk full"},  // at the end
      {"/bin/cat >/dev/null; exit 0", "No such file"},                     // says it is done and left nothing
      {"kill -9 $$", "ffmpeg"},
  };
  for (const auto& [script, words] : cases) {
    pretend(script);
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome =
        run({"run", "shapes", "--seconds", "0.3", "--quiet", "--record", path("a.mp4"), "--size", "160x90"});
    EXPECT_EQ(outcome.code, 1) << script;
    EXPECT_TRUE(has(outcome.err, "a.mp4: the video could not be written")) << outcome.err;
    EXPECT_TRUE(has(outcome.err, words)) << outcome.err;
    EXPECT_EQ(filesLeft(), 0) << script;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  }
}

TEST_F(Videos, AnInterruptLeavesAPlayableFileOrNone) {
  if (findFfmpeg().empty()) GTEST_SKIP() << "there is no ffmpeg";
  // While it draws: hours of it would remain.
  std::thread killer([&] {
    for (int i = 0; i < 1000 && filesLeft() == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ::kill(::getpid(), SIGINT);
  });
  const Outcome outcome =
      run({"run", "incline", "--seconds", "1000", "--dt", "0.1", "--record", path("a.mp4"), "--size", "320x180"});
  killer.join();
  EXPECT_EQ(outcome.code, kExitInterrupted) << outcome.err;
  if (std::filesystem::exists(path("a.mp4"))) {
    EXPECT_TRUE(has(probe(path("a.mp4")), "320,180,30/1,"));
    EXPECT_EQ(filesLeft(), 1);
  } else {
    EXPECT_TRUE(has(outcome.err, "no video")) << outcome.err;
    EXPECT_EQ(filesLeft(), 0);
  }
}

TEST(FrameSpool, FramesAreEvenAndInterpolated) {
  FrameSpool spool(2, 10.0);
  for (int i = 0; i <= 20; ++i) {  // every 0.03 s
    Moment moment;
    moment.time = 0.03 * i;
    moment.bodies.resize(2);
    moment.bodies[0].pose = {Vec3(moment.time, 0, 0), Quat(Eigen::AngleAxisd(moment.time, Vec3::UnitZ()))};
    moment.bodies[1] = Moment::absent();
    if (i > 5) moment.bodies[1].pose = {Vec3(1, 2, 3), Quat::Identity()};
    spool.add(moment);
  }
  ASSERT_EQ(spool.frames(), 7);
  for (long k = 0; k < 7; ++k) {
    const std::vector<Pose> frame = spool.frame(k);
    EXPECT_NEAR(frame[0].position.x(), 0.1 * static_cast<double>(k), 1e-12);
    EXPECT_NEAR(frame[0].rotation.angularDistance(Quat(Eigen::AngleAxisd(0.1 * static_cast<double>(k), Vec3::UnitZ()))), 0.0,
                1e-7);
    EXPECT_EQ(frame[1].position.x() == 1.0, k >= 2) << k;  // from 0.18 s on
  }
}

}  // namespace
}  // namespace cairn
