// What impulses on links do to links, against the elimination of the whole tree.
#include "mechanics/tree_mobility.hpp"

#include <gtest/gtest.h>

#include <random>

#include "math/rotation.hpp"

namespace cairn {
namespace {

using Vector6 = TreeMobility::Vector6;
using Matrix6 = TreeMobility::Matrix6;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(engine_() % count); }
  Vec3 vector() { return {(*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1)}; }
  Vector6 twist() {
    Vector6 v;
    v << vector(), vector();
    return v;
  }

 private:
  std::mt19937 engine_;
};

// Ball joints, hinges with and without give, a root that floats or is held, and sometimes a closure.
JointTree randomTree(Random& random, std::uint32_t count) {
  JointTree tree;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool floats = i == 0 && random.below(2) == 0;
    const Hold kind = floats ? Hold::Nothing : random.below(2) == 0 ? Hold::Ball : Hold::Rows;
    TreeLink& link = tree.links[tree.addLink(i == 0 ? kNone : random.below(i), kind)];
    link.mass = std::pow(10.0, random(-1.0, 1.0));
    const Vec3 moments(random(0.5, 2.0), random(0.5, 2.0), random(0.5, 2.0));
    link.inertia = Symmetric3::of(inWorldAxes(rotated(Quat::Identity(), random.vector()), Mat3(moments.asDiagonal())));
    link.arm = link.parentArm = Vec3::Zero();
    if (kind == Hold::Ball) link.arm = random.vector(), link.parentArm = random.vector();
    if (kind != Hold::Rows) continue;
    RowHold& hold = tree.holds[link.hold];
    hold.rows = 5;
    hold.compliance = random.below(3) == 0 ? random(0.1, 1.0) : 0.0;
    for (int k = 0; k < hold.rows; ++k) hold.child[k] = random.twist(), hold.parent[k] = random.twist();
  }
  if (random.below(3) == 0) {
    RowHold& hold = tree.addClosure(random.below(count)).hold;
    hold.rows = 2;
    hold.compliance = 0.5;
    for (int k = 0; k < hold.rows; ++k) hold.parent[k] = random.twist();
  }
  tree.factor();
  return tree;
}

// G_ab column by column, from the tree itself: the body by itself moves by M^-1 P, and the joints ask for that to be undone.
Matrix6 responseOf(JointTree tree, std::uint32_t a, std::uint32_t b) {
  Matrix6 found;
  const TreeLink pushed = tree.links[b];
  for (int k = 0; k < 6; ++k) {
    Vector6 free;
    free << Vector6::Unit(k).head<3>() / pushed.mass, Cholesky3::of(pushed.inertia).solve(Vector6::Unit(k).tail<3>());
    const auto freeOf = [&](std::uint32_t link) { return link == b ? free : Vector6(Vector6::Zero()); };
    for (std::uint32_t i = 0; i < tree.links.size(); ++i) {
      TreeLink& link = tree.links[i];
      const Vector6 own = freeOf(i), parent = freeOf(link.parent);
      link.questions[0].ask =
          parent.head<3>() + parent.tail<3>().cross(link.parentArm) - own.head<3>() - own.tail<3>().cross(link.arm);
      if (link.kind != Hold::Rows) continue;
      RowHold& hold = tree.holds[link.hold];
      for (int r = 0; r < hold.rows; ++r) {
        hold.questions[0].ask[r] = -hold.child[r].dot(own);
        if (link.parent != kNone) hold.questions[0].ask[r] -= hold.parent[r].dot(parent);
      }
    }
    for (TreeClosure& closure : tree.closures)
      for (int r = 0; r < closure.hold.rows; ++r)
        closure.hold.questions[0].ask[r] = -closure.hold.parent[r].dot(freeOf(closure.link));
    tree.solve(1);
    found.col(k) << tree.links[a].questions[0].change, tree.links[a].questions[0].turn;
    found.col(k) += freeOf(a);
  }
  return found;
}

TEST(TreeMobility, OfAnyTwoLinksIsWhatTheTreeAnswers) {
  Random random(5);
  for (int trial = 0; trial < 60; ++trial) {
    const std::uint32_t count = 1 + random.below(9);
    const JointTree tree = randomTree(random, count);
    TreeMobility mobility;
    mobility.place(tree, std::vector<char>(count, 1));
    for (int pair = 0; pair < 8; ++pair) {
      const std::uint32_t a = random.below(count), b = random.below(count);
      const Matrix6 expected = responseOf(tree, a, b);
      EXPECT_LT((mobility.between(a, b) - expected).norm(), 1e-10 * (1.0 + expected.norm()))
          << trial << " " << a << " " << b;
      if (a == b) {
        EXPECT_LT((mobility.own(a) - expected).norm(), 1e-10 * (1.0 + expected.norm())) << trial;
      }
    }
  }
}

// Pushed here and there, in any order: wherever it is looked at, all that was done before is felt. Links that nobody asked
// for are left out.
TEST(TreeMobility, ASweepFeelsAllThatWasDoneBefore) {
  Random random(11);
  for (int trial = 0; trial < 40; ++trial) {
    const std::uint32_t count = 2 + random.below(10);
    const JointTree tree = randomTree(random, count);
    std::vector<char> asked(count);
    for (char& one : asked) one = random.below(2) == 0;
    asked[random.below(count)] = 1;
    std::vector<std::uint32_t> some;
    for (std::uint32_t i = 0; i < count; ++i)
      if (asked[i] != 0) some.push_back(i);
    TreeMobility mobility;
    mobility.place(tree, asked);
    std::vector<Vector6> impulses(count, Vector6::Zero());
    mobility.clear();
    for (const std::uint32_t link : some) {  // to begin with
      impulses[link] = random.twist();
      mobility.add(link, impulses[link]);
    }
    mobility.start();
    for (int visit = 0; visit < 30; ++visit) {
      const std::uint32_t here = some[random.below(static_cast<std::uint32_t>(some.size()))];
      Vector6 expected = Vector6::Zero();
      for (const std::uint32_t link : some) expected += mobility.between(here, link) * impulses[link];
      EXPECT_LT((mobility.at(here) - expected).norm(), 1e-10 * (1.0 + expected.norm())) << trial << " " << visit;
      if (visit % 3 == 2) continue;
      const Vector6 impulse = random.twist();
      mobility.push(impulse);
      impulses[here] += impulse;
    }
  }
}

}  // namespace
}  // namespace cairn
