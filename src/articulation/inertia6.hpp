// Inertias of articulated bodies, moved and reduced. Written out: these few lines are most of the work of forward dynamics.
#pragma once

#include "articulation/data.hpp"

namespace cairn {

// Of a rigid body: mass, h = m c, J about the origin.
inline void setRigid(Inertia6& to, double mass, const Vec3& h, const Symmetric3& inertia) {
  to.linear = {mass, mass, mass, 0.0, 0.0, 0.0};
  to.coupling << 0.0, h.z(), -h.y(), -h.z(), 0.0, h.x(), h.y(), -h.x(), 0.0;  // -h^
  to.turning = inertia;
}

inline void addTo(Inertia6& to, const Inertia6& other) {
  to.linear += other.linear;
  to.coupling += other.coupling;
  to.turning += other.turning;
}

// I - U U^T / D
inline void reduce(Inertia6& inertia, const Vec3& force, const Vec3& torque, double inverse) {
  const Vec3 f = inverse * force, t = inverse * torque;
  Symmetric3& l = inertia.linear;
  l.xx -= f.x() * force.x(), l.yy -= f.y() * force.y(), l.zz -= f.z() * force.z();
  l.xy -= f.x() * force.y(), l.xz -= f.x() * force.z(), l.yz -= f.y() * force.z();
  inertia.coupling.noalias() -= f * torque.transpose();
  Symmetric3& r = inertia.turning;
  r.xx -= t.x() * torque.x(), r.yy -= t.y() * torque.y(), r.zz -= t.z() * torque.z();
  r.xy -= t.x() * torque.y(), r.xz -= t.x() * torque.z(), r.yz -= t.y() * torque.z();
}

// X^T I X: as seen from r before it. H' = H - L r^, J' = J + r^ H' + (r^ H)^T.
inline void addMoved(Inertia6& to, const Inertia6& from, const Vec3& r) {
  const Mat3& h = from.coupling;
  const Mat3 lr = timesCross(from.linear, r);
  const Mat3 moved = h - lr;
  to.linear += from.linear;
  to.coupling += moved;
  Symmetric3& j = to.turning;
  const Symmetric3& own = from.turning;
  const double x = r.x(), y = r.y(), z = r.z();
  // Rows of r^ A: (y a2 - z a1, z a0 - x a2, x a1 - y a0), a_i being rows of A.
  j.xx += own.xx + (y * moved(2, 0) - z * moved(1, 0)) + (y * h(2, 0) - z * h(1, 0));
  j.yy += own.yy + (z * moved(0, 1) - x * moved(2, 1)) + (z * h(0, 1) - x * h(2, 1));
  j.zz += own.zz + (x * moved(1, 2) - y * moved(0, 2)) + (x * h(1, 2) - y * h(0, 2));
  j.xy += own.xy + (y * moved(2, 1) - z * moved(1, 1)) + (z * h(0, 0) - x * h(2, 0));
  j.xz += own.xz + (y * moved(2, 2) - z * moved(1, 2)) + (x * h(1, 0) - y * h(0, 0));
  j.yz += own.yz + (z * moved(0, 2) - x * moved(2, 2)) + (x * h(1, 1) - y * h(0, 1));
}

inline Mat6 full(const Inertia6& inertia) {
  Mat6 m;
  m.topLeftCorner<3, 3>() = inertia.linear.full();
  m.topRightCorner<3, 3>() = inertia.coupling;
  m.bottomLeftCorner<3, 3>() = inertia.coupling.transpose();
  m.bottomRightCorner<3, 3>() = inertia.turning.full();
  return m;
}

}  // namespace cairn
