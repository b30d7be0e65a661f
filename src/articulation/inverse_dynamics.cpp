// Recursive Newton-Euler, composite rigid bodies, energies, and what the nodes are together.
#include "articulation/data.hpp"

namespace cairn {

void ArticulationData::inverseDynamics(const ArticulationModel& model, const Vector& acceleration, Vector& efforts,
                                       bool loaded) {
  const auto& all = model.nodes();
  const auto count = static_cast<int>(all.size());
  efforts.resize(model.degrees());
  prepared_ = false;
  for (int i = 0; i < count; ++i) {
    const ArticulationNode& node = all[static_cast<std::size_t>(i)];
    NodeState& state = nodes[static_cast<std::size_t>(i)];
    if (node.parent < 0) {
      state.acceleration = loaded ? Vec3(-gravity) : Vec3(Vec3::Zero());
      state.angularAcceleration.setZero();
    } else {
      const NodeState& parent = nodes[static_cast<std::size_t>(node.parent)];
      state.acceleration = parent.acceleration + parent.angularAcceleration.cross(state.arm);
      state.angularAcceleration = parent.angularAcceleration;
    }
    if (loaded) {
      state.acceleration += state.biasLinear;
      state.angularAcceleration += state.biasAngular;
    }
    for (int k = 0; k < node.degrees(); ++k) {
      Vec3 linear, angular;
      motionOf(model, i, k, linear, angular);
      state.acceleration += acceleration[node.v + k] * linear;
      state.angularAcceleration += acceleration[node.v + k] * angular;
    }
    state.force = node.mass * state.acceleration + state.angularAcceleration.cross(state.moment);
    state.torque = state.inertia * state.angularAcceleration + state.moment.cross(state.acceleration);
    if (loaded) {
      state.force += state.spin.cross(state.spin.cross(state.moment));
      state.torque += state.spin.cross(state.inertia * state.spin);
      if (hasLoads) {
        state.force -= loads[static_cast<std::size_t>(i)].head<3>();
        state.torque -= loads[static_cast<std::size_t>(i)].tail<3>();
      }
    }
  }
  for (int i = count - 1; i >= 0; --i) {
    const ArticulationNode& node = all[static_cast<std::size_t>(i)];
    const NodeState& state = nodes[static_cast<std::size_t>(i)];
    for (int k = 0; k < node.degrees(); ++k) {
      Vec3 linear, angular;
      motionOf(model, i, k, linear, angular);
      efforts[node.v + k] =
          linear.dot(state.force) + angular.dot(state.torque) + model.armature(node.v + k) * acceleration[node.v + k];
    }
    if (node.parent < 0) continue;
    NodeState& parent = nodes[static_cast<std::size_t>(node.parent)];
    parent.force += state.force;
    parent.torque += state.torque + state.arm.cross(state.force);
  }
}

void ArticulationData::computeComposites(const ArticulationModel& model) {
  const auto& all = model.nodes();
  for (std::size_t i = 0; i < all.size(); ++i) {
    composites_[i].mass = all[i].mass;
    composites_[i].moment = nodes[i].moment;
    composites_[i].inertia = nodes[i].inertia;
  }
  for (std::size_t i = all.size(); i-- > 0;) {
    if (all[i].parent < 0) continue;
    const Composite& from = composites_[i];
    Composite& to = composites_[static_cast<std::size_t>(all[i].parent)];
    const Vec3& r = nodes[i].arm;
    const Vec3& h = from.moment;
    to.mass += from.mass;
    to.moment += h + from.mass * r;
    // J + m (r.r - r r^T) + 2 r.h - r h^T - h r^T
    to.inertia += from.inertia;
    to.inertia += pointInertia(from.mass, r);
    const double both = 2.0 * r.dot(h);
    to.inertia += {both - 2.0 * r.x() * h.x(),       both - 2.0 * r.y() * h.y(),       both - 2.0 * r.z() * h.z(),
                   -(r.x() * h.y() + r.y() * h.x()), -(r.x() * h.z() + r.z() * h.x()), -(r.y() * h.z() + r.z() * h.y())};
  }
}

void ArticulationData::massMatrix(const ArticulationModel& model, Matrix& mass) {
  const auto& all = model.nodes();
  computeComposites(model);
  mass.setZero(model.degrees(), model.degrees());
  for (int i = 0; i < static_cast<int>(all.size()); ++i) {
    const ArticulationNode& node = all[static_cast<std::size_t>(i)];
    const Composite& body = composites_[static_cast<std::size_t>(i)];
    for (int k = 0; k < node.degrees(); ++k) {
      Vec3 linear, angular;
      motionOf(model, i, k, linear, angular);
      const Vec3 force = body.mass * linear + angular.cross(body.moment);
      Vec3 torque = body.inertia * angular + body.moment.cross(linear);
      const int column = node.v + k;
      mass(column, column) = model.armature(column);
      for (int j = i; j >= 0; j = all[static_cast<std::size_t>(j)].parent) {
        const ArticulationNode& other = all[static_cast<std::size_t>(j)];
        for (int l = 0; l < other.degrees(); ++l) {
          if (j == i && l > k) break;
          Vec3 along, about;
          motionOf(model, j, l, along, about);
          const double entry = along.dot(force) + about.dot(torque);
          mass(other.v + l, column) += entry;
          if (other.v + l != column) mass(column, other.v + l) += entry;
        }
        torque += nodes[static_cast<std::size_t>(j)].arm.cross(force);
      }
    }
  }
}

double ArticulationData::kineticEnergy(const ArticulationModel& model) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeState& state = nodes[i];
    sum += 0.5 * model.nodes()[i].mass * state.velocity.squaredNorm() + state.velocity.dot(state.spin.cross(state.moment)) +
           0.5 * state.spin.dot(state.inertia * state.spin);
  }
  for (int k = 0; k < model.degrees(); ++k) sum += 0.5 * model.armature(k) * v[k] * v[k];
  return sum;
}

double ArticulationData::potentialEnergy(const ArticulationModel& model) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    sum -= gravity.dot(model.nodes()[i].mass * nodes[i].position + nodes[i].moment);
  for (const ArticulationLink& link : model.links())
    if (link.node < 0)
      sum -=
          link.mass.mass * gravity.dot(model.basePlace() + model.baseTurn() * (link.place + link.turn * link.mass.center));
  return sum;
}

ArticulationData::Whole ArticulationData::whole(const ArticulationModel& model) const {
  Whole out;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    out.mass += model.nodes()[i].mass;
    out.center += model.nodes()[i].mass * nodes[i].position + nodes[i].moment;
  }
  if (out.mass > 0.0) out.center /= out.mass;
  return out;
}

Vec6 ArticulationData::momentum(const ArticulationModel& model, const Vec3& about) const {
  Vec6 sum = Vec6::Zero();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeState& state = nodes[i];
    const Vec3 linear = model.nodes()[i].mass * state.velocity + state.spin.cross(state.moment);
    sum.head<3>() += linear;
    sum.tail<3>() +=
        state.inertia * state.spin + state.moment.cross(state.velocity) + (state.position - about).cross(linear);
  }
  return sum;
}

void ArticulationData::momentumMatrix(const ArticulationModel& model, const Vec3& about, Matrix& out) {
  computeComposites(model);
  out.setZero(6, model.degrees());
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) {
    const ArticulationNode& node = model.nodes()[static_cast<std::size_t>(i)];
    const Composite& body = composites_[static_cast<std::size_t>(i)];
    for (int k = 0; k < node.degrees(); ++k) {
      Vec3 linear, angular;
      motionOf(model, i, k, linear, angular);
      const Vec3 force = body.mass * linear + angular.cross(body.moment);
      out.col(node.v + k) << force, body.inertia * angular + body.moment.cross(linear) +
                                        (nodes[static_cast<std::size_t>(i)].position - about).cross(force);
    }
  }
}

Mat3 ArticulationData::inertiaAbout(const ArticulationModel& model, const Vec3& about) const {
  Symmetric3 sum;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeState& state = nodes[i];
    const Vec3 r = state.position - about;
    const Vec3& h = state.moment;
    sum += state.inertia;
    sum += pointInertia(model.nodes()[i].mass, r);
    const double both = 2.0 * r.dot(h);
    sum += {both - 2.0 * r.x() * h.x(),       both - 2.0 * r.y() * h.y(),       both - 2.0 * r.z() * h.z(),
            -(r.x() * h.y() + r.y() * h.x()), -(r.x() * h.z() + r.z() * h.x()), -(r.y() * h.z() + r.z() * h.y())};
  }
  return sum.full();
}

}  // namespace cairn
