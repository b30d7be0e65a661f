#include "problem/nearest_point.hpp"

#include <Eigen/Cholesky>

namespace cairn {

namespace {

constexpr double kNegligibleRow = 1e-14;    // |a_i| over the longest: nothing moves the row
constexpr double kNegligiblePivot = 1e-14;  // of the largest: rank of a given matrix
constexpr double kNegativePivot = 1e-10;    // of the largest: a given matrix is not positive semidefinite
constexpr double kNegligibleShare = 1e-9;   // of the largest |y_i| in a certificate

void requireFrictionless(const ContactProblem& problem) {
  const ProblemData& data = problem.data();
  for (const Block& block : data.blocks) {
    if (isContact(block.law))
      throw std::invalid_argument("nearest point: takes no friction; found the law \"" + std::string(nameOf(block.law)) +
                                  "\"");
    if (block.law != Law::Interval) continue;
    for (int i = block.first; i < block.first + block.size; ++i)
      if (data.lower[i] != 0.0 || std::isfinite(data.upper[i]))
        throw std::invalid_argument("nearest point: row " + std::to_string(i) + ": takes intervals from 0 to infinity only");
  }
}

SparseMatrix jacobian(const ContactProblem& problem) {
  const ProblemData& data = problem.data();
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    const auto add = [&](int body, const BlockJacobian::Part& part) {
      for (int r = 0; r < part.rows(); ++r)
        for (int c = 0; c < 6; ++c)
          if (part(r, c) != 0.0) entries.emplace_back(data.blocks[i].first + r, 6 * body + c, part(r, c));
    };
    add(data.jacobians[i].a, data.jacobians[i].partA);
    add(data.jacobians[i].b, data.jacobians[i].partB);
  }
  SparseMatrix j(problem.rows(), 6 * data.inverseMass->bodies());
  j.setFromTriplets(entries.begin(), entries.end());
  return j;
}

// W = A A^T by L D L^T with diagonal pivoting; the rank shows in D.
SparseMatrix factorOf(const ContactProblem& problem) {
  if (!problem.isSymmetric()) throw std::invalid_argument("nearest point: needs a symmetric matrix W");
  const Matrix given = Matrix(problem.data().delassus);
  const Eigen::LDLT<Matrix> ldlt(0.5 * (given + given.transpose()));
  const Vector pivots = ldlt.vectorD();
  const double largest = pivots.size() > 0 ? pivots.cwiseAbs().maxCoeff() : 0.0;
  if (!pivots.allFinite() || (pivots.array() < -kNegativePivot * largest).any())
    throw std::invalid_argument("nearest point: the matrix W has negative eigenvalues");
  Matrix factor = ldlt.matrixL();
  factor = ldlt.transpositionsP().transpose() * factor;
  std::vector<Eigen::Triplet<double>> entries;
  int rank = 0;
  for (Eigen::Index j = 0; j < pivots.size(); ++j) {
    if (!(pivots[j] > kNegligiblePivot * largest)) continue;
    for (Eigen::Index i = 0; i < factor.rows(); ++i)
      if (factor(i, j) != 0.0) entries.emplace_back(static_cast<int>(i), rank, factor(i, j) * std::sqrt(pivots[j]));
    ++rank;
  }
  SparseMatrix a(factor.rows(), rank);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

// [a, sqrt(Gamma)], a column for each row that gives way.
SparseMatrix withCompliance(const SparseMatrix& a, const Vector& compliance) {
  std::vector<Eigen::Triplet<double>> entries;
  int columns = static_cast<int>(a.cols());
  for (int i = 0; i < a.rows(); ++i) {
    for (SparseMatrix::InnerIterator entry(a, i); entry; ++entry)
      if (entry.value() != 0.0) entries.emplace_back(i, static_cast<int>(entry.col()), entry.value());
    if (compliance[i] > 0.0) entries.emplace_back(i, columns++, std::sqrt(compliance[i]));
  }
  SparseMatrix wider(a.rows(), columns);
  wider.setFromTriplets(entries.begin(), entries.end());
  return wider;
}

}  // namespace

LeastMotion lowerToLeastMotion(const ContactProblem& problem) {
  requireFrictionless(problem);
  LeastMotion motion;
  motion.d = -problem.b();
  motion.isFree.assign(problem.rows(), 0);
  for (const Block& block : problem.blocks())
    if (block.law == Law::Free) std::fill_n(motion.isFree.begin() + block.first, block.size, 1);
  if (problem.hasBodies()) {
    motion.velocityFactor = problem.data().inverseMass->factor();
    motion.a = withCompliance(jacobian(problem) * motion.velocityFactor, problem.data().compliance);
  } else {
    motion.a = withCompliance(factorOf(problem), problem.data().compliance);
  }
  return motion;
}

bool LeastMotion::isAtRest() const {
  for (int i = 0; i < rows(); ++i)
    if (isFree[i] ? d[i] != 0.0 : d[i] > 0.0) return false;
  return true;
}

Vector bodyVelocity(const ContactProblem& problem, const LeastMotion& motion, const Vector& z) {
  if (!problem.hasBodies()) throw std::invalid_argument("nearest point: a problem given by its matrix has no bodies");
  return problem.data().freeVelocity + motion.velocityFactor * z.head(motion.velocityFactor.cols());
}

MotionCone motionCone(const LeastMotion& motion) {
  MotionCone cone;
  const int rows = motion.rows();
  const int coordinates = static_cast<int>(motion.a.cols());
  Vector length(rows);
  for (int i = 0; i < rows; ++i) length[i] = motion.a.row(i).norm();
  const double longest = rows > 0 ? length.maxCoeff() : 0.0;
  cone.scale = Vector::Zero(rows);
  cone.d = 0.0;
  for (int i = 0; i < rows; ++i) {
    const double demand = motion.isFree[i] ? std::abs(motion.d[i]) : motion.d[i];
    if (length[i] > kNegligibleRow * longest) {
      cone.scale[i] = 1.0 / length[i];
      cone.d = std::max(cone.d, demand / length[i]);
    } else if (demand > 0.0 && !cone.immovable) {
      cone.immovable = i;
    }
  }
  if (!(cone.d > 0.0)) cone.d = 1.0;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < rows; ++i) {
    if (cone.scale[i] == 0.0) continue;
    for (SparseMatrix::InnerIterator entry(motion.a, i); entry; ++entry)
      entries.emplace_back(i, static_cast<int>(entry.col()), cone.scale[i] * entry.value());
    if (motion.d[i] != 0.0) entries.emplace_back(i, coordinates, cone.scale[i] * motion.d[i] / cone.d);
  }
  cone.e.resize(rows, coordinates + 1);
  cone.e.setFromTriplets(entries.begin(), entries.end());
  cone.target = Vector::Unit(coordinates + 1, coordinates);
  return cone;
}

Vector MotionCone::toMultipliers(const Vector& impulse) const {
  Vector y = Vector::Zero(impulse.size());
  for (Eigen::Index i = 0; i < y.size(); ++i)
    if (scale[i] > 0.0) y[i] = impulse[i] / scale[i];
  return y;
}

InfeasibilityCertificate certifyInfeasible(const LeastMotion& motion, const MotionCone& cone, const Vector& y) {
  InfeasibilityCertificate certificate;
  const Vector sum = cone.e.transpose() * y;
  const double gain = sum[sum.size() - 1];
  const double length = sum.head(sum.size() - 1).norm();
  certificate.least = gain > 0.0 ? gain / length : 0.0;
  const double largest = y.size() > 0 ? y.cwiseAbs().maxCoeff() : 0.0;
  for (int i = 0; i < y.size(); ++i)
    if (std::abs(y[i]) > kNegligibleShare * largest) certificate.rows.push_back(i);
  std::stable_sort(certificate.rows.begin(), certificate.rows.end(),
                   [&](int i, int j) { return std::abs(y[i]) > std::abs(y[j]); });
  for (const int row : certificate.rows)
    if (!motion.isFree[row]) certificate.jointsOnly = false;
  return certificate;
}

}  // namespace cairn
