#include "solvers/block_sweeps.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <numbers>

namespace cairn {

namespace {

constexpr double kSingularShare = 1e-13;  // share of the largest eigenvalue
constexpr int kMostNewton = 60;
constexpr int kLookEvery = 4;  // sweeps between two looks at the residual

using Set = ConeProgram::Set;

}  // namespace

Eigen::Vector2d leastInDisc(const Eigen::Matrix2d& a, const Eigen::Vector2d& c, double radius) {
  if (!(radius > 0.0)) return Eigen::Vector2d::Zero();
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen;
  eigen.computeDirect(a);
  const Eigen::Vector2d values = eigen.eigenvalues().cwiseMax(0.0);
  const Eigen::Vector2d parts = eigen.eigenvectors().transpose() * c;
  // x(k) = -(A + k)^-1 c; on the rim |x(k)| = radius with k > 0. 1/|x(k)| is concave, so Newton's method on it rises to the
  // root from any k below.
  const auto at = [&](double k) {
    Eigen::Vector2d x = Eigen::Vector2d::Zero();
    for (int i = 0; i < 2; ++i)
      if (parts[i] != 0.0) x[i] = -parts[i] / (values[i] + k);
    return x;
  };
  double k = 0.0;
  const bool singular = values[0] <= kSingularShare * values[1] && parts[0] != 0.0;
  if (!singular && at(0.0).norm() <= radius) return eigen.eigenvectors() * at(0.0);
  k = std::max({0.0, parts.norm() / radius - values[1], std::abs(parts[0]) / radius - values[0],
                std::abs(parts[1]) / radius - values[1]});
  Eigen::Vector2d x = at(k);
  for (int i = 0; i < kMostNewton && x.norm() > radius; ++i) {
    const double size = x.norm();
    const double slope = (x[0] * x[0] / (values[0] + k) + x[1] * x[1] / (values[1] + k)) / size;  // -d|x|/dk
    const double next = k + (size / radius - 1.0) * size / slope;
    if (!(next > k)) break;
    k = next;
    x = at(k);
  }
  if (x.norm() > radius) x *= radius / x.norm();
  return eigen.eigenvectors() * x;
}

Eigen::Vector2d leastInPolygon(const Eigen::Matrix2d& a, const Eigen::Vector2d& c,
                               const std::vector<Eigen::Vector2d>& corners) {
  // Nothing to gain inside: the least is on an edge. Otherwise the least of all is inside.
  const double determinant = a.determinant();
  if (determinant > kSingularShare * a.squaredNorm()) {
    const Eigen::Vector2d all = -a.inverse() * c;
    bool inside = true;
    for (std::size_t i = 0; i < corners.size() && inside; ++i) {
      const Eigen::Vector2d edge = corners[(i + 1) % corners.size()] - corners[i], to = all - corners[i];
      inside = edge.x() * to.y() - edge.y() * to.x() >= 0.0;
    }
    if (inside) return all;
  }
  Eigen::Vector2d best = corners[0];
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Eigen::Vector2d edge = corners[(i + 1) % corners.size()] - corners[i];
    const double bent = edge.dot(a * edge), down = -edge.dot(a * corners[i] + c);
    const double share = bent > 0.0 ? std::clamp(down / bent, 0.0, 1.0) : (down > 0.0 ? 1.0 : 0.0);
    const Eigen::Vector2d point = corners[i] + share * edge;
    // The difference of the values, without the cancellation that near points would bring.
    if ((point - best).dot(0.5 * (a * (point + best)) + c) < 0.0) best = point;
  }
  return best;
}

BlockSweeps::BlockSweeps(const ConeProgram& program) : program_(program) {
  for (const ConeProgram::Piece& piece : program.pieces()) {
    const int offset = piece.first - program.problem().blocks()[piece.block].first;
    const BlockMatrix t = program.transform(piece);
    const Matrix w = program.problem().diagonal(piece.block).block(offset, offset, piece.size, piece.size);
    const Matrix scaled = t * (0.5 * (w + w.transpose())) * t;
    local_.emplace_back(piece.set == Set::Free ? Matrix(scaled.completeOrthogonalDecomposition().pseudoInverse()) : scaled);
  }
}

void BlockSweeps::minimisePiece(const ConeProgram::Piece& piece, const BlockMatrix& a, const BlockVector& gradient,
                                double* x) const {
  Eigen::Map<Vector> here(x, piece.size);
  if (piece.set == Set::Free) {
    here -= a * gradient;
    return;
  }
  const Block& block = program_.problem().blocks()[piece.block];
  if (piece.size == 1 || block.law == Law::Interval) {
    // Without curvature only a bound can be the least, and only a finite one is taken.
    if (a(0, 0) > 0.0) {
      here[0] -= gradient[0] / a(0, 0);
    } else if (gradient[0] != 0.0) {
      double bound = gradient[0] > 0.0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
      program_.projectPiece(piece, &bound);
      if (std::isfinite(bound)) here[0] = bound;
    }
    program_.projectPiece(piece, x);
    return;
  }
  const Eigen::Matrix2d matrix = a;
  const Eigen::Vector2d linear = gradient - a * here;
  if (block.law == Law::Cone) {
    here = leastInDisc(matrix, linear, piece.radius);
  } else {
    std::vector<Eigen::Vector2d> corners;
    const bool box = block.law == Law::Box;
    const int count = box ? 4 : block.facets;
    const double size = box ? piece.radius * std::numbers::sqrt2 : piece.radius;
    for (int i = 0; i < count; ++i) {
      const double angle = 2.0 * std::numbers::pi * (i + (box ? 0.5 : 0.0)) / count;
      corners.emplace_back(size * std::cos(angle), size * std::sin(angle));
    }
    here = leastInPolygon(matrix, linear, corners);
  }
  program_.projectPiece(piece, x);  // rounding
}

bool BlockSweeps::minimise(Vector& x, double target, int mostSweeps, Monitor& monitor) {
  const ContactProblem& problem = program_.problem();
  const SparseMatrix& w = problem.delassus();
  program_.project(x);
  Vector impulse = program_.toImpulse(x);
  for (int sweep = 0; sweep < mostSweeps && !monitor.stop(); ++sweep) {
    for (std::size_t i = 0; i < program_.pieces().size(); ++i) {
      const ConeProgram::Piece& piece = program_.pieces()[i];
      if (piece.set == Set::Held) continue;
      BlockVector speed(piece.size);
      for (int k = 0; k < piece.size; ++k) {
        speed[k] = problem.b()[piece.first + k];
        if (piece.first + k == problem.blocks()[piece.block].first) speed[k] += program_.shift(piece.block);
        for (SparseMatrix::InnerIterator entry(w, piece.first + k); entry; ++entry)
          speed[k] += entry.value() * impulse[entry.col()];
      }
      const BlockMatrix transform = program_.transform(piece);
      const BlockVector gradient = transform * speed;
      minimisePiece(piece, local_[i], gradient, x.data() + piece.first);
      impulse.segment(piece.first, piece.size) = transform * x.segment(piece.first, piece.size);
    }
    monitor.countIterations(1);
    if (sweep % kLookEvery != kLookEvery - 1) continue;
    if (program_.residual(x, program_.gradientFromVelocity(problem.velocity(impulse))) <= target) return true;
  }
  return false;
}

}  // namespace cairn
