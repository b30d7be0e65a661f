// Positions, velocities and inertias of the nodes; Jacobians of points.
#include <cmath>

#include "articulation/inertia6.hpp"

namespace cairn {

ArticulationData::ArticulationData(const ArticulationModel& model)
    : q(model.neutral()),
      v(Vector::Zero(model.degrees())),
      nodes(model.nodes().size()),
      wide(static_cast<std::size_t>(model.wideNodes())),
      armature(model.degrees()),
      loads(model.nodes().size(), Vec6::Zero()),
      composites_(model.nodes().size()),
      wrenches_(model.nodes().size()),
      twists_(model.nodes().size()),
      joints_(model.nodes().size()) {
  for (int k = 0; k < model.degrees(); ++k) armature[k] = model.armature(k);
  const ArticulationDesc& desc = model.desc();
  if (!desc.positions.empty()) q = Eigen::Map<const Vector>(desc.positions.data(), model.positions());
  if (!desc.velocities.empty()) v = Eigen::Map<const Vector>(desc.velocities.data(), model.degrees());
  model.checkState(q, v);
  model.normalise(q);
}

inline void ArticulationData::placeNode(const ArticulationModel& model, const ArticulationNode& node, NodeState& state) {
  const bool isRoot = node.parent < 0;
  const Mat3& outer = isRoot ? model.baseTurn() : nodes[static_cast<std::size_t>(node.parent)].rotation;
  const Vec3& origin = isRoot ? model.basePlace() : nodes[static_cast<std::size_t>(node.parent)].position;
  Mat3 frame;
  frame.noalias() = outer * node.turn;
  state.arm.noalias() = outer * node.place;
  switch (node.kind) {
    case NodeKind::Revolute: {
      const double angle = q[node.q], c = std::cos(angle), s = std::sin(angle);
      state.rotation.col(0) = c * frame.col(0) + s * frame.col(1);
      state.rotation.col(1) = c * frame.col(1) - s * frame.col(0);
      state.rotation.col(2) = frame.col(2);
      break;
    }
    case NodeKind::Prismatic:
      state.rotation = frame;
      state.arm += q[node.q] * frame.col(2);
      break;
    case NodeKind::Spherical: {
      const Quat turn(q[node.q], q[node.q + 1], q[node.q + 2], q[node.q + 3]);
      state.rotation.noalias() = frame * turn.toRotationMatrix();
      WideNode& joint = wide[static_cast<std::size_t>(node.wide)];
      joint.motion.leftCols<3>().setZero();
      joint.motion.block<3, 3>(3, 0) = state.rotation;
      break;
    }
    case NodeKind::Free: {
      const Quat turn(q[node.q + 3], q[node.q + 4], q[node.q + 5], q[node.q + 6]);
      state.arm += frame * q.segment<3>(node.q);
      state.rotation.noalias() = frame * turn.toRotationMatrix();
      WideNode& joint = wide[static_cast<std::size_t>(node.wide)];
      joint.motion.setZero();
      joint.motion.topLeftCorner<3, 3>() = frame;
      joint.motion.bottomRightCorner<3, 3>() = state.rotation;
      break;
    }
  }
  state.position = origin + state.arm;
}

inline void ArticulationData::moveNode(const ArticulationNode& node, NodeState& state) {
  const bool isRoot = node.parent < 0;
  Vec3 outer = Vec3::Zero();  // spin of the parent
  state.velocity.setZero();
  state.biasLinear.setZero();
  if (!isRoot) {
    const NodeState& parent = nodes[static_cast<std::size_t>(node.parent)];
    outer = parent.spin;
    const Vec3 carried = outer.cross(state.arm);
    state.velocity = parent.velocity + carried;
    state.biasLinear = outer.cross(carried);
  }
  state.spin = outer;
  state.biasAngular.setZero();
  switch (node.kind) {
    case NodeKind::Revolute: {
      const Vec3 own = v[node.v] * state.rotation.col(2);
      state.spin += own;
      if (!isRoot) state.biasAngular = outer.cross(own);
      break;
    }
    case NodeKind::Prismatic: {
      const Vec3 own = v[node.v] * state.rotation.col(2);
      state.velocity += own;
      if (!isRoot) state.biasLinear += 2.0 * outer.cross(own);
      break;
    }
    case NodeKind::Spherical: {
      const Vec3 own = state.rotation * v.segment<3>(node.v);
      state.spin += own;
      state.biasAngular = outer.cross(own);
      break;
    }
    case NodeKind::Free: {
      const WideNode& joint = wide[static_cast<std::size_t>(node.wide)];
      const Vec3 linear = joint.motion.topLeftCorner<3, 3>() * v.segment<3>(node.v);
      const Vec3 own = state.rotation * v.segment<3>(node.v + 3);
      state.velocity += linear;
      state.spin += own;
      state.biasLinear += 2.0 * outer.cross(linear);
      state.biasAngular = outer.cross(own);
      break;
    }
  }
}

inline void ArticulationData::weighNode(const ArticulationNode& node, NodeState& state) {
  state.moment.noalias() = state.rotation * node.moment;
  state.inertia = turnedTensor(state.rotation, node.inertia);
}

inline void ArticulationData::prepareNode(const ArticulationNode& node, NodeState& state) {
  setRigid(state.articulated, node.mass, state.moment, state.inertia);
  state.force = state.spin.cross(state.spin.cross(state.moment));
  state.torque = state.spin.cross(state.inertia * state.spin);
}

void ArticulationData::computePositions(const ArticulationModel& model) {
  for (std::size_t i = 0; i < nodes.size(); ++i) placeNode(model, model.nodes()[i], nodes[i]);
  prepared_ = false;
}
void ArticulationData::computeVelocities(const ArticulationModel& model) {
  for (std::size_t i = 0; i < nodes.size(); ++i) moveNode(model.nodes()[i], nodes[i]);
  prepared_ = false;
}
void ArticulationData::computeInertias(const ArticulationModel& model) {
  for (std::size_t i = 0; i < nodes.size(); ++i) weighNode(model.nodes()[i], nodes[i]);
  prepared_ = false;
}

// In one pass over the nodes, with what forwardDynamics() starts from.
void ArticulationData::computeAll(const ArticulationModel& model) {
  const auto& all = model.nodes();
  for (std::size_t i = 0; i < all.size(); ++i) {
    placeNode(model, all[i], nodes[i]);
    moveNode(all[i], nodes[i]);
    weighNode(all[i], nodes[i]);
    prepareNode(all[i], nodes[i]);
  }
  prepared_ = true;
}

void ArticulationData::prepareDynamics(const ArticulationModel& model) {
  if (!prepared_)
    for (std::size_t i = 0; i < nodes.size(); ++i) prepareNode(model.nodes()[i], nodes[i]);
  prepared_ = false;
}

Pose ArticulationData::linkPose(const ArticulationModel& model, int link) const {
  const ArticulationLink& one = model.links()[static_cast<std::size_t>(link)];
  const Mat3& outer = one.node < 0 ? model.baseTurn() : nodes[static_cast<std::size_t>(one.node)].rotation;
  const Vec3& origin = one.node < 0 ? model.basePlace() : nodes[static_cast<std::size_t>(one.node)].position;
  return {origin + outer * one.place, Quat(Mat3(outer * one.turn)).normalized()};
}

Vec3 ArticulationData::worldPoint(const ArticulationModel& model, int link, const Vec3& point) const {
  const ArticulationLink& one = model.links()[static_cast<std::size_t>(link)];
  const Vec3 inNode = one.place + one.turn * point;
  if (one.node < 0) return model.basePlace() + model.baseTurn() * inNode;
  const NodeState& node = nodes[static_cast<std::size_t>(one.node)];
  return node.position + node.rotation * inNode;
}

Vec6 ArticulationData::velocityAt(int node, const Vec3& point) const {
  Vec6 out = Vec6::Zero();
  if (node < 0) return out;
  const NodeState& state = nodes[static_cast<std::size_t>(node)];
  out << state.velocity + state.spin.cross(point - state.position), state.spin;
  return out;
}

void ArticulationData::motionOf(const ArticulationModel& model, int node, int degree, Vec3& linear, Vec3& angular) const {
  const ArticulationNode& one = model.nodes()[static_cast<std::size_t>(node)];
  const NodeState& state = nodes[static_cast<std::size_t>(node)];
  linear.setZero();
  angular.setZero();
  if (one.kind == NodeKind::Revolute) {
    angular = state.rotation.col(2);
  } else if (one.kind == NodeKind::Prismatic) {
    linear = state.rotation.col(2);
  } else {
    const auto column = wide[static_cast<std::size_t>(one.wide)].motion.col(degree);
    linear = column.head<3>();
    angular = column.tail<3>();
  }
}

void ArticulationData::jacobian(const ArticulationModel& model, int node, const Vec3& point, Matrix& out) const {
  out.setZero(6, model.degrees());
  for (int i = node; i >= 0; i = model.nodes()[static_cast<std::size_t>(i)].parent) {
    const ArticulationNode& one = model.nodes()[static_cast<std::size_t>(i)];
    const Vec3 arm = point - nodes[static_cast<std::size_t>(i)].position;
    for (int k = 0; k < one.degrees(); ++k) {
      Vec3 linear, angular;
      motionOf(model, i, k, linear, angular);
      out.col(one.v + k) << linear + angular.cross(arm), angular;
    }
  }
}

void ArticulationData::computeBiasAccelerations(const ArticulationModel& model) {
  const auto& all = model.nodes();
  for (std::size_t i = 0; i < all.size(); ++i) {
    NodeState& state = nodes[i];
    state.acceleration = state.biasLinear;
    state.angularAcceleration = state.biasAngular;
    if (all[i].parent < 0) continue;
    const NodeState& parent = nodes[static_cast<std::size_t>(all[i].parent)];
    state.acceleration += parent.acceleration + parent.angularAcceleration.cross(state.arm);
    state.angularAcceleration += parent.angularAcceleration;
  }
}

Vec6 ArticulationData::biasAcceleration(int node, const Vec3& point) const {
  Vec6 out = Vec6::Zero();
  if (node < 0) return out;
  const NodeState& state = nodes[static_cast<std::size_t>(node)];
  const Vec3 arm = point - state.position;
  out << state.acceleration + state.angularAcceleration.cross(arm) + state.spin.cross(state.spin.cross(arm)),
      state.angularAcceleration;
  return out;
}

}  // namespace cairn
