// The numbering of parts and cuts against a tree that is made by cutting.
#include "soft/layout/cut_tree.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

namespace cairn {
namespace {

TEST(CutTree, PairsOfPartsBelongToTheCutThatPartedThemOrToTheirUnit) {
  for (std::uint32_t parts = 1; parts <= 256; parts *= 2) {
    const std::uint32_t unit = cut_tree::partsOfUnit(parts);
    EXPECT_LE(unit, 4u);
    EXPECT_GE(parts / unit, std::min(parts, 8u));
    std::vector<int> met(cut_tree::groupCount(parts), 0);
    const auto both = [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t group = cut_tree::groupBetween(a, b, unit);
      EXPECT_EQ(group, cut_tree::groupBetween(b, a, unit));
      return group;
    };
    const std::function<void(std::uint32_t, std::uint32_t)> cut = [&](std::uint32_t first, std::uint32_t count) {
      if (count == 1) {
        ++met[both(first, first)];
        EXPECT_EQ(cut_tree::heightOf(both(first, first)), 0);
        return;
      }
      const std::uint32_t group = cut_tree::cutOf(first, count), middle = first + count / 2;
      EXPECT_EQ(cut_tree::partsOf(group).first, first);
      EXPECT_EQ(cut_tree::partsOf(group).last, first + count);
      EXPECT_EQ(1u << cut_tree::heightOf(group), count);
      EXPECT_EQ(cut_tree::cutOfHeight(cut_tree::heightOf(group), first / count), group);
      if (count >= unit) {
        ++met[group];
        for (std::uint32_t a = first; a < middle; ++a)
          for (std::uint32_t b = middle; b < first + count; ++b) EXPECT_EQ(both(a, b), group);
      } else {
        const std::uint32_t whole = cut_tree::cutOf(first & ~(unit - 1), unit);
        for (std::uint32_t a = first; a < middle; ++a)
          for (std::uint32_t b = middle; b < first + count; ++b) EXPECT_EQ(both(a, b), whole);
      }
      cut(first, count / 2);
      cut(middle, count / 2);
    };
    cut(0, parts);
    for (const int times : met) EXPECT_LE(times, 1);  // no number twice
  }
}

}  // namespace
}  // namespace cairn
