// The motion stream against a decoder that was written from the document alone.
#include "export/motion_stream.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "decode.hpp"

namespace cairn {
namespace {

Pose nowhere() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {Vec3::Constant(nan), Quat(nan, nan, nan, nan)};
}

TEST(MotionStream, ReadsBackWithinHalfItsResolution) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const double resolution = motionResolution(10.0);
  EXPECT_EQ(resolution, 1e-4);
  const std::vector<std::uint32_t> slots{4, 0, 17};
  MotionStream stream(slots, resolution);
  std::vector<Pose> poses(3);
  std::vector<std::vector<Pose>> all;
  constexpr int kFrames = 3000;  // more than a block
  for (int frame = 0; frame < kFrames; ++frame) {
    for (Pose& pose : poses) {
      pose.position += 0.1 * Vec3(normal(random), normal(random), normal(random));
      const Vec3 turn = 0.3 * Vec3(normal(random), normal(random), normal(random));
      pose.rotation = Quat(Eigen::AngleAxisd(turn.norm(), turn.normalized())) * pose.rotation;
      if (frame % 7 == 3) pose.rotation.coeffs() *= -1.0;  // the same rotation
    }
    all.push_back(poses);
    if (frame < 5) all.back()[1] = nowhere();
    stream.add(frame / 30.0, all.back());
  }
  const testing::DecodedMotion motion = testing::decodeMotion(stream.finish());
  ASSERT_EQ(motion.bodies, 3u);
  ASSERT_EQ(motion.frames, static_cast<std::uint32_t>(kFrames));
  EXPECT_EQ(motion.slots, slots);
  EXPECT_EQ(motion.resolution, resolution);
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    EXPECT_EQ(motion.times[frame], static_cast<float>(static_cast<double>(frame) / 30.0));
    for (std::size_t body = 0; body < 3; ++body) {
      const Pose& pose = all[frame][body];
      if (body == 1 && frame < 5) {
        for (std::size_t k = 0; k < 7; ++k) EXPECT_EQ(motion.at(frame, k, body), 0.0) << "it moves before it is there";
        continue;
      }
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(motion.at(frame, k, body), pose.position[k], 0.5001 * resolution);
      Eigen::Vector4d q(motion.at(frame, 3, body), motion.at(frame, 4, body), motion.at(frame, 5, body),
                        motion.at(frame, 6, body));
      if (q.dot(pose.rotation.coeffs()) < 0.0) q = -q;
      EXPECT_LT((q - pose.rotation.coeffs()).cwiseAbs().maxCoeff(), 0.5001 / 32767.0);
      if (frame == 0 || (body == 1 && frame == 5)) continue;
      double along = 0.0;
      for (std::size_t k = 3; k < 7; ++k) along += motion.at(frame, k, body) * motion.at(frame - 1, k, body);
      EXPECT_GT(along, 0.0) << "the sign jumps";
    }
  }
}

TEST(MotionStream, NothingAndNobodyAreStreamsToo) {
  MotionStream none({}, 1e-4);
  none.add(0.0, {});
  EXPECT_EQ(testing::decodeMotion(none.finish()).frames, 1u);
  MotionStream never({3}, 1e-4);
  EXPECT_EQ(testing::decodeMotion(never.finish()).frames, 0u);
}

TEST(MotionStream, WhatIsTooFarStaysWithinThirtyTwoBits) {
  for (const double radius : {1e-6, 0.05, 12.5, 1e3, 1e7}) {
    const double resolution = motionResolution(radius);
    EXPECT_LE(resolution, std::max(1e-4, radius * 1e-5));
    MotionStream stream({0}, resolution);
    const double far[] = {0.0, 1e300, -1e300, 16.0 * radius};
    for (int i = 0; i < 4; ++i) stream.add(i, {{Vec3(far[i], -far[i], 0), Quat::Identity()}});
    const testing::DecodedMotion motion = testing::decodeMotion(stream.finish());
    for (std::size_t frame = 0; frame < 4; ++frame)
      for (std::size_t k = 0; k < 3; ++k) EXPECT_LE(std::abs(motion.at(frame, k, 0)), 1073741824.0 * resolution);
    EXPECT_NEAR(motion.at(3, 0, 0), 16.0 * radius, resolution) << "of radius " << radius;
  }
}

TEST(MotionStream, RestCostsNextToNothing) {
  MotionStream stream(std::vector<std::uint32_t>(1000, 0), 1e-4);
  std::vector<Pose> poses(1000);
  for (std::size_t i = 0; i < poses.size(); ++i) poses[i].position = Vec3(0.1 * static_cast<double>(i), 0, 0);
  for (int frame = 0; frame < 1000; ++frame) stream.add(frame, poses);
  EXPECT_LT(stream.finish().size(), 30000u);  // of 7 million numbers
}

}  // namespace
}  // namespace cairn
