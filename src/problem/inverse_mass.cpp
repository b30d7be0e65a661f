#include <Eigen/Eigenvalues>

#include "cairn/contact_problem.hpp"

namespace cairn {

void InverseMass::applyColumns(const Matrix& momenta, Matrix& velocities) const {
  velocities.resize(momenta.rows(), momenta.cols());
  Vector velocity;
  for (Eigen::Index i = 0; i < momenta.cols(); ++i) {
    apply(momenta.col(i), velocity);
    velocities.col(i) = velocity;
  }
}

FreeBodies::FreeBodies(std::vector<Item> items) : items_(std::move(items)) {}

void FreeBodies::apply(const Vector& momentum, Vector& velocity) const {
  velocity.resize(momentum.size());
  for (int i = 0; i < bodies(); ++i) {
    velocity.segment<3>(6 * i) = items_[i].inverseMass * momentum.segment<3>(6 * i);
    velocity.segment<3>(6 * i + 3) = items_[i].inverseInertia * momentum.segment<3>(6 * i + 3);
  }
}

Mat6 FreeBodies::block(int body) const {
  Mat6 block = Mat6::Zero();
  block.diagonal().head<3>().setConstant(items_[body].inverseMass);
  block.bottomRightCorner<3, 3>() = items_[body].inverseInertia;
  return block;
}

namespace {

SparseMatrix blockDiagonal(int bodies, const std::function<Mat6(int)>& block) {
  SparseMatrix matrix(6 * bodies, 6 * bodies);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < bodies; ++i) {
    const Mat6 one = block(i);
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c)
        if (one(r, c) != 0.0) entries.emplace_back(6 * i + r, 6 * i + c, one(r, c));
  }
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace

SparseMatrix FreeBodies::matrix() const {
  return blockDiagonal(bodies(), [this](int i) { return block(i); });
}

// The symmetric root: what Redon calls Q^-1 (Redon eq. 8), (1/sqrt m, I^-1/2).
SparseMatrix FreeBodies::factor() const {
  return blockDiagonal(bodies(), [this](int i) {
    Mat6 root = Mat6::Zero();
    root.diagonal().head<3>().setConstant(std::sqrt(items_[i].inverseMass));
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(items_[i].inverseInertia);
    const Vec3 values = eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt();
    root.bottomRightCorner<3, 3>() = eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
    return root;
  });
}

}  // namespace cairn
