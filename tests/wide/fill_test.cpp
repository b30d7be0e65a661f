// A block is filled from rows that lie anywhere; here against plain code, lane by lane.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "wide/contact_block.hpp"

namespace cairn::wide {
namespace {

TEST(Fill, EveryLaneAndPointIsWhatItsSourcesSay) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<float> number(-2.0f, 2.0f);
  constexpr int kStride = 7, kPoints = 4;
  const FillValues values{{11.0f, 0.9f}, {13.0f, 0.8f}, 3.0f, 0.25f};
  for (int round = 0; round < 200; ++round) {
    const int used = 1 + static_cast<int>(random() % kLanes);
    const int most = 1 + static_cast<int>(random() % kPoints);
    // Sources in one heap of numbers, at odd places.
    std::vector<float> heap(static_cast<std::size_t>(kLanes) * 100);
    for (float& x : heap) x = number(random);
    const std::vector<float> zeros(64, 0.0f);
    BlockSources sources{};
    sources.pointStride = kStride;
    for (int lane = 0; lane < kLanes; ++lane) {
      float* at = lane < used ? heap.data() + 100 * lane : nullptr;
      const auto row = [&](int from) { return at != nullptr ? at + from : zeros.data(); };
      sources.contact[lane] = row(1);
      sources.friction[lane] = row(9);
      sources.massA[lane] = row(20);
      sources.massB[lane] = row(31);
      sources.points[lane] = row(45);
      if (at == nullptr) continue;
      at[26] = random() % 3 == 0 ? 0.0f : 0.5f;
      at[37] = random() % 3 == 0 ? 0.0f : 2.0f;
      sources.count[lane] = static_cast<float>(lane == 0 ? most : 1 + static_cast<int>(random() % most));
      sources.swapped[lane] = random() % 2 == 0 ? 0.0f : 1.0f;
    }
    ContactBlock block;
    ContactPointLanes points[kPoints];
    std::memset(&block, 0xFF, sizeof(block));  // nothing may be left of what was there
    std::memset(points, 0xFF, sizeof(points));
    block.points = static_cast<std::uint16_t>(most);
    block.lanes = static_cast<std::uint16_t>(used);
    fill(block, points, sources, values);

    for (int lane = 0; lane < kLanes; ++lane) {
      const float* contact = sources.contact[lane];
      const float* massA = sources.massA[lane];
      const float* massB = sources.massB[lane];
      for (int k = 0; k < 6; ++k) {
        ASSERT_EQ(block.inertiaA[k][lane], massA[k]);
        ASSERT_EQ(block.inertiaB[k][lane], massB[k]);
      }
      ASSERT_EQ(block.inverseMassA[lane], massA[6]);
      ASSERT_EQ(block.inverseMassB[lane], massB[6]);
      const Softness& softness = massA[6] > 0.0f && massB[6] > 0.0f ? values.between : values.ground;
      ASSERT_EQ(block.biasRate[lane], softness.rate);
      ASSERT_EQ(block.pushOut[lane], values.pushOut);
      ASSERT_EQ(block.relaxes[lane], 1.0f);
      // From B to A is the other way, and so is what acts on A.
      const float sign = sources.swapped[lane] > 0.0f ? -1.0f : 1.0f;
      for (int k = 0; k < 3; ++k) {
        ASSERT_EQ(block.normal[k][lane], sign * contact[k]);
        ASSERT_EQ(block.apart[k][lane], sign * contact[3 + k]);
        ASSERT_EQ(block.centre[k][lane], sign * values.rescale * sources.friction[lane][k]);
      }
      ASSERT_EQ(block.friction[lane], contact[6]);
      // Against turning about the normal a single point has no lever.
      ASSERT_EQ(block.twist[lane], block.points == 1 ? 0.0f : values.rescale * contact[7]);
      for (const float sum : {block.total1[lane], block.total2[lane], block.totalTwist[lane]}) ASSERT_EQ(sum, 0.0f);
      for (int p = 0; p < most; ++p) {
        const ContactPointLanes& point = points[p];
        const float* from = sources.points[lane] + p * kStride;
        ASSERT_EQ(point.total[lane], 0.0f);
        if (static_cast<float>(p) >= sources.count[lane]) {
          for (const float none : {point.mass[lane], point.impulse[lane], point.separation[lane], point.lever[lane]})
            ASSERT_EQ(none, 0.0f);
          continue;
        }
        ASSERT_EQ(point.mass[lane], 1.0f);
        ASSERT_EQ(point.stiffness[lane], softness.massScale);
        ASSERT_EQ(point.separation[lane], from[3]);
        ASSERT_EQ(point.gap[lane], from[3]);
        ASSERT_EQ(point.lever[lane], from[4]);
        ASSERT_EQ(point.impulse[lane], values.rescale * from[4]);
        for (int k = 0; k < 3; ++k) ASSERT_EQ(point.arm[k][lane], from[k]);
      }
    }
  }
}

}  // namespace
}  // namespace cairn::wide
