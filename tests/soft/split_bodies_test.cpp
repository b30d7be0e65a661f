#include "soft/layout/split_bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace cairn {
namespace {

struct Split {
  std::vector<std::uint32_t> movable;
  std::vector<std::uint16_t> partOf;
  std::size_t parts = 0;
};

Split splitOf(const std::vector<Body>& bodies, Cuts& cuts) {
  Split split;
  BodySplitter splitter;
  split.movable.resize(bodies.size());
  std::iota(split.movable.begin(), split.movable.end(), 0u);
  split.parts = splitter.split(bodies, Tasks(2), split.movable, split.partOf, cuts);
  return split;
}
Split splitOf(const std::vector<Body>& bodies) {
  Cuts none;
  return splitOf(bodies, none);
}

std::vector<Body> cloud(std::size_t count, const Vec3& size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<Body> bodies(count);
  for (Body& body : bodies) body.center = size.cwiseProduct(Vec3(unit(random), unit(random), unit(random)));
  return bodies;
}

TEST(SplitBodies, EveryBodyIsInOnePartAndPartsAreAboutEqual) {
  for (const std::size_t count : {1, 100, 511, 512, 513, 1000, 1023, 1024, 5000, 20001}) {
    const Split split = splitOf(cloud(count, Vec3(10, 10, 3), 1));
    std::vector<std::uint32_t> sorted = split.movable;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(sorted[i], i);
    if (count < 512) {
      EXPECT_EQ(split.parts, 1u);
      EXPECT_TRUE(split.partOf.empty());
      EXPECT_TRUE(std::is_sorted(split.movable.begin(), split.movable.end()));
      continue;
    }
    ASSERT_EQ(split.partOf.size(), count);
    EXPECT_TRUE(std::is_sorted(split.partOf.begin(), split.partOf.end()));
    std::vector<std::size_t> sizes(split.parts, 0);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_LT(split.partOf[i], split.parts);
      ++sizes[split.partOf[i]];
      const bool goesOn = i > 0 && split.partOf[i] == split.partOf[i - 1];
      ASSERT_TRUE(!goesOn || split.movable[i - 1] < split.movable[i]);
    }
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_GE(*least, 256u);
    EXPECT_LE(*most - *least, 1u);
  }
}

// Bodies that move a little stay in their parts, new ones come into the part where they are, and all is cut anew when parts
// have become uneven.
TEST(SplitBodies, CutsServeUntilPartsAreUneven) {
  std::vector<Body> bodies = cloud(4000, Vec3(20, 20, 10), 3);
  Cuts cuts;
  const Split before = splitOf(bodies, cuts);
  ASSERT_EQ(before.parts, 8u);
  const auto partsByBody = [&](const Split& split) {
    std::vector<std::uint16_t> parts(split.movable.size());
    for (std::size_t i = 0; i < parts.size(); ++i) parts[split.movable[i]] = split.partOf[i];
    return parts;
  };
  const std::vector<Cuts::Cut> first = cuts.cuts;
  const auto isCutAlike = [&] {
    return std::equal(first.begin(), first.end(), cuts.cuts.begin(), cuts.cuts.end(),
                      [](const Cuts::Cut& a, const Cuts::Cut& b) { return a.axis == b.axis && a.place == b.place; });
  };
  for (Body& body : bodies) body.center.x() += 1e-7;
  EXPECT_EQ(partsByBody(splitOf(bodies, cuts)), partsByBody(before));
  EXPECT_TRUE(isCutAlike());

  // One in eight goes to a corner: its part is now too large.
  for (std::size_t i = 0; i < bodies.size(); i += 8) bodies[i].center = Vec3(0.1, 0.1, 0.1);
  const Split after = splitOf(bodies, cuts);
  EXPECT_FALSE(isCutAlike());
  std::vector<std::size_t> sizes(after.parts, 0);
  for (const std::uint16_t part : after.partOf) ++sizes[part];
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  EXPECT_LE(*most - *least, 1u);
}

TEST(SplitBodies, AcrossTheLongestSide) {
  const std::vector<Body> bodies = cloud(600, Vec3(1, 2, 30), 2);
  const Split split = splitOf(bodies);
  ASSERT_EQ(split.parts, 2u);
  double top = 0.0, bottom = 1e9;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double z = bodies[split.movable[i]].center.z();
    if (split.partOf[i] == 0) {
      top = std::max(top, z);
    } else {
      bottom = std::min(bottom, z);
    }
  }
  EXPECT_LE(top, bottom);
}

// An island that no cache holds is cut into slabs one behind another first, and those are cut as they come.
TEST(SplitBodies, LargeIslandsAreCutIntoSlabs) {
  std::vector<Body> bodies = cloud(20000, Vec3(50, 60, 5), 4);
  for (Body& body : bodies) body.size = 0.5f;
  const Split split = splitOf(bodies);
  ASSERT_EQ(split.parts, 64u);
  constexpr std::size_t kSlabs = 16;  // of 3.75 m: four bodies
  std::vector<double> low(kSlabs, 1e9), high(kSlabs, -1e9);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::size_t slab = split.partOf[i] / (split.parts / kSlabs);
    const double y = bodies[split.movable[i]].center.y();
    low[slab] = std::min(low[slab], y);
    high[slab] = std::max(high[slab], y);
  }
  for (std::size_t slab = 1; slab < kSlabs; ++slab) EXPECT_LE(high[slab - 1], low[slab]);
  // Of bodies twice as thick there would be two in a slab.
  for (Body& body : bodies) body.size = 1.0f;
  const Split thick = splitOf(bodies);
  double firstHigh = -1e9, secondLow = 1e9;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double y = bodies[thick.movable[i]].center.y();
    if (thick.partOf[i] < 4) firstHigh = std::max(firstHigh, y);
    if (thick.partOf[i] >= 4 && thick.partOf[i] < 8) secondLow = std::min(secondLow, y);
  }
  EXPECT_GT(firstHigh, secondLow);
}

TEST(SplitBodies, BodiesInOnePlaceAreSplitByTheirNumbers) {
  const Split split = splitOf(std::vector<Body>(1024));
  ASSERT_EQ(split.parts, 4u);
  EXPECT_TRUE(std::is_sorted(split.movable.begin(), split.movable.end()));
}

}  // namespace
}  // namespace cairn
