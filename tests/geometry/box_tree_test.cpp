#include "geometry/box_tree.hpp"

#include <gtest/gtest.h>

#include <set>

#include "geometry/testing.hpp"

namespace cairn::testing {
namespace {

std::vector<Aabb> randomBoxes(Random& random, int count, double half, const Vec3& offset) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < count; ++i) {
    const Vec3 at = offset + randomVector(random, half), size = randomVector(random, 0.1 * half).cwiseAbs();
    boxes.push_back({at - size, at + size});
  }
  return boxes;
}

struct Place {
  double size;
  Vec3 offset;
};
const Place kPlaces[] = {{1.0, Vec3::Zero()}, {1e-3, Vec3::Zero()}, {1e3, Vec3::Zero()}, {1.0, {1e6, -1e6, 1e6}}};

TEST(BoxTree, OverlapVisitsAllThatOverlapOnceAndFewOthers) {
  Random random(1);
  for (const Place& place : kPlaces) {
    for (int count : {1, 2, 4, 5, 17, 300, 5000}) {
      const std::vector<Aabb> boxes = randomBoxes(random, count, place.size, place.offset);
      const BoxTree tree(boxes);
      EXPECT_EQ(tree.size(), boxes.size());
      int visited = 0, overlapping = 0;
      for (int i = 0; i < 200; ++i) {
        const Vec3 at = place.offset + randomVector(random, 1.3 * place.size), size = randomVector(random, 0.3 * place.size).cwiseAbs();
        const Aabb query{at - size, at + size};
        std::vector<int> visits(boxes.size(), 0);
        EXPECT_TRUE(tree.overlap(query, [&](std::uint32_t item) { ++visits[item]; }));
        for (std::size_t k = 0; k < boxes.size(); ++k) {
          ASSERT_LE(visits[k], 1);
          if (boxes[k].overlaps(query)) {
            ASSERT_EQ(visits[k], 1);
          }
          visited += visits[k];
          overlapping += boxes[k].overlaps(query) ? 1 : 0;
        }
      }
      if (count == 5000) {
        EXPECT_LT(visited, 2.5 * overlapping) << "whole leaves are visited: measured 2.2";
      }
    }
  }
}

// What touches in exactly one plane counts as overlapping, however the bounds round.
TEST(BoxTree, OverlapFindsBoxesThatTouchExactly) {
  Random random(2);
  const std::vector<Aabb> boxes = randomBoxes(random, 3000, 1.0, {0.1, 0.2, 0.3});
  const BoxTree tree(boxes);
  for (std::uint32_t k = 0; k < boxes.size(); ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      Aabb query = boxes[k];
      query.lower[axis] = query.upper[axis];
      query.upper[axis] += 0.01;
      bool isFound = false;
      tree.overlap(query, [&](std::uint32_t item) { isFound |= item == k; });
      ASSERT_TRUE(isFound);
    }
  }
}

TEST(BoxTree, VisitorEndsTheQuery) {
  Random random(3);
  const std::vector<Aabb> boxes = randomBoxes(random, 100, 1.0, Vec3::Zero());
  const BoxTree tree(boxes);
  int visits = 0;
  EXPECT_FALSE(tree.overlap(tree.bounds(), [&](std::uint32_t) { return ++visits < 7; }));
  EXPECT_EQ(visits, 7);
}

// Slab test in double precision.
std::optional<double> castOnBox(const Aabb& box, const Vec3& center, const Vec3& half, const Vec3& direction, double length) {
  double enter = 0.0, leave = length;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = box.lower[axis] - half[axis] - center[axis], high = box.upper[axis] + half[axis] - center[axis];
    if (direction[axis] == 0.0) {
      if (low > 0.0 || high < 0.0) return std::nullopt;
      continue;
    }
    enter = std::max(enter, std::min(low / direction[axis], high / direction[axis]));
    leave = std::min(leave, std::max(low / direction[axis], high / direction[axis]));
  }
  if (enter > leave) return std::nullopt;
  return enter;
}

TEST(BoxTree, CastFindsTheFirstBoxFromAnywhereInAnyDirection) {
  Random random(4);
  int hits = 0;
  for (const Place& place : kPlaces) {
    const std::vector<Aabb> boxes = randomBoxes(random, 2000, place.size, place.offset);
    const BoxTree tree(boxes);
    for (int i = 0; i < 2000; ++i) {
      const double away = i % 3 == 0 ? 100.0 : 1.5;
      const Vec3 target = place.offset + randomVector(random, place.size);
      const Vec3 center = place.offset + randomVector(random, away * place.size);
      Vec3 direction = (target - center).normalized();
      if (i % 7 == 0) direction = Vec3::Unit(i % 3);
      const Vec3 half = i % 2 == 0 ? Vec3(Vec3::Zero()) : Vec3(randomVector(random, 0.1 * place.size).cwiseAbs());
      const double length = i % 5 == 0 ? std::numeric_limits<double>::infinity() : uniform(random, 0.0, 3.0 * away) * place.size;
      double expected = length;
      for (const Aabb& box : boxes) {
        if (const auto t = castOnBox(box, center, half, direction, length)) expected = std::min(expected, *t);
      }
      int tests = 0;
      const double found = tree.cast(center, half, direction, length, [&](std::uint32_t item, double best) {
        ++tests;
        return castOnBox(boxes[item], center, half, direction, best).value_or(best);
      });
      ASSERT_EQ(found, expected);
      hits += expected < length ? 1 : 0;
      bool isAny = false;
      isAny = tree.cast(center, half, direction, length, [&](std::uint32_t item, double best) {
        return castOnBox(boxes[item], center, half, direction, best) ? -1.0 : best;
      }) < 0.0;
      ASSERT_EQ(isAny, castOnBox(tree.bounds(), center, half, direction, length).has_value() && expected < length);
      if (half.isZero()) {
        EXPECT_LT(tests, 400);
      }
    }
  }
  EXPECT_GT(hits, 3000);
}

TEST(BoxTree, NearestIsThatOfBruteForce) {
  Random random(5);
  for (const Place& place : kPlaces) {
    const std::vector<Aabb> boxes = randomBoxes(random, 2000, place.size, place.offset);
    const BoxTree tree(boxes);
    const auto square = [&](std::size_t k, const Vec3& p) {
      return (boxes[k].lower - p).cwiseMax(p - boxes[k].upper).cwiseMax(0.0).squaredNorm();
    };
    for (int i = 0; i < 1000; ++i) {
      const Vec3 point = place.offset + randomVector(random, (i % 3 == 0 ? 1000.0 : 1.5) * place.size);
      double expected = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < boxes.size(); ++k) expected = std::min(expected, square(k, point));
      const auto test = [&](std::uint32_t item, double) { return square(item, point); };
      ASSERT_EQ(tree.nearest(point, std::numeric_limits<double>::infinity(), test), expected);
      ASSERT_EQ(tree.nearest(point, 0.25 * expected, test), 0.25 * expected);
    }
  }
}

// Equal boxes cannot be split by place, boxes of ever smaller size only a few at a time: neither overflows the stack of a query.
TEST(BoxTree, EqualBoxesAndGeometricSeriesOfBoxesAreFound) {
  std::vector<Aabb> boxes(10000, Aabb{Vec3::Zero(), Vec3::Ones()});
  for (int i = 0; i < 1000; ++i) {
    const double x = std::pow(0.5, i % 900);
    boxes.push_back({Vec3::Constant(x), Vec3::Constant(1.5 * x)});
  }
  const BoxTree tree(boxes);
  std::set<std::uint32_t> seen;
  tree.overlap(tree.bounds(), [&](std::uint32_t item) { seen.insert(item); });
  EXPECT_EQ(seen.size(), boxes.size());
  int tests = 0;
  tree.cast(Vec3::Constant(-1.0), Vec3::Zero(), Vec3::Ones(), 10.0, [&](std::uint32_t, double best) { return ++tests, best; });
  EXPECT_EQ(tests, 11000);
}

TEST(BoxTree, FlatAndPointLikeSetsAreFound) {
  std::vector<Aabb> flat;
  for (int i = 0; i < 100; ++i) flat.push_back({Vec3(i, 0, 5), Vec3(i + 1, 1, 5)});
  const BoxTree tree(flat);
  std::set<std::uint32_t> seen;
  tree.overlap({Vec3(10.5, 0.5, 4), Vec3(10.6, 0.6, 6)}, [&](std::uint32_t item) { seen.insert(item); });
  EXPECT_TRUE(seen.contains(10));
  EXPECT_LE(seen.size(), 4u);
  const std::vector<Aabb> points(9, Aabb{Vec3::Constant(3.0), Vec3::Constant(3.0)});
  int count = 0;
  BoxTree(points).overlap({Vec3::Constant(3.0), Vec3::Constant(3.0)}, [&](std::uint32_t) { ++count; });
  EXPECT_EQ(count, 9);
}

TEST(BoxTree, TheSameBitsForAnyNumberOfThreads) {
  Random random(6);
  const std::vector<Aabb> boxes = randomBoxes(random, 50000, 1.0, Vec3::Zero());
  const std::uint64_t alone = BoxTree(boxes).hash();
  for (int threads : {2, 3, 8}) {
    const Tasks tasks(threads);
    EXPECT_EQ(BoxTree(boxes, tasks).hash(), alone);
  }
}

TEST(BoxTree, BadInputIsRefusedAndAnEmptyTreeAnswers) {
  const BoxTree nothing;
  EXPECT_TRUE(nothing.overlap({Vec3::Zero(), Vec3::Ones()}, [](std::uint32_t) { return false; }));
  EXPECT_EQ(nothing.nearest(Vec3::Zero(), 3.0, [](std::uint32_t, double) { return 0.0; }), 3.0);
  std::vector<Aabb> boxes(2, Aabb{Vec3::Zero(), Vec3::Ones()});
  boxes[1].upper.y() = std::nan("");
  EXPECT_THROW(BoxTree{boxes}, std::invalid_argument);
  boxes[1].upper.y() = -1.0;
  EXPECT_THROW(BoxTree{boxes}, std::invalid_argument);
  boxes[1] = Aabb{Vec3::Constant(-1.5e308), Vec3::Constant(1.5e308)};
  EXPECT_THROW(BoxTree{boxes}, std::invalid_argument);
}

// A query with numbers that are not finite finds nothing, or all that it may; it does not crash.
TEST(BoxTree, QueriesWithoutFiniteNumbersEnd) {
  Random random(7);
  const BoxTree tree(randomBoxes(random, 500, 1.0, Vec3::Zero()));
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  int count = 0;
  tree.overlap({Vec3::Constant(nan), Vec3::Constant(nan)}, [&](std::uint32_t) { ++count; });
  EXPECT_EQ(count, 0);
  tree.overlap({Vec3::Constant(-inf), Vec3::Constant(inf)}, [&](std::uint32_t) { ++count; });
  EXPECT_EQ(count, 500);
  const auto test = [&](std::uint32_t, double best) { return best; };
  for (const Vec3& bad : {Vec3(nan, 0, 0), Vec3(inf, 0, 0), Vec3(0, -inf, 0), Vec3(1e308, 0, 0)}) {
    tree.cast(bad, Vec3::Zero(), Vec3::UnitX(), 1.0, test);
    tree.cast(Vec3::Zero(), Vec3::Zero(), bad, 1.0, test);
    tree.nearest(bad, inf, test);
  }
}

}  // namespace
}  // namespace cairn::testing
