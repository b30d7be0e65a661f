// Rows of joints: what they hold, and what acts along their free axes.
#include "math/rotation.hpp"
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
  if (block.size == 0) {  // a rope: limits are all it has
    if (!joint.forces.empty()) addAxisForces(index, numbers);
    return;
  }
  BlockJacobian jacobian;
  jacobian.a = use(joint.a, numbers);
  jacobian.b = use(joint.b, numbers);
  Part partA(block.size, 6), partB(block.size, 6);
  for (int k = 0; k < block.size; ++k) {
    partA.row(k) << (rows[k].pullA - rows[k].linear).transpose(), rows[k].angularA.transpose();
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
    if (formulation_.jointPenalty && !joint.spring && !formulation_.displaces) {
      const double before = partA.row(k).dot(ownVelocity(joint.a)) + partB.row(k).dot(ownVelocity(joint.b));
      speed = addPenalty(first + k, partA.row(k), joint.a, partB.row(k), joint.b, rows[k].error, before);
    }
    bias_[first + k] += speed + (formulation_.displaces ? 0.0 : rows[k].rate);
  }
  IslandProblem::Origin origin;
  origin.joint = index;
  island_.origins.push_back(origin);
  if (!joint.forces.empty()) addAxisForces(index, numbers);
}

// A joint as a force that grows with its error (STAR §3.2.1):
//   F = -alpha J^T (Omega^2 C + 2 Omega mu C' + C'')
// with C at the end of the step, C' = u and C'' = (u - u0)/h, so that it is stable however stiff. alpha is in units of the
// mass that the row moves. Returns what is added to the row's velocity.
double ProblemBuilder::addPenalty(int row, const Vec6& onA, std::uint32_t bodyA, const Vec6& onB, std::uint32_t bodyB,
                                  double error, double before) {
  const auto mobility = [&](const Vec6& part, std::uint32_t index) {
    const Body& body = system_.bodies[index];
    if (!body.isDynamic() || !body.moves()) return 0.0;
    const Vec3 turn = part.tail<3>();
    return body.inverseMass * part.head<3>().squaredNorm() +
           turn.dot(inWorldAxes(body.rotation, body.inverseInertia) * turn);
  };
  const double lightness = mobility(onA, bodyA) + mobility(onB, bodyB);
  if (!(lightness > 0.0)) return 0.0;
  const JointPenalty& penalty = *formulation_.jointPenalty;
  const double alpha = penalty.alpha / lightness, omega = penalty.omega;
  const double sum = alpha * (dt_ * dt_ * omega * omega + 2.0 * dt_ * omega * penalty.mu + 1.0);
  compliance_[row] = 1.0 / sum;
  return alpha * (dt_ * omega * omega * error - before) / sum;
}

// At a trial pose, a joint's error is the one there, but what holds it pulls along the rows of the step's beginning: that
// is SHAKE, C(q+) = 0 with u+ = u_free + M^-1 G(q)^T lambda, which is symplectic. With G(q+) it would be backward Euler,
// which damps every mechanism.
void ProblemBuilder::pullAsTheStepBegan(const Joint& joint, std::array<JointRow, kJointRows>& rows, int count) const {
  const Body& a = (*formulation_.start)[joint.a];
  const Body& b = (*formulation_.start)[joint.b];
  std::array<JointRow, kJointRows> before;
  jointRows(joint, a.center, a.rotation, b.center, b.rotation, before, formulation_.elapsed);
  // Axes of turning rows are chosen anew at every pose: their errors are taken along the old ones. (Rows of gears and of
  // angles have no axis of unit length.)
  const auto turns = [](const JointRow& row) {
    return row.linear.isZero(0.0) && std::abs(row.angularB.squaredNorm() - 1.0) < 1e-9;
  };
  Vec3 turned = Vec3::Zero();
  for (int k = 0; k < count; ++k)
    if (turns(rows[k])) turned += rows[k].error * rows[k].angularB;
  for (int k = 0; k < count; ++k) {
    if (!rows[k].holonomic) continue;
    // Of an error that was there before, no more than jointSpeed takes back.
    const double far = formulation_.jointSpeed * dt_, kept = before[k].error - std::clamp(before[k].error, -far, far);
    before[k].error = (turns(rows[k]) ? turned.dot(before[k].angularB) : rows[k].error) - kept;
    rows[k] = before[k];
  }
}

AxisEnd ProblemBuilder::endOf(std::uint32_t index, bool atStart) const {
  const Body& body = atStart ? (*formulation_.start)[index] : system_.bodies[index];
  AxisEnd end{{body.center, body.rotation}, Vec3::Zero(), Vec3::Zero(), 0.0, Mat3::Zero()};
  const Vec6 velocity = ownVelocity(index);
  end.velocity = velocity.head<3>();
  end.spin = velocity.tail<3>();
  if (!body.isDynamic()) return end;
  end.inverseMass = body.inverseMass;
  end.inverseInertia = inWorldAxes(body.rotation, body.inverseInertia);
  return end;
}

// Each a block of its own: an interval, or free if nothing bounds it. Limits are to joints what normals are to contacts.
// Where the pose at the end of the step is looked for, limits are taken there and all else where the step began.
void ProblemBuilder::addAxisForces(std::uint32_t index, std::vector<int>& numbers) {
  const Joint& joint = system_.joints[index];
  const bool isInstant = formulation_.unloaded || formulation_.displaces;
  const double dt = isInstant ? 0.0 : dt_;
  const double elapsed = formulation_.elapsed + (formulation_.trial != nullptr ? dt_ : 0.0);
  axisRows(joint, endOf(joint.a, false), endOf(joint.b, false), dt, axisRows_, elapsed);
  if (formulation_.start != nullptr) {
    std::vector<AxisRow> limits;
    for (const AxisRow& row : axisRows_)
      if (row.isLimit()) limits.push_back(row);
    axisRows(joint, endOf(joint.a, true), endOf(joint.b, true), dt, axisRows_, formulation_.elapsed);
    std::size_t next = 0;
    for (AxisRow& row : axisRows_)
      if (row.isLimit() && next < limits.size()) row.gap = limits[next].gap, row.pull = limits[next].pull, ++next;
  }
  for (const AxisRow& row : axisRows_) {
    // In no time, and where rows are displacements, only limits count, and of springs the armature.
    if (formulation_.displaces && (!row.isLimit() || joint.forces[row.index].limitStiffness > 0.0)) continue;
    if (formulation_.unloaded && row.isLimit() && (row.gap > 0.0 || joint.forces[row.index].limitStiffness > 0.0)) continue;
    Block block;
    block.law = row.isLimit() || row.isBounded() ? Law::Interval : Law::Free;
    block.size = 1;
    BlockJacobian jacobian;
    jacobian.a = use(joint.a, numbers);
    jacobian.b = use(joint.b, numbers);
    Part partA(1, 6), partB(1, 6);
    partA << (row.axis.pullA - row.axis.linear).transpose(), row.axis.angularA.transpose();
    partB << row.axis.linear.transpose(), row.axis.angularB.transpose();
    push(block, jacobian, partA, joint.a, partB, joint.b);
    const int first = data_.blocks.back().first;
    lower_[first] = row.lower;
    upper_[first] = row.upper;
    compliance_[first] = row.compliance;
    if (!row.isLimit()) {
      bias_[first] += row.pull - row.speed;
      driven_[first] -= row.speed;
    } else if (formulation_.trial != nullptr) {
      // At the end of the step: g(q') + h G (u+ - u') >= 0.
      bias_[first] += row.gap / dt_ - partA.row(0).dot((*formulation_.trial)[joint.a]) -
                      partB.row(0).dot((*formulation_.trial)[joint.b]);
    } else if (row.compliance > 0.0) {
      bias_[first] += row.pull;
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
