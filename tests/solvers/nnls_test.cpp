#include "solvers/nnls.hpp"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <Eigen/QR>
#include <fstream>
#include <random>
#include <sstream>

#include "redon_problems.hpp"
#include "solvers/updated_qr.hpp"

namespace cairn {
namespace {

using testing::makeRedonProblem;
using testing::RedonProblem;

// Conditions of Karush, Kuhn and Tucker for min |A^T l - s|, l >= 0, which are sufficient: A (x - s) >= 0 with equality
// where l > 0 (and on free rows). In units of |a_j||s|.
void expectOptimal(const SparseMatrix& a, const Vector& s, const NearestPointResult& found, double tolerance,
                   const std::vector<char>& isFree = {}) {
  const Vector x = a.transpose() * found.lambda;
  const double size = s.norm();
  EXPECT_LE((x - found.projection).norm(), tolerance * size);
  EXPECT_NEAR((x - s).norm(), found.distance, tolerance * size);
  const Vector slack = a * (x - s);
  for (int j = 0; j < a.rows(); ++j) {
    const double scale = Vector(a.row(j)).norm() * size;
    EXPECT_GE(slack[j], -tolerance * scale) << "row " << j;
    const bool free = !isFree.empty() && isFree[j];
    EXPECT_TRUE(free || found.lambda[j] >= 0.0) << "row " << j;
    if (free || found.lambda[j] != 0.0) {
      EXPECT_LE(slack[j], tolerance * scale) << "row " << j;
    }
  }
}

rapidjson::Document reference() {
  std::ifstream file(CAIRN_SOURCE_DIR "/tests/data/q_redon_nnls.json");
  std::stringstream text;
  text << file.rdbuf();
  rapidjson::Document document;
  document.Parse(text.str().c_str());
  return document;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kStride = 10;  // sanitized builds are thirty times slower
#else
constexpr int kStride = 1;
#endif

// The reference optima have 12 digits. Where the cone is everything, they are zero (stored as rounding, 1e-28 and less).
TEST(NearestPoint, ReachesAll1250OptimaOfRedonsProblems) {
  const rapidjson::Document document = reference();
  ASSERT_FALSE(document.HasParseError());
  int checked = 0;
  for (const auto& entry : document["cases"].GetArray()) {
    const int n = entry["n"].GetInt(), p = entry["p"].GetInt();
    ASSERT_STREQ(entry["variant"].GetString(), "paper");
    for (int i = 0; i < entry["instances"].GetInt(); i += kStride) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", p = " + std::to_string(p) + ", instance " + std::to_string(i));
      const RedonProblem problem = makeRedonProblem(n, p, i);
      const double expected = entry["objective"][i].GetDouble();
      const NearestPointResult sparse = nearestPoint(problem.a, problem.s);
      const NearestPointResult dense = nearestPoint(RowMatrix(problem.a), problem.s);
      const double size = problem.s.squaredNorm();
      for (const NearestPointResult* found : {&sparse, &dense}) {
        ASSERT_EQ(found->exit, Exit::Converged);
        const double objective = 0.5 * found->distance * found->distance;
        EXPECT_NEAR(objective, expected, 1e-9 * (expected > 1e-20 * size ? expected : size));
      }
      expectOptimal(problem.a, problem.s, sparse, 1e-12);
      EXPECT_LE((sparse.projection - dense.projection).norm(), 1e-10 * problem.s.norm());
      ++checked;
      if (i > 0) continue;
      const auto& first = entry["instance0"];
      ASSERT_NEAR(problem.a.sum(), first["J_sum"].GetDouble(), 1e-9);  // the generator is the reference's
      EXPECT_NEAR(sparse.projection.squaredNorm(), first["x_norm2"].GetDouble(), 1e-7);
      for (int k = 0; k < 6; ++k) EXPECT_NEAR(sparse.projection[k], first["x_first6"][k].GetDouble(), 1e-7);
    }
  }
  EXPECT_EQ(checked, 1250 / kStride);
}

// Cones that do not fill space: every optimum is above zero.
TEST(NearestPoint, ProjectsOnPointedCones) {
  for (const int n : {2, 7, 12}) {
    for (const int p : {5, 15, 45}) {
      for (int i = 0; i < 10; ++i) {
        SCOPED_TRACE("n = " + std::to_string(n) + ", p = " + std::to_string(p) + ", instance " + std::to_string(i));
        const RedonProblem problem = makeRedonProblem(n, p, i, true);
        const NearestPointResult sparse = nearestPoint(problem.a, problem.s);
        const NearestPointResult dense = nearestPoint(RowMatrix(problem.a), problem.s);
        ASSERT_EQ(sparse.exit, Exit::Converged);
        ASSERT_EQ(dense.exit, Exit::Converged);
        EXPECT_GT(sparse.distance, 1e-3);
        expectOptimal(problem.a, problem.s, sparse, 1e-12);
        EXPECT_LE((sparse.projection - dense.projection).norm(), 1e-11 * problem.s.norm());
      }
    }
  }
}

// Some l >= 0 of least distance has independent rows: try the least squares of every subset.
double nearestByEnumeration(const Matrix& a, const Vector& s, const std::vector<char>& isFree) {
  double best = s.norm();
  for (int subset = 0; subset < 1 << a.rows(); ++subset) {
    std::vector<int> rows;
    bool hasFree = true;
    for (int j = 0; j < a.rows(); ++j) {
      if (subset >> j & 1)
        rows.push_back(j);
      else if (isFree[j])
        hasFree = false;
    }
    if (!hasFree || rows.empty()) continue;
    const Matrix columns = a(rows, Eigen::all).transpose();
    const Vector l = columns.completeOrthogonalDecomposition().solve(s);
    bool allowed = true;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (!isFree[rows[k]] && l[k] < -1e-12) allowed = false;
    if (allowed) best = std::min(best, (columns * l - s).norm());
  }
  return best;
}

TEST(NearestPoint, AgreesWithTryingEverySubset) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    const int rows = 1 + trial % 8, coordinates = 1 + trial % 5;
    Matrix a = Matrix::NullaryExpr(rows, coordinates, [&] { return normal(random); });
    if (trial % 3 == 1 && rows > 1) a.row(rows - 1) = 2.0 * a.row(0);  // parallel rows
    if (trial % 7 == 2 && rows > 2) a.row(1) = -a.row(0);              // a line
    if (trial % 11 == 3) a.row(0).setZero();
    const Vector s = Vector::NullaryExpr(coordinates, [&] { return normal(random); });
    NearestPointOptions options;
    options.isFree.assign(rows, 0);
    if (trial % 2 == 1) options.isFree[trial % rows] = 1;
    const NearestPointResult found = nearestPoint(RowMatrix(a), s, options);
    ASSERT_EQ(found.exit, Exit::Converged);
    EXPECT_NEAR(found.distance, nearestByEnumeration(a, s, options.isFree), 1e-12);
    expectOptimal(a.sparseView(), s, found, 1e-12, options.isFree);
  }
}

TEST(NearestPoint, NeedsNoPassFromTheSolutionAndFewFromItsRows) {
  for (int i = 0; i < 20; ++i) {
    const RedonProblem problem = makeRedonProblem(7, 15, i, true);
    NearestPointOptions options;
    const NearestPointResult cold = nearestPoint(problem.a, problem.s, options);
    options.start = 3.0 * cold.lambda;  // any multiple will do
    const NearestPointResult warm = nearestPoint(problem.a, problem.s, options);
    EXPECT_GT(cold.iterations, 5);
    EXPECT_EQ(warm.iterations, 0);
    EXPECT_LE((warm.projection - cold.projection).norm(), 1e-12);
    srand(i);
    options.start = Vector::Random(problem.a.rows());  // a bad start does no harm
    const NearestPointResult bad = nearestPoint(problem.a, problem.s, options);
    EXPECT_LE((bad.projection - cold.projection).norm(), 1e-12);
  }
}

TEST(NearestPoint, DistanceFallsWithEveryPass) {
  for (int i = 0; i < 10; ++i) {
    const RedonProblem problem = makeRedonProblem(7, 25, i, i % 2 == 0);
    NearestPointOptions options;
    double last = problem.s.norm();
    options.stop = [&](const NearestPointPass& pass) {
      EXPECT_LT(pass.remainder.norm(), last);
      EXPECT_GE(pass.lambda.minCoeff(), 0.0);
      last = pass.remainder.norm();
      return false;
    };
    nearestPoint(problem.a, problem.s, options);
  }
}

TEST(NearestPoint, KeepsToItsLimitsAndToOddInput) {
  const RedonProblem problem = makeRedonProblem(7, 15, 0);
  NearestPointOptions options;
  options.passes = 3;
  EXPECT_EQ(nearestPoint(problem.a, problem.s, options).exit, Exit::IterationLimit);
  EXPECT_EQ(nearestPoint(problem.a, problem.s, options).iterations, 3);
  EXPECT_EQ(nearestPoint(problem.a, Vector::Zero(42)).lambda, Vector::Zero(105));
  EXPECT_EQ(nearestPoint(SparseMatrix(0, 3), Vector::Ones(3)).distance, std::sqrt(3.0));
  EXPECT_EQ(nearestPoint(RowMatrix(RowMatrix::Zero(4, 3)), Vector::Ones(3)).lambda, Vector::Zero(4));
}

// Thousands of columns in and out, against a factorisation from scratch.
TEST(UpdatedQr, StaysAccurateThroughManyChanges) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  const int coordinates = 30;
  UpdatedQr qr(coordinates);
  std::vector<Vector> columns;
  std::vector<int> all(coordinates);
  for (int i = 0; i < coordinates; ++i) all[i] = i;
  for (int change = 0; change < 3000 / kStride; ++change) {
    const bool full = static_cast<int>(columns.size()) == coordinates;
    if (!columns.empty() && (full || random() % 5 < 2)) {
      const int gone = static_cast<int>(random() % columns.size());
      qr.remove(gone);
      columns.erase(columns.begin() + gone);
    } else {
      Vector column = Vector::Zero(coordinates);
      for (int k = 0; k < 6; ++k) column[random() % coordinates] = normal(random);
      column.normalize();
      std::vector<int> places;
      std::vector<double> values;
      for (int i = 0; i < coordinates; ++i) {
        if (column[i] == 0.0) continue;
        places.push_back(i);
        values.push_back(column[i]);
      }
      if (qr.append(places, values, 1e-6)) columns.push_back(column);
    }
    ASSERT_EQ(qr.columns(), static_cast<int>(columns.size()));
    if (columns.empty()) continue;
    Matrix c(coordinates, columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k) c.col(k) = columns[k];
    const Vector r = Vector::NullaryExpr(coordinates, [&] { return normal(random); });
    Vector y, normalSolution;
    qr.leastSquares(r, y);
    const Vector expected = c.colPivHouseholderQr().solve(r);
    const double rounding = 1e-13 * (r.norm() + y.norm());  // what a stable method leaves, whatever the condition
    EXPECT_LE((c * y - c * expected).norm(), rounding) << change;
    EXPECT_LE((c.transpose() * (c * y - r)).norm(), rounding) << change;
    qr.solveNormal(c.transpose() * r, normalSolution);
    EXPECT_LE((c * normalSolution - c * expected).norm(), 1e-8 * r.norm()) << change;  // squares the condition, up to 1e6
  }
}

TEST(UpdatedQr, RefusesColumnsThatDependOnOthers) {
  UpdatedQr qr(4);
  const std::vector<int> places{0, 1, 2};
  const double third = 1.0 / std::sqrt(3.0), half = 1.0 / std::sqrt(2.0);
  EXPECT_TRUE(qr.append(places, std::vector<double>{third, third, third}, 1e-12));
  EXPECT_TRUE(qr.append(places, std::vector<double>{half, -half, 0.0}, 1e-12));
  const Vec3 sum = Vec3(third + half, third - half, third).normalized();
  EXPECT_FALSE(qr.append(places, std::span<const double>(sum.data(), 3), 1e-12));
  EXPECT_EQ(qr.columns(), 2);
  const Vec3 nearly = (sum + Vec3(1e-9, 1e-9, -2e-9)).normalized();  // one part in 1e9 is new: found, since Q is kept
  EXPECT_TRUE(qr.append(places, std::span<const double>(nearly.data(), 3), 1e-12));
}

}  // namespace
}  // namespace cairn
