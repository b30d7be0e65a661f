#include "collision/dynamic_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "collision/random_shapes.hpp"

namespace cairn::test {
namespace {

Aabb randomBox(Random& random, double spread, double size) {
  const Vec3 center = randomVector(random, spread);
  const Vec3 half(uniform(random, 0.0, size), uniform(random, 0.0, size), uniform(random, 0.0, size));
  return {center - half, center + half};
}

struct Leaf {
  DynamicTree::Node node;
  Aabb box;
};

std::vector<std::uint32_t> found(const DynamicTree& tree, const Aabb& box) {
  std::vector<std::uint32_t> values;
  tree.query(box, [&](std::uint32_t value) { values.push_back(value); });
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<std::uint32_t> foundInCopy(const DynamicTree& tree, const Aabb& box) {
  DynamicTree::WideCopy copy;
  tree.copyTo(copy);
  std::vector<std::uint32_t> values, room;
  tree.query(copy, box, room, [&](std::uint32_t value) { values.push_back(value); });
  std::sort(values.begin(), values.end());
  return values;
}

void expectSameAsBruteForce(const DynamicTree& tree, const std::map<std::uint32_t, Leaf>& leaves, const Aabb& box) {
  std::vector<std::uint32_t> expected;
  for (const auto& [value, leaf] : leaves) {
    if (leaf.box.overlaps(box)) expected.push_back(value);
  }
  EXPECT_EQ(found(tree, box), expected);
  EXPECT_EQ(foundInCopy(tree, box), expected);
}

TEST(DynamicTree, FindsExactlyTheOverlapsThatBruteForceFindsUnderRandomEdits) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(samples(60) / 10); ++seed) {
    Random random(seed);
    DynamicTree tree;
    std::map<std::uint32_t, Leaf> leaves;
    std::uint32_t next = 0;
    const double spread = seed % 2 ? 5.0 : 30.0;
    for (int edit = 0; edit < 3000; ++edit) {
      const double choice = uniform(random, 0.0, 1.0);
      const double growing = edit < 1500 ? 0.6 : 0.25;
      if (leaves.empty() || choice < growing) {
        const Aabb box = randomBox(random, spread, choice < 0.02 ? 40.0 : 1.0);
        leaves[next] = {tree.insert(box, next), box};
        ++next;
      } else {
        auto it = leaves.begin();
        std::advance(it, static_cast<std::ptrdiff_t>(random() % leaves.size()));
        if (choice < 0.8) {
          it->second.box = randomBox(random, spread, 1.0);
          tree.move(it->second.node, it->second.box);
        } else {
          tree.remove(it->second.node);
          leaves.erase(it);
        }
      }
      ASSERT_EQ(tree.leafCount(), leaves.size());
      if (edit % 10 == 0) {
        ASSERT_TRUE(tree.isConsistent()) << "seed " << seed << " edit " << edit;
        expectSameAsBruteForce(tree, leaves, randomBox(random, spread, 3.0));
      }
    }
    for (const auto& [value, leaf] : leaves) {
      EXPECT_EQ(tree.value(leaf.node), value);
      EXPECT_EQ(tree.box(leaf.node).lower, leaf.box.lower);
      expectSameAsBruteForce(tree, leaves, leaf.box);
    }
    while (!leaves.empty()) {
      tree.remove(leaves.begin()->second.node);
      leaves.erase(leaves.begin());
    }
    EXPECT_TRUE(tree.isConsistent());
    EXPECT_EQ(tree.height(), -1);
  }
}

// Distance at which a ray enters a box, written independently: the largest of the entries into the three slabs.
double enterByDefinition(const Aabb& box, const Vec3& origin, const Vec3& direction) {
  double enter = 0.0, leave = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    double a = (box.lower[k] - origin[k]) / direction[k], b = (box.upper[k] - origin[k]) / direction[k];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return enter <= leave ? enter : std::numeric_limits<double>::infinity();
}

TEST(DynamicTree, RaysMeetTheSameLeavesAsBruteForceAndPruningFindsTheNearest) {
  Random random(7);
  DynamicTree tree;
  std::vector<Aabb> boxes;
  for (std::uint32_t i = 0; i < 500; ++i) {
    boxes.push_back(randomBox(random, 10.0, 1.0));
    tree.insert(boxes.back(), i);
  }
  for (int ray = 0; ray < 500; ++ray) {
    const Vec3 origin = randomVector(random, 15.0), direction = randomDirection(random);
    const double length = uniform(random, 0.0, 40.0);
    std::vector<std::uint32_t> expected, hit;
    double nearest = length;
    for (std::uint32_t i = 0; i < boxes.size(); ++i) {
      const double enter = enterByDefinition(boxes[i], origin, direction);
      if (enter <= length) expected.push_back(i);
      nearest = std::min(nearest, enter);
    }
    tree.castRay(origin, direction, length, [&](std::uint32_t value, double enter) {
      EXPECT_NEAR(enter, enterByDefinition(boxes[value], origin, direction), 1e-12);
      hit.push_back(value);
      return length;
    });
    std::sort(hit.begin(), hit.end());
    EXPECT_EQ(hit, expected);
    double best = length;
    tree.castRay(origin, direction, length, [&](std::uint32_t, double enter) { return best = std::min(best, enter); });
    EXPECT_NEAR(best, nearest, 1e-12);
  }
}

TEST(DynamicTree, RaysAlongAnAxisThatGrazeAFaceHitIt) {
  DynamicTree tree;
  tree.insert({Vec3(1, 0, 0), Vec3(2, 1, 1)}, 5);
  int hits = 0;
  const auto count = [&](std::uint32_t, double) {
    ++hits;
    return 10.0;
  };
  tree.castRay(Vec3(0, 0, 0.5), Vec3::UnitX(), 10.0, count);  // in the plane of a side
  EXPECT_EQ(hits, 1);
  tree.castRay(Vec3(0, -1e-9, 0.5), Vec3::UnitX(), 10.0, count);
  EXPECT_EQ(hits, 1);
}

TEST(DynamicTree, HeightStaysLogarithmicForSortedInserts) {
  for (const int n : {100, 1000, samples(20000)}) {
    DynamicTree tree;
    for (int i = 0; i < n; ++i) tree.insert({Vec3(i, 0, 0), Vec3(i + 1.1, 1, 1)}, static_cast<std::uint32_t>(i));
    EXPECT_TRUE(tree.isConsistent());
    EXPECT_LE(tree.height(), 2.2 * std::log2(n)) << n;  // bound of the height slack; a list would have n - 1
  }
}

TEST(DynamicTree, HeightStaysLogarithmicWhenEverythingOverlapsEverything) {
  DynamicTree tree;
  for (std::uint32_t i = 0; i < 5000; ++i) tree.insert({Vec3::Constant(-1.0), Vec3::Constant(1.0)}, i);
  EXPECT_TRUE(tree.isConsistent());
  EXPECT_LE(tree.height(), 2.2 * std::log2(5000));
}

TEST(DynamicTree, BoxesOfPlanesAndEmptyBoxesDoNoHarm) {
  Random random(3);
  DynamicTree tree;
  std::map<std::uint32_t, Leaf> leaves;
  const double infinity = std::numeric_limits<double>::infinity();
  std::uint32_t value = 0;
  for (int i = 0; i < 300; ++i) {
    Aabb box = randomBox(random, 10.0, 1.0);
    if (i % 10 == 1) box = {Vec3::Constant(-1e300), Vec3(1e300, 1e300, uniform(random, -1, 1))};
    if (i % 10 == 2) box = {Vec3::Constant(-infinity), Vec3::Constant(infinity)};
    if (i % 10 == 3) box = {Vec3::Zero(), Vec3::Zero()};
    leaves[value] = {tree.insert(box, value), box};
    ++value;
  }
  EXPECT_TRUE(tree.isConsistent());
  EXPECT_LE(tree.height(), 2.2 * std::log2(300));
  for (int i = 0; i < 100; ++i) expectSameAsBruteForce(tree, leaves, randomBox(random, 12.0, 2.0));
}

TEST(DynamicTree, CopiesAreIndependentAndEditsAreDeterministic) {
  const auto build = [] {
    Random random(11);
    DynamicTree tree;
    std::vector<DynamicTree::Node> nodes;
    for (std::uint32_t i = 0; i < 400; ++i) nodes.push_back(tree.insert(randomBox(random, 10.0, 1.0), i));
    for (int i = 0; i < 200; ++i) tree.move(nodes[random() % nodes.size()], randomBox(random, 10.0, 1.0));
    return tree;
  };
  const DynamicTree tree = build();
  DynamicTree copy = tree;
  std::vector<std::uint32_t> before, after, again;
  const Aabb all{Vec3::Constant(-20.0), Vec3::Constant(20.0)};
  tree.query(all, [&](std::uint32_t value) { before.push_back(value); });
  copy.insert({Vec3::Zero(), Vec3::Ones()}, 12345);
  tree.query(all, [&](std::uint32_t value) { after.push_back(value); });
  EXPECT_EQ(before, after);  // same order too: nothing in the original moved
  build().query(all, [&](std::uint32_t value) { again.push_back(value); });
  EXPECT_EQ(before, again);
}

}  // namespace
}  // namespace cairn::test
