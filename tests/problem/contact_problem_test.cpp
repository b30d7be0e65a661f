#include <gtest/gtest.h>

#include "../solvers/random_problems.hpp"

namespace cairn {
namespace {

using testing::makeRandomProblem;
using testing::RandomProblem;

// The same problem by plain dense algebra, written out here a second time.
Matrix denseByHand(const ContactProblem& problem) {
  const ProblemData& data = problem.data();
  Matrix j = Matrix::Zero(problem.rows(), 6 * data.inverseMass->bodies());
  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    const BlockJacobian& one = data.jacobians[i];
    if (one.a >= 0) j.block(data.blocks[i].first, 6 * one.a, data.blocks[i].size, 6) += one.partA;
    if (one.b >= 0) j.block(data.blocks[i].first, 6 * one.b, data.blocks[i].size, 6) += one.partB;
  }
  return j * Matrix(data.inverseMass->matrix()) * j.transpose() + Matrix(data.compliance.asDiagonal());
}

TEST(ContactProblem, MatrixFreeSparseAndDenseAgree) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto problem = makeRandomProblem(
        {.bodies = 5, .contacts = 7, .joints = 3, .redundant = seed % 3 == 0, .compliance = 0.01 * (seed % 2)}, seed);
    const Matrix w = denseByHand(*problem);
    EXPECT_LT((problem->denseDelassus() - w).norm(), 1e-12 * w.norm());
    const Vector lambda = Vector::Random(problem->rows());
    EXPECT_LT((problem->velocity(lambda) - (w * lambda + problem->b())).norm(), 1e-11 * w.norm());
    for (std::size_t i = 0; i < problem->blocks().size(); ++i) {
      const Block& block = problem->blocks()[i];
      EXPECT_LT((problem->diagonal(i) - w.block(block.first, block.first, block.size, block.size)).norm(), 1e-12 * w.norm());
    }
    const SparseMatrix f = problem->data().inverseMass->factor();
    EXPECT_LT((Matrix(f * SparseMatrix(f.transpose())) - Matrix(problem->data().inverseMass->matrix())).norm(),
              1e-12 * w.norm());
  }
}

TEST(ContactProblem, RestrictionKeepsTheOthersImpulses) {
  const auto problem = makeRandomProblem({.joints = 2}, 4);
  const Vector lambda = Vector::Random(problem->rows());
  const std::vector<int> chosen{1, 3, 4, 8};
  const auto part = problem->restricted(chosen, lambda);
  Vector mine(part->rows());
  int row = 0;
  for (const int i : chosen) {
    const Block& block = problem->blocks()[i];
    mine.segment(row, block.size) = lambda.segment(block.first, block.size);
    row += block.size;
  }
  const Vector all = problem->velocity(lambda), some = part->velocity(mine);
  row = 0;
  for (const int i : chosen) {
    const Block& block = problem->blocks()[i];
    EXPECT_LT((some.segment(row, block.size) - all.segment(block.first, block.size)).norm(), 1e-12);
    row += block.size;
  }
}

// Work of the impulses against the change of kinetic energy, from the velocities themselves.
TEST(ContactProblem, WorkOfTheImpulsesIsTheChangeOfKineticEnergy) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto problem = makeRandomProblem({.joints = 2}, seed);
    const Vector lambda = Vector::Random(problem->rows());
    const Matrix mass = Matrix(problem->data().inverseMass->matrix()).inverse();
    const Vector before = problem->data().freeVelocity, after = problem->bodyVelocity(lambda);
    const double change = 0.5 * after.dot(mass * after) - 0.5 * before.dot(mass * before);
    EXPECT_NEAR(stepEnergy(*problem, lambda).total(), change, 1e-10 * (1.0 + std::abs(change)));
  }
}

TEST(ContactProblem, RefusesWhatDoesNotFit) {
  const auto data = [] {
    ProblemData d;
    d.blocks.push_back({.law = Law::Cone, .first = 0, .size = 3, .friction = {0.5, 0.5}});
    d.delassus = Matrix(Mat3::Identity()).sparseView();
    return d;
  };
  EXPECT_NO_THROW(ContactProblem{data()});
  const auto refused = [&](const std::function<void(ProblemData&)>& spoil, const std::string& field) {
    ProblemData d = data();
    spoil(d);
    try {
      ContactProblem problem(std::move(d));
      ADD_FAILURE() << field << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
    }
  };
  refused([](ProblemData& d) { d.blocks[0].size = 4; }, "blocks[0].size");
  refused([](ProblemData& d) { d.blocks[0].first = 1; }, "blocks[0].first");
  refused([](ProblemData& d) { d.blocks[0].friction = {-1, 0}; }, "blocks[0].friction");
  refused(
      [](ProblemData& d) {
        d.blocks[0].law = Law::Pyramid;
        d.blocks[0].facets = 5;
      },
      "blocks[0].facets");
  refused([](ProblemData& d) { d.bias = Vector::Zero(2); }, "bias");
  refused([](ProblemData& d) { d.bias = Vector::Constant(3, std::nan("")); }, "bias[0]");
  refused(
      [](ProblemData& d) {
        d.lower = Vector::Constant(3, 2.0);
        d.upper = Vector::Constant(3, 1.0);
      },
      "lower[0]");
  refused([](ProblemData& d) { d.delassus.resize(2, 2); }, "delassus");
  refused([](ProblemData& d) { d.compliance = Vector::Constant(3, -1.0); }, "compliance[0]");
}

}  // namespace
}  // namespace cairn
