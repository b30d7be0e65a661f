#include "soft/joint_tree/joint_tree_rows.hpp"

#include <algorithm>

#include "math/rotation.hpp"

namespace cairn {

using namespace policy::joint_tree;

namespace {

double speedOf(const JointRow& row, const wide::SolverBody& a, const wide::SolverBody& b) {
  return row.linear.dot(velocityOf(b) - velocityOf(a)) + row.angularA.dot(spinOf(a)) + row.angularB.dot(spinOf(b));
}

}  // namespace

JointTreeRows::JointTreeRows(const Joint& joint, const JointEnds& ends, double h) : ends_(ends), h_(h) {
  if (!joint.spring) return;
  const double denominator = h * joint.spring->stiffness + joint.spring->damping;
  spring_ = true;
  softness_ = std::min(1.0 / (h * denominator), kMostSoftness);
  rate_ = joint.spring->stiffness / denominator;
}

RowHold::Vector6 JointTreeRows::factors(int row, bool ofB) const {
  const JointRow& r = row_[row];
  RowHold::Vector6 v;
  if (ofB) {
    v << r.linear, r.angularB;
  } else {
    v << -r.linear, r.angularA;
  }
  return v;
}

void JointTreeRows::refresh(const Joint& joint, SoftBodies& bodies, double elapsed, RowHold& hold) {
  const PreciseBody& a = bodies.precise(ends_.a);
  const PreciseBody& b = bodies.precise(ends_.b);
  const wide::SolverBody& solverA = bodies.solver()[ends_.a];
  const wide::SolverBody& solverB = bodies.solver()[ends_.b];
  const Vec3 centerA = bodies.center(a), centerB = bodies.center(b);
  count_ = hold.rows = jointRows(joint, centerA, a.rotation, centerB, b.rotation, row_, elapsed);
  hold.compliance = softness_;
  if (fresh_) {  // the load of the step before, in the directions of now
    for (int i = 0; i < count_; ++i) load += joint.impulse[i] * row_[i].linear;
    fresh_ = false;
  }
  armA = a.rotation * joint.anchorA;
  armB = b.rotation * joint.anchorB;

  curve_.fill(0.0);
  const Vec3 spinA = spinOf(solverA), spinB = spinOf(solverB);
  if (spring_ || h_ * std::max(spinA.norm(), spinB.norm()) > kMostArc) return;
  const auto turned = [&](const Quat& q, const Vec3& spin) { return cayleyTurned(q, q.conjugate() * spin, h_); };
  std::array<JointRow, kJointRows> next;
  jointRows(joint, centerA + h_ * velocityOf(solverA), turned(a.rotation, spinA), centerB + h_ * velocityOf(solverB),
            turned(b.rotation, spinB), next, elapsed);
  for (int i = 0; i < count_; ++i) {
    const double change = next[i].error - row_[i].error;
    if (row_[i].holonomic && std::abs(change) < kMostChange) curve_[i] = change / h_ - speedOf(row_[i], solverA, solverB);
  }
}

void JointTreeRows::askKept(const Joint& joint, SoftBodies& bodies, bool alongArcs, RowHold& hold) const {
  const wide::SolverBody& a = bodies.solver()[ends_.a];
  const wide::SolverBody& b = bodies.solver()[ends_.b];
  for (int i = 0; i < count_; ++i) {
    double& ask = hold.questions[kKept].ask[i];
    ask = -(speedOf(row_[i], a, b) + row_[i].rate + (alongArcs ? curve_[i] : 0.0));
    if (spring_) ask -= rate_ * row_[i].error + softness_ * joint.impulse[i];
  }
}

void JointTreeRows::scaleArcs(double scale) {
  for (double& curve : curve_) curve *= scale;
}

double JointTreeRows::askCorrection(bool ontoArcs, RowHold& hold) const {
  std::array<double, kJointRows>& ask = hold.questions[kCorrection].ask;
  ask.fill(0.0);
  if (spring_) return 0.0;
  double error = 0.0, asked = 0.0;  // squares
  for (int i = 0; i < count_; ++i) error += row_[i].error * row_[i].error;
  const double share = correctedShare(std::sqrt(error)) / h_;
  for (int i = 0; i < count_; ++i) {
    ask[i] = -share * row_[i].error - (ontoArcs ? curve_[i] : 0.0);
    asked += ask[i] * ask[i];
  }
  return h_ * std::sqrt(asked);
}

void JointTreeRows::addImpulse(const RowHold& hold, Joint& joint) const {
  for (int i = 0; i < count_; ++i) joint.impulse[i] += hold.questions[kKept].impulse[i];
}

Vec3 JointTreeRows::force(const RowHold& hold) const {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < count_; ++i) sum += hold.questions[kKept].impulse[i] * row_[i].linear;
  return sum;
}

void JointTreeRows::addUp(Joint& joint) const {
  for (int i = 0; i < count_; ++i) {
    joint.totalRows[i] += joint.impulse[i];
    joint.totalImpulse += joint.impulse[i] * row_[i].linear;
    if (row_[i].linear.isZero(0.0)) joint.totalAngularImpulse += joint.impulse[i] * row_[i].angularB;
  }
}

}  // namespace cairn
