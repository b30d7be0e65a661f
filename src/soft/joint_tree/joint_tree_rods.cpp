// Trees of rods (rod_tree.hpp) in the soft stepper: a substep in few loops. The method is that of joint_tree_step.hpp; what
// differs is that nothing is found which is not asked for.
//
// - An end of a joint moves on its arc by (R r - r)/h = k (q x r + q x (q x r)) with q = h w/2 and k = 2/(h (1 + q.q)). For
//   all joints of a rod that is one vector times how far along the axis they are. Arcs and lines are told apart only where
//   the whole of the arcs would gain energy, and inertia in the world's axes is found only where energy is booked.
// - No one else pushes the bodies: what the joints ask for is known as soon as the poses are.
#include <algorithm>

#include "soft/joint_tree/joint_tree_arcs.hpp"

namespace cairn {

using namespace policy::joint_tree;

namespace {

// The axis that a point lies on; kCenter: on each of them, kNoAxis: on none.
constexpr int kCenter = -1, kNoAxis = -2;
int axisOf(const Vec3& point) {
  const Vec3 size = point.cwiseAbs();
  const double most = std::max({size.x(), size.y(), size.z()}), off = kOffAxis * most;
  if (most == 0.0) return kCenter;
  if (size.y() <= off && size.z() <= off) return 0;
  if (size.z() <= off && size.x() <= off) return 1;
  if (size.x() <= off && size.y() <= off) return 2;
  return kNoAxis;
}

int after(int axis) { return axis == 2 ? 0 : axis + 1; }

[[gnu::always_inline]] inline void setAxes(RodLink& rod, const Vec3& n, const Vec3& e, const Vec3& f) {
  rod.n = n;
  rod.x = Two{f.x(), -e.x()};
  rod.y = Two{f.y(), -e.y()};
  rod.z = Two{f.z(), -e.z()};
}

}  // namespace

bool JointTreeStep::beginRods(const System& system) {
  // Whether joints lie on one axis of every body.
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    node.axis = axisOf(node.anchor);
    if (node.axis == kNoAxis) return false;
    const std::uint32_t parent = joints_.links[i].parent;
    if (parent == kNone) continue;
    int& parentAxis = nodes_[parent].axis;
    const int axis = axisOf(node.holderAnchor);
    if (parentAxis == kCenter) parentAxis = axis;
    if (axis != kCenter && axis != parentAxis) return false;
  }
  rods_.rods.resize(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    RodLink& rod = rods_.rods[i];
    const Body& body = system.bodies[node.index];
    const int n = std::max(node.axis, 0), e = after(n), f = after(e);
    const double none = kOffAxis * body.inertia.trace();
    if (!(std::abs(body.inertia(n, e)) <= none && std::abs(body.inertia(n, f)) <= none)) return false;
    node.axis = n;
    rod.reach = node.anchor[n];
    const double moved = body.mass * rod.reach * rod.reach;
    rod.moments = Two{body.inertia(e, e), body.inertia(f, f)} + both(moved);
    rod.cross = body.inertia(e, f);
    joints_.links[i].questions[kKept].impulse.setZero();  // for those that nothing holds
    node.loadSquare = node.load.squaredNorm();
    const std::uint32_t parent = joints_.links[i].parent;
    if (parent == kNone) continue;
    node.holderReach = node.holderAnchor[nodes_[parent].axis];  // parents come first
    rod.offset = node.holderReach - rods_.rods[parent].reach;
  }
  return true;
}

void JointTreeStep::refreshRods(SoftBodies& bodies) {
  const wide::SolverBody* solver = bodies.solver();
  const PreciseBody* preciseBodies = bodies.preciseBodies().data();
  const double perHalfTurn = 2.0 / h_, half = 0.5 * h_;
  double fastest = 0.0, errors = 0.0;
  const std::size_t count = nodes_.size();
  for (std::size_t i = 0; i < count; ++i) {
    Node& node = nodes_[i];
    TreeLink& link = joints_.links[i];
    RodLink& rod = rods_.rods[i];
    const PreciseBody& precise = preciseBodies[node.precise];
    const wide::SolverBody& body = solver[node.body];
    const Mat3 axes = precise.rotation.toRotationMatrix();
    switch (node.axis) {
      case 0:
        setAxes(rod, axes.col(0), axes.col(1), axes.col(2));
        break;
      case 1:
        setAxes(rod, axes.col(1), axes.col(2), axes.col(0));
        break;
      default:
        setAxes(rod, axes.col(2), axes.col(0), axes.col(1));
    }
    const Vec3 n = rod.n;
    const Vec3 center = precise.center + Vec3(body.moved[0], body.moved[1], body.moved[2]);
    const Vec3 halfTurn = half * spinOf(body), velocity = velocityOf(body);
    const double square = halfTurn.squaredNorm();
    Vec3 swing = halfTurn.cross(n);
    double scale = perHalfTurn;
    if (4.0 * square <= kMostArc * kMostArc) {
      swing += halfTurn.cross(swing);
      scale /= 1.0 + square;
    }
    swing *= scale;
    fastest = std::max(fastest, square);
    node.center = center;
    node.velocity = velocity;
    node.swing = swing;
    if (node.joint == kNone) continue;
    Vec3 error = center + rod.reach * n, ask = -(velocity + rod.reach * swing);
    if (link.parent != kNone) {
      const Node& parent = nodes_[link.parent];
      error -= parent.center + node.holderReach * rods_.rods[link.parent].n;
      ask += parent.velocity + node.holderReach * parent.swing;
    } else {
      const PreciseBody& holder = bodies.precise(node.holder);
      const wide::SolverBody& other = solver[node.holder];
      const Vec3 turn = half * spinOf(other), arm = holder.rotation * node.holderAnchor;
      const double otherSquare = turn.squaredNorm();
      error -= bodies.center(holder) + arm;
      ask += velocityOf(other) + spinOf(other).cross(arm) + curveOf(turn, otherSquare, arcScale(otherSquare, h_), arm);
    }
    const double size = error.norm();
    errors += size <= kSmallError ? size : correctedShare(size) * size;
    node.error = error;
    link.questions[kKept].ask = ask;
  }
  mostTurn_ = 2.0 * std::sqrt(fastest);
  errors_ = errors;
}

// Rods by themselves, with the stiffness that the loads make: across the axis it is the same every way.
void JointTreeStep::placeRods() {
  const double share = kBeta * h_;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    RodLink& rod = rods_.rods[i];
    const Node& node = nodes_[i];
    const TreeLink& link = joints_.links[i];
    RodTree::place(rod, link.mass, share * std::max(rod.reach * rod.n.dot(node.load), 0.0));
    if (link.parent == kNone) continue;
    RodLink& holder = rods_.rods[link.parent];
    RodTree::stiffen(holder, share * std::max(-node.holderReach * holder.n.dot(node.load), 0.0));
  }
}

// As takeLoads() does.
bool JointTreeStep::takeRodLoads(const System& system) {
  bool snapped = false;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    const Vec3 found = joints_.links[i].questions[kKept].impulse;
    const double square = found.squaredNorm();
    if (square > kSnap * kSnap * node.loadSquare) {
      const double felt = kFeltLoad * system.bodies[node.index].inertia.trace();
      snapped |= h_ * h_ * square * node.anchor.squaredNorm() > felt * felt;
    }
    node.load = found;
    node.loadSquare = square;
  }
  return snapped;
}

void JointTreeStep::solveRods(System& system, SoftBodies& bodies) {
  questions_ = errors_ > kLeastError * static_cast<double>(nodes_.size()) ? 2 : 1;
  if (questions_ == 2) askCorrection();
  placeRods();
  rods_.factorAndSolve(joints_.links, questions_);
  for (int i = 0; i < kMostSnaps && takeRodLoads(system); ++i) {
    placeRods();
    rods_.factorAndSolve(joints_.links, questions_);
  }
  limitGain(system, bodies);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const TreeLink::Question& kept = joints_.links[i].questions[kKept];
    nodes_[i].total += kept.impulse;
    bodies.push(nodes_[i].body, kept.change, kept.turn);
  }
  if (questions_ == 2) correct(bodies, errors_);
}

void JointTreeStep::findInertia(const System& system) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    const RodLink& rod = rods_.rods[i];
    node.axes.col(node.axis) = rod.n;
    node.axes.col(after(node.axis)) = -Vec3(rod.x[1], rod.y[1], rod.z[1]);
    node.axes.col(after(after(node.axis))) = Vec3(rod.x[0], rod.y[0], rod.z[0]);
    node.inertia = turnedTensor(node.axes, system.bodies[node.index].inertia);
  }
}

// How far arcs are from lines; askKept() then asks for a share of that.
void JointTreeStep::findCurves(SoftBodies& bodies) {
  const wide::SolverBody* solver = bodies.solver();
  const auto curve = [&](std::uint32_t body, const Vec3& arm) {
    const Vec3 turn = 0.5 * h_ * spinOf(solver[body]);
    const double square = turn.squaredNorm();
    return curveOf(turn, square, arcScale(square, h_), arm);
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    TreeLink& link = joints_.links[i];
    if (node.joint == kNone) continue;
    link.arm = rods_.rods[i].reach * rods_.rods[i].n;
    link.parentArm = link.parent != kNone ? Vec3(node.holderReach * rods_.rods[link.parent].n)
                                          : Vec3(bodies.precise(node.holder).rotation * node.holderAnchor);
    node.curve = curve(node.body, link.arm) - curve(node.holder, link.parentArm);
  }
}

}  // namespace cairn
