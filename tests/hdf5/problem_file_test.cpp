// Problems in HDF5 files: nothing lost on the way there and back, and the two forms told apart by their content.
#include "hdf5/problem_file.hpp"

#include <gtest/gtest.h>

#include "fc3d.hpp"
#include "files.hpp"
#include "hdf5/format.hpp"
#include "problem/text_file.hpp"

namespace cairn {
namespace {

using testing::expectSame;
using testing::makeRandomProblem;
using testing::ProblemFile;
using testing::RandomProblem;

TEST_F(ProblemFile, ProblemsOfEveryLawComeBackToTheBit) {
  std::vector<SavedProblem> saved;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    RandomProblem ask{.bodies = 3 + static_cast<int>(seed % 5), .contacts = static_cast<int>(seed % 11)};
    ask.joints = static_cast<int>(seed % 3);
    ask.law = static_cast<Law>(1 + seed % 4);
    ask.facets = 4 + 2 * static_cast<int>(seed % 5);
    ask.elliptic = seed % 2 == 0;
    ask.massRatio = 1e6;
    ask.redundant = seed % 7 == 0;
    ask.compliance = seed % 5 == 0 ? 1e-4 : 0.0;
    ask.limits = seed % 4 == 0 ? 0.5 : 0.0;
    auto data = makeRandomProblem(ask, seed)->data();
    std::srand(seed);
    data.name = "random \xc3\xa9 " + std::to_string(seed);
    data.warmStart = Vector::Random(data.lower.size());
    data.bias = Vector::Random(data.lower.size());
    data.speedFloor = 0.1 / seed;
    data.groupSolvers = {"bgs:order=random,seed=3", "", "lemke"};
    for (std::size_t i = 0; i < data.blocks.size(); ++i) data.blocks[i].group = static_cast<int>(i % 3);
    SavedProblem one{.name = data.name, .problem = std::make_shared<ContactProblem>(data), .solution = {}};
    if (seed % 2 == 0) one.solution = Vector::Random(one.problem->rows());
    saved.push_back(std::move(one));
  }
  writeProblemHdf5(path("many.h5"), saved);
  const std::vector<SavedProblem> again = readProblemHdf5(path("many.h5"));
  ASSERT_EQ(again.size(), saved.size());
  for (std::size_t i = 0; i < saved.size(); ++i) {
    EXPECT_EQ(again[i].name, saved[i].name);
    EXPECT_EQ(again[i].problem->name(), saved[i].name);
    expectSame(*again[i].problem, *saved[i].problem);
    EXPECT_TRUE(testing::sameBits(again[i].solution, saved[i].solution));
  }
  EXPECT_EQ(fileCount(), 1);  // nothing half written is left beside it
}

TEST_F(ProblemFile, GivenMatricesComeBackToTheBit) {
  std::vector<std::shared_ptr<ContactProblem>> problems;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const auto random = makeRandomProblem({.bodies = 5, .contacts = 7, .redundant = seed % 2 == 0}, seed);
    problems.push_back(parseProblemText(writeProblemText(*random), "random" + std::to_string(seed) + ".fcp"));
  }
  // Planar, and not symmetric.
  problems.push_back(
      parseProblemText("FCP1 2 2 4\n0 0 2 0.5 0.5 1\n0 1 -1 0 0 0.25\n1 0 -1 0.1 0 0.25\n1 1 2 -0.5 -0.5 1\n"
                       "-1 0.5 -2 1e-3\n0.5 0.25\n",
                       "planar.fcp"));
  for (const auto& file : test::fc3dFiles()) problems.push_back(readProblemText(file.string()));
  for (const auto& problem : problems) {
    writeProblemHdf5(path("one.h5"), std::vector<SavedProblem>{{.name = "", .problem = problem, .solution = {}}});
    const auto again = readProblemHdf5(path("one.h5"));
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again[0].name, problem->name());
    expectSame(*again[0].problem, *problem);
    EXPECT_EQ(writeProblemText(*again[0].problem), writeProblemText(*problem));
  }
}

TEST_F(ProblemFile, ExtremeNumbersSurvive) {
  ProblemData data;
  data.name = "x";
  data.blocks = {{.law = Law::Interval, .first = 0, .size = 4}, {.law = Law::Free, .first = 4, .size = 1}};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  data.lower = (Vector(5) << -kInfinity, -0.0, std::numeric_limits<double>::denorm_min(), -1e308, 0.0).finished();
  data.upper = (Vector(5) << -1e-300, 0.0, kInfinity, 1e308, kInfinity).finished();
  data.bias =
      (Vector(5) << -0.0, std::numeric_limits<double>::max(), std::numeric_limits<double>::min(), 1.0 / 3, -1).finished();
  data.delassus.resize(5, 5);
  data.delassus.insert(0, 4) = -0.0;
  data.delassus.insert(3, 3) = 1e-310;
  const auto problem = std::make_shared<ContactProblem>(data);
  writeProblemHdf5(path("x.h5"), std::vector<SavedProblem>{{.name = "x", .problem = problem, .solution = {}}});
  expectSame(*readProblemHdf5(path("x.h5"))[0].problem, *problem);
}

TEST_F(ProblemFile, EmptyProblemsSurvive) {
  const auto none = std::make_shared<ContactProblem>(ProblemData{});
  ProblemData still;
  still.inverseMass = std::make_shared<FreeBodies>(std::vector<FreeBodies::Item>(2));
  const auto bodies = std::make_shared<ContactProblem>(still);
  writeProblemHdf5(path("x.h5"), std::vector<SavedProblem>{{.name = "none", .problem = none, .solution = {}},
                                                           {.name = "bodies", .problem = bodies, .solution = {}}});
  const auto again = readProblemHdf5(path("x.h5"));
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].problem->rows(), 0);
  EXPECT_EQ(again[1].problem->data().inverseMass->bodies(), 2);
}

// A stand-in for articulations: a mass matrix whose bodies act on each other.
class CoupledPair final : public InverseMass {
 public:
  int bodies() const override { return 2; }
  void apply(const Vector& momentum, Vector& velocity) const override { velocity = matrix() * momentum; }
  bool couplesBodies() const override { return true; }
  Mat6 block(int) const override { return 2.0 * Mat6::Identity(); }
  SparseMatrix matrix() const override {
    Matrix all = 2.0 * Matrix::Identity(12, 12);
    all.topRightCorner(6, 6) = 0.5 * Matrix::Identity(6, 6);
    all.bottomLeftCorner(6, 6) = 0.5 * Matrix::Identity(6, 6);
    return all.sparseView();
  }
  SparseMatrix factor() const override { return Matrix(Matrix(matrix()).llt().matrixL()).sparseView(); }
};

TEST_F(ProblemFile, CoupledBodiesAreWrittenByTheirMatrix) {
  ProblemData data = makeRandomProblem({.bodies = 2, .contacts = 5, .compliance = 0.01}, 3)->data();
  data.inverseMass = std::make_shared<CoupledPair>();
  const auto problem = std::make_shared<ContactProblem>(data);
  writeProblemHdf5(path("x.h5"), std::vector<SavedProblem>{{.name = "x", .problem = problem, .solution = {}}});
  const auto again = readProblemHdf5(path("x.h5"))[0].problem;
  EXPECT_FALSE(again->hasBodies());
  EXPECT_TRUE(testing::sameBits(again->b(), problem->b()));
  EXPECT_EQ((Matrix(again->delassus()) - Matrix(problem->delassus())).norm(), 0.0);
}

TEST_F(ProblemFile, TheContentTellsTheForm) {
  const auto problem = makeRandomProblem({}, 1);
  const SavedProblem one{.name = "anything", .problem = problem, .solution = {}};
  writeProblemHdf5(path("alone.fcp"), std::vector{one});  // the endings lie
  writeProblemHdf5(path("three.txt"), std::vector{one, one, one});
  std::ofstream(path("text.h5")) << writeProblemText(*problem);
  const auto alone = readProblems(path("alone.fcp")), three = readProblems(path("three.txt")),
             text = readProblems(path("text.h5"));
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0].name, "alone");
  EXPECT_TRUE(alone[0].problem->hasBodies());
  ASSERT_EQ(three.size(), 3u);
  EXPECT_EQ(three[0].name, "three#0");
  EXPECT_EQ(three[2].name, "three#2");
  ASSERT_EQ(text.size(), 1u);
  EXPECT_EQ(text[0].name, "text");
  EXPECT_FALSE(text[0].problem->hasBodies());
}

TEST_F(ProblemFile, ManyProblemsKeepTheirOrder) {
  std::vector<SavedProblem> saved;
  const auto none = std::make_shared<ContactProblem>(ProblemData{});
  for (int i = 0; i < 150; ++i) saved.push_back({.name = std::to_string(i), .problem = none, .solution = {}});
  writeProblemHdf5(path("x.h5"), saved);
  const auto again = readProblemHdf5(path("x.h5"));
  ASSERT_EQ(again.size(), saved.size());
  for (std::size_t i = 0; i < saved.size(); ++i) EXPECT_EQ(again[i].name, saved[i].name);
  EXPECT_EQ(hdf5::problemGroup(7, 150), "0007");
  EXPECT_EQ(hdf5::problemGroup(9999, 10000), "9999");
  EXPECT_LT(hdf5::problemGroup(9999, 10001), hdf5::problemGroup(10000, 10001));
}

TEST_F(ProblemFile, WhatCannotBeWrittenIsSaidAndLeavesNothingBehind) {
  const SavedProblem one{.name = "x", .problem = makeRandomProblem({}, 1), .solution = {}};
  EXPECT_THROW(writeProblemHdf5(path("x.h5"), {}), std::invalid_argument);
  SavedProblem wrong = one;
  wrong.solution = Vector::Zero(2);
  EXPECT_THROW(writeProblemHdf5(path("x.h5"), std::vector{wrong}), std::invalid_argument);
  EXPECT_EQ(testing::errorOf([&] { writeProblemHdf5(path("no/x.h5"), std::vector{one}); }),
            path("no/x.h5") + ": cannot be written: No such file or directory");
  EXPECT_EQ(testing::errorOf([&] {
              writeProblemHdf5(folder_.string(), std::vector{one});
            }).substr(0, folder_.string().size() + 20),
            folder_.string() + ": cannot be written:");
  EXPECT_EQ(fileCount(), 0);
}

// h5py is what most people will look at the files with, and write them with.
TEST_F(ProblemFile, PythonReadsOursAndWeReadPythons) {
  ProblemData data = makeRandomProblem({.joints = 1, .law = Law::Pyramid, .facets = 8}, 9)->data();
  data.speedFloor = 0.25;
  data.groupSolvers = {"bgs", "lemke"};
  const auto problem = std::make_shared<ContactProblem>(data);
  const Vector solution = Vector::LinSpaced(problem->rows(), 0.0, 1.0);
  writeProblemHdf5(path("ours.h5"), std::vector<SavedProblem>{{.name = "nine", .problem = problem, .solution = solution}});
  const std::string script = std::string(CAIRN_SOURCE_DIR) + "/tests/hdf5/h5py_check.py";
  const auto python = [&](const std::string& arguments) {
    return std::system(("/usr/bin/python3 " + script + " " + arguments).c_str());
  };
  // Reads everything, computes W lambda + b by numpy and leaves it as text.
  ASSERT_EQ(python("velocity " + path("ours.h5") + " " + path("velocity.txt")), 0);
  std::ifstream file(path("velocity.txt"));
  const Vector expected = problem->velocity(solution);
  for (Eigen::Index i = 0; i < expected.size(); ++i) {
    double found = 0.0;
    ASSERT_TRUE(file >> found);
    EXPECT_NEAR(found, expected[i], 1e-12 * problem->denseDelassus().norm());  // sums in another order
  }
  // h5py's own types: whole numbers of 64 bits, single precision, compressed chunks.
  ASSERT_EQ(python("write " + path("theirs.h5")), 0);
  const auto theirs = readProblems(path("theirs.h5"));
  ASSERT_EQ(theirs.size(), 2u);
  EXPECT_EQ(theirs[0].problem->name(), "a block on a floor");
  EXPECT_EQ(theirs[0].problem->rows(), 3);
  EXPECT_EQ(theirs[0].problem->denseDelassus(), Matrix(Vec3(0.5, 0.5, 0.5).asDiagonal()));
  EXPECT_EQ(theirs[0].problem->b(), Vector(Vec3(-1.0, 0.25, 0.0)));
  EXPECT_EQ(theirs[0].problem->blocks()[0].law, Law::Cone);
  EXPECT_EQ(theirs[1].problem->rows(), 300);
  EXPECT_EQ(theirs[1].problem->data().upper[7], 0.5);
  EXPECT_EQ(theirs[1].problem->data().bias[299], -299.0);
  ASSERT_EQ(python("write " + path("v108.h5") + " v108"), 0);
  EXPECT_EQ(readProblems(path("v108.h5")).size(), 2u);
  ASSERT_EQ(python("write " + path("old.h5") + " earliest"), 0);
  EXPECT_EQ(testing::errorOf([&] { readProblems(path("old.h5")); }),
            path("old.h5") +
                ": found HDF5's oldest layout, without checksums; allowed: that of HDF5 1.8 or later (h5py: "
                "File(..., libver=\"latest\"))");
}

}  // namespace
}  // namespace cairn
