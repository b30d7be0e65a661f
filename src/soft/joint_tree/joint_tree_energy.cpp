// The energy account of a tree, see joint_tree_step.hpp.
#include <algorithm>

#include "soft/joint_tree/joint_tree_arcs.hpp"
#include "soft/memory.hpp"

namespace cairn {

using namespace policy::joint_tree;

JointTreeStep::Energy JointTreeStep::energyOf(SoftBodies& bodies) const {
  Energy energy;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const TreeLink& link = joints_.links[i];
    const TreeLink::Question& kept = link.questions[kKept];
    const wide::SolverBody& solver = bodies.solver()[node.body];
    const Vec3 kick = h_ * bodies.acceleration(node.body).cast<double>();
    const Vec3 loaded = velocityOf(solver), spin = spinOf(solver);
    const Vec3 before = loaded - kick, after = loaded + kept.change;
    // By the joints alone: (v1 - v0 - kick).(v1 + v0)/2.
    energy.gain += 0.5 * link.mass * kept.change.dot(after + before);
    energy.work += 0.5 * link.mass * kick.dot(after + before);
    energy.gain += (spin + 0.5 * kept.turn).dot(node.inertia * kept.turn);
    energy.kinetic += 0.5 * (link.mass * before.squaredNorm() + spin.dot(node.inertia * spin));
    energy.kick += link.mass * kick.squaredNorm();
  }
  return energy;
}

void JointTreeStep::limitGain(System& system, SoftBodies& bodies) {
  if (account_ == kNone || mostTurn_ < kBookedTurn) {
    left_ = -1.0;
    return;
  }
  if (areRods_) findInertia(system);
  const Energy energy = energyOf(bodies);
  double& spare = softMemory(system).spareEnergies[account_];
  // What the turning of bodies since the last substep changed.
  if (left_ >= 0.0) spare -= energy.kinetic - left_;
  const double allowed = spare + kEnergyRounding * energy.kinetic + energy.kick;
  double gain = energy.gain;
  if (!(gain <= allowed)) gain = limitArcs(system, bodies, gain, allowed);
  left_ = energy.kinetic + energy.work + gain;
  const double most = kMostSpare * energy.kinetic;
  spare = std::clamp((spare - gain) * (1.0 - std::min(h_ / kMemory, 1.0)), -most, most);
  if (!std::isfinite(spare)) spare = 0.0;
}

void JointTreeStep::scaleArcs(double scale) {
  for (Node& node : nodes_) node.curve *= scale;
  for (JointTreeRows& rows : holds_) rows.scaleArcs(scale);
  for (JointTreeRows& rows : closures_) rows.scaleArcs(scale);
}

// Follows only the largest share s of the arcs with which the gain is no more than allowed, or the one with the least gain
// if there is none. Velocities are linear in s, v(s) = v(1/2) + (s - 1/2) d, and the gain a quadratic g(1/2) + slope (s -
// 1/2) + curvature (s - 1/2)^2 with curvature d.M d/2. Returns the gain.
double JointTreeStep::limitArcs(const System& system, SoftBodies& bodies, double whole, double allowed) {
  arcs_.clear();
  for (const TreeLink& link : joints_.links) arcs_.push_back(link.questions[kKept]);
  if (areRods_) findCurves(bodies);
  scaleArcs(0.5);
  askKept(system, bodies);
  solveAgain();
  const double half = energyOf(bodies).gain;
  double curvature = 0.0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const TreeLink::Question& kept = joints_.links[i].questions[kKept];
    const Vec3 v = 2.0 * (arcs_[i].change - kept.change), w = 2.0 * (arcs_[i].turn - kept.turn);
    curvature += 0.5 * (joints_.links[i].mass * v.squaredNorm() + w.dot(nodes_[i].inertia * w));
  }
  const double slope = 2.0 * (whole - half) - 0.5 * curvature;
  double share = 0.0;
  if (curvature > 0.0) {
    const double square = slope * slope - 4.0 * curvature * (half - allowed);
    share = 0.5 + (-slope + std::sqrt(std::max(square, 0.0))) / (2.0 * curvature);
  }
  if (!std::isfinite(share)) share = 0.0;
  scaleArcs(2.0 * std::clamp(share, 0.0, 1.0));
  askKept(system, bodies);
  solveAgain();
  return energyOf(bodies).gain;
}

}  // namespace cairn
