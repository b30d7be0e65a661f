// What acts along the free axes of a tree's joints: limits, motors, dry friction, springs.
//
// Near where it acts, the law of an axis (axis_law.hpp) is a line u + c l = s between its rate u and its impulse l. That is
// a row like those that hold the joint, with a compliance of its own, and the tree takes it exactly. Where the answer is off
// the law (a limit would pull, a motor do more than it can) the line is moved, and the tree is solved again: an active set,
// which ends after a pass or two. Nothing that acts is a line with next to no slope.
//
// A tree that touches something must not have rows that hold whatever comes: contacts would push against a motor that
// cannot give way. So while contacts are solved the impulses of rigid rows are what they were in the substep before, and the
// laws come after the contacts.
#include <algorithm>
#include <cmath>

#include "soft/joint_tree/joint_tree_arcs.hpp"

namespace cairn {

using namespace policy::joint_tree;

namespace {

constexpr double kRateSlack = 1e-9;     // m/s or rad/s, and of the rate itself
constexpr double kImpulseSlack = 1e-9;  // of the impulse

}  // namespace

void JointTreeStep::beginAxes(const System& system, SoftBodies& bodies) {
  axes_.clear();
  heldAxes_.clear();
  axesWork_ = false;
  const auto add = [&](const JointTreeRows& rows, std::uint32_t hold, bool isClosure, std::uint32_t link) {
    const Joint& joint = system.joints[rows.joint()];
    if (joint.forces.empty()) return;
    const JointEnds& ends = rows.ends();
    bodies.followInertia(system, ends.a);
    bodies.followInertia(system, ends.b);
    axes_.emplace_back(joint, ends, bodies);
    HeldAxes& held = heldAxes_.emplace_back();
    held.hold = hold;
    held.isClosure = isClosure;
    const bool isB = nodes_[link].body == ends.b;
    const std::uint32_t other = isClosure ? kNone : joints_.links[link].parent;
    held.linkA = isB ? other : link;
    held.linkB = isB ? link : other;
    held.childIsB = isB;
    held.rows.fill(-1);
    held.carried.fill(0.0);
    for (const AxisForces& forces : joint.forces)
      axesWork_ |= forces.motorEffort > 0.0 || forces.hasSpring() || forces.limitStiffness > 0.0;
  };
  for (std::uint32_t i = 0; i < nodes_.size(); ++i)
    if (joints_.links[i].kind == Hold::Rows) add(holds_[joints_.links[i].hold], joints_.links[i].hold, false, i);
  for (std::uint32_t i = 0; i < closures_.size(); ++i) add(closures_[i], i, true, joints_.closures[i].link);
}

RowHold& JointTreeStep::holdOf(const HeldAxes& held) {
  return held.isClosure ? joints_.closures[held.hold].hold : joints_.holds[held.hold];
}

void JointTreeStep::refreshAxes(const System& system, SoftBodies& bodies, double elapsed) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    axes_[i].refresh(system.joints[axes_[i].joint()], bodies, elapsed, h_, 0.0, scratch_);
    heldAxes_[i].own = holdOf(heldAxes_[i]).rows;
  }
}

// A substep begins: impulses are found anew, whole.
void JointTreeStep::carryAxes() {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    HeldAxes& held = heldAxes_[i];
    for (std::size_t k = 0; k < axes_[i].axes().size(); ++k) {
      SoftAxis& one = axes_[i].axes()[k];
      held.carried[k] = one.impulse;
      one.impulse = 0.0;
    }
  }
  placeAxes(!touches_);
}

// Writes the rows. `byLaw`: lines of the laws as they are; else rigid parts push as they did before.
void JointTreeStep::placeAxes(bool byLaw) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    HeldAxes& held = heldAxes_[i];
    RowHold& hold = holdOf(held);
    hold.rows = held.own;
    held.rows.fill(-1);
    const auto axes = axes_[i].axes();
    // Those that hold come first: there is room for six.
    for (const bool holding : {true, false}) {
      for (std::size_t k = 0; k < axes.size() && hold.rows < kJointRows; ++k) {
        const SoftAxis& one = axes[k];
        AxisLaw::Line line = one.law.lineAt(one.answer);
        if (line.holds != holding || one.law.empty() || !(one.mobility > 0.0)) continue;
        if (!byLaw && !line.hasSlope) {
          line = {};
          line.constant = held.carried[k];
        }
        if (!line.holds && !line.hasSlope) {
          if (line.constant == 0.0) continue;
          line.compliance = kLoose * one.mobility;
          line.target = line.compliance * line.constant;
        }
        const int row = hold.rows++;
        held.rows[k] = row;
        held.target[k] = line.target;
        held.compliance[k] = line.compliance;
        RowHold::Vector6 onA, onB;
        onA << one.axis.pullA - one.axis.linear, one.axis.angularA;
        onB << one.axis.linear, one.axis.angularB;
        const bool childIsB = held.childIsB;
        hold.more[row] = line.compliance;
        if (held.isClosure) {
          hold.parent[row] = childIsB ? onB : onA;
        } else {
          hold.child[row] = childIsB ? onB : onA;
          hold.parent[row] = childIsB ? onA : onB;
        }
      }
    }
  }
}

void JointTreeStep::askAxes(SoftBodies& bodies) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const HeldAxes& held = heldAxes_[i];
    for (std::size_t k = 0; k < axes_[i].axes().size(); ++k) {
      if (held.rows[k] < 0) continue;
      const SoftAxis& one = axes_[i].axes()[k];
      holdOf(held).questions[kKept].ask[held.rows[k]] =
          held.target[k] - axes_[i].rateOf(one, bodies) - held.compliance[k] * one.impulse;
    }
  }
}

double JointTreeStep::askAxesCorrection() {
  double errors = 0.0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const HeldAxes& held = heldAxes_[i];
    for (std::size_t k = 0; k < axes_[i].axes().size(); ++k) {
      if (held.rows[k] < 0) continue;
      const SoftAxis& one = axes_[i].axes()[k];
      double& ask = holdOf(held).questions[kCorrection].ask[held.rows[k]];
      const double beyond = one.law.isLimit(one.answer.rigid) ? one.law.beyond() : 0.0;
      ask = correctedShare(std::abs(beyond)) / h_ * beyond;
      errors += std::abs(h_ * ask);
    }
  }
  return errors;
}

// How much the answer changes an axis's rate by.
double JointTreeStep::changeOf(const HeldAxes& held, const SoftAxis& one) const {
  double change = 0.0;
  if (held.linkA != kNone) {
    const TreeLink::Question& a = joints_.links[held.linkA].questions[kKept];
    change += (one.axis.pullA - one.axis.linear).dot(a.change) + one.axis.angularA.dot(a.turn);
  }
  if (held.linkB != kNone) {
    const TreeLink::Question& b = joints_.links[held.linkB].questions[kKept];
    change += one.axis.linear.dot(b.change) + one.axis.angularB.dot(b.turn);
  }
  return change;
}

// True if some answer is off its law: then its line has been moved.
bool JointTreeStep::moveOnLaws(SoftBodies& bodies) {
  bool moved = false;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const HeldAxes& held = heldAxes_[i];
    for (std::size_t k = 0; k < axes_[i].axes().size(); ++k) {
      SoftAxis& one = axes_[i].axes()[k];
      if (one.law.empty() || !(one.mobility > 0.0)) continue;
      const double rate = axes_[i].rateOf(one, bodies) + changeOf(held, one);
      const double impulse =
          one.impulse + (held.rows[k] >= 0 ? holdOf(held).questions[kKept].impulse[held.rows[k]] : 0.0);
      const double slack = kRateSlack * (1.0 + std::abs(rate));
      if (one.law.fits(one.answer, rate, impulse, slack, kImpulseSlack * std::abs(impulse) + slack / one.mobility)) {
        one.answer.rate = rate;
        continue;
      }
      one.answer = one.law.solve(rate - one.mobility * impulse, one.mobility);
      moved = true;
    }
  }
  if (moved) placeAxes(true);
  return moved;
}

void JointTreeStep::addAxisImpulses() {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const HeldAxes& held = heldAxes_[i];
    for (std::size_t k = 0; k < axes_[i].axes().size(); ++k)
      if (held.rows[k] >= 0) axes_[i].axes()[k].impulse += holdOf(held).questions[kKept].impulse[held.rows[k]];
  }
}

void JointTreeStep::obeyLaws(System& system, SoftBodies& bodies) {
  if (!touches_ || axes_.empty()) return;
  if (std::all_of(axes_.begin(), axes_.end(), [&](const SoftAxes& axes) { return axes.isIdle(bodies); })) return;
  for (SoftAxes& axes : axes_)
    for (SoftAxis& one : axes.axes())
      if (!one.law.empty() && one.mobility > 0.0)
        one.answer = one.law.solve(axes.rateOf(one, bodies) - one.mobility * one.impulse, one.mobility);
  placeAxes(true);
  for (int i = 0; i < kMostLawPasses; ++i) {
    askKept(system, bodies);
    joints_.factorAndSolve(1);
    if (!moveOnLaws(bodies)) break;
  }
  addImpulses(system);
  pushBodies(bodies);
  // As the contacts know the tree.
  for (std::size_t i = 0; i < axes_.size(); ++i)
    for (std::size_t k = 0; k < axes_[i].axes().size(); ++k) heldAxes_[i].carried[k] = axes_[i].axes()[k].impulse;
  placeAxes(false);
  joints_.factor();
}

}  // namespace cairn
