#include "mechanics/warm_start.hpp"

namespace cairn {

namespace {

void storeJoint(Joint& joint, const BlockJacobian& jacobian, const Vector& impulse, bool startsNext) {
  for (int k = 0; k < impulse.size(); ++k) {
    if (startsNext) joint.impulse[k] += impulse[k];
    joint.totalRows[k] += impulse[k];
    // The rows as they act on B; seen from A they are the opposite.
    const bool onB = jacobian.b >= 0;
    const auto row = onB ? jacobian.partB.row(k) : jacobian.partA.row(k);
    const Vec3 linear = (onB ? 1.0 : -1.0) * row.head<3>().transpose();
    const Vec3 angular = (onB ? 1.0 : -1.0) * row.tail<3>().transpose();
    joint.totalImpulse += impulse[k] * linear;
    if (linear.isZero(0.0)) joint.totalAngularImpulse += impulse[k] * angular;
  }
}

// Joints that are part of the masses: what they do by themselves, and against the impulses of all rows.
void storeEliminated(System& system, const IslandProblem& island, const Vector& impulse, bool startsNext) {
  const Vector reactions = island.tree->reactions(momentumOf(*island.problem, impulse));
  for (std::size_t j = 0; j < island.eliminated.size(); ++j) {
    const IslandProblem::Eliminated& one = island.eliminated[j];
    const Vector found = one.freeReaction + reactions.segment(6 * static_cast<Eigen::Index>(j), one.bias.size());
    storeJoint(system.joints[one.origin.joint], one.jacobian, found, startsNext);
  }
}

}  // namespace

void forgetImpulses(System& system) {
  forEachContact(system, [&](std::uint32_t slot) {
    Contact& contact = system.contacts.slots[slot];
    contact.frictionImpulse.setZero();
    contact.totalFriction.setZero();
    contact.twistImpulse = contact.totalTwist = 0.0f;
    for (ContactPoint& point : contact.points) point.normalImpulse = point.totalImpulse = 0.0f;
  });
  for (Joint& joint : system.joints) {
    joint.impulse.fill(0.0);
    joint.totalRows.fill(0.0);
    joint.totalImpulse.setZero();
    joint.totalAngularImpulse.setZero();
    for (AxisForces& forces : joint.forces) {
      forces.impulse.fill(0.0);
      forces.total.fill(0.0);
    }
  }
  for (Mechanism& mechanism : system.mechanisms) {
    for (auto& forces : mechanism.impulse) forces.fill(0.0);
    for (auto& forces : mechanism.total) forces.fill(0.0);
  }
}

void storeImpulses(System& system, const IslandProblem& island, const Vector& impulse, bool startsNext) {
  if (island.tree) storeEliminated(system, island, impulse, startsNext);
  for (std::size_t i = 0; i < island.origins.size(); ++i) {
    const Block& block = island.problem->blocks()[i];
    const IslandProblem::Origin& origin = island.origins[i];
    const auto part = impulse.segment(block.first, block.size);
    if (origin.mechanism != kNone) {
      Mechanism& mechanism = system.mechanisms[origin.mechanism];
      const auto degree = static_cast<std::size_t>(origin.axis), force = static_cast<std::size_t>(origin.force);
      if (startsNext) mechanism.impulse[degree][force] += part[0];
      mechanism.total[degree][force] += part[0];
      continue;
    }
    if (origin.joint != kNone && origin.axis >= 0) {
      AxisForces& forces = system.joints[origin.joint].forces[origin.axis];
      if (startsNext) forces.impulse[static_cast<std::size_t>(origin.force)] += part[0];
      forces.total[static_cast<std::size_t>(origin.force)] += part[0];
      continue;
    }
    if (origin.joint != kNone) {
      storeJoint(system.joints[origin.joint], island.problem->data().jacobians[i], part, startsNext);
      continue;
    }
    Contact& contact = system.contacts.slots[origin.contact];
    if (origin.point < 0 || origin.point >= contact.count) continue;
    ContactPoint& point = contact.points[origin.point];
    if (startsNext) point.normalImpulse += static_cast<float>(part[0]);
    point.totalImpulse += static_cast<float>(part[0]);
    if (block.size == 1) continue;
    const Vec3 friction = origin.axes.rightCols<2>() * part.tail<2>();
    if (startsNext) contact.frictionImpulse += friction.cast<float>();
    contact.totalFriction += friction.cast<float>();
  }
}

Vector storedImpulses(const System& system, const IslandProblem& island) {
  Vector impulse(island.problem->rows());
  for (std::size_t i = 0; i < island.origins.size(); ++i) {
    const Block& block = island.problem->blocks()[i];
    const IslandProblem::Origin& origin = island.origins[i];
    if (origin.mechanism != kNone) {
      const auto& forces = system.mechanisms[origin.mechanism].total[static_cast<std::size_t>(origin.axis)];
      impulse[block.first] = forces[static_cast<std::size_t>(origin.force)];
      continue;
    }
    if (origin.joint != kNone && origin.axis >= 0) {
      const AxisForces& forces = system.joints[origin.joint].forces[origin.axis];
      impulse[block.first] = forces.total[static_cast<std::size_t>(origin.force)];
      continue;
    }
    if (origin.joint != kNone) {
      for (int k = 0; k < block.size; ++k) impulse[block.first + k] = system.joints[origin.joint].totalRows[k];
      continue;
    }
    const Contact& contact = system.contacts.slots[origin.contact];
    if (origin.point < 0 || origin.point >= contact.count) {
      impulse.segment(block.first, block.size).setZero();
      continue;
    }
    const Mat3& axes = origin.axes;
    double sum = 0.0, spread = 0.0;  // N s, N s m^2
    Vec3 center = Vec3::Zero();      // of pressure
    for (int p = 0; p < contact.count; ++p) {
      sum += contact.points[p].totalImpulse;
      center += contact.points[p].totalImpulse * contact.anchorA(p).cast<double>();
    }
    const double normal = contact.points[origin.point].totalImpulse;
    impulse[block.first] = normal;
    if (block.size == 1) continue;
    impulse.segment(block.first + 1, 2).setZero();
    if (!(sum > 0.0)) continue;
    // A force at the centre of pressure and a twist about it, as forces at the points: shared by pressure, the twist also by
    // lever.
    center /= sum;
    const auto lever = [&](int p) {
      Vec3 r = contact.anchorA(p).cast<double>() - center;
      return Vec3(r - r.dot(axes.col(0)) * axes.col(0));
    };
    for (int p = 0; p < contact.count; ++p) spread += contact.points[p].totalImpulse * lever(p).squaredNorm();
    Vec3 friction = contact.totalFriction.cast<double>() * (normal / sum);
    if (spread > 0.0) {
      const Vec3 turn = axes.col(0).cross(lever(origin.point));
      // The centre of pressure may have moved since: a point never carries more of the twist than its own friction can.
      const Vec3 share = contact.totalTwist * normal / spread * turn;
      const double most = contact.friction * normal;
      friction += share.norm() > most ? Vec3(share * (most / share.norm())) : share;
    }
    for (int k = 1; k < 3; ++k) impulse[block.first + k] = axes.col(k).dot(friction);
  }
  return impulse;
}

}  // namespace cairn
