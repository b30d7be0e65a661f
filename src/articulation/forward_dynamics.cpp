// Articulated bodies, and M^-1 by their factors.
#include <Eigen/Cholesky>

#include "articulation/inertia6.hpp"

namespace cairn {

namespace {

// Of the inertia that a joint's degree would have by size alone: less is rounding, and does not move.
constexpr double kLeastShare = 1e-14;

template <int kDegrees>
void factorWide(WideNode& joint, const Inertia6& inertia, const double* armature, bool& singular) {
  using Square = Eigen::Matrix<double, kDegrees, kDegrees>;
  const auto motion = joint.motion.leftCols<kDegrees>();
  joint.held.leftCols<kDegrees>().noalias() = full(inertia) * motion;
  Square d;
  d.noalias() = motion.transpose() * joint.held.leftCols<kDegrees>();
  for (int k = 0; k < kDegrees; ++k) d(k, k) += armature[k];
  const Eigen::LLT<Square> llt(d);
  const auto pivots = llt.matrixLLT().diagonal();
  bool sound = llt.info() == Eigen::Success;
  for (int k = 0; k < kDegrees && sound; ++k) sound = pivots[k] * pivots[k] > kLeastShare * d(k, k);
  if (sound) {
    joint.inverse.topLeftCorner<kDegrees, kDegrees>() = llt.solve(Square::Identity());
  } else {
    joint.inverse.topLeftCorner<kDegrees, kDegrees>().setZero();
    singular = true;
  }
}

// What the joint leaves of the inertia for its parent.
template <int kDegrees>
void reduceWide(Inertia6& inertia, const WideNode& joint) {
  const auto held = joint.held.leftCols<kDegrees>();
  const Mat6 taken = held * joint.inverse.topLeftCorner<kDegrees, kDegrees>() * held.transpose();
  const auto subtract = [&](Symmetric3& s, int at) {
    s.xx -= taken(at, at), s.yy -= taken(at + 1, at + 1), s.zz -= taken(at + 2, at + 2);
    s.xy -= taken(at, at + 1), s.xz -= taken(at, at + 2), s.yz -= taken(at + 1, at + 2);
  };
  subtract(inertia.linear, 0);
  subtract(inertia.turning, 3);
  inertia.coupling -= taken.topRightCorner<3, 3>();
}

template <int kDegrees>
void pushWide(WideNode& joint, const double* efforts, Vec3& force, Vec3& torque) {
  Vec6 wrench;
  wrench << force, torque;
  const Eigen::Map<const Eigen::Matrix<double, kDegrees, 1>> own(efforts);
  joint.effort.head<kDegrees>() = own - joint.motion.leftCols<kDegrees>().transpose() * wrench;
  const Vec6 passed =
      joint.held.leftCols<kDegrees>() * (joint.inverse.topLeftCorner<kDegrees, kDegrees>() * joint.effort.head<kDegrees>());
  force += passed.head<3>();
  torque += passed.tail<3>();
}

template <int kDegrees>
void moveWide(const WideNode& joint, NodeState& state, double* acceleration) {
  Vec6 a;
  a << state.acceleration, state.angularAcceleration;
  Eigen::Map<Eigen::Matrix<double, kDegrees, 1>> own(acceleration);
  own = joint.inverse.topLeftCorner<kDegrees, kDegrees>() *
        (joint.effort.head<kDegrees>() - joint.held.leftCols<kDegrees>().transpose() * a);
  a.noalias() = joint.motion.leftCols<kDegrees>() * own;
  state.acceleration += a.head<3>();
  state.angularAcceleration += a.tail<3>();
}

}  // namespace

void ArticulationData::forwardDynamics(const ArticulationModel& model, const Vector& efforts, Vector& acceleration) {
  const auto& all = model.nodes();
  const auto count = static_cast<int>(all.size());
  acceleration.resize(model.degrees());
  singular = false;
  prepareDynamics(model);
  if (hasLoads)
    for (int i = 0; i < count; ++i) {
      nodes[static_cast<std::size_t>(i)].force -= loads[static_cast<std::size_t>(i)].head<3>();
      nodes[static_cast<std::size_t>(i)].torque -= loads[static_cast<std::size_t>(i)].tail<3>();
    }
  for (int i = count - 1; i >= 0; --i) {
    const ArticulationNode& node = all[static_cast<std::size_t>(i)];
    NodeState& state = nodes[static_cast<std::size_t>(i)];
    Inertia6& inertia = state.articulated;
    const bool isRoot = node.parent < 0;
    if (node.wide < 0) {
      const Vec3 axis = state.rotation.col(2);
      double size, d;
      if (node.kind == NodeKind::Revolute) {
        state.heldForce.noalias() = inertia.coupling * axis;
        state.heldTorque = inertia.turning * axis;
        d = axis.dot(state.heldTorque);
        state.effort = efforts[node.v] - axis.dot(state.torque);
        size = state.inertia.trace();
      } else {
        state.heldForce = inertia.linear * axis;
        state.heldTorque.noalias() = inertia.coupling.transpose() * axis;
        d = axis.dot(state.heldForce);
        state.effort = efforts[node.v] - axis.dot(state.force);
        size = node.mass;
      }
      d += armature[node.v];
      const bool moves = d > kLeastShare * size && d > 0.0;
      singular |= !moves;
      state.inverse = moves ? 1.0 / d : 0.0;
      if (isRoot) continue;
      reduce(inertia, state.heldForce, state.heldTorque, state.inverse);
      const double share = state.inverse * state.effort;
      state.force += inertia.linear * state.biasLinear + inertia.coupling * state.biasAngular + share * state.heldForce;
      state.torque +=
          inertia.coupling.transpose() * state.biasLinear + inertia.turning * state.biasAngular + share * state.heldTorque;
    } else {
      WideNode& joint = wide[static_cast<std::size_t>(node.wide)];
      const double* own = armature.data() + node.v;
      const bool three = node.kind == NodeKind::Spherical;
      if (three) {
        factorWide<3>(joint, inertia, own, singular);
      } else {
        factorWide<6>(joint, inertia, own, singular);
      }
      if (!isRoot) {
        Vec3 force = state.force, torque = state.torque;
        if (three) {
          pushWide<3>(joint, efforts.data() + node.v, force, torque);
          reduceWide<3>(inertia, joint);
        } else {
          pushWide<6>(joint, efforts.data() + node.v, force, torque);
          reduceWide<6>(inertia, joint);
        }
        state.force = force + inertia.linear * state.biasLinear + inertia.coupling * state.biasAngular;
        state.torque = torque + inertia.coupling.transpose() * state.biasLinear + inertia.turning * state.biasAngular;
      } else {
        if (three)
          pushWide<3>(joint, efforts.data() + node.v, state.force, state.torque);
        else
          pushWide<6>(joint, efforts.data() + node.v, state.force, state.torque);
        continue;
      }
    }
    NodeState& parent = nodes[static_cast<std::size_t>(node.parent)];
    addMoved(parent.articulated, inertia, state.arm);
    parent.force += state.force;
    parent.torque += state.torque + state.arm.cross(state.force);
  }
  for (int i = 0; i < count; ++i) {
    const ArticulationNode& node = all[static_cast<std::size_t>(i)];
    NodeState& state = nodes[static_cast<std::size_t>(i)];
    if (node.parent < 0) {
      state.acceleration = state.biasLinear - gravity;
      state.angularAcceleration = state.biasAngular;
    } else {
      const NodeState& parent = nodes[static_cast<std::size_t>(node.parent)];
      state.acceleration = parent.acceleration + parent.angularAcceleration.cross(state.arm) + state.biasLinear;
      state.angularAcceleration = parent.angularAcceleration + state.biasAngular;
    }
    if (node.wide < 0) {
      const double own = state.inverse * (state.effort - state.heldForce.dot(state.acceleration) -
                                          state.heldTorque.dot(state.angularAcceleration));
      acceleration[node.v] = own;
      (node.kind == NodeKind::Revolute ? state.angularAcceleration : state.acceleration) += own * state.rotation.col(2);
    } else if (node.kind == NodeKind::Spherical) {
      moveWide<3>(wide[static_cast<std::size_t>(node.wide)], state, acceleration.data() + node.v);
    } else {
      moveWide<6>(wide[static_cast<std::size_t>(node.wide)], state, acceleration.data() + node.v);
    }
  }
}

void ArticulationData::solveMass(const ArticulationModel& model, const Matrix& efforts, Matrix& out) {
  const Matrix nothing;
  Matrix unused;
  respond(model, nothing, efforts, unused, out);
}

// As forwardDynamics() without velocities, from the factors.
void ArticulationData::respond(const ArticulationModel& model, const Matrix& wrenches, const Matrix& efforts, Matrix& twists,
                               Matrix& joints) {
  const auto& all = model.nodes();
  const auto count = static_cast<int>(all.size());
  const Eigen::Index columns = std::max(wrenches.cols(), efforts.cols());
  const bool hasWrenches = wrenches.size() > 0, hasEfforts = efforts.size() > 0;
  if (hasWrenches) twists.resize(6 * count, columns);
  joints.resize(model.degrees(), columns);
  using Row = Eigen::Matrix<double, 1, kColumns>;
  const auto cross = [](const Vec3& a, const auto& b) {  // a x each column
    Eigen::Matrix<double, 3, kColumns> out;
    out.row(0) = a.y() * b.row(2) - a.z() * b.row(1);
    out.row(1) = a.z() * b.row(0) - a.x() * b.row(2);
    out.row(2) = a.x() * b.row(1) - a.y() * b.row(0);
    return out;
  };
  for (Eigen::Index first = 0; first < columns; first += kColumns) {
    const Eigen::Index some = std::min<Eigen::Index>(kColumns, columns - first);
    for (int i = 0; i < count; ++i) {
      Six& p = wrenches_[static_cast<std::size_t>(i)];
      p.setZero();
      if (hasWrenches) p.leftCols(some) = -wrenches.block(6 * i, first, 6, some);
      const ArticulationNode& node = all[static_cast<std::size_t>(i)];
      Six& u = joints_[static_cast<std::size_t>(i)];
      u.topRows(node.degrees()).setZero();
      if (hasEfforts) u.topLeftCorner(node.degrees(), some) = efforts.block(node.v, first, node.degrees(), some);
    }
    for (int i = count - 1; i >= 0; --i) {
      const ArticulationNode& node = all[static_cast<std::size_t>(i)];
      const NodeState& state = nodes[static_cast<std::size_t>(i)];
      Six p = wrenches_[static_cast<std::size_t>(i)];
      Six& u = joints_[static_cast<std::size_t>(i)];
      if (node.wide < 0) {
        const Vec3 axis = state.rotation.col(2);
        const int at = node.kind == NodeKind::Revolute ? 3 : 0;
        u.row(0) -= axis.x() * p.row(at) + axis.y() * p.row(at + 1) + axis.z() * p.row(at + 2);
        if (node.parent < 0) continue;
        const Row share = state.inverse * u.row(0);
        p.topRows<3>() += state.heldForce * share;
        p.bottomRows<3>() += state.heldTorque * share;
      } else {
        const WideNode& joint = wide[static_cast<std::size_t>(node.wide)];
        const int n = node.degrees();
        u.topRows(n) -= joint.motion.leftCols(n).transpose() * p;
        if (node.parent < 0) continue;
        p += joint.held.leftCols(n) * (joint.inverse.topLeftCorner(n, n) * u.topRows(n));
      }
      Six& parent = wrenches_[static_cast<std::size_t>(node.parent)];
      parent += p;
      parent.bottomRows<3>() += cross(state.arm, p.topRows<3>());
    }
    for (int i = 0; i < count; ++i) {
      const ArticulationNode& node = all[static_cast<std::size_t>(i)];
      const NodeState& state = nodes[static_cast<std::size_t>(i)];
      Six& a = twists_[static_cast<std::size_t>(i)];
      const Six& u = joints_[static_cast<std::size_t>(i)];
      if (node.parent < 0) {
        a.setZero();
      } else {
        a = twists_[static_cast<std::size_t>(node.parent)];
        a.topRows<3>() -= cross(state.arm, a.bottomRows<3>());
      }
      if (node.wide < 0) {
        const Row own = state.inverse * (u.row(0) - state.heldForce.transpose() * a.topRows<3>() -
                                         state.heldTorque.transpose() * a.bottomRows<3>());
        const int at = node.kind == NodeKind::Revolute ? 3 : 0;
        a.middleRows<3>(at) += state.rotation.col(2) * own;
        joints.block(node.v, first, 1, some) = own.leftCols(some);
      } else {
        const WideNode& joint = wide[static_cast<std::size_t>(node.wide)];
        const int n = node.degrees();
        Eigen::Matrix<double, Eigen::Dynamic, kColumns, 0, 6, kColumns> own =
            joint.inverse.topLeftCorner(n, n) * (u.topRows(n) - joint.held.leftCols(n).transpose() * a);
        a += joint.motion.leftCols(n) * own;
        joints.block(node.v, first, n, some) = own.leftCols(some);
      }
      if (hasWrenches) twists.block(6 * i, first, 6, some) = a.leftCols(some);
    }
  }
}

}  // namespace cairn
