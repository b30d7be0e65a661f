// Trees of rods against the same trees as bodies of any shape.
#include "mechanics/rod_tree.hpp"

#include <gtest/gtest.h>

#include <random>

#include "math/rotation.hpp"

namespace cairn {
namespace {

struct Trees {
  JointTree joints;
  std::vector<TreeLink> links;
  RodTree rods;
};

// A chain, or a tree with branches and several roots; masses from 10^-decades to 10^decades kg.
Trees randomTrees(std::mt19937& engine, int count, double decades, bool chain) {
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  const auto vector = [&] { return Vec3(part(engine), part(engine), part(engine)); };
  Trees trees;
  std::vector<double> stiffness;
  trees.rods.rods.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const bool isRoot = i == 0 || (!chain && engine() % 8 == 0);
    const std::uint32_t parent = isRoot ? kNone : chain ? i - 1 : engine() % static_cast<unsigned>(i);
    const Hold kind = isRoot && engine() % 2 == 0 ? Hold::Nothing : Hold::Ball;
    TreeLink& link = trees.joints.links[trees.joints.addLink(parent, kind)];
    RodLink& rod = trees.rods.rods[static_cast<std::size_t>(i)];
    const Mat3 axes = rotated(Quat::Identity(), 3.0 * vector()).toRotationMatrix();
    const Vec3 n = axes.col(0), e = axes.col(1), f = axes.col(2);
    link.mass = std::pow(10.0, decades * part(engine));
    Mat3 own = Mat3::Zero();
    own.diagonal() << 0.01, 0.2, 0.25;
    own(1, 2) = own(2, 1) = 0.05 * part(engine);
    own *= link.mass;
    stiffness.push_back(engine() % 2 == 0 ? 0.0 : 100.0);
    Mat3 stiff = Mat3::Zero();
    stiff(1, 1) = stiff(2, 2) = stiffness.back();
    link.inertia = turnedTensor(axes, own + stiff);
    rod.reach = kind == Hold::Ball ? part(engine) : 0.0;
    link.arm = rod.reach * n;
    rod.n = n;
    rod.x = Two{f.x(), -e.x()};
    rod.y = Two{f.y(), -e.y()};
    rod.z = Two{f.z(), -e.z()};
    rod.moments = Two{own(1, 1), own(2, 2)} + both(link.mass * rod.reach * rod.reach);
    rod.cross = own(1, 2);
    if (parent != kNone) {
      const double reach = part(engine);
      link.parentArm = reach * trees.rods.rods[parent].n;
      rod.offset = reach - trees.rods.rods[parent].reach;
    }
    link.questions[0].ask = vector();
    link.questions[1].ask = vector();
  }
  trees.links = trees.joints.links;
  for (std::size_t i = 0; i < trees.links.size(); ++i) {
    RodTree::place(trees.rods.rods[i], trees.links[i].mass, 0.5 * stiffness[i]);
    RodTree::stiffen(trees.rods.rods[i], 0.5 * stiffness[i]);
  }
  return trees;
}

void expectTheSame(const Trees& trees, int questions, double tolerance) {
  for (int q = 0; q < questions; ++q) {
    double speed = 0.0, impulse = 0.0;  // the largest of all
    for (const TreeLink& link : trees.joints.links) {
      speed = std::max({speed, link.questions[q].change.norm(), link.questions[q].turn.norm()});
      if (link.kind == Hold::Ball) impulse = std::max(impulse, link.questions[q].impulse.norm());
    }
    for (std::size_t i = 0; i < trees.links.size(); ++i) {
      const TreeLink::Question& wanted = trees.joints.links[i].questions[q];
      const TreeLink::Question& found = trees.links[i].questions[q];
      EXPECT_LT((found.change - wanted.change).norm(), tolerance * speed) << i;
      EXPECT_LT((found.turn - wanted.turn).norm(), tolerance * speed) << i;
      if (trees.links[i].kind != Hold::Ball) continue;
      EXPECT_LT((found.impulse - wanted.impulse).norm(), tolerance * impulse) << i;
    }
  }
}

TEST(RodTree, MovesAsBodiesOfAnyShapeDo) {
  std::mt19937 engine(1);
  for (int trial = 0; trial < 50; ++trial) {
    for (const bool chain : {true, false}) {
      Trees trees = randomTrees(engine, 2 + trial % 20, 0.5, chain);
      const int questions = 1 + trial % 2;
      trees.joints.factorAndSolve(questions);
      trees.rods.factorAndSolve(trees.links, questions);
      expectTheSame(trees, questions, 1e-9);
    }
  }
}

TEST(RodTree, HeavyLoadsOnLightRods) {
  std::mt19937 engine(2);
  for (int trial = 0; trial < 50; ++trial) {
    Trees trees = randomTrees(engine, 20, 3.0, true);
    trees.joints.factorAndSolve(1);
    trees.rods.factorAndSolve(trees.links, 1);
    expectTheSame(trees, 1, 1e-5);
  }
}

TEST(RodTree, AnswersFurtherQuestionsWithTheSameMatrices) {
  std::mt19937 engine(3);
  Trees trees = randomTrees(engine, 15, 0.5, false);
  trees.joints.factorAndSolve(2);
  trees.rods.factorAndSolve(trees.links, 2);
  for (std::size_t i = 0; i < trees.links.size(); ++i)
    for (int q = 0; q < 2; ++q)
      trees.links[i].questions[q].ask = trees.joints.links[i].questions[q].ask = Vec3(0.1 * static_cast<double>(i), q, 1.0);
  trees.joints.solve(2);
  trees.rods.solve(trees.links, 2);
  expectTheSame(trees, 2, 1e-9);
}

}  // namespace
}  // namespace cairn
