// Elimination along trees of joints against one dense system for all bodies and joints.
#include "mechanics/joint_tree.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "math/rotation.hpp"

namespace cairn {
namespace {

using DenseMatrix = Eigen::MatrixXd;
using DenseVector = Eigen::VectorXd;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()(double low, double high) { return low + (high - low) * (engine_() / 4294967296.0); }
  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  Vec3 vector(double size) {
    const double x = (*this)(-size, size), y = (*this)(-size, size);
    return {x, y, (*this)(-size, size)};
  }
  double mass(double decades) { return std::pow(10.0, (*this)(-decades, decades)); }

 private:
  std::mt19937 engine_;
};

void randomRows(Random& random, RowHold& hold) {
  hold.rows = 1 + random.below(kJointRows);
  hold.compliance = random.below(3) == 0 ? random(0.0, 1.0) : 0.0;
  for (int i = 0; i < hold.rows; ++i) {
    // Rows of one joint are well apart, as those of real joints are.
    hold.child[i] << random.vector(0.2), random.vector(0.2);
    hold.parent[i] << random.vector(0.2), random.vector(0.2);
    hold.child[i][i] += 1.0;
    hold.parent[i][i] -= 1.0;
    hold.questions[0].ask[i] = random(-1.0, 1.0);
  }
}

void randomAsk(Random& random, JointTree& tree, int question = 0) {
  for (TreeLink& link : tree.links) link.questions[question].ask = random.vector(1.0);
  for (RowHold& hold : tree.holds)
    for (double& ask : hold.questions[question].ask) ask = random(-1.0, 1.0);
  for (TreeClosure& closure : tree.closures)
    for (double& ask : closure.hold.questions[question].ask) ask = random(-1.0, 1.0);
}

// `decades`: masses are from 10^-decades to 10^decades kg.
JointTree randomTree(Random& random, int count, double decades, bool chain, bool ballsOnly) {
  JointTree tree;
  for (int i = 0; i < count; ++i) {
    // Now and then a further root, held or floating.
    const bool root = i == 0 || (!chain && random.below(8) == 0);
    const std::uint32_t parent = root ? kNone : chain ? i - 1 : random.below(i);
    const int pick = random.below(ballsOnly ? 2 : 4);
    const Hold kind = root && pick == 0 ? Hold::Nothing : pick < 2 || ballsOnly ? Hold::Ball : Hold::Rows;
    TreeLink& link = tree.links[tree.addLink(parent, kind)];
    link.mass = random.mass(decades);
    const double size = random(0.1, 1.0);
    const Vec3 moments = link.mass * size * size * Vec3(random(0.1, 0.4), random(0.1, 0.4), random(0.1, 0.4));
    const Quat turn = rotated(Quat::Identity(), random.vector(3.0));
    link.inertia = Symmetric3::of(inWorldAxes(turn, moments.asDiagonal()));
    link.arm = random.vector(size);
    link.parentArm = random.vector(size);
    if (kind == Hold::Rows) randomRows(random, tree.holds.back());
  }
  randomAsk(random, tree);
  return tree;
}

// All bodies and joints at once: M x - J^T f = 0, J x + c f = b. Stays are rigid (or springs) here.
struct Dense {
  DenseMatrix mass, rows;
  DenseVector compliance, ask, change, impulse;
};

Dense denseOf(const JointTree& tree, int question = 0) {
  Dense d;
  const int n = static_cast<int>(tree.links.size());
  int m = 0;
  for (const TreeLink& link : tree.links)
    m += link.kind == Hold::Ball ? 3 : link.kind == Hold::Rows ? tree.holds[link.hold].rows : 0;
  for (const TreeClosure& closure : tree.closures) m += closure.hold.rows;
  d.mass = DenseMatrix::Zero(6 * n, 6 * n);
  d.rows = DenseMatrix::Zero(m, 6 * n);
  d.compliance = d.ask = DenseVector::Zero(m);
  int row = 0;
  const auto addRows = [&](const RowHold& hold, std::uint32_t child, std::uint32_t parent) {
    for (int k = 0; k < hold.rows; ++k, ++row) {
      if (child != kNone) d.rows.block<1, 6>(row, 6 * child) = hold.child[k].transpose();
      if (parent != kNone) d.rows.block<1, 6>(row, 6 * parent) = hold.parent[k].transpose();
      d.compliance[row] = hold.compliance;
      d.ask[row] = hold.questions[question].ask[k];
    }
  };
  for (int i = 0; i < n; ++i) {
    const TreeLink& link = tree.links[i];
    d.mass.block<3, 3>(6 * i, 6 * i) = link.mass * Mat3::Identity();
    d.mass.block<3, 3>(6 * i + 3, 6 * i + 3) = link.inertia.full();
    if (link.kind == Hold::Ball) {
      d.rows.block<3, 3>(row, 6 * i) = Mat3::Identity();
      d.rows.block<3, 3>(row, 6 * i + 3) = -crossMatrix(link.arm);
      if (link.parent != kNone) {
        d.rows.block<3, 3>(row, 6 * link.parent) = -Mat3::Identity();
        d.rows.block<3, 3>(row, 6 * link.parent + 3) = crossMatrix(link.parentArm);
      }
      d.ask.segment<3>(row) = link.questions[question].ask;
      row += 3;
    }
    if (link.kind == Hold::Rows) addRows(tree.holds[link.hold], i, link.parent);
  }
  for (const TreeClosure& closure : tree.closures) addRows(closure.hold, kNone, closure.link);

  // In units in which every body's mass is near 1, so that the reference itself is exact enough.
  DenseVector unit(6 * n);
  for (int i = 0; i < 6 * n; ++i) unit[i] = 1.0 / std::sqrt(d.mass(i, i));
  const DenseMatrix j = d.rows * unit.asDiagonal();
  DenseMatrix kkt = DenseMatrix::Zero(6 * n + m, 6 * n + m);
  kkt.topLeftCorner(6 * n, 6 * n) = unit.asDiagonal() * d.mass * unit.asDiagonal();
  kkt.topRightCorner(6 * n, m) = -j.transpose();
  kkt.bottomLeftCorner(m, 6 * n) = j;
  kkt.bottomRightCorner(m, m) = d.compliance.asDiagonal();
  DenseVector right = DenseVector::Zero(6 * n + m);
  right.tail(m) = d.ask;
  const DenseVector answer = Eigen::FullPivLU<DenseMatrix>(kkt).solve(right);
  d.change = unit.asDiagonal() * answer.head(6 * n);
  d.impulse = answer.tail(m);
  return d;
}

DenseVector changeOf(const JointTree& tree, int question = 0) {
  DenseVector x(6 * tree.links.size());
  for (std::size_t i = 0; i < tree.links.size(); ++i)
    x.segment<6>(6 * i) << tree.links[i].questions[question].change, tree.links[i].questions[question].turn;
  return x;
}

DenseVector impulseOf(const JointTree& tree, Eigen::Index rows, int question = 0) {
  DenseVector f(rows);
  int row = 0;
  for (const TreeLink& link : tree.links) {
    if (link.kind == Hold::Ball) {
      f.segment<3>(row) = link.questions[question].impulse;
      row += 3;
    } else if (link.kind == Hold::Rows) {
      const RowHold& hold = tree.holds[link.hold];
      for (int k = 0; k < hold.rows; ++k) f[row++] = hold.questions[question].impulse[k];
    }
  }
  for (const TreeClosure& closure : tree.closures)
    for (int k = 0; k < closure.hold.rows; ++k) f[row++] = closure.hold.questions[question].impulse[k];
  return f;
}

void expectAgreement(JointTree& tree, double tolerance) {
  tree.factor();
  tree.solve(1);
  const Dense dense = denseOf(tree);
  const DenseVector x = changeOf(tree), f = impulseOf(tree, dense.impulse.size());
  ASSERT_TRUE(x.allFinite());
  JointTree atOnce = tree;
  atOnce.factorAndSolve(1);
  EXPECT_EQ(changeOf(atOnce), x);
  EXPECT_EQ(impulseOf(atOnce, dense.impulse.size()), f);
  EXPECT_LE((x - dense.change).norm(), tolerance * dense.change.norm());
  EXPECT_LE((f - dense.impulse).norm(), tolerance * dense.impulse.norm());
  // And by itself, row by row.
  EXPECT_LE((dense.mass * x - dense.rows.transpose() * f).norm(), tolerance * (dense.mass * x).norm());
  EXPECT_LE((dense.rows * x + dense.compliance.cwiseProduct(f) - dense.ask).norm(), tolerance * dense.ask.norm());
}

TEST(JointTree, ChainsOfBallsAgreeWithADenseSolve) {
  Random random(1);
  for (int i = 0; i < 40; ++i) {
    JointTree tree = randomTree(random, 1 + random.below(25), 1.0, true, true);
    expectAgreement(tree, 1e-9);
  }
}

TEST(JointTree, BranchingTreesOfAnyJointsAgreeWithADenseSolve) {
  Random random(2);
  for (int i = 0; i < 60; ++i) {
    JointTree tree = randomTree(random, 1 + random.below(20), 1.0, false, false);
    expectAgreement(tree, 1e-8);
  }
}

TEST(JointTree, MassesFromAGramToATonAgreeWithADenseSolve) {
  // A million between neighbours costs half of the sixteen digits, here and in the reference.
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    JointTree tree = randomTree(random, 1 + random.below(20), 3.0, false, i % 2 == 0);
    expectAgreement(tree, 1e-6);
  }
}

TEST(JointTree, StaysHoldUpToTheirRatio) {
  Random random(4);
  for (int i = 0; i < 60; ++i) {
    // Chains of balls, free to follow.
    JointTree tree = randomTree(random, 4 + random.below(10), 0.5, true, true);
    RowHold& hold = tree.addClosure(static_cast<std::uint32_t>(tree.links.size() - 1)).hold;
    randomRows(random, hold);
    hold.rows = std::min(hold.rows, 3);
    expectAgreement(tree, 1e-5);
  }
}

TEST(JointTree, RedundantRowsAreSharedAndStayFinite) {
  // One row twice: no dense solve has a unique answer, but the velocities are those of the row once.
  Random random(5);
  for (int i = 0; i < 40; ++i) {
    JointTree once = randomTree(random, 6, 1.0, true, false);
    for (RowHold& hold : once.holds) hold.rows = std::min(hold.rows, 2);
    JointTree twice = once;
    for (RowHold& hold : twice.holds) {
      if (hold.compliance > 0.0) continue;
      hold.child[hold.rows] = hold.child[0];
      hold.parent[hold.rows] = hold.parent[0];
      hold.questions[0].ask[hold.rows] = hold.questions[0].ask[0];
      ++hold.rows;
    }
    once.factor();
    once.solve(1);
    twice.factor();
    twice.solve(1);
    const DenseVector x = changeOf(once);
    EXPECT_LE((changeOf(twice) - x).norm(), 1e-8 * x.norm());
  }
}

TEST(JointTree, TwoQuestionsAreAnsweredByTheSameFactors) {
  Random random(6);
  JointTree tree = randomTree(random, 12, 1.0, false, false);
  randomAsk(random, tree, 1);
  tree.factor();
  tree.solve(2);
  for (const int question : {0, 1}) {
    const Dense dense = denseOf(tree, question);
    EXPECT_LE((changeOf(tree, question) - dense.change).norm(), 1e-8 * dense.change.norm());
    EXPECT_LE((impulseOf(tree, dense.impulse.size(), question) - dense.impulse).norm(), 1e-8 * dense.impulse.norm());
  }
}

TEST(JointTree, AThousandChildrenOfOneBodyTakeNoMoreThanAThousandLinks) {
  Random random(7);
  JointTree tree;
  tree.addLink(kNone, Hold::Nothing);
  for (int i = 0; i < 1000; ++i) tree.addLink(0, Hold::Ball);
  for (TreeLink& link : tree.links) {
    link.mass = 1.0;
    link.inertia = {0.1, 0.1, 0.1, 0.0, 0.0, 0.0};
    link.arm = random.vector(1.0);
    link.parentArm = random.vector(1.0);
    link.questions[0].ask = random.vector(1.0);
  }
  tree.factor();
  tree.solve(1);
  Vec3 momentum = Vec3::Zero();
  for (const TreeLink& link : tree.links) momentum += link.mass * link.questions[0].change;
  EXPECT_LT(momentum.norm(), 1e-9);
  for (std::size_t i = 1; i < tree.links.size(); ++i) {
    const TreeLink& link = tree.links[i];
    const TreeLink::Question& own = link.questions[0];
    const TreeLink::Question& root = tree.links[0].questions[0];
    const Vec3 got = own.change + own.turn.cross(link.arm) - root.change - root.turn.cross(link.parentArm);
    EXPECT_LE((got - link.questions[0].ask).norm(), 1e-9);
  }
}

}  // namespace
}  // namespace cairn
