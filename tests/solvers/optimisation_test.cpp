// apgd, staggered, hierarchical, and the linear solvers for joints. The judge is the oracle, with closed forms beside it.
#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "problem/cone_program.hpp"
#include "random_problems.hpp"
#include "solvers/block_sweeps.hpp"

namespace cairn {
namespace {

using testing::makeRandomProblem;
using testing::RandomProblem;

constexpr Law kBounded[] = {Law::Interval, Law::Box, Law::Pyramid, Law::Cone};
constexpr const char* kSolvers[] = {"apgd", "staggered", "hierarchical:joints=ldlt,contacts=apgd"};

SolveReport solve(std::string_view spec, const ContactProblem& problem, Vector& impulse, SolveLimits limits = {}) {
  return makeSolver(spec)->solve(problem, limits, impulse);
}

ProblemData sphereOnGround(Law law, double vx, double vz, double mu = 0.3) {
  ProblemData data;
  data.inverseMass = std::make_shared<FreeBodies>(std::vector<FreeBodies::Item>{{0.5, Mat3::Zero()}});
  data.freeVelocity = Vector::Zero(6);
  data.freeVelocity[0] = vx;
  data.freeVelocity[2] = vz;
  data.blocks.push_back({.law = law, .first = 0, .size = 3, .friction = {mu, mu}, .facets = 8});
  BlockJacobian j;
  j.b = 0;
  j.partB = BlockJacobian::Part::Zero(3, 6);
  j.partB(0, 2) = j.partB(1, 0) = j.partB(2, 1) = 1.0;
  data.jacobians.push_back(j);
  return data;
}

// The same problem without its bodies.
std::unique_ptr<ContactProblem> matrixOnly(const ContactProblem& problem) {
  ProblemData data;
  data.blocks = problem.blocks();
  data.lower = problem.data().lower;
  data.upper = problem.data().upper;
  data.bias = problem.b();
  data.delassus = problem.delassus();
  return std::make_unique<ContactProblem>(std::move(data));
}

TEST(Optimisation, FindsSolutionsKnownInClosedForm) {
  for (const Law law : {Law::Box, Law::Pyramid, Law::Cone}) {
    for (const char* spec : {"apgd", "apgd:memory=0", "staggered", "staggered:normal=sweeps,friction=sweeps",
                             "staggered:normal=apgd", "hierarchical:contacts=apgd"}) {
      const auto expect = [&](double vx, double vz, const Vec3& answer) {
        const ContactProblem problem(sphereOnGround(law, vx, vz));
        Vector impulse;
        EXPECT_EQ(solve(spec, problem, impulse, {.tolerance = 1e-10}).exit, Exit::Converged) << spec << " " << nameOf(law);
        // Speeds to 1e-10 of 5 m/s, 2 kg.
        EXPECT_LT((impulse - answer).norm(), 2e-9) << spec << " " << nameOf(law);
      };
      expect(5.0, -1.0, Vec3(2.0, -0.6, 0.0));  // slides
      expect(0.2, -1.0, Vec3(2.0, -0.4, 0.0));  // sticks
      expect(3.0, 1.0, Vec3::Zero());           // leaves
    }
  }
}

// Without friction the problem is convex and the velocities are unique; with little friction (below every known example of
// several solutions) the methods must agree as well. Methods that solve joints apart from contacts converge slowly where
// light bodies couple the two, and may say so.
TEST(Optimisation, MethodsAgreeOnEveryLaw) {
  std::map<std::string, int> solved;
  for (const Law law : kBounded) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      const RandomProblem ask{
          .joints = 2, .law = law, .facets = 6, .friction = 0.2, .elliptic = seed % 2 == 0, .limits = 0.2};
      const auto problem = makeRandomProblem(ask, seed);
      Vector first;
      ASSERT_EQ(solve(kSolvers[0], *problem, first, {.tolerance = 1e-9}).exit, Exit::Converged) << nameOf(law) << seed;
      for (const char* spec : {kSolvers[1], kSolvers[2], "staggered:normal=sweeps,friction=sweeps", "staggered:joints=ldlt",
                               "staggered:joints=pcg"}) {
        Vector other;
        const SolveReport report = solve(spec, *problem, other, {.tolerance = 1e-9});
        solved[spec] += report.exit == Exit::Converged;
        if (report.exit == Exit::Converged) {
          // Errors of 1e-9 in laws; soft directions make more of them in velocities.
          EXPECT_LT((problem->velocity(other) - problem->velocity(first)).norm(), 1e-5) << spec << nameOf(law) << seed;
        } else {
          EXPECT_EQ(report.exit, Exit::Stalled) << spec << " " << nameOf(law) << " " << seed << " " << report.message;
        }
      }
    }
  }
  EXPECT_EQ(solved["staggered"], 20);
  EXPECT_EQ(solved["staggered:normal=sweeps,friction=sweeps"], 20);
  for (const char* spec : {kSolvers[2], "staggered:joints=ldlt", "staggered:joints=pcg"})
    EXPECT_GE(solved[spec], 18) << spec << ", of 20";
}

TEST(Optimisation, BodiesAndMatrixGiveTheSame) {
  for (const char* spec : kSolvers) {
    const auto problem = makeRandomProblem({.joints = 2, .law = Law::Cone, .friction = 0.2}, 3);
    const auto matrix = matrixOnly(*problem);
    Vector a, b;
    EXPECT_EQ(solve(spec, *problem, a).exit, Exit::Converged);
    EXPECT_EQ(solve(spec, *matrix, b).exit, Exit::Converged);
    EXPECT_LT((problem->velocity(a) - problem->velocity(b)).norm(), 1e-6) << spec;
  }
}

TEST(Apgd, ConvexLawSolvesTheConeProblemAndSaysThatItIsNotCoulombs) {
  for (const Law law : {Law::Box, Law::Pyramid, Law::Cone}) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      const auto problem = makeRandomProblem({.joints = 1, .law = law, .facets = 8}, seed);
      Vector impulse;
      const SolveReport report = solve("apgd:law=ccp", *problem, impulse);
      EXPECT_EQ(report.exit, Exit::Inaccurate);
      EXPECT_NE(report.message.find("not Coulomb's"), std::string::npos);
      const ConeProgram program(*problem);
      const Vector v = problem->velocity(impulse);
      const Vector lift = program.saxceShift(v);
      for (std::size_t i = 0; i < problem->blocks().size(); ++i) {
        const Block& block = problem->blocks()[i];
        if (!isContact(block.law)) continue;
        // In the dual cone: separates at least at the support of its slip; and at right angles to the impulse.
        EXPECT_GE(v[block.first], lift[static_cast<Eigen::Index>(i)] - 1e-6);
        EXPECT_NEAR(impulse.segment<3>(block.first).dot(v.segment<3>(block.first)), 0.0, 1e-6);
      }
    }
  }
}

TEST(Apgd, ConvexLawIsExactWhereNothingSlides) {
  const ContactProblem sticks(sphereOnGround(Law::Cone, 0.2, -1.0));
  Vector impulse;
  EXPECT_EQ(solve("apgd:law=ccp", sticks, impulse).exit, Exit::Converged);
  EXPECT_LT((impulse - Vec3(2.0, -0.4, 0.0)).norm(), 1e-7);
}

TEST(Optimisation, ErrorsFallByOrdersOfMagnitudeInTheEnergyNorm) {
  for (const char* spec : kSolvers) {
    const auto problem = makeRandomProblem({.bodies = 20, .contacts = 40, .joints = 5}, 2);
    Vector impulse;
    IterationLog log;
    const SolveReport report = makeSolver(spec)->solve(*problem, {}, impulse, &log);
    EXPECT_EQ(report.exit, Exit::Converged) << spec;
    ASSERT_GT(log.entries.size(), 2u);
    EXPECT_LT(log.entries.back().residual.energyNorm, 1e-7 * log.entries.front().residual.energyNorm) << spec;
    EXPECT_LE(stepEnergy(*problem, impulse).total(), 0.0) << "impulses without bias only ever brake";
  }
}

TEST(BlockSweeps, NeverGoUphill) {
  for (const Law law : {Law::Box, Law::Pyramid, Law::Cone}) {
    const auto problem = makeRandomProblem({.joints = 3, .law = law, .facets = 6, .elliptic = true, .limits = 0.2}, 5);
    for (const bool friction : {false, true}) {
      ConeProgram program(*problem, {.joints = true, .intervals = !friction, .normals = !friction, .tangents = friction});
      Vector impulse = Vector::Constant(problem->rows(), 0.3);
      program.hold(impulse);
      BlockSweeps sweeps(program);
      Monitor monitor(*problem, {}, 1000000, nullptr);
      Vector x = program.fromImpulse(impulse), g;
      program.project(x);
      program.gradient(x, g);
      double last = program.objective(x, g);
      for (int i = 0; i < 100; ++i) {
        sweeps.minimise(x, 0.0, 1, monitor);
        program.gradient(x, g);
        const double value = program.objective(x, g);
        EXPECT_LE(value, last + 1e-13 * std::abs(last));
        last = value;
      }
      EXPECT_TRUE(sweeps.minimise(x, 1e-9, 10000, monitor));
    }
  }
}

// Against many points of the set.
TEST(BlockSweeps, FindTheLeastInDiscsAndPolygons) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int trial = 0; trial < 300; ++trial) {
    Eigen::Matrix2d root;
    root << uniform(random), uniform(random), uniform(random), uniform(random);
    if (trial % 5 == 0) root.row(1).setZero();  // singular
    if (trial % 50 == 7) root.setZero();
    const Eigen::Matrix2d a = root.transpose() * root;
    const Eigen::Vector2d c(uniform(random), uniform(random));
    const double radius = trial % 11 == 0 ? 0.0 : std::exp(2.0 * uniform(random));
    const auto value = [&](const Eigen::Vector2d& x) { return 0.5 * x.dot(a * x) + c.dot(x); };
    const Eigen::Vector2d disc = leastInDisc(a, c, radius);
    EXPECT_LE(disc.norm(), radius * (1.0 + 1e-12));
    std::vector<Eigen::Vector2d> corners;
    for (int k = 0; k < 6; ++k) {
      const double angle = std::numbers::pi * k / 3.0;
      corners.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
    }
    const Eigen::Vector2d hexagon = leastInPolygon(a, c, corners);
    for (int k = 0; k < 2000; ++k) {
      const double angle = 0.1 * k, size = radius * (k % 20 + 1) / 20.0;
      const Eigen::Vector2d x(size * std::cos(angle), size * std::sin(angle));
      EXPECT_GE(value(x), value(disc) - 1e-12);
      EXPECT_GE(value(0.866 * x), value(hexagon) - 1e-12);  // 0.866 of the disc is inside the hexagon
    }
    for (const Eigen::Vector2d& corner : corners) EXPECT_GE(value(corner), value(hexagon) - 1e-12);
  }
}

TEST(Optimisation, ZeroFrictionIsAFrictionlessContact) {
  for (const char* spec : kSolvers) {
    for (const Law law : {Law::Box, Law::Pyramid, Law::Cone}) {
      const auto with = makeRandomProblem({.joints = 2, .law = law, .friction = 0.0}, 6);
      ProblemData data = with->data();
      std::vector<int> normalRows;
      int row = 0;
      for (std::size_t i = 0; i < data.blocks.size(); ++i) {
        Block& block = data.blocks[i];
        const int size = isContact(block.law) ? 1 : block.size;
        for (int k = 0; k < size; ++k) normalRows.push_back(block.first + k);
        if (isContact(block.law)) {
          block.law = Law::Interval;
          for (BlockJacobian::Part* part : {&data.jacobians[i].partA, &data.jacobians[i].partB})
            if (part->rows() > 0) part->conservativeResize(1, 6);
        }
        block.first = row;
        block.size = size;
        row += size;
      }
      data.lower = data.upper = data.bias = data.compliance = data.warmStart = Vector();
      const ContactProblem without(std::move(data));
      Vector a, b;
      ASSERT_EQ(solve(spec, *with, a).exit, Exit::Converged) << spec;
      ASSERT_EQ(solve(spec, without, b).exit, Exit::Converged) << spec;
      const Vector v = with->velocity(a), w = without.velocity(b);
      for (std::size_t i = 0; i < normalRows.size(); ++i) EXPECT_NEAR(v[normalRows[i]], w[i], 1e-6) << spec;
      for (const Block& block : with->blocks()) {
        if (!isContact(block.law)) continue;
        EXPECT_EQ(a.segment<2>(block.first + 1).norm(), 0.0);
      }
    }
  }
}

TEST(Optimisation, LargeFrictionIsSolvedOrReportedAsStalled) {
  for (const char* spec : {"apgd", "staggered"}) {
    int solved = 0;
    for (const Law law : {Law::Box, Law::Pyramid, Law::Cone}) {
      for (unsigned seed = 0; seed < 10; ++seed) {
        const auto problem = makeRandomProblem({.law = law, .facets = 8, .friction = 1.5}, seed);
        Vector impulse;
        const SolveReport report = solve(spec, *problem, impulse);
        solved += report.exit == Exit::Converged;
        EXPECT_TRUE(report.exit == Exit::Converged || report.exit == Exit::Stalled) << nameOf(report.exit);
        EXPECT_EQ(report.exit == Exit::Stalled, !report.message.empty());
      }
    }
    EXPECT_GE(solved, 27) << spec << ": nearly all of 30";
  }
}

TEST(Optimisation, RedundantJointsAndContactsAreNoObstacle) {
  for (const char* spec :
       {"apgd", "staggered", "staggered:joints=ldlt", "staggered:joints=pcg", "staggered:normal=sweeps,friction=sweeps",
        "hierarchical:joints=ldlt,contacts=apgd", "hierarchical:joints=pcg,contacts=apgd"}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      const auto problem = makeRandomProblem({.joints = 2, .friction = 0.2, .redundant = true}, seed);
      Vector impulse;
      const SolveReport report = solve(spec, *problem, impulse);
      EXPECT_EQ(report.exit, Exit::Converged) << spec << " " << seed << " " << report.message;
    }
  }
}

// One product with W per iteration, but for the few that find the curvature and judge: whatever the size.
class CountingBodies final : public InverseMass {
 public:
  explicit CountingBodies(std::shared_ptr<const InverseMass> inner) : inner_(std::move(inner)) {}
  int bodies() const override { return inner_->bodies(); }
  void apply(const Vector& momentum, Vector& velocity) const override {
    ++products;
    inner_->apply(momentum, velocity);
  }
  bool couplesBodies() const override { return inner_->couplesBodies(); }
  Mat6 block(int body) const override { return inner_->block(body); }
  SparseMatrix matrix() const override {
    ++assemblies;
    return inner_->matrix();
  }
  SparseMatrix factor() const override { return inner_->factor(); }
  mutable int products = 0, assemblies = 0;

 private:
  std::shared_ptr<const InverseMass> inner_;
};

TEST(Apgd, CostsAConstantNumberOfProductsPerIteration) {
  for (const int bodies : {10, 40, 160}) {
    ProblemData data = makeRandomProblem({.bodies = bodies, .contacts = 2 * bodies}, 1)->data();
    const auto counting = std::make_shared<CountingBodies>(data.inverseMass);
    data.inverseMass = counting;
    const ContactProblem problem(std::move(data));
    counting->products = 0;
    Vector impulse;
    const SolveReport report = solve("apgd", problem, impulse);
    EXPECT_EQ(report.exit, Exit::Converged);
    EXPECT_LE(counting->products, 2 * report.iterations + 20) << bodies;
    EXPECT_EQ(counting->assemblies, 0);
  }
}

TEST(Optimisation, StartsFromWhatItIsGiven) {
  for (const char* spec : kSolvers) {
    const auto problem = makeRandomProblem({.joints = 2, .friction = 0.3}, 12);
    Vector impulse;
    ASSERT_EQ(solve(spec, *problem, impulse).exit, Exit::Converged);
    const Vector before = impulse;
    EXPECT_EQ(solve(spec, *problem, impulse).iterations, 0) << spec;
    EXPECT_EQ(impulse, before);
  }
}

TEST(Optimisation, KeepsToIterationLimits) {
  for (const char* spec : kSolvers) {
    const auto problem = makeRandomProblem({.bodies = 20, .contacts = 60, .joints = 10}, 3);
    Vector impulse;
    const SolveReport report = solve(spec, *problem, impulse, {.tolerance = 1e-12, .iterations = 3});
    EXPECT_EQ(report.exit, Exit::IterationLimit) << spec;
    EXPECT_LE(report.iterations, 3) << spec;
  }
}

TEST(Optimisation, SurvivesDegenerateProblems) {
  const char* specs[] = {"apgd", "apgd:law=ccp", "staggered", "staggered:normal=sweeps,friction=sweeps",
                         "hierarchical:contacts=apgd"};
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<std::unique_ptr<ContactProblem>> problems;
  problems.push_back(std::make_unique<ContactProblem>(ProblemData{}));
  for (const Law law : {Law::Free, Law::Interval, Law::Box, Law::Pyramid, Law::Cone}) {
    for (const double diagonal : {0.0, 1e-12, 1.0, 1e12}) {
      for (const double b : {-1.0, 0.0, 1.0}) {
        ProblemData data;
        data.blocks.push_back({.law = law, .first = 0, .size = isContact(law) ? 3 : 1, .friction = {0.5, 0.0}, .facets = 4});
        const int rows = data.blocks[0].size;
        data.delassus.resize(rows, rows);
        data.delassus.insert(0, 0) = diagonal;
        data.bias = Vector::Constant(rows, b);
        if (law == Law::Interval && b == 0.0) {
          data.lower = Vector::Constant(1, -infinity);
          data.upper = Vector::Constant(1, -2.0);
        }
        problems.push_back(std::make_unique<ContactProblem>(std::move(data)));
      }
    }
  }
  ProblemData skewed = matrixOnly(*makeRandomProblem({.law = Law::Cone}, 5))->data();
  skewed.delassus.coeffRef(0, 4) += 0.5;
  problems.push_back(std::make_unique<ContactProblem>(std::move(skewed)));
  for (const auto& problem : problems) {
    for (const char* spec : specs) {
      for (const double start : {0.0, 1.0}) {
        Vector impulse = Vector::Constant(problem->rows(), start);
        const SolveReport report = solve(spec, *problem, impulse, {.iterations = 3000});
        EXPECT_TRUE(impulse.allFinite()) << spec;
        EXPECT_NE(report.exit, Exit::Unsupported) << spec << report.message;
      }
    }
  }
}

// --- Joints alone -----------------------------------------------------------------------------------------------------

TEST(JointSolvers, SolveChainsAndRedundantJoints) {
  for (const char* spec : {"pcg", "ldlt", "apgd", "staggered", "staggered:joints=pcg"}) {
    for (const bool redundant : {false, true}) {
      for (unsigned seed = 0; seed < 5; ++seed) {
        const auto problem = makeRandomProblem({.bodies = 20, .contacts = 0, .joints = 19, .redundant = redundant}, seed);
        Vector impulse;
        const SolveReport report = solve(spec, *problem, impulse);
        EXPECT_EQ(report.exit, Exit::Converged) << spec << " " << report.message;
        EXPECT_LT(problem->velocity(impulse).lpNorm<Eigen::Infinity>(), 1e-7) << spec;
        EXPECT_LE(stepEnergy(*problem, impulse).total(), 0.0);
      }
    }
  }
}

TEST(JointSolvers, RefuseContactsByName) {
  const auto problem = makeRandomProblem({.joints = 1}, 1);
  for (const char* spec : {"pcg", "ldlt"}) {
    Vector impulse;
    const SolveReport report = solve(spec, *problem, impulse);
    EXPECT_EQ(report.exit, Exit::Unsupported);
    EXPECT_NE(report.message.find("cone"), std::string::npos);
  }
}

TEST(JointSolvers, SayWhichJointsContradictEachOther) {
  ProblemData data = makeRandomProblem({.bodies = 4, .contacts = 0, .joints = 3, .redundant = true}, 2)->data();
  data.bias[4] += 0.5;  // the second row of the copy of the first joint
  const ContactProblem problem(std::move(data));
  Vector impulse;
  const SolveReport direct = solve("ldlt", problem, impulse);
  EXPECT_EQ(direct.exit, Exit::Inconsistent);
  // Least squares leaves half of the contradiction in each of the two rows.
  EXPECT_TRUE(direct.message.find("row 4 ") != std::string::npos || direct.message.find("row 1 ") != std::string::npos)
      << direct.message;
  EXPECT_NEAR(problem.velocity(impulse).lpNorm<Eigen::Infinity>(), 0.25, 1e-6);
  const SolveReport iterative = solve("pcg", problem, impulse = Vector());
  EXPECT_TRUE(iterative.exit == Exit::Inconsistent || iterative.exit == Exit::Stalled) << nameOf(iterative.exit);
  for (const char* spec : {"hierarchical:contacts=apgd", "staggered:joints=ldlt"})
    EXPECT_EQ(solve(spec, problem, impulse = Vector()).exit, Exit::Inconsistent) << spec;
}

TEST(JointSolvers, ConjugateGradientsNeedAsManyStepsAsThereAreEigenvalues) {
  // Equal diagonal entries and no coupling: one eigenvalue, one step.
  ProblemData data;
  data.delassus.resize(30, 30);
  for (int i = 0; i < 30; ++i) {
    data.blocks.push_back({.law = Law::Free, .first = i, .size = 1});
    data.delassus.insert(i, i) = 3.0 + i;
  }
  data.bias = Vector::LinSpaced(30, -1.0, 1.0);
  Vector impulse;
  const SolveReport report = solve("pcg", ContactProblem(std::move(data)), impulse);
  EXPECT_EQ(report.exit, Exit::Converged);
  EXPECT_EQ(report.iterations, 1) << "the preconditioner is exact for a diagonal matrix";
}

// --- Groups -----------------------------------------------------------------------------------------------------------

TEST(Hierarchical, GroupsNameTheirOwnSolvers) {
  ProblemData data = makeRandomProblem({.joints = 3, .law = Law::Cone, .friction = 0.2}, 4)->data();
  data.groupSolvers = {"apgd:memory=0", "pcg", "staggered"};
  for (std::size_t i = 0; i < data.blocks.size(); ++i)
    data.blocks[i].group = data.blocks[i].law == Law::Free ? 1 : (i % 2 == 0 ? 0 : 2);
  const ContactProblem problem(data);
  Vector grouped, whole;
  EXPECT_EQ(solve("hierarchical", problem, grouped).exit, Exit::Converged);
  EXPECT_EQ(solve("apgd", problem, whole).exit, Exit::Converged);
  EXPECT_LT((problem.velocity(grouped) - problem.velocity(whole)).norm(), 1e-6);
}

TEST(Hierarchical, RefusesWhatAGroupCannotHave) {
  ProblemData data = makeRandomProblem({.joints = 3, .law = Law::Cone}, 4)->data();
  const auto refusal = [&](std::vector<std::string> solvers, const std::string& word) {
    data.groupSolvers = std::move(solvers);
    const ContactProblem problem(data);
    Vector impulse;
    const SolveReport report = solve("hierarchical", problem, impulse);
    EXPECT_EQ(report.exit, Exit::Unsupported);
    EXPECT_NE(report.message.find(word), std::string::npos) << report.message;
    EXPECT_TRUE(impulse.allFinite());
  };
  for (Block& block : data.blocks) block.group = block.law == Law::Free ? 0 : 1;
  refusal({"ldlt", "no_such_solver"}, "no_such_solver");
  refusal({"ldlt", "ldlt"}, "cone");
  refusal({"ldlt"}, "group 1");
  refusal({"ldlt", "hierarchical"}, "hierarchical");
  refusal({"ldlt", "apgd:law=newton"}, "newton");
}

TEST(Staggered, RefusesNamedSolversForRoundFriction) {
  const auto problem = makeRandomProblem({.law = Law::Cone}, 4);
  Vector impulse;
  const SolveReport report = solve("staggered:friction=apgd", *problem, impulse);
  EXPECT_EQ(report.exit, Exit::Unsupported);
  EXPECT_NE(report.message.find("boxes"), std::string::npos);
  EXPECT_EQ(solve("staggered:friction=no_such_solver", *makeRandomProblem({.law = Law::Box}, 4), impulse).exit,
            Exit::Unsupported);
}

TEST(Staggered, TakesSolversByNameForItsParts) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const auto problem = makeRandomProblem({.joints = 2, .law = Law::Box, .friction = 0.2}, seed);
    Vector own, named;
    EXPECT_EQ(solve("staggered", *problem, own).exit, Exit::Converged);
    EXPECT_EQ(solve("staggered:normal=apgd,friction=(apgd:memory=0),joints=ldlt", *problem, named).exit, Exit::Converged);
    EXPECT_LT((problem->velocity(own) - problem->velocity(named)).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace cairn
