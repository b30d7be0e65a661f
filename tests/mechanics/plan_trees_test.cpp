// Random graphs of joints: what the plan must be, counted without it.
#include "mechanics/plan_trees.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace cairn {
namespace {

// How many groups the edges leave, by painting over.
int groupsOf(std::uint32_t nodes, const std::vector<TreePlan::Edge>& edges) {
  std::vector<std::uint32_t> colour(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) colour[i] = i;
  for (const TreePlan::Edge& edge : edges) {
    if (edge.a == kNone || edge.b == kNone) continue;
    const std::uint32_t from = colour[edge.b], to = colour[edge.a];
    for (std::uint32_t& one : colour)
      if (one == from) one = to;
  }
  return static_cast<int>(std::set<std::uint32_t>(colour.begin(), colour.end()).size());
}

TEST(PlanTrees, EveryJointIsOfATreeOrAStayOrClosesALoop) {
  std::mt19937 random(1);
  TreePlan plan;
  for (int run = 0; run < 300; ++run) {
    const std::uint32_t nodes = 1 + random() % 12;
    plan.edges.clear();
    for (std::uint32_t joint = 0; joint < random() % 20; ++joint) {
      const bool grounded = random() % 4 == 0;
      plan.edges.push_back({joint, grounded && random() % 2 == 0 ? kNone : static_cast<std::uint32_t>(random() % nodes),
                            static_cast<std::uint32_t>(random() % nodes)});
      if (grounded && plan.edges.back().a != kNone) plan.edges.back().b = kNone;
    }
    plan.make(nodes);

    std::multiset<std::uint32_t> seen(plan.loops.begin(), plan.loops.end());
    std::set<std::uint32_t> placed;
    for (const TreePlan::Tree& tree : plan.trees) {
      for (std::uint32_t i = tree.firstLink; i < tree.lastLink; ++i) {
        const TreePlan::Link& link = plan.links[i];
        EXPECT_TRUE(placed.insert(link.node).second);
        if (link.joint != kNone) seen.insert(link.joint);
        if (link.parent == kNone) {
          EXPECT_EQ(i, tree.firstLink);
          continue;
        }
        EXPECT_LT(link.parent, i - tree.firstLink);
        const TreePlan::Edge& edge = plan.edges[link.joint];
        const std::uint32_t parent = plan.links[tree.firstLink + link.parent].node;
        EXPECT_TRUE((edge.a == link.node && edge.b == parent) || (edge.b == link.node && edge.a == parent));
      }
      for (std::uint32_t i = tree.firstClosure; i < tree.lastClosure; ++i) {
        const TreePlan::Edge& edge = plan.edges[plan.closures[i].joint];
        const std::uint32_t node = plan.links[tree.firstLink + plan.closures[i].link].node;
        EXPECT_TRUE((edge.a == kNone && edge.b == node) || (edge.b == kNone && edge.a == node));
        seen.insert(plan.closures[i].joint);
      }
    }
    ASSERT_EQ(seen.size(), plan.edges.size());
    for (const TreePlan::Edge& edge : plan.edges) EXPECT_EQ(seen.count(edge.joint), 1u);
    int inner = 0;
    for (const TreePlan::Edge& edge : plan.edges) inner += edge.a != kNone && edge.b != kNone;
    EXPECT_EQ(static_cast<int>(plan.loops.size()), inner - (static_cast<int>(nodes) - groupsOf(nodes, plan.edges)));
  }
}

}  // namespace
}  // namespace cairn
