#include "problem/lcp.hpp"

#include <gtest/gtest.h>

#include "../solvers/random_problems.hpp"
#include "lcp_oracle.hpp"

namespace cairn {
namespace {

using testing::bruteForce;
using testing::makeRandomProblem;
using testing::mixedResidual;
using testing::RandomProblem;

// The second tangents left out: contacts in a plane.
std::shared_ptr<ContactProblem> planar(const ContactProblem& problem) {
  ProblemData data = problem.data();
  std::vector<int> rows;
  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    Block& block = data.blocks[i];
    const int first = block.first;
    if (isContact(block.law)) {
      block.size = 2;
      for (BlockJacobian::Part* part : {&data.jacobians[i].partA, &data.jacobians[i].partB})
        if (part->rows() > 0) *part = BlockJacobian::Part(part->topRows(2));
    }
    block.first = static_cast<int>(rows.size());
    for (int k = 0; k < block.size; ++k) rows.push_back(first + k);
  }
  for (Vector* vector : {&data.lower, &data.upper, &data.bias, &data.compliance, &data.warmStart})
    *vector = Vector((*vector)(rows));
  return std::make_shared<ContactProblem>(std::move(data));
}

struct Case {
  std::string name;
  RandomProblem ask;
  bool planar = false;
};

std::vector<Case> cases() {
  return {
      {"frictionless", {.bodies = 4, .contacts = 8, .law = Law::Interval}},
      {"frictionless with joints", {.bodies = 5, .contacts = 6, .joints = 2, .law = Law::Interval}},
      {"finite intervals", {.bodies = 3, .contacts = 5, .law = Law::Interval, .limits = 1.0}},
      {"finite intervals and joints", {.bodies = 4, .contacts = 4, .joints = 2, .law = Law::Interval, .limits = 0.7}},
      {"pyramids", {.bodies = 3, .contacts = 2, .law = Law::Pyramid}},
      {"elliptic pyramids", {.bodies = 2, .contacts = 1, .law = Law::Pyramid, .facets = 8, .elliptic = true}},
      {"pyramids and limits", {.bodies = 3, .contacts = 2, .law = Law::Pyramid, .elliptic = true, .limits = 0.4}},
      {"boxes", {.bodies = 2, .contacts = 1, .law = Law::Box, .elliptic = true}},
      {"boxes and joints", {.bodies = 4, .contacts = 1, .joints = 3, .law = Law::Box}},
      {"redundant joints", {.bodies = 4, .contacts = 2, .joints = 2, .law = Law::Interval, .redundant = true}},
      {"redundant pyramids and joints", {.bodies = 3, .contacts = 1, .joints = 1, .law = Law::Pyramid, .redundant = true}},
      {"compliance", {.bodies = 3, .contacts = 2, .law = Law::Pyramid, .compliance = 0.2}},
      {"planar cones", {.bodies = 3, .contacts = 2, .law = Law::Cone}, true},
      {"planar pyramids and joints", {.bodies = 4, .contacts = 2, .joints = 2, .law = Law::Pyramid}, true},
      {"without friction coefficients", {.bodies = 3, .contacts = 4, .law = Law::Pyramid, .friction = 0.0}},
  };
}

// An index set found by brute force, apart from every solver, is what judge() calls a solution; and the impulses of it,
// taken back to unknowns, solve the mixed problem. 1e-9: elimination and brute force lose about 4 digits of 16 at mass
// ratio 10.
TEST(MixedLcp, DescribesTheSameProblemForEveryLaw) {
  for (const Case& one : cases()) {
    int solved = 0;
    for (unsigned seed = 1; seed <= 6; ++seed) {
      const auto spatial = makeRandomProblem(one.ask, seed);
      const auto problem = one.planar ? planar(*spatial) : spatial;
      const MixedLcp mixed = lowerToMixedLcp(*problem);
      const StandardLcp standard = eliminateJoints(mixed);
      ASSERT_FALSE(standard.inconsistent.has_value()) << one.name << seed;
      ASSERT_FALSE(standard.singular.has_value()) << one.name << seed;
      ASSERT_LE(standard.lcp.size(), 14) << one.name;
      const auto x = bruteForce(standard.lcp);
      ASSERT_TRUE(x.has_value()) << one.name << " " << seed;  // b = J u_free: there is always a solution
      EXPECT_LT(lcpResidual(standard.lcp, *x), 1e-9) << one.name;
      const Vector all = standard.toMixed(*x);
      EXPECT_LT(mixedResidual(mixed, all), 1e-9) << one.name << " " << seed;
      const Vector impulse = mixed.toImpulse(all);
      EXPECT_LT(judge(*problem, impulse).forTolerance(), 1e-9) << one.name << " " << seed;
      const Vector back = mixedLcpStart(*problem, mixed, impulse);
      EXPECT_LT((mixed.toImpulse(back) - impulse).cwiseAbs().maxCoeff(), 1e-12) << one.name << " " << seed;
      EXPECT_LT(mixedResidual(mixed, back), 1e-9) << one.name << " " << seed;
      solved += impulse.cwiseAbs().maxCoeff() > 1e-3 ? 1 : 0;
    }
    EXPECT_GE(solved, 3) << one.name << ": too many problems without impulses prove nothing";
  }
}

// y of a row is its velocity, whatever the impulses.
TEST(MixedLcp, RowsOfJointsAndNormalsAreVelocities) {
  const auto problem = makeRandomProblem({.joints = 2, .law = Law::Pyramid, .limits = 0.3}, 4);
  const MixedLcp mixed = lowerToMixedLcp(*problem);
  std::mt19937 random(8);
  const Vector x = Vector::NullaryExpr(mixed.size(), [&] { return std::uniform_real_distribution<double>(0, 1)(random); });
  const Vector v = problem->velocity(mixed.toImpulse(x)), y = mixed.a * x + mixed.b;
  int checked = 0;
  for (const Block& block : problem->blocks()) {
    if (block.law == Law::Interval) continue;
    for (int i = 0; i < mixed.size(); ++i) {
      if (mixed.impulseRow(i) != block.first) continue;
      EXPECT_NEAR(y[i], v[block.first], 1e-12);
      ++checked;
    }
  }
  EXPECT_GE(checked, 6);
}

TEST(MixedLcp, StartBringsImpulsesIntoTheirSets) {
  for (const Case& one : cases()) {
    const auto spatial = makeRandomProblem(one.ask, 3);
    const auto problem = one.planar ? planar(*spatial) : spatial;
    const MixedLcp mixed = lowerToMixedLcp(*problem);
    std::mt19937 random(17);
    for (int trial = 0; trial < 20; ++trial) {
      const Vector impulse =
          Vector::NullaryExpr(problem->rows(), [&] { return std::uniform_real_distribution<double>(-1, 1)(random); });
      const Vector x = mixedLcpStart(*problem, mixed, impulse);
      for (int i = 0; i < mixed.size(); ++i) EXPECT_TRUE(mixed.isFree[i] != 0 || x[i] >= 0.0);
      EXPECT_LT(judge(*problem, mixed.toImpulse(x)).coneExcess, 1e-13) << one.name;
    }
  }
}

TEST(MixedLcp, EveryKindOfIntervalHasItsOwnUnknowns) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  ProblemData data;
  data.blocks = {{.law = Law::Interval, .first = 0, .size = 5}};
  data.lower = Vector{{0.0, -infinity, -infinity, -1.0, 0.25}};
  data.upper = Vector{{infinity, 2.0, infinity, 0.5, 0.25}};
  data.bias = Vector{{-1.0, 3.0, 4.0, -2.0, 7.0}};
  data.delassus.resize(5, 5);
  data.delassus.setIdentity();
  const ContactProblem problem(std::move(data));
  const MixedLcp mixed = lowerToMixedLcp(problem);
  EXPECT_EQ(mixed.size(), 5);  // 1 + 1 + 1 + 2 + 0
  const StandardLcp standard = eliminateJoints(mixed);
  EXPECT_EQ(standard.lcp.size(), 4);
  const auto x = bruteForce(standard.lcp);
  ASSERT_TRUE(x.has_value());
  // By hand: v = lambda + b, clamped.
  EXPECT_TRUE(mixed.toImpulse(standard.toMixed(*x)).isApprox(Vector{{1.0, -3.0, -4.0, 0.5, 0.25}}, 1e-14));
}

TEST(MixedLcp, RefusesTheConeInSpace) {
  EXPECT_THROW(lowerToMixedLcp(*makeRandomProblem({}, 1)), std::invalid_argument);
  EXPECT_THROW(lowerToBoxedLcp(*makeRandomProblem({}, 1)), std::invalid_argument);
  EXPECT_THROW(lowerToBoxedLcp(*makeRandomProblem({.law = Law::Pyramid}, 1)), std::invalid_argument);
}

// Two bars of a plane linkage on three hinges that hold all three directions of space: rows across the plane are redundant.
ProblemData linkage(double acrossSpeed) {
  ProblemData data;
  data.inverseMass = std::make_shared<FreeBodies>(
      std::vector<FreeBodies::Item>{{0.5, 3.0 * Mat3::Identity()}, {1.0, 7.0 * Mat3::Identity()}});
  data.freeVelocity = Vector::Zero(12);
  data.freeVelocity[1] = data.freeVelocity[7] = -1.0;
  const std::array<Vec3, 2> centers{Vec3(0.5, 0, 0), Vec3(1.5, 0.5, 0)};
  const auto hinge = [&](int a, int b, const Vec3& point) {
    Block block{.law = Law::Free, .first = 5 * static_cast<int>(data.blocks.size()), .size = 5};
    BlockJacobian j;
    j.a = a;
    j.b = b;
    for (const auto& [body, sign] : {std::pair(a, -1.0), std::pair(b, 1.0)}) {
      if (body < 0) continue;
      BlockJacobian::Part& part = body == a ? j.partA : j.partB;
      part = BlockJacobian::Part::Zero(5, 6);
      for (int k = 0; k < 3; ++k)
        part.row(k) << sign * Vec3::Unit(k).transpose(), sign * (point - centers[body]).cross(Vec3::Unit(k)).transpose();
      part(3, 3) = part(4, 4) = sign;  // no turning out of the plane
    }
    data.blocks.push_back(block);
    data.jacobians.push_back(j);
  };
  hinge(-1, 0, Vec3(0, 0, 0));
  hinge(0, 1, Vec3(1, 0, 0));
  hinge(1, -1, Vec3(2, 1, 0));
  data.bias = Vector::Zero(15);
  data.bias[12] = acrossSpeed;  // the last hinge moves across the plane
  return data;
}

TEST(EliminateJoints, SolvesRedundantLinkages) {
  const ContactProblem problem(linkage(0.0));
  const MixedLcp mixed = lowerToMixedLcp(problem);
  const StandardLcp standard = eliminateJoints(mixed);
  EXPECT_TRUE(standard.redundant);
  EXPECT_FALSE(standard.inconsistent.has_value());
  const Vector impulse = mixed.toImpulse(standard.toMixed(Vector(0)));
  EXPECT_LT(problem.velocity(impulse).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_NEAR(impulse[2], 0.0, 1e-14);  // least norm: nothing presses across the plane
}

TEST(EliminateJoints, NamesContradictions) {
  for (const double speed : {1.0, 1e-3, 1e-6}) {
    const ContactProblem problem(linkage(speed));
    const MixedLcp mixed = lowerToMixedLcp(problem);
    const StandardLcp standard = eliminateJoints(mixed);
    ASSERT_TRUE(standard.inconsistent.has_value()) << speed;
    EXPECT_EQ(mixed.impulseRow(*standard.inconsistent) % 5, 2) << "a row across the plane";
    EXPECT_FALSE(eliminateJoints(mixed, 1e12 * speed).inconsistent.has_value()) << "far below the speeds that count";
  }
}

TEST(EliminateJoints, FindsContradictionsWhateverTheMasses) {
  for (const double mass : {1e-6, 1.0, 1e6}) {
    for (const double speed : {0.0, 0.1}) {
      ProblemData data = linkage(speed);
      data.inverseMass = std::make_shared<FreeBodies>(
          std::vector<FreeBodies::Item>{{0.5 / mass, 3.0 / mass * Mat3::Identity()}, {1.0, 7.0 * Mat3::Identity()}});
      const ContactProblem problem(std::move(data));
      const StandardLcp standard = eliminateJoints(lowerToMixedLcp(problem));
      EXPECT_TRUE(standard.redundant);
      EXPECT_EQ(standard.inconsistent.has_value(), speed != 0.0) << mass;
    }
  }
}

// Joints that are there twice share what one carries.
TEST(EliminateJoints, SplitsReactionsBetweenTwins) {
  const auto once = makeRandomProblem({.bodies = 4, .contacts = 0, .joints = 3}, 2);
  const auto twice = makeRandomProblem({.bodies = 4, .contacts = 0, .joints = 3, .redundant = true}, 2);
  const auto solve = [](const ContactProblem& problem) {
    const MixedLcp mixed = lowerToMixedLcp(problem);
    return mixed.toImpulse(eliminateJoints(mixed).toMixed(Vector(0)));
  };
  const Vector one = solve(*once), two = solve(*twice);
  for (int joint = 0; joint < 3; ++joint) {
    EXPECT_TRUE(two.segment<3>(6 * joint).isApprox(0.5 * one.segment<3>(3 * joint), 1e-10));
    EXPECT_TRUE(two.segment<3>(6 * joint + 3).isApprox(0.5 * one.segment<3>(3 * joint), 1e-10));
  }
}

TEST(EliminateJoints, SaysSoWhenOnlyBoundedUnknownsMoveAJoint) {
  ProblemData data;
  data.blocks = {{.law = Law::Free, .first = 0, .size = 1}, {.law = Law::Interval, .first = 1, .size = 1}};
  data.bias = Vector{{0.0, -1.0}};
  data.delassus.resize(2, 2);
  data.delassus.insert(0, 1) = 1.0;  // no symmetric positive semidefinite matrix has this beside a zero on its diagonal
  data.delassus.insert(1, 1) = 1.0;
  const ContactProblem problem(std::move(data));
  EXPECT_TRUE(eliminateJoints(lowerToMixedLcp(problem)).singular.has_value());
}

TEST(BoxedLcp, BoundsFollowTheNormals) {
  const auto problem = makeRandomProblem({.contacts = 2, .joints = 1, .law = Law::Box, .elliptic = true}, 6);
  const BoxedLcp lcp = lowerToBoxedLcp(*problem);
  ASSERT_EQ(lcp.size(), 9);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isinf(lcp.lo[i]) && std::isinf(lcp.hi[i]));
  for (int contact = 0; contact < 2; ++contact) {
    const int normal = 3 + 3 * contact;
    EXPECT_EQ(lcp.lo[normal], 0.0);
    EXPECT_TRUE(std::isinf(lcp.hi[normal]));
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(lcp.follows[normal + 1 + k], normal);
      EXPECT_EQ(lcp.coefficient[normal + 1 + k], problem->blocks()[1 + contact].friction[k]);
    }
  }
  EXPECT_EQ(lcp.b, problem->b());
  EXPECT_EQ((Matrix(lcp.a) - problem->denseDelassus()).norm(), 0.0);
}

TEST(LcpResidual, IsZeroAtSolutionsOnly) {
  Lcp lcp;
  lcp.a = Matrix{{2.0, 1.0}, {1.0, 2.0}};
  lcp.b = Vector{{-5.0, -6.0}};  // Cottle, Pang and Stone: z = (4/3, 7/3)
  EXPECT_LT(lcpResidual(lcp, Vector{{4.0 / 3.0, 7.0 / 3.0}}), 1e-15);
  EXPECT_NEAR(lcpResidual(lcp, Vector{{0.0, 0.0}}), 6.0, 1e-15);
  EXPECT_NEAR(lcpResidual(lcp, Vector{{2.5, 0.0}}), 3.5, 1e-15);
}

}  // namespace
}  // namespace cairn
