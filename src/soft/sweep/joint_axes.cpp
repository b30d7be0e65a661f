#include "soft/sweep/joint_axes.hpp"

#include <algorithm>

namespace cairn {

namespace {

bool acts(const AxisForces& forces) {
  const bool motor = forces.motorEffort > 0.0 && forces.motorKind != MotorKind::Effort;
  return forces.hasLimits() || motor || forces.friction > 0.0 || forces.hasSpring();
}

// Along the axis; a row of an upper limit is turned round.
double sumOf(const std::array<double, kAxisForces>& shares) {
  double sum = 0.0;
  for (int i = 0; i < kAxisForces; ++i)
    sum += static_cast<AxisForce>(i) == AxisForce::UpperLimit ? -shares[static_cast<std::size_t>(i)]
                                                              : shares[static_cast<std::size_t>(i)];
  return sum;
}

}  // namespace

SoftAxes::SoftAxes(const Joint& joint, const JointEnds& ends, SoftBodies& bodies) : ends_(ends) {
  std::array<JointAxis, kMostJointAxes> axes;
  const PreciseBody &a = bodies.precise(ends.a), &b = bodies.precise(ends.b);
  const int all = jointAxes(joint, {bodies.center(a), a.rotation}, {bodies.center(b), b.rotation}, axes);
  for (int i = 0; i < all && i < static_cast<int>(joint.forces.size()); ++i) {
    const AxisForces& forces = joint.forces[static_cast<std::size_t>(i)];
    if (!acts(forces)) continue;
    SoftAxis& one = axes_[static_cast<std::size_t>(count_++)];
    one.index = i;
    one.axis = axes[i];
    one.impulse = sumOf(forces.impulse);
    one.before = rateOf(one, bodies);
  }
}

double SoftAxes::rateOf(const SoftAxis& one, SoftBodies& bodies) const {
  const wide::SolverBody &a = bodies.solver()[ends_.a], &b = bodies.solver()[ends_.b];
  return one.axis.rate(velocityOf(a), spinOf(a), velocityOf(b), spinOf(b));
}

void SoftAxes::push(const SoftAxis& one, double impulse, SoftBodies& bodies) const {
  if (impulse == 0.0) return;
  bodies.push(ends_.a, impulse * bodies[ends_.a].mass.inverseMass * (one.axis.pullA - one.axis.linear), impulse * one.turnA);
  bodies.push(ends_.b, impulse * bodies[ends_.b].mass.inverseMass * one.axis.linear, impulse * one.turnB);
}

void SoftAxes::refresh(const Joint& joint, SoftBodies& bodies, double elapsed, double h, double backRate,
                       std::vector<AxisRow>& scratch) {
  const PreciseBody &a = bodies.precise(ends_.a), &b = bodies.precise(ends_.b);
  const auto endOf = [&](const PreciseBody& body, std::uint32_t at) {
    return AxisEnd{{bodies.center(body), body.rotation}, Vec3::Zero(), Vec3::Zero(), bodies[at].mass.inverseMass,
                   body.inverseInertia};
  };
  axisRows(joint, endOf(a, ends_.a), endOf(b, ends_.b), h, scratch, elapsed);
  for (SoftAxis& one : axes()) {
    one.law.clear();
    one.law.setBeyond(0.0);
    const AxisForces& forces = joint.forces[static_cast<std::size_t>(one.index)];
    for (AxisRow& row : scratch) {
      if (row.index != one.index) continue;
      if (row.force != AxisForce::UpperLimit) one.axis = row.axis;
      if (row.force == AxisForce::UpperLimit) one.axis = cairn::sumOf(-1.0, row.axis, 0.0, row.axis);
      // Loads act on what the armature adds, too: its rate is that before them.
      if (row.force == AxisForce::Spring) row.pull -= forces.armature * one.before * row.compliance;
      if (row.isLimit() && !(row.compliance > 0.0) && row.gap < 0.0)
        one.law.setBeyond(row.force == AxisForce::LowerLimit ? -row.gap : row.gap);
      one.law.add(row, row.gap > 0.0 ? row.gap / h : backRate * row.gap);
    }
    if (one.answer.rigid >= one.law.size()) one.answer = {};
    one.turnA = a.inverseInertia * one.axis.angularA;
    one.turnB = b.inverseInertia * one.axis.angularB;
    one.mobility = bodies[ends_.a].mass.inverseMass * (one.axis.pullA - one.axis.linear).squaredNorm() +
                   bodies[ends_.b].mass.inverseMass * one.axis.linear.squaredNorm() + one.axis.angularA.dot(one.turnA) +
                   one.axis.angularB.dot(one.turnB);
  }
}

void SoftAxes::sweep(SoftBodies& bodies) {
  for (SoftAxis& one : axes()) {
    if (one.law.empty() || !(one.mobility > 0.0)) continue;
    const double rate = rateOf(one, bodies);
    one.answer = one.law.solve(rate - one.mobility * one.impulse, one.mobility);
    push(one, one.answer.impulse - one.impulse, bodies);
    one.impulse = one.answer.impulse;
  }
}

bool SoftAxes::isIdle(SoftBodies& bodies) const {
  for (const SoftAxis& one : axes()) {
    if (one.law.empty() || !(one.mobility > 0.0)) continue;
    if (one.impulse != 0.0 || one.law.solve(rateOf(one, bodies), one.mobility).impulse != 0.0) return false;
  }
  return true;
}

void SoftAxes::addUp(Joint& joint, SoftBodies& bodies) {
  std::array<double, kAxisForces> shares;
  for (SoftAxis& one : axes()) {
    one.before = rateOf(one, bodies);
    AxisForces& forces = joint.forces[static_cast<std::size_t>(one.index)];
    one.law.split(one.answer.rate, one.impulse, shares);
    for (std::size_t i = 0; i < shares.size(); ++i) forces.total[i] += shares[i];
  }
}

void SoftAxes::finish(Joint& joint) const {
  std::array<double, kAxisForces> shares;
  for (const SoftAxis& one : axes()) {
    one.law.split(one.answer.rate, one.impulse, shares);
    joint.forces[static_cast<std::size_t>(one.index)].impulse = shares;
  }
}

}  // namespace cairn
