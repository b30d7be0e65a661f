#include "soft/joint_tree/joint_tree_step.hpp"

#include <algorithm>

#include "soft/joint_tree/joint_tree_arcs.hpp"

namespace cairn {

using namespace policy::joint_tree;

namespace {

inline void stiffen(TreeLink& link, const Vec3& r, const Vec3& impulse, double h) {
  const double along = r.dot(impulse);
  if (!(along > 0.0)) return;
  const double k = kBeta * h * along, c = -k / r.squaredNorm();
  link.inertia += {k + c * r.x() * r.x(), k + c * r.y() * r.y(), k + c * r.z() * r.z(),
                   c * r.x() * r.y(),     c * r.x() * r.z(),     c * r.y() * r.z()};
}

}  // namespace

void JointTreeStep::begin(const System& system, SoftBodies& bodies, const std::vector<JointEnds>& joints,
                          const TreePlan& plan, const TreePlan::Tree& tree, const std::vector<char>& pushed, bool touches,
                          double h) {
  // What is in the tables stays there: all of it that is read is written first.
  const std::uint32_t count = tree.lastLink - tree.firstLink;
  joints_.clear(count);
  nodes_.resize(count);
  holds_.clear();
  closures_.clear();
  h_ = h;
  alone_ = true;
  account_ = kNone;
  left_ = -1.0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const TreePlan::Link& from = plan.links[tree.firstLink + i];
    Node& node = nodes_[i];
    node.body = bodies.preciseBodies()[from.node].body;
    node.index = bodies.indexOf(node.body);
    node.precise = from.node;
    node.joint = node.holder = kNone;
    node.isB = true;
    node.load.setZero();
    node.total.setZero();
    alone_ &= pushed[from.node] == 0;
    Hold kind = Hold::Nothing;
    if (from.joint != kNone) {
      const JointEnds& ends = joints[from.joint];
      const Joint& joint = system.joints[ends.joint];
      account_ = std::min(account_, ends.joint);
      node.joint = ends.joint;
      node.isB = ends.b == node.body;
      node.holder = node.isB ? ends.a : ends.b;
      node.anchor = node.isB ? joint.anchorB : joint.anchorA;
      node.holderAnchor = node.isB ? joint.anchorA : joint.anchorB;
      const bool ball = std::holds_alternative<BallJoint>(joint.kind) && !joint.spring && joint.forces.empty();
      kind = ball ? Hold::Ball : Hold::Rows;
      if (ball) node.load = (node.isB ? 1.0 : -1.0) * Vec3(joint.impulse[0], joint.impulse[1], joint.impulse[2]);
      if (!ball) holds_.emplace_back(joint, ends, h);
    } else {
      node.anchor.setZero();
    }
    joints_.setLink(i, from.parent, kind, system.bodies[node.index].mass);
  }
  for (std::uint32_t i = tree.firstClosure; i < tree.lastClosure; ++i) {
    const TreePlan::Closure& from = plan.closures[i];
    joints_.addClosure(from.link);
    closures_.emplace_back(system.joints[joints[from.joint].joint], joints[from.joint], h);
  }
  addLocks(system);
  touches_ = touches;
  beginAxes(system, bodies);
  areRods_ = alone_ && !touches && holds_.empty() && closures_.empty() && locks_.empty() && beginRods(system);
}

// A locked axis holds a body to the world as a joint would: one more closure, whose rows never change.
void JointTreeStep::addLocks(const System& system) {
  locks_.clear();
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const Body& body = system.bodies[nodes_[i].index];
    if (body.lockedPosition == 0 && body.lockedRotation == 0) continue;
    RowHold& hold = joints_.addClosure(i).hold;
    hold.rows = 0;
    hold.compliance = 0.0;
    for (int axis = 0; axis < 6; ++axis) {
      if (((axis < 3 ? body.lockedPosition >> axis : body.lockedRotation >> (axis - 3)) & 1) == 0) continue;
      hold.parent[hold.rows++] = RowHold::Vector6::Unit(axis);
    }
    locks_.push_back(i);
  }
}

void JointTreeStep::askLocks(SoftBodies& bodies) {
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    RowHold& hold = joints_.closures[closures_.size() + i].hold;
    const wide::SolverBody& solver = bodies.solver()[nodes_[locks_[i]].body];
    RowHold::Vector6 twist;
    twist << velocityOf(solver), spinOf(solver);
    for (int k = 0; k < hold.rows; ++k) {
      hold.questions[kKept].ask[k] = -hold.parent[k].dot(twist);
      hold.questions[kCorrection].ask[k] = 0.0;
    }
  }
}

void JointTreeStep::refresh(const System& system, SoftBodies& bodies, double elapsed) {
  if (areRods_) return refreshRods(bodies);
  double fastest = 0.0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    const PreciseBody& precise = bodies.precise(node.body);
    node.axes = precise.rotation.toRotationMatrix();
    node.center = bodies.center(precise);
    node.halfTurn = 0.5 * h_ * spinOf(bodies.solver()[node.body]);
    node.turnSquare = node.halfTurn.squaredNorm();
    node.arcScale = arcScale(node.turnSquare, h_);
    fastest = std::max(fastest, node.turnSquare);
    node.inertia = turnedTensor(node.axes, system.bodies[node.index].inertia);
    if (joints_.links[i].kind == Hold::Ball) refreshBall(bodies, i);
  }
  mostTurn_ = 2.0 * std::sqrt(fastest);
  if (!holds_.empty() || !closures_.empty()) refreshRows(system, bodies, elapsed);
}

void JointTreeStep::refreshBall(SoftBodies& bodies, std::size_t at) {
  Node& node = nodes_[at];
  TreeLink& link = joints_.links[at];
  link.arm = node.axes * node.anchor;
  node.error = node.center + link.arm;
  node.curve = curveOf(node.halfTurn, node.turnSquare, node.arcScale, link.arm);
  if (link.parent != kNone) {
    const Node& parent = nodes_[link.parent];
    link.parentArm = parent.axes * node.holderAnchor;
    node.error -= parent.center + link.parentArm;
    node.curve -= curveOf(parent.halfTurn, parent.turnSquare, parent.arcScale, link.parentArm);
  } else {
    const PreciseBody& holder = bodies.precise(node.holder);
    link.parentArm = holder.rotation * node.holderAnchor;
    node.error -= bodies.center(holder) + link.parentArm;
    const Vec3 halfTurn = 0.5 * h_ * spinOf(bodies.solver()[node.holder]);
    const double square = halfTurn.squaredNorm();
    node.curve -= curveOf(halfTurn, square, arcScale(square, h_), link.parentArm);
  }
}

void JointTreeStep::refreshRows(const System& system, SoftBodies& bodies, double elapsed) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const TreeLink& link = joints_.links[i];
    if (link.kind != Hold::Rows) continue;
    RowHold& hold = joints_.holds[link.hold];
    JointTreeRows& rows = holds_[link.hold];
    rows.refresh(system.joints[nodes_[i].joint], bodies, elapsed, hold);
    for (int k = 0; k < hold.rows; ++k) {
      hold.child[k] = rows.factors(k, nodes_[i].isB);
      hold.parent[k] = rows.factors(k, !nodes_[i].isB);
    }
  }
  for (std::size_t i = 0; i < closures_.size(); ++i) {
    TreeClosure& closure = joints_.closures[i];
    closures_[i].refresh(system.joints[closures_[i].joint()], bodies, elapsed, closure.hold);
    const bool isB = closures_[i].bodyB() == nodes_[closure.link].body;
    for (int k = 0; k < closure.hold.rows; ++k) closure.hold.parent[k] = closures_[i].factors(k, isB);
  }
  if (!axes_.empty()) refreshAxes(system, bodies, elapsed);
}

// Inertia with the stiffness that the loads make.
void JointTreeStep::stiffenLinks() {
  std::vector<TreeLink>& links = joints_.links;
  const auto stiffenBy = [&](const JointTreeRows& rows, std::uint32_t at) {
    if (at == kNone) return;
    const bool isB = rows.bodyB() == nodes_[at].body;
    stiffen(links[at], isB ? rows.armB : rows.armA, isB ? rows.load : Vec3(-rows.load), h_);
  };
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    TreeLink& link = links[i];
    link.inertia = nodes_[i].inertia;  // parents have theirs already
    if (link.kind == Hold::Ball) {
      stiffen(link, link.arm, nodes_[i].load, h_);
      if (link.parent != kNone) stiffen(links[link.parent], link.parentArm, -nodes_[i].load, h_);
    } else if (link.kind == Hold::Rows) {
      stiffenBy(holds_[link.hold], i);
      stiffenBy(holds_[link.hold], link.parent);
    }
  }
  for (std::size_t i = 0; i < closures_.size(); ++i) stiffenBy(closures_[i], joints_.closures[i].link);
}

// Takes the loads that were found, for the next substep or another try. True if the inertia was not made for them.
bool JointTreeStep::takeLoads() {
  bool snapped = false;
  const auto take = [&](Vec3& load, const Vec3& found, const Vec3& arm, const Node& node) {
    const double square = found.squaredNorm();
    if (square > kSnap * kSnap * load.squaredNorm()) {
      const double felt = kFeltLoad * node.inertia.trace();
      snapped |= h_ * h_ * square * arm.squaredNorm() > felt * felt;
    }
    load = found;
  };
  const auto takeRows = [&](JointTreeRows& rows, const RowHold& hold, const Node& node) {
    take(rows.load, rows.force(hold), rows.armA.squaredNorm() > rows.armB.squaredNorm() ? rows.armA : rows.armB, node);
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const TreeLink& link = joints_.links[i];
    if (link.kind == Hold::Ball) take(nodes_[i].load, link.questions[kKept].impulse, link.arm, nodes_[i]);
    if (link.kind == Hold::Rows) takeRows(holds_[link.hold], joints_.holds[link.hold], nodes_[i]);
  }
  for (std::size_t i = 0; i < closures_.size(); ++i)
    takeRows(closures_[i], joints_.closures[i].hold, nodes_[joints_.closures[i].link]);
  return snapped;
}

// They are found anew, whole.
void JointTreeStep::forgetImpulses(System& system) {
  for (Node& node : nodes_) node.impulse.setZero();
  carryAxes();
  for (const JointTreeRows& rows : holds_) system.joints[rows.joint()].impulse.fill(0.0);
  for (const JointTreeRows& rows : closures_) system.joints[rows.joint()].impulse.fill(0.0);
}

void JointTreeStep::askKept(const System& system, SoftBodies& bodies) {
  const wide::SolverBody* solver = bodies.solver();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    TreeLink& link = joints_.links[i];
    const Node& node = nodes_[i];
    if (link.kind != Hold::Ball) continue;
    const wide::SolverBody& near = solver[node.body];
    const wide::SolverBody& far = solver[node.holder];
    Vec3& ask = link.questions[kKept].ask;
    ask = velocityOf(far) + spinOf(far).cross(link.parentArm) - velocityOf(near) - spinOf(near).cross(link.arm);
    if (alone_) ask -= node.curve;
  }
  for (std::size_t i = 0; i < holds_.size(); ++i)
    holds_[i].askKept(system.joints[holds_[i].joint()], bodies, alone_, joints_.holds[i]);
  for (std::size_t i = 0; i < closures_.size(); ++i)
    closures_[i].askKept(system.joints[closures_[i].joint()], bodies, alone_, joints_.closures[i].hold);
  askLocks(bodies);
  askAxes(bodies);
}

double JointTreeStep::askCorrection() {
  double errors = 0.0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    TreeLink& link = joints_.links[i];
    if (link.kind != Hold::Ball) continue;
    const Vec3& error = nodes_[i].error;
    const double size = error.norm();
    Vec3& ask = link.questions[kCorrection].ask;
    ask = (-correctedShare(size) / h_) * error;
    if (!alone_) ask -= nodes_[i].curve;
    errors += h_ * ask.norm();
  }
  for (std::size_t i = 0; i < holds_.size(); ++i) errors += holds_[i].askCorrection(!alone_, joints_.holds[i]);
  for (std::size_t i = 0; i < closures_.size(); ++i) errors += closures_[i].askCorrection(!alone_, joints_.closures[i].hold);
  errors += askAxesCorrection();
  return errors;
}

// Joints that cannot be satisfied (a chain hung up farther than it is long) would ask for wild motion.
double JointTreeStep::shareOfCorrection(double errors) const {
  double fastest = 0.0, turn = 0.0;  // squares
  for (const TreeLink& link : joints_.links) {
    fastest = std::max(fastest, link.questions[kCorrection].change.squaredNorm());
    turn = std::max(turn, link.questions[kCorrection].turn.squaredNorm());
  }
  const double moved = h_ * std::sqrt(fastest), turned = h_ * std::sqrt(turn);
  double share = 1.0;
  if (moved > kMostMoved * errors) share = kMostMoved * errors / moved;
  if (turned * share > kMostTurned) share = kMostTurned / turned;
  return share;
}

void JointTreeStep::addImpulses(System& system) {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (joints_.links[i].kind == Hold::Ball) nodes_[i].impulse += joints_.links[i].questions[kKept].impulse;
  for (std::size_t i = 0; i < holds_.size(); ++i) holds_[i].addImpulse(joints_.holds[i], system.joints[holds_[i].joint()]);
  for (std::size_t i = 0; i < closures_.size(); ++i)
    closures_[i].addImpulse(joints_.closures[i].hold, system.joints[closures_[i].joint()]);
  addAxisImpulses();
}

void JointTreeStep::pushBodies(SoftBodies& bodies) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const TreeLink::Question& kept = joints_.links[i].questions[kKept];
    bodies.push(nodes_[i].body, kept.change, kept.turn);
  }
}

void JointTreeStep::solve(System& system, SoftBodies& bodies) {
  if (areRods_) return solveRods(system, bodies);
  forgetImpulses(system);
  stiffenLinks();
  askKept(system, bodies);
  double errors = askCorrection();
  questions_ = errors > kLeastError * static_cast<double>(nodes_.size()) ? 2 : 1;
  joints_.factorAndSolve(questions_);
  for (int i = 0; i < kMostSnaps && takeLoads(); ++i) {
    stiffenLinks();
    joints_.factorAndSolve(questions_);
  }
  for (int i = 0; i < kMostLawPasses && !touches_ && moveOnLaws(bodies); ++i) {
    askKept(system, bodies);
    errors = askCorrection();
    joints_.factorAndSolve(questions_);
  }
  if (alone_ && !axesWork_) limitGain(system, bodies);
  addImpulses(system);
  pushBodies(bodies);
  if (questions_ == 2) correct(bodies, errors);
}

void JointTreeStep::takeAnswer(System& system, SoftBodies& bodies) {
  left_ = -1.0;
  addImpulses(system);
  pushBodies(bodies);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (joints_.links[i].kind == Hold::Ball) nodes_[i].load += joints_.links[i].questions[kKept].impulse;
  for (std::size_t i = 0; i < holds_.size(); ++i) holds_[i].load += holds_[i].force(joints_.holds[i]);
  for (std::size_t i = 0; i < closures_.size(); ++i) closures_[i].load += closures_[i].force(joints_.closures[i].hold);
}

// A chain that is nearly straight and too long comes together by itself if its links turn far enough, and where they are
// light that is the way it chooses. The smallest such turns are asked for again as if links were as heavy as the whole tree.
void JointTreeStep::askForLessTurning() {
  double mass = 0.0;
  for (const TreeLink& link : joints_.links) mass += link.mass;
  arcs_.clear();
  for (const TreeLink& link : joints_.links) arcs_.push_back(link.questions[kKept]);
  areRods_ ? placeRods() : stiffenLinks();
  const auto weighDown = [&](std::size_t at, const Vec3& arm) {
    const double added = mass * arm.squaredNorm();
    areRods_ ? RodTree::stiffen(rods_.rods[at], added)
             : void(joints_.links[at].inertia += {added, added, added, 0.0, 0.0, 0.0});
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const TreeLink& link = joints_.links[i];
    if (link.kind != Hold::Ball) continue;
    weighDown(i, nodes_[i].anchor);
    if (link.parent != kNone) weighDown(link.parent, nodes_[i].holderAnchor);
  }
  areRods_ ? rods_.factorAndSolve(joints_.links, 2) : joints_.factorAndSolve(2);
}

void JointTreeStep::correct(SoftBodies& bodies, double errors) {
  double share = h_ * shareOfCorrection(errors);
  const bool wild = share < kLeastShare * h_;
  if (wild) {
    askForLessTurning();
    share = h_ * shareOfCorrection(errors);
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const TreeLink::Question& correction = joints_.links[i].questions[kCorrection];
    bodies.shift(nodes_[i].body, share * correction.change, share * correction.turn);
  }
  if (!wild) return;
  for (std::size_t i = 0; i < nodes_.size(); ++i) joints_.links[i].questions[kKept] = arcs_[i];
  if (areRods_) return;
  stiffenLinks();
  joints_.factor();
}

void JointTreeStep::relax(System& system, SoftBodies& bodies) {
  if (alone_) return;
  askKept(system, bodies);
  joints_.solve(1);
  addImpulses(system);
  pushBodies(bodies);
}

void JointTreeStep::finish(System& system) const {
  for (const SoftAxes& axes : axes_) axes.finish(system.joints[axes.joint()]);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (joints_.links[i].kind != Hold::Ball) continue;
    const double sign = nodes_[i].isB ? 1.0 : -1.0;
    Joint& joint = system.joints[nodes_[i].joint];
    const Vec3& impulse = areRods_ ? joints_.links[i].questions[kKept].impulse : nodes_[i].impulse;
    for (int k = 0; k < 3; ++k) {
      joint.impulse[k] = sign * impulse[k];
      joint.totalRows[k] = joint.totalImpulse[k] = sign * nodes_[i].total[k];
    }
  }
}

void JointTreeStep::addUp(System& system, SoftBodies& bodies) {
  if (areRods_) return;  // solveRods() did
  for (Node& node : nodes_) node.total += node.impulse;
  for (const JointTreeRows& rows : holds_) rows.addUp(system.joints[rows.joint()]);
  for (const JointTreeRows& rows : closures_) rows.addUp(system.joints[rows.joint()]);
  for (SoftAxes& axes : axes_) axes.addUp(system.joints[axes.joint()], bodies);
}

}  // namespace cairn
