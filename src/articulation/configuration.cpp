// Configurations as points of a manifold: quaternions are moved by the exponential map and stay unit.
#include "articulation/model.hpp"
#include "math/rotation.hpp"

namespace cairn {

namespace {

Quat quaternionAt(const Vector& q, int at) { return {q[at], q[at + 1], q[at + 2], q[at + 3]}; }
void write(const Quat& value, Vector& q, int at) { q.segment<4>(at) << value.w(), value.x(), value.y(), value.z(); }

// q exp(turn), the turn in body axes.
Quat turned(const Quat& q, const Vec3& turn) { return (q * rotated(Quat::Identity(), turn)).normalized(); }

}  // namespace

Vector ArticulationModel::neutral() const {
  Vector q = Vector::Zero(positions_);
  for (const ArticulationNode& node : nodes_) {
    if (node.kind == NodeKind::Spherical) q[node.q] = 1.0;
    if (node.kind == NodeKind::Free) q[node.q + 3] = 1.0;
  }
  return q;
}

void ArticulationModel::normalise(Vector& q) const {
  for (const ArticulationNode& node : nodes_) {
    if (node.kind == NodeKind::Spherical) q.segment<4>(node.q).normalize();
    if (node.kind == NodeKind::Free) q.segment<4>(node.q + 3).normalize();
  }
}

void ArticulationModel::integrate(const Vector& q, const Vector& v, double dt, Vector& to) const {
  for (const ArticulationNode& node : nodes_) {
    switch (node.kind) {
      case NodeKind::Revolute:
      case NodeKind::Prismatic:
        to[node.q] = q[node.q] + dt * v[node.v];
        break;
      case NodeKind::Spherical:
        write(turned(quaternionAt(q, node.q), dt * v.segment<3>(node.v)), to, node.q);
        break;
      case NodeKind::Free:
        to.segment<3>(node.q) = q.segment<3>(node.q) + dt * v.segment<3>(node.v);
        write(turned(quaternionAt(q, node.q + 3), dt * v.segment<3>(node.v + 3)), to, node.q + 3);
        break;
    }
  }
}

void ArticulationModel::difference(const Vector& from, const Vector& to, Vector& v) const {
  const auto turn = [&](int at) { return rotationVector(quaternionAt(from, at).conjugate() * quaternionAt(to, at)); };
  for (const ArticulationNode& node : nodes_) {
    switch (node.kind) {
      case NodeKind::Revolute:
      case NodeKind::Prismatic:
        v[node.v] = to[node.q] - from[node.q];
        break;
      case NodeKind::Spherical:
        v.segment<3>(node.v) = turn(node.q);
        break;
      case NodeKind::Free:
        v.segment<3>(node.v) = to.segment<3>(node.q) - from.segment<3>(node.q);
        v.segment<3>(node.v + 3) = turn(node.q + 3);
        break;
    }
  }
}

}  // namespace cairn
