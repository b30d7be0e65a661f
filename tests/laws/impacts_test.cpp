#include "laws/impacts.hpp"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <Eigen/LU>
#include <fstream>
#include <sstream>

#include "laws/single_impact.hpp"
#include "solvers/random_problems.hpp"

namespace cairn {
namespace {

using testing::makeRandomProblem;
using testing::RandomProblem;

constexpr double kTolerance = 1e-12;

// Balls of 1 kg in a row along x that touch: contacts without friction (or with) between neighbours.
std::shared_ptr<ContactProblem> row(const std::vector<double>& speeds, Law law = Law::Interval, double friction = 0.0) {
  ProblemData data;
  const int balls = static_cast<int>(speeds.size());
  data.freeVelocity = Vector::Zero(6 * balls);
  for (int i = 0; i < balls; ++i) data.freeVelocity[6 * i] = speeds[i];
  data.inverseMass =
      std::make_shared<FreeBodies>(std::vector<FreeBodies::Item>(balls, {1.0, Mat3(Mat3::Identity() * 10.0)}));
  const Mat3 axes = (Mat3() << Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()).finished();
  for (int i = 0; i + 1 < balls; ++i) {
    Block block;
    block.law = law;
    block.size = law == Law::Interval ? 1 : 3;
    block.first = i * block.size;
    if (law != Law::Interval) block.friction = {friction, friction};
    data.blocks.push_back(block);
    BlockJacobian jacobian;
    jacobian.a = i;
    jacobian.b = i + 1;
    for (const double sign : {-1.0, 1.0}) {
      BlockJacobian::Part& part = sign < 0.0 ? jacobian.partA : jacobian.partB;
      part.resize(block.size, 6);
      for (int r = 0; r < block.size; ++r) {
        const Vec3 d = axes.col(r), arm = -sign * 0.5 * Vec3::UnitX();
        part.row(r) << sign * d.transpose(), sign * arm.cross(d).transpose();
      }
    }
    data.jacobians.push_back(jacobian);
  }
  return std::make_shared<ContactProblem>(std::move(data));
}

rapidjson::Document cradle() {
  std::ifstream file(CAIRN_SOURCE_DIR "/tests/data/g_newton_cradle.json");
  std::stringstream text;
  text << file.rdbuf();
  rapidjson::Document document;
  document.Parse(text.str().c_str());
  return document;
}

TEST(Impacts, NewtonsCradleByEveryModel) {
  const rapidjson::Document document = cradle();
  ASSERT_FALSE(document.HasParseError());
  int cases = 0;
  for (const auto& entry : document["cases"].GetArray()) {
    const int incoming = entry["incoming"].GetInt();
    const double e = entry["e"].GetDouble();
    std::vector<double> speeds(5, 0.0);
    std::fill_n(speeds.begin(), incoming, 1.0);
    const auto problem = row(speeds);
    const auto check = [&](const char* expected, const char* energy, ImpactOrder order, ImpactLaw law) {
      const std::vector<ImpactParameters> parameters(4, {law, e, 0.0});
      const ImpactsResult result = resolveImpacts(*problem, parameters, order, "lemke", kTolerance);
      ASSERT_TRUE(result.ok) << result.message;
      EXPECT_EQ(result.restitutionFactor, 1.0);
      const Vector u = problem->bodyVelocity(result.impulse);
      for (int i = 0; i < 5; ++i)
        EXPECT_NEAR(u[6 * i], entry[expected][i].GetDouble(), 1e-9) << expected << incoming << e << i;
      EXPECT_NEAR(result.energyChange, entry["energy"][energy].GetDouble() - entry["energy"]["before"].GetDouble(), 1e-9);
      ++cases;
      if (order == ImpactOrder::SequentialByBlock && e > 0.0) {
        EXPECT_EQ(result.collisions, entry["sequential_binary_collisions"].GetInt());
      }
      double sum = 0.0;
      for (const ImpactEvent& event : result.events) sum += event.energyChange;
      EXPECT_NEAR(sum, result.energyChange, 1e-9);
      EXPECT_EQ(static_cast<int>(result.events.size()), result.collisions);
    };
    for (const ImpactLaw law : {ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Stronge, ImpactLaw::ChatterjeeRuina})
      check("sequential", "sequential", ImpactOrder::SequentialByBlock, law);
    check("simultaneous_newton", "newton", ImpactOrder::Simultaneous, ImpactLaw::Newton);
    check("simultaneous_poisson", "poisson", ImpactOrder::Simultaneous, ImpactLaw::Poisson);
  }
  EXPECT_EQ(cases, 16 * 6);
}

// The reference goes by the lowest contact. By the fastest, the answer is the same for elastic balls, for plastic ones, and
// where one ball comes in; else it is what a few lines of arithmetic say.
TEST(Impacts, SequentialCradleByTheFastestContact) {
  const rapidjson::Document document = cradle();
  int same = 0;
  for (const auto& entry : document["cases"].GetArray()) {
    const double e = entry["e"].GetDouble();
    std::vector<double> speeds(5, 0.0);
    std::fill_n(speeds.begin(), entry["incoming"].GetInt(), 1.0);
    const auto problem = row(speeds);
    const std::vector<ImpactParameters> parameters(4, {ImpactLaw::Stronge, e, 0.0});
    const ImpactsResult result = resolveImpacts(*problem, parameters, ImpactOrder::Sequential, "lemke", kTolerance);
    ASSERT_TRUE(result.ok);
    for (;;) {
      int fastest = 0;
      for (int i = 1; i < 4; ++i)
        if (speeds[i] - speeds[i + 1] > speeds[fastest] - speeds[fastest + 1] + 1e-14) fastest = i;
      double &a = speeds[fastest], &b = speeds[fastest + 1];
      if (a - b < 1e-12) break;
      const double mean = 0.5 * (a + b), half = 0.5 * e * (a - b);
      a = mean - half;
      b = mean + half;
    }
    const Vector u = problem->bodyVelocity(result.impulse);
    double difference = 0.0;
    for (int i = 0; i < 5; ++i) {
      EXPECT_NEAR(u[6 * i], speeds[i], 1e-9);
      difference = std::max(difference, std::abs(u[6 * i] - entry["sequential"][i].GetDouble()));
    }
    same += difference < 1e-9;
  }
  EXPECT_EQ(same, 10);
}

TEST(Impacts, LawsOfSingleImpactsAreRefusedSimultaneously) {
  const auto problem = row({1.0, 0.0});
  for (const auto& [law, name] :
       {std::pair(ImpactLaw::Stronge, "Stronge"), std::pair(ImpactLaw::ChatterjeeRuina, "Ruina")}) {
    const std::vector<ImpactParameters> parameters(1, {law, 0.5, 0.0});
    const ImpactsResult result = resolveImpacts(*problem, parameters, ImpactOrder::Simultaneous, "auto", 1e-8);
    EXPECT_FALSE(result.ok);
    EXPECT_NE(result.message.find(name), std::string::npos) << result.message;
    EXPECT_NE(result.message.find("order sequential"), std::string::npos) << result.message;
    EXPECT_TRUE(result.impulse.isZero());
  }
}

TEST(Impacts, WhatIsNoImpactIsRefusedByName) {
  const auto refused = [](const ContactProblem& problem, const ImpactParameters& each, double tolerance, const char* part) {
    const std::vector<ImpactParameters> parameters(problem.blocks().size(), each);
    for (const ImpactOrder order : {ImpactOrder::Simultaneous, ImpactOrder::Sequential}) {
      const ImpactsResult result = resolveImpacts(problem, parameters, order, "auto", tolerance);
      EXPECT_FALSE(result.ok);
      EXPECT_NE(result.message.find(part), std::string::npos) << result.message;
    }
  };
  const auto problem = row({1.0, 0.0, 0.0});
  refused(*problem, {ImpactLaw::Newton, 1.5, 0.0}, 1e-8, "restitution");
  refused(*problem, {ImpactLaw::Newton, std::nan(""), 0.0}, 1e-8, "restitution");
  refused(*problem, {ImpactLaw::Newton, 0.5, 3.0}, 1e-8, "tangential");
  refused(*problem, {ImpactLaw::Newton, 0.5, 0.0}, 0.0, "tolerance");
  ProblemData soft = problem->data();
  soft.compliance = Vector::Constant(2, 0.1);
  refused(ContactProblem(soft), {ImpactLaw::Newton, 0.5, 0.0}, 1e-8, "compliance");
  ProblemData bounded = problem->data();
  bounded.upper[1] = 1.0;
  refused(ContactProblem(bounded), {ImpactLaw::Newton, 0.5, 0.0}, 1e-8, "interval");
  const ImpactsResult few = resolveImpacts(*problem, {}, ImpactOrder::Sequential, "auto", 1e-8);
  EXPECT_FALSE(few.ok);
  EXPECT_NE(few.message.find("2 blocks"), std::string::npos) << few.message;
}

struct Kind {
  ImpactOrder order;
  std::vector<ImpactLaw> laws;  // of the blocks in turn
};
const std::vector<Kind> kKinds{{ImpactOrder::Simultaneous, {ImpactLaw::Newton}},
                               {ImpactOrder::Simultaneous, {ImpactLaw::Poisson}},
                               {ImpactOrder::Simultaneous, {ImpactLaw::Newton, ImpactLaw::Poisson}},
                               {ImpactOrder::Sequential, {ImpactLaw::Newton}},
                               {ImpactOrder::Sequential, {ImpactLaw::Poisson}},
                               {ImpactOrder::Sequential, {ImpactLaw::Stronge}},
                               {ImpactOrder::Sequential, {ImpactLaw::ChatterjeeRuina}},
                               {ImpactOrder::Sequential, {ImpactLaw::Newton, ImpactLaw::Stronge, ImpactLaw::Poisson}},
                               {ImpactOrder::SequentialByBlock, {ImpactLaw::Stronge}}};

std::vector<ImpactParameters> parametersFor(const ContactProblem& problem, const Kind& kind, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<ImpactParameters> parameters;
  for (std::size_t i = 0; i < problem.blocks().size(); ++i)
    parameters.push_back({kind.laws[i % kind.laws.size()], std::uniform_real_distribution<double>(0, 1)(random),
                          std::uniform_real_distribution<double>(-1, 1)(random)});
  return parameters;
}

// What every answer must keep, whatever the model.
void expectSound(const ContactProblem& problem, const ImpactsResult& result, double tolerance, const std::string& what) {
  ASSERT_TRUE(result.ok) << what << ": " << result.message;
  const Vector before = problem.b(), after = problem.velocity(result.impulse);
  const double speed = before.cwiseAbs().maxCoeff();
  const double work = 0.5 * result.impulse.cwiseAbs().dot(before.cwiseAbs() + after.cwiseAbs());
  EXPECT_NEAR(result.energyChange, 0.5 * result.impulse.dot(before + after), 1e-12 * work) << what;
  EXPECT_LE(result.energyChange, 20.0 * tolerance * work) << what;
  for (const Block& block : problem.blocks()) {
    const auto impulse = result.impulse.segment(block.first, block.size);
    if (block.law == Law::Free) {
      EXPECT_LE(after.segment(block.first, block.size).norm(), 100.0 * tolerance * speed) << what;
      continue;
    }
    EXPECT_GE(after[block.first], -100.0 * tolerance * speed) << what;
    EXPECT_GE(impulse[0], 0.0) << what;
    if (!isContact(block.law)) continue;
    // Inside the ellipse (boxes: their corners).
    const double reach = std::hypot(impulse[1] / block.friction[0], impulse[2] / block.friction[1]);
    const double most = block.law == Law::Box ? std::sqrt(2.0) : 1.0;
    EXPECT_LE(reach, most * impulse[0] + 1e-6 * result.impulse.cwiseAbs().maxCoeff()) << what;
  }
}

TEST(Impacts, RandomSetsWithJointsNeverGainAndAlwaysPart) {
  int solved = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    RandomProblem ask;
    ask.bodies = 3 + static_cast<int>(seed % 4);
    ask.contacts = 1 + static_cast<int>(seed % 6);
    ask.joints = static_cast<int>(seed % 3);
    ask.law = std::array{Law::Cone, Law::Interval, Law::Box, Law::Pyramid}[seed / 3 % 4];
    ask.friction = seed % 2 == 0 ? 0.3 : 0.6;
    ask.elliptic = seed % 5 == 0;
    ask.redundant = seed % 7 == 0;
    const auto problem = makeRandomProblem(ask, seed);
    for (std::size_t k = 0; k < kKinds.size(); ++k) {
      constexpr double kEach = 1e-9;
      const auto parameters = parametersFor(*problem, kKinds[k], seed);
      const ImpactsResult result = resolveImpacts(*problem, parameters, kKinds[k].order, "auto", kEach);
      expectSound(*problem, result, kEach, "seed " + std::to_string(seed) + " kind " + std::to_string(k));
      ++solved;
    }
  }
  EXPECT_EQ(solved, 360);
}

std::unique_ptr<ContactProblem> fromMatrix(const Eigen::Matrix2d& w, const Eigen::Vector2d& before,
                                           const std::vector<Block>& blocks) {
  ProblemData data;
  data.blocks = blocks;
  data.delassus = Matrix(w).sparseView();
  data.bias = before;
  return std::make_unique<ContactProblem>(std::move(data));
}

// Two walls that almost face each other: the ball leaves one while it hits the other. Newton's rows v+ = (1, 0) would have
// 1/(2 (1 - c^2)) = 250 J where 0.5 J were.
TEST(Impacts, SimultaneousGainInAWedgeIsCapped) {
  constexpr double kNear = 0.999;
  Block first, second;
  first.law = second.law = Law::Interval;
  first.size = second.size = 1;
  second.first = 1;
  const Eigen::Matrix2d w{{1.0, -kNear}, {-kNear, 1.0}};
  const Eigen::Vector2d before(-1.0, 0.99);
  const auto problem = fromMatrix(w, before, {first, second});
  const std::vector<ImpactParameters> elastic(2, {ImpactLaw::Newton, 1.0, 0.0});
  const ImpactsResult result = resolveImpacts(*problem, elastic, ImpactOrder::Simultaneous, "lemke", kTolerance);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_NE(result.message.find("kinetic energy would have risen"), std::string::npos) << result.message;
  // v+ = (f, 0), with as much energy as before: f^2 = before . adj(W) before.
  const Eigen::Vector2d adjoint(before[0] + kNear * before[1], kNear * before[0] + before[1]);
  EXPECT_NEAR(result.restitutionFactor, std::sqrt(before.dot(adjoint)), 1e-6);
  EXPECT_NEAR(result.energyChange, 0.0, 1e-6);
  EXPECT_LE(result.energyChange, 1e-9);
}

// The double pendulum of single_impact_test.cpp gains 30% of its energy by Newton's law; here that is not let through.
TEST(Impacts, SequentialGainOfNewtonsLawIsCapped) {
  const double a = 20.0 * M_PI / 180.0, b = 30.0 * M_PI / 180.0;
  const Eigen::Matrix2d mass{{4.0 / 3.0, 0.5 * std::cos(a - b)}, {0.5 * std::cos(a - b), 1.0 / 3.0}};
  const Eigen::Matrix2d j{{std::sin(a), std::sin(b)}, {std::cos(a), std::cos(b)}};
  Block block;
  block.law = Law::Cone;
  block.size = 2;
  block.friction = {0.5, 0.5};
  const auto problem = fromMatrix(j * mass.inverse() * j.transpose(), j * Eigen::Vector2d(-0.1, -0.2), {block});
  const std::vector<ImpactParameters> parameters(1, {ImpactLaw::Newton, 0.9, 0.0});
  const ImpactsResult result = resolveImpacts(*problem, parameters, ImpactOrder::Sequential, "auto", kTolerance);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_NE(result.message.find("kinetic energy would have risen"), std::string::npos) << result.message;
  EXPECT_NEAR(result.energyChange, 0.0, 1e-10);
  EXPECT_LT(result.restitutionFactor, 0.9);
  EXPECT_GT(result.restitutionFactor, 0.7 / 0.9);
}

// The same without bodies: only W and b are known.
TEST(Impacts, ProblemsGivenByTheirMatrixHaveTheSameAnswers) {
  RandomProblem ask;
  ask.bodies = 4;
  ask.contacts = 4;
  ask.joints = 1;
  const auto problem = makeRandomProblem(ask, 5);
  ProblemData data;
  data.blocks = problem->blocks();
  data.delassus = problem->delassus();
  data.bias = problem->b();
  const ContactProblem matrix(std::move(data));
  for (const Kind& kind : kKinds) {
    const auto parameters = parametersFor(*problem, kind, 1);
    const ImpactsResult a = resolveImpacts(*problem, parameters, kind.order, "auto", 1e-11);
    const ImpactsResult b = resolveImpacts(matrix, parameters, kind.order, "auto", 1e-11);
    ASSERT_TRUE(a.ok && b.ok) << a.message << b.message;
    EXPECT_LE((problem->velocity(a.impulse) - matrix.velocity(b.impulse)).norm(), 1e-8);
    EXPECT_NEAR(a.restitutionFactor, b.restitutionFactor, 1e-6);
  }
}

// A ball driven into the corner of a floor and a wall that leans over it by 60 degrees.
TEST(Impacts, BallInAWedgeComesOut) {
  for (const double friction : {0.0, 0.3, 1.0}) {
    for (const Kind& kind : kKinds) {
      ProblemData data;
      data.inverseMass = std::make_shared<FreeBodies>(std::vector<FreeBodies::Item>{{1.0, Mat3(Mat3::Identity() * 10.0)}});
      data.freeVelocity = Vector::Zero(6);
      data.freeVelocity << 1.0, 0.3, -0.2, 0.5, -1.0, 0.2;
      for (const Vec3& n : {Vec3(0, 0, 1), Vec3(-std::sin(M_PI / 3), 0, -std::cos(M_PI / 3))}) {
        Block block;
        block.law = Law::Cone;
        block.size = 3;
        block.first = 3 * static_cast<int>(data.blocks.size());
        block.friction = {friction, friction};
        BlockJacobian jacobian;
        jacobian.b = 0;
        jacobian.partB.resize(3, 6);
        const Vec3 t1 = Vec3::UnitY(), t2 = n.cross(t1);
        for (int r = 0; r < 3; ++r) {
          const Vec3 d = r == 0 ? n : r == 1 ? t1 : t2;
          jacobian.partB.row(r) << d.transpose(), (-0.5 * n).cross(d).transpose();
        }
        data.blocks.push_back(block);
        data.jacobians.push_back(jacobian);
      }
      const ContactProblem problem(std::move(data));
      const std::vector<ImpactParameters> parameters{{kind.laws[0], 0.9, 0.5}, {kind.laws[1 % kind.laws.size()], 0.5, 0.0}};
      const ImpactsResult result = resolveImpacts(problem, parameters, kind.order, "auto", 1e-9);
      ASSERT_TRUE(result.ok) << result.message;
      const Vector after = problem.velocity(result.impulse);
      EXPECT_GE(std::min(after[0], after[3]), -1e-8);
      EXPECT_LE(result.energyChange, 1e-8);
    }
  }
}

TEST(Impacts, OneContactSimultaneouslyIsTheCoulombProblemOfItsLaw) {
  // A ball: W_nt = 0, so that compression and expansion of Poisson's law end where Keller's way does, if slip does not stop.
  const auto problem = row({1.0, 0.0}, Law::Cone, 0.1);
  ProblemData data = problem->data();
  data.freeVelocity[1] = 3.0;  // fast slip
  const ContactProblem sliding(std::move(data));
  for (const ImpactLaw law : {ImpactLaw::Newton, ImpactLaw::Poisson}) {
    const std::vector<ImpactParameters> parameters(1, {law, 0.6, 0.0});
    const ImpactsResult together = resolveImpacts(sliding, parameters, ImpactOrder::Simultaneous, "auto", kTolerance);
    const ImpactsResult alone = resolveImpacts(sliding, parameters, ImpactOrder::Sequential, "auto", kTolerance);
    ASSERT_TRUE(together.ok && alone.ok);
    EXPECT_LE((together.impulse - alone.impulse).norm(), 1e-9);
    EXPECT_NEAR(together.impulse[0], 1.6 * 0.5, 1e-9);
    EXPECT_NEAR(together.impulse[1], 0.1 * 1.6 * 0.5, 1e-9);
  }
}

// Bodies that hang on joints which say the same twice; velocities before break them.
TEST(Impacts, RedundantJointsAreMadeToHold) {
  RandomProblem ask;
  ask.bodies = 4;
  ask.joints = 3;
  ask.contacts = 2;
  ask.redundant = true;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto problem = makeRandomProblem(ask, 100 + seed);
    for (const Kind& kind : kKinds) {
      const auto parameters = parametersFor(*problem, kind, seed);
      const ImpactsResult result = resolveImpacts(*problem, parameters, kind.order, "auto", 1e-9);
      expectSound(*problem, result, 1e-9, "seed " + std::to_string(seed));
    }
  }
}

TEST(Impacts, ContactBetweenThingsThatCannotMoveIsReported) {
  ProblemData data = row({1.0, 0.0})->data();
  data.inverseMass = std::make_shared<FreeBodies>(std::vector<FreeBodies::Item>(2));
  const ContactProblem problem(std::move(data));
  const std::vector<ImpactParameters> parameters(1, {ImpactLaw::Stronge, 0.5, 0.0});
  const ImpactsResult result = resolveImpacts(problem, parameters, ImpactOrder::Sequential, "auto", 1e-9);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("block 0"), std::string::npos) << result.message;
}

TEST(Impacts, JointsAloneAreMadeToHoldAndNothingIsNothing) {
  RandomProblem ask;
  ask.bodies = 3;
  ask.joints = 2;
  ask.contacts = 0;
  const auto joints = makeRandomProblem(ask, 3);
  ProblemData none;
  none.inverseMass = std::make_shared<FreeBodies>(std::vector<FreeBodies::Item>{{1.0, Mat3(Mat3::Identity())}});
  none.freeVelocity = Vector::Ones(6);
  const ContactProblem nothing(std::move(none));
  for (const Kind& kind : kKinds) {
    const ImpactsResult held = resolveImpacts(*joints, parametersFor(*joints, kind, 0), kind.order, "auto", 1e-10);
    expectSound(*joints, held, 1e-10, "joints");
    EXPECT_LT(held.energyChange, 0.0);
    EXPECT_EQ(held.collisions, 0);
    const ImpactsResult empty = resolveImpacts(nothing, {}, kind.order, "auto", 1e-10);
    EXPECT_TRUE(empty.ok) << empty.message;
    EXPECT_EQ(empty.impulse.size(), 0);
  }
}

// Without restitution a long row comes to rest too slowly, one collision after the other.
TEST(Impacts, SequenceWithoutEndIsFinishedByOnePlasticImpact) {
  std::vector<double> speeds(60, 0.0);
  speeds[0] = 1.0;
  const auto problem = row(speeds);
  const std::vector<ImpactParameters> parameters(59, {ImpactLaw::Newton, 0.0, 0.0});
  const ImpactsResult result = resolveImpacts(*problem, parameters, ImpactOrder::Sequential, "lemke", kTolerance);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_EQ(result.collisions, kMostCollisions);
  EXPECT_NE(result.message.find("plastic"), std::string::npos) << result.message;
  const Vector u = problem->bodyVelocity(result.impulse);
  for (int i = 0; i < 60; ++i) EXPECT_NEAR(u[6 * i], 1.0 / 60.0, 1e-9);
  EXPECT_NEAR(result.energyChange, 0.5 / 60.0 - 0.5, 1e-9);
}

}  // namespace
}  // namespace cairn
