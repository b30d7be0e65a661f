#include "steppers/soft_joints.hpp"

#include <Eigen/LU>
#include <algorithm>

namespace cairn {

namespace {

constexpr double kForgetfulTurn = 0.5;  // rad per substep
constexpr double kTwoPi = 6.283185307179586;
// Added to the diagonal, relative to its largest entry: keeps a redundant joint solvable without being felt.
constexpr double kRegularisation = 1e-12;

Vec3 velocityOf(const wide::SolverBody& body) { return {body.velocity[0], body.velocity[1], body.velocity[2]}; }
Vec3 spinOf(const wide::SolverBody& body) { return {body.spin[0], body.spin[1], body.spin[2]}; }

}  // namespace

void SoftJoints::begin(StepContext& context, SoftBodies& bodies, double h) {
  const SoftOptions& options = context.settings.soft;
  const double omega = kTwoPi * std::min(options.jointFrequency, 0.25 / h);
  const double a1 = 2.0 * options.jointDampingRatio + h * omega;
  const double a2 = h * omega * a1;
  h_ = h;
  elapsed_ = 0.0;
  rate_ = omega / a1;
  massScale_ = a2 / (1.0 + a2);
  share_ = 1.0 / (1.0 + a2);

  System& system = context.system;
  const double ratio = system.impulseSeconds > 0.0 ? h / system.impulseSeconds : 0.0;
  work_.clear();
  for (std::uint32_t i = 0; i < system.joints.size(); ++i) {
    Joint& joint = system.joints[i];
    if (!joint.alive) continue;
    joint.totalRows.fill(0.0);
    joint.totalImpulse.setZero();
    joint.totalAngularImpulse.setZero();
    if (bodies[joint.a].inverseMass == 0.0f && bodies[joint.b].inverseMass == 0.0f) continue;
    Work& work = work_.emplace_back();
    work.joint = i;
    work.softness = 0.0;
    work.rate = rate_;
    if (joint.spring) {
      const double denominator = h * joint.spring->stiffness + joint.spring->damping;
      work.softness = 1.0 / (h * denominator);
      work.rate = joint.spring->stiffness / denominator;
    }
    for (double& impulse : joint.impulse) impulse = ratio > 0.1 && ratio < 10.0 ? impulse * ratio : 0.0;
  }
}

void SoftJoints::refresh(StepContext& context, SoftBodies& bodies) {
  for (Work& work : work_) {
    const Joint& joint = context.system.joints[work.joint];
    const PreciseBody& a = bodies.precise(joint.a);
    const PreciseBody& b = bodies.precise(joint.b);
    work.rows = jointRows(joint, bodies.center(a), a.rotation, bodies.center(b), b.rotation, work.row, elapsed_);
    const double massA = bodies[joint.a].inverseMass, massB = bodies[joint.b].inverseMass;
    Block k(work.rows, work.rows);
    for (int i = 0; i < work.rows; ++i) {
      work.turnA[i] = a.inverseInertia * work.row[i].angularA;
      work.turnB[i] = b.inverseInertia * work.row[i].angularB;
    }
    for (int i = 0; i < work.rows; ++i) {
      for (int j = 0; j < work.rows; ++j) {
        const JointRow& row = work.row[i];
        k(i, j) = (massA + massB) * row.linear.dot(work.row[j].linear) + row.angularA.dot(work.turnA[j]) +
                  row.angularB.dot(work.turnB[j]);
      }
    }
    const double largest = k.diagonal().maxCoeff();
    k.diagonal().array() += work.softness + kRegularisation * largest;
    work.factor = k.inverse();
  }
}

// Pushes the joint's two bodies by an impulse per row.
template <class Impulses>
void SoftJoints::pushBodies(const Work& work, const Joint& joint, const Impulses& impulse, SoftBodies& bodies) {
  Vec3 linear = Vec3::Zero(), spinA = Vec3::Zero(), spinB = Vec3::Zero();
  for (int i = 0; i < work.rows; ++i) {
    linear += impulse[i] * work.row[i].linear;
    spinA += impulse[i] * work.turnA[i];
    spinB += impulse[i] * work.turnB[i];
  }
  bodies.push(joint.a, -bodies[joint.a].inverseMass * linear, spinA);
  bodies.push(joint.b, bodies[joint.b].inverseMass * linear, spinB);
}

void SoftJoints::applyImpulses(StepContext& context, SoftBodies& bodies) {
  refresh(context, bodies);
  for (const Work& work : work_) {
    Joint& joint = context.system.joints[work.joint];
    // An impulse from before such a turn points anywhere.
    const double spin = std::max(spinOf(bodies.solver()[joint.a]).norm(), spinOf(bodies.solver()[joint.b]).norm());
    if (spin * h_ > kForgetfulTurn) joint.impulse.fill(0.0);
    pushBodies(work, joint, joint.impulse, bodies);
  }
}

void SoftJoints::solve(StepContext& context, SoftBodies& bodies, bool relax) {
  for (Work& work : work_) {
    Joint& joint = context.system.joints[work.joint];
    // A stated spring is a spring: relaxation would make it rigid.
    if (relax && joint.spring) continue;
    const wide::SolverBody& a = bodies.solver()[joint.a];
    const wide::SolverBody& b = bodies.solver()[joint.b];
    const Vec3 wa = spinOf(a), wb = spinOf(b), v = velocityOf(b) - velocityOf(a);
    JointVector u(work.rows);
    for (int i = 0; i < work.rows; ++i) {
      const JointRow& row = work.row[i];
      u[i] = row.linear.dot(v) + row.angularA.dot(wa) + row.angularB.dot(wb) + row.rate;
      if (!relax) u[i] += work.rate * row.error;
      if (joint.spring) u[i] += work.softness * joint.impulse[i];
    }
    JointVector change = -(work.factor * u);
    if (!relax && !joint.spring) {
      for (int i = 0; i < work.rows; ++i) change[i] = massScale_ * change[i] - share_ * joint.impulse[i];
    }
    for (int i = 0; i < work.rows; ++i) joint.impulse[i] += change[i];
    pushBodies(work, joint, change, bodies);
  }
}

void SoftJoints::addUp(StepContext& context) {
  elapsed_ += h_;
  for (const Work& work : work_) {
    Joint& joint = context.system.joints[work.joint];
    for (int i = 0; i < work.rows; ++i) {
      const JointRow& row = work.row[i];
      joint.totalRows[i] += joint.impulse[i];
      joint.totalImpulse += joint.impulse[i] * row.linear;
      if (row.linear.isZero(0.0)) joint.totalAngularImpulse += joint.impulse[i] * row.angularB;
    }
  }
}

void SoftJoints::finish(StepContext& context) const {
  double worst = 0.0;
  const System& system = context.system;
  for (const Work& work : work_) {
    const Joint& joint = system.joints[work.joint];
    worst = std::max(worst, jointError(joint, system.bodies[joint.a], system.bodies[joint.b]).distance);
  }
  context.report.jointError = worst;
}

}  // namespace cairn
