// Rows of joints: what they hold, and what acts along their free axes.
#include "mechanics/problem_builder.hpp"

namespace cairn {

void ProblemBuilder::addJoint(std::uint32_t index, std::vector<int>& numbers) {
  const Joint& joint = system_.joints[index];
  if (formulation_.unloaded && joint.spring) return;  // it does nothing in no time
  const Body& bodyA = system_.bodies[joint.a];
  const Body& bodyB = system_.bodies[joint.b];
  std::array<JointRow, kJointRows> rows;
  Block block;
  block.law = Law::Free;
  block.size = jointRows(joint, bodyA.center, bodyA.rotation, bodyB.center, bodyB.rotation, rows,
                         formulation_.elapsed + (formulation_.trial != nullptr ? dt_ : 0.0));
  if (formulation_.trial != nullptr && !joint.spring) pullAsTheStepBegan(joint, rows, block.size);
  BlockJacobian jacobian;
  jacobian.a = use(joint.a, numbers);
  jacobian.b = use(joint.b, numbers);
  Part partA(block.size, 6), partB(block.size, 6);
  for (int k = 0; k < block.size; ++k) {
    partA.row(k) << -rows[k].linear.transpose(), rows[k].angularA.transpose();
    partB.row(k) << rows[k].linear.transpose(), rows[k].angularB.transpose();
  }
  push(block, jacobian, partA, joint.a, partB, joint.b);
  const int first = data_.blocks.back().first;
  for (int k = 0; k < block.size; ++k) {
    driven_[first + k] += rows[k].rate;
    if (formulation_.trial != nullptr && !joint.spring) {
      // At the end of the step, like gaps: C(q') + h G (u+ - u') = 0.
      const Vec6& a = (*formulation_.trial)[joint.a];
      const Vec6& b = (*formulation_.trial)[joint.b];
      if (rows[k].holonomic) bias_[first + k] += rows[k].error / dt_ - partA.row(k).dot(a) - partB.row(k).dot(b);
      continue;
    }
    double speed = std::clamp(formulation_.jointRate * rows[k].error, -formulation_.jointSpeed, formulation_.jointSpeed);
    if (joint.spring) {
      const double sum = dt_ * joint.spring->stiffness + joint.spring->damping;
      compliance_[first + k] = 1.0 / (dt_ * sum);
      speed = joint.spring->stiffness / sum * rows[k].error;
    }
    bias_[first + k] += speed + (formulation_.displaces ? 0.0 : rows[k].rate);
  }
  IslandProblem::Origin origin;
  origin.joint = index;
  island_.origins.push_back(origin);
  if (!joint.forces.empty()) addAxisForces(index, numbers);
}

// At a trial pose, a joint's error is the one there, but what holds it pulls along the rows of the step's beginning: that
// is SHAKE, C(q+) = 0 with u+ = u_free + M^-1 G(q)^T lambda, which is symplectic. With G(q+) it would be backward Euler,
// which damps every mechanism.
void ProblemBuilder::pullAsTheStepBegan(const Joint& joint, std::array<JointRow, kJointRows>& rows, int count) const {
  const Body& a = (*formulation_.start)[joint.a];
  const Body& b = (*formulation_.start)[joint.b];
  std::array<JointRow, kJointRows> before;
  jointRows(joint, a.center, a.rotation, b.center, b.rotation, before, formulation_.elapsed);
  // Axes of turning rows are chosen anew at every pose: their errors are taken along the old ones.
  Vec3 turned = Vec3::Zero();
  for (int k = 0; k < count; ++k)
    if (rows[k].linear.isZero(0.0)) turned += rows[k].error * rows[k].angularB;
  for (int k = 0; k < count; ++k) {
    if (!rows[k].holonomic) continue;
    // Of an error that was there before, no more than jointSpeed takes back.
    const double far = formulation_.jointSpeed * dt_, kept = before[k].error - std::clamp(before[k].error, -far, far);
    before[k].error = (rows[k].linear.isZero(0.0) ? turned.dot(before[k].angularB) : rows[k].error) - kept;
    rows[k] = before[k];
  }
}

// Each a block of its own: an interval. Limits are to joints what normals are to contacts.
void ProblemBuilder::addAxisForces(std::uint32_t index, std::vector<int>& numbers) {
  const Joint& joint = system_.joints[index];
  const Body& bodyA = system_.bodies[joint.a];
  const Body& bodyB = system_.bodies[joint.b];
  axisRows(joint, {bodyA.center, bodyA.rotation}, {bodyB.center, bodyB.rotation}, dt_, axisRows_);
  for (const AxisRow& row : axisRows_) {
    // In no time, and where rows are displacements, only limits count.
    const bool isInstant = formulation_.unloaded || formulation_.displaces;
    if (isInstant && (!row.isLimit() || (formulation_.unloaded && row.gap > 0.0))) continue;
    Block block;
    block.law = Law::Interval;
    block.size = 1;
    BlockJacobian jacobian;
    jacobian.a = use(joint.a, numbers);
    jacobian.b = use(joint.b, numbers);
    Part partA(1, 6), partB(1, 6);
    partA << -row.axis.linear.transpose(), row.axis.angularA.transpose();
    partB << row.axis.linear.transpose(), row.axis.angularB.transpose();
    push(block, jacobian, partA, joint.a, partB, joint.b);
    const int first = data_.blocks.back().first;
    lower_[first] = row.lower;
    upper_[first] = row.upper;
    if (!row.isLimit()) {
      bias_[first] -= row.speed;
      driven_[first] -= row.speed;
    } else if (formulation_.trial != nullptr) {
      // At the end of the step: g(q') + h G (u+ - u') >= 0.
      bias_[first] += row.gap / dt_ - partA.row(0).dot((*formulation_.trial)[joint.a]) -
                      partB.row(0).dot((*formulation_.trial)[joint.b]);
    } else if (formulation_.displaces || row.gap > 0.0) {
      bias_[first] += formulation_.displaces ? row.gap : row.gap / dt_;
    } else {
      bias_[first] += std::max(formulation_.jointRate * row.gap, -formulation_.jointSpeed);
    }
    IslandProblem::Origin origin;
    origin.joint = index;
    origin.axis = row.index;
    origin.force = row.force;
    island_.origins.push_back(origin);
  }
}

}  // namespace cairn
