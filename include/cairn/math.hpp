// The few mathematical types that Cairn's interface speaks: Eigen's, in double precision, SI units.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace cairn {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;  // body to world; written scalar first (w, x, y, z) in files

// A rigid placement: x_outer = position + rotation * x_inner.
struct Pose {
  Vec3 position = Vec3::Zero();  // m
  Quat rotation = Quat::Identity();

  Vec3 point(const Vec3& inner) const { return position + rotation * inner; }
  Vec3 direction(const Vec3& inner) const { return rotation * inner; }
  Vec3 inversePoint(const Vec3& outer) const { return rotation.conjugate() * (outer - position); }
  Vec3 inverseDirection(const Vec3& outer) const { return rotation.conjugate() * outer; }
  // (a * b).point(x) == a.point(b.point(x))
  Pose operator*(const Pose& inner) const { return {point(inner.position), rotation * inner.rotation}; }
  Pose inverse() const {
    const Quat back = rotation.conjugate();
    return {back * -position, back};
  }
};

}  // namespace cairn
