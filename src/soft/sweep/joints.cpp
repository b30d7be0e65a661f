#include "soft/sweep/joints.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "math/rotation.hpp"
#include "mechanics/integrate.hpp"
#include "soft/plan/contact_springs.hpp"

namespace cairn {

using namespace policy::sweep;

namespace {

// times that joints outside of trees are swept in a substep if gears, racks or pulleys are among them: a train of four gears
// that lifts a load through a rack lags by 47 mrad with one. Decided by `gear_train`.
constexpr int kWorldJointSweeps = 16;
// likewise if limits, motors, springs or friction act on them. Decided by `ragdolls`.
constexpr int kAxisSweeps = 2;

}  // namespace

void SoftJoints::begin(StepContext& context, SoftBodies& bodies, std::span<const ContactEnds> contacts,
                       const SoftContactValues& values, double dt, double h) {
  const SoftOptions& options = context.settings.soft;
  const double omega = kTwoPi * std::min(options.jointFrequency, kJointFrequencyShare / h);
  const double a1 = 2.0 * options.jointDampingRatio + h * omega;
  const double a2 = h * omega * a1;
  h_ = h;
  elapsed_ = 0.0;
  rate_ = omega / a1;
  massScale_ = a2 / (1.0 + a2);
  share_ = 1.0 / (1.0 + a2);

  System& system = context.system;
  const double rescale = impulseShare(system.impulseSeconds, dt, h);
  for (const JointEnds& ends : joints) {
    bodies.follow(context, ends.a, dt);
    bodies.follow(context, ends.b, dt);
    for (double& impulse : system.joints[ends.joint].impulse) impulse *= rescale;
    for (AxisForces& forces : system.joints[ends.joint].forces)
      for (double& impulse : forces.impulse) impulse *= rescale;
  }
  trees_.begin(context, bodies, joints, contacts, values, h);
  work_.clear();
  axes_.clear();
  for (const std::uint32_t i : trees_.others()) {
    const JointEnds& ends = joints[i];
    const Joint& joint = system.joints[ends.joint];
    bodies.followInertia(system, ends.a);
    bodies.followInertia(system, ends.b);
    if (!joint.forces.empty()) axes_.emplace_back(joint, ends, bodies);
    Work& work = work_.emplace_back();
    work.joint = ends.joint;
    work.a = ends.a;
    work.b = ends.b;
    work.softness = 0.0;
    work.rate = rate_;
    if (!joint.spring) continue;
    const double denominator = h * joint.spring->stiffness + joint.spring->damping;
    work.softness = 1.0 / (h * denominator);
    work.rate = joint.spring->stiffness / denominator;
  }
}

void SoftJoints::refresh(StepContext& context, SoftBodies& bodies) {
  for (SoftAxes& axes : axes_)
    axes.refresh(context.system.joints[axes.joint()], bodies, elapsed_, h_, rate_, scratch_);
  for (Work& work : work_) {
    const Joint& joint = context.system.joints[work.joint];
    const PreciseBody& a = bodies.precise(work.a);
    const PreciseBody& b = bodies.precise(work.b);
    work.rows = jointRows(joint, bodies.center(a), a.rotation, bodies.center(b), b.rotation, work.row, elapsed_);
    work.pullsA = work.rows > 0 && !work.row[0].pullA.isZero(0.0);
    const double massA = bodies[work.a].mass.inverseMass, massB = bodies[work.b].mass.inverseMass;
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
        if (work.pullsA)
          k(i, j) += massA * (row.pullA.dot(work.row[j].pullA - work.row[j].linear) - row.linear.dot(work.row[j].pullA));
      }
    }
    if (work.rows == 0) continue;
    const double largest = k.diagonal().maxCoeff();
    k.diagonal().array() += work.softness + kRegularisation * largest;
    work.factor = k.inverse();
  }
}

// Pushes the joint's two bodies by an impulse per row.
template <class Impulses>
void SoftJoints::pushBodies(const Work& work, const Impulses& impulse, SoftBodies& bodies) {
  Vec3 linear = Vec3::Zero(), spinA = Vec3::Zero(), spinB = Vec3::Zero();
  for (int i = 0; i < work.rows; ++i) {
    linear += impulse[i] * work.row[i].linear;
    spinA += impulse[i] * work.turnA[i];
    spinB += impulse[i] * work.turnB[i];
  }
  Vec3 onA = -linear;
  if (work.pullsA)
    for (int i = 0; i < work.rows; ++i) onA += impulse[i] * work.row[i].pullA;
  bodies.push(work.a, bodies[work.a].mass.inverseMass * onA, spinA);
  bodies.push(work.b, bodies[work.b].mass.inverseMass * linear, spinB);
}

void SoftJoints::applyImpulses(StepContext& context, SoftBodies& bodies) {
  trees_.refresh(context, bodies, elapsed_);
  refresh(context, bodies);
  for (const Work& work : work_) {
    Joint& joint = context.system.joints[work.joint];
    // An impulse from before such a turn points anywhere.
    const double spin = std::max(spinOf(bodies.solver()[work.a]).norm(), spinOf(bodies.solver()[work.b]).norm());
    if (spin * h_ > kForgetfulTurn) joint.impulse.fill(0.0);
    pushBodies(work, joint.impulse, bodies);
  }
  for (SoftAxes& axes : axes_)
    for (const SoftAxis& one : axes.axes()) axes.push(one, one.impulse, bodies);
}

void SoftJoints::solve(StepContext& context, SoftBodies& bodies, bool relax) {
  // Gears and pulleys pass loads on from body to body, which takes sweeps; so does what acts along axes.
  const bool hasWorldJoints = std::any_of(work_.begin(), work_.end(), [&](const Work& work) {
    return holdsToWorld(context.system.joints[work.joint].kind);
  });
  const int sweeps = hasWorldJoints ? kWorldJointSweeps : axes_.empty() ? 1 : kAxisSweeps;
  for (int i = 0; i < sweeps; ++i) solveOthers(context, bodies, relax);
  relax ? trees_.relax(context, bodies) : trees_.solve(context, bodies);
}

void SoftJoints::solveOthers(StepContext& context, SoftBodies& bodies, bool relax) {
  // Before what holds the joints, which must have the last word. Relaxed are the latter alone.
  if (!relax)
    for (SoftAxes& axes : axes_) axes.sweep(bodies);
  for (Work& work : work_) {
    Joint& joint = context.system.joints[work.joint];
    // A stated spring is a spring: relaxation would make it rigid.
    if (relax && joint.spring) continue;
    const wide::SolverBody& a = bodies.solver()[work.a];
    const wide::SolverBody& b = bodies.solver()[work.b];
    const Vec3 wa = spinOf(a), wb = spinOf(b), v = velocityOf(b) - velocityOf(a);
    JointVector u(work.rows);
    for (int i = 0; i < work.rows; ++i) {
      const JointRow& row = work.row[i];
      u[i] = row.linear.dot(v) + row.angularA.dot(wa) + row.angularB.dot(wb) + row.rate;
      if (work.pullsA) u[i] += row.pullA.dot(velocityOf(a));
      if (!relax) u[i] += work.rate * row.error;
      if (joint.spring) u[i] += work.softness * joint.impulse[i];
    }
    JointVector change = -(work.factor * u);
    // Gears and pulleys do not give: what light wheels hold may be heavy.
    if (!relax && !joint.spring && !holdsToWorld(joint.kind)) {
      for (int i = 0; i < work.rows; ++i) change[i] = massScale_ * change[i] - share_ * joint.impulse[i];
    }
    for (int i = 0; i < work.rows; ++i) joint.impulse[i] += change[i];
    pushBodies(work, change, bodies);
  }
}

void SoftJoints::addUp(StepContext& context, SoftBodies& bodies) {
  elapsed_ += h_;
  trees_.addUp(context, bodies);
  for (SoftAxes& axes : axes_) axes.addUp(context.system.joints[axes.joint()], bodies);
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

namespace {

bool goesAsTold(const Body& body) { return body.moves() && !body.isDynamic(); }

// Bodies that go as told are moved only after all others.
Body atEnd(const Body& body, double dt) {
  Body moved = body;
  if (!goesAsTold(body)) return moved;
  advance(moved, dt);
  return moved;
}

}  // namespace

double SoftJoints::finish(StepContext& context, double dt) {
  double worst = 0.0;
  System& system = context.system;
  trees_.finish(context, dt);
  for (const SoftAxes& axes : axes_) axes.finish(system.joints[axes.joint()]);
  for (const JointEnds& ends : joints) {
    Joint& joint = system.joints[ends.joint];
    for (double& impulse : joint.impulse) impulse *= dt / h_;
    for (AxisForces& forces : joint.forces)
      for (double& impulse : forces.impulse) impulse *= dt / h_;
    const Body &a = system.bodies[joint.a], &b = system.bodies[joint.b];
    joint.error = goesAsTold(a) || goesAsTold(b) ? wrongBy(joint, atEnd(a, dt), atEnd(b, dt), dt) : wrongBy(joint, a, b, dt);
    worst = std::max(worst, joint.error);
  }
  return worst;
}

}  // namespace cairn
