#include "mechanics/joint_tree_mass.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "mechanics/plan_trees.hpp"

namespace cairn {

namespace {

constexpr double kDependent = 1e-10;  // of the largest: rows that say nothing new

auto part(const Vector& vector, std::size_t body) { return vector.segment<6>(6 * static_cast<Eigen::Index>(body)); }
auto part(Vector& vector, std::size_t body) { return vector.segment<6>(6 * static_cast<Eigen::Index>(body)); }

}  // namespace

JointTreeMass::JointTreeMass(std::vector<FreeBodies::Item> bodies, std::vector<Held> joints)
    : items_(bodies), free_(std::move(bodies)), joints_(std::move(joints)), linkOf_(joints_.size(), kNone) {
  TreePlan plan;
  const auto node = [](int body) { return body < 0 ? kNone : static_cast<std::uint32_t>(body); };
  for (std::size_t i = 0; i < joints_.size(); ++i)
    plan.edges.push_back({static_cast<std::uint32_t>(i), node(joints_[i].a), node(joints_[i].b)});
  plan.make(static_cast<std::uint32_t>(items_.size()));
  for (const TreePlan::Tree& one : plan.trees) {
    const auto first = static_cast<std::uint32_t>(tree_.links.size());
    for (std::uint32_t i = one.firstLink; i < one.lastLink; ++i) {
      const TreePlan::Link& from = plan.links[i];
      const bool isHeld = from.joint != kNone;
      const std::uint32_t at =
          tree_.addLink(from.parent == kNone ? kNone : first + from.parent, isHeld ? Hold::Rows : Hold::Nothing);
      TreeLink& link = tree_.links[at];
      link.mass = 1.0 / items_[from.node].inverseMass;
      link.inertia = Symmetric3::of(items_[from.node].inverseInertia.inverse());
      link.arm.setZero();
      link.parentArm.setZero();
      bodyOf_.push_back(from.node);
      if (!isHeld) continue;
      linkOf_[from.joint] = at;
      const Held& joint = joints_[from.joint];
      const bool isB = joint.b == static_cast<int>(from.node);
      RowHold& hold = tree_.holds[link.hold];
      hold.rows = static_cast<int>((isB ? joint.partB : joint.partA).rows());
      hold.compliance = joint.compliance;
      for (int k = 0; k < hold.rows; ++k) {
        hold.child[k] = (isB ? joint.partB : joint.partA).row(k);
        if (from.parent == kNone)
          hold.parent[k].setZero();
        else
          hold.parent[k] = (isB ? joint.partA : joint.partB).row(k);
      }
    }
  }
  tree_.factor();
}

void JointTreeMass::askToUndo(int question, const Vector& velocity) const {
  for (std::uint32_t i = 0; i < tree_.links.size(); ++i) {
    const TreeLink& link = tree_.links[i];
    if (link.kind != Hold::Rows) continue;
    RowHold& hold = tree_.holds[link.hold];
    for (int k = 0; k < hold.rows; ++k) {
      double& ask = hold.questions[question].ask[k] = -hold.child[k].dot(part(velocity, bodyOf_[i]));
      if (link.parent != kNone) ask -= hold.parent[k].dot(part(velocity, bodyOf_[link.parent]));
    }
  }
}

void JointTreeMass::solveQuestions(int count) const { tree_.solve(count); }

void JointTreeMass::addChange(int question, Vector& velocity) const {
  for (std::uint32_t i = 0; i < tree_.links.size(); ++i) {
    const TreeLink::Question& answer = tree_.links[i].questions[question];
    auto own = part(velocity, bodyOf_[i]);
    own.head<3>() += answer.change;
    own.tail<3>() += answer.turn;
  }
}

Vector JointTreeMass::impulsesOf(int question) const {
  Vector impulse = Vector::Zero(6 * static_cast<Eigen::Index>(joints_.size()));
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (!isHeld(j)) continue;
    const RowHold& hold = tree_.holds[tree_.links[linkOf_[j]].hold];
    for (int k = 0; k < hold.rows; ++k) part(impulse, j)[k] = hold.questions[question].impulse[k];
  }
  return impulse;
}

void JointTreeMass::apply(const Vector& momentum, Vector& velocity) const {
  free_.apply(momentum, velocity);
  const std::lock_guard lock(mutex_);
  askToUndo(0, velocity);
  solveQuestions(1);
  addChange(0, velocity);
}

void JointTreeMass::applyColumns(const Matrix& momenta, Matrix& velocities) const {
  velocities.resize(momenta.rows(), momenta.cols());
  const std::lock_guard lock(mutex_);
  std::array<Vector, kQuestions> columns;
  for (Eigen::Index first = 0; first < momenta.cols(); first += kQuestions) {
    const int count = static_cast<int>(std::min<Eigen::Index>(kQuestions, momenta.cols() - first));
    for (int q = 0; q < count; ++q) {
      free_.apply(momenta.col(first + q), columns[q]);
      askToUndo(q, columns[q]);
    }
    solveQuestions(count);
    for (int q = 0; q < count; ++q) {
      addChange(q, columns[q]);
      velocities.col(first + q) = columns[q];
    }
  }
}

Mat6 JointTreeMass::block(int body) const {
  Matrix momenta = Matrix::Zero(6 * bodies(), 6), velocities;
  momenta.middleRows<6>(6 * body).setIdentity();
  applyColumns(momenta, velocities);
  const Mat6 found = velocities.middleRows<6>(6 * body);
  return 0.5 * (found + found.transpose());
}

SparseMatrix JointTreeMass::matrix() const {
  Matrix all;
  applyColumns(Matrix::Identity(6 * bodies(), 6 * bodies()), all);
  return (0.5 * (all + all.transpose())).sparseView();
}

// G = L H L^T with M^-1 = L L^T; H is symmetric with eigenvalues from 0 (held) to 1 (free). F = L H^(1/2).
SparseMatrix JointTreeMass::factor() const {
  const Matrix root = free_.factor();
  Matrix inner = root.fullPivLu().solve(Matrix(matrix()));           // L^-1 G
  inner = root.fullPivLu().solve(Matrix(inner.transpose())).eval();  // L^-1 G L^-T
  const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(0.5 * (inner + inner.transpose()));
  const Vector values = spectrum.eigenvalues();
  const double least = kDependent * std::max(values.maxCoeff(), 0.0);
  const Vector scales = values.unaryExpr([&](double value) { return value > least ? std::sqrt(value) : 0.0; });
  return Matrix(root * spectrum.eigenvectors() * scales.asDiagonal()).sparseView();
}

void JointTreeMass::pull(const Vector& ask, Vector& change, Vector& impulse) const {
  const std::lock_guard lock(mutex_);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (!isHeld(j)) continue;
    RowHold& hold = tree_.holds[tree_.links[linkOf_[j]].hold];
    for (int k = 0; k < hold.rows; ++k) hold.questions[0].ask[k] = part(ask, j)[k];
  }
  solveQuestions(1);
  change = Vector::Zero(6 * bodies());
  addChange(0, change);
  impulse = impulsesOf(0);
}

Vector JointTreeMass::reactions(const Vector& momentum) const {
  Vector velocity;
  free_.apply(momentum, velocity);
  const std::lock_guard lock(mutex_);
  askToUndo(0, velocity);
  solveQuestions(1);
  return impulsesOf(0);
}

}  // namespace cairn
