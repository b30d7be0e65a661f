#include "dynamics/joint.hpp"

namespace cairn {

namespace {

// Two unit vectors that make a right-handed frame with the unit vector n.
std::pair<Vec3, Vec3> tangents(const Vec3& n) {
  const Vec3 t1 = n.unitOrthogonal();
  return {t1, n.cross(t1)};
}

struct Anchors {
  Vec3 armA, armB;  // m, from the centres of mass, world axes
  Vec3 gap;         // m, from A's anchor to B's
};

int pointRows(const Anchors& anchors, std::array<JointRow, kJointRows>& rows) {
  for (int i = 0; i < 3; ++i) {
    const Vec3 d = Vec3::Unit(i);
    rows[i] = {d, -anchors.armA.cross(d), anchors.armB.cross(d), anchors.gap[i]};
  }
  return 3;
}

JointRow turnRow(const Vec3& axis, double error) { return {Vec3::Zero(), -axis, axis, error}; }

}  // namespace

int jointRows(const Joint& joint, const Vec3& centerA, const Quat& rotationA, const Vec3& centerB, const Quat& rotationB,
              std::array<JointRow, kJointRows>& rows) {
  Anchors anchors;
  anchors.armA = rotationA * joint.anchorA;
  anchors.armB = rotationB * joint.anchorB;
  anchors.gap = (centerB - centerA) + anchors.armB - anchors.armA;

  if (std::holds_alternative<BallJoint>(joint.kind)) return pointRows(anchors, rows);

  if (const auto* hinge = std::get_if<HingeJoint>(&joint.kind)) {
    const int n = pointRows(anchors, rows);
    const Vec3 axisA = rotationA * hinge->axisA;
    const Vec3 axisB = rotationB * hinge->axisB;
    // A small turn d of B takes axisB to axisB + d x axisB, so axisA x axisB is the part of d across the axis.
    const Vec3 off = axisA.cross(axisB);
    const auto [t1, t2] = tangents(axisA);
    rows[n] = turnRow(t1, off.dot(t1));
    rows[n + 1] = turnRow(t2, off.dot(t2));
    return n + 2;
  }

  if (const auto* fixed = std::get_if<FixedJoint>(&joint.kind)) {
    const int n = pointRows(anchors, rows);
    Quat off = rotationB * (rotationA * fixed->rotation.value_or(Quat::Identity())).conjugate();
    if (off.w() < 0.0) off.coeffs() *= -1.0;
    for (int i = 0; i < 3; ++i) rows[n + i] = turnRow(Vec3::Unit(i), 2.0 * off.vec()[i]);
    return n + 3;
  }

  const auto& distance = std::get<DistanceJoint>(joint.kind);
  const double length = anchors.gap.norm();
  // Anchors in the same place have no direction between them; any will do to push them apart.
  const Vec3 d = length > 1e-12 ? Vec3(anchors.gap / length) : Vec3(Vec3::UnitZ());
  rows[0] = {d, -anchors.armA.cross(d), anchors.armB.cross(d), length - distance.length.value_or(0.0)};
  return 1;
}

JointError jointError(const Joint& joint, const Body& a, const Body& b) {
  std::array<JointRow, kJointRows> rows;
  const int n = jointRows(joint, a.center, a.rotation, b.center, b.rotation, rows);
  double distance = 0.0, angle = 0.0;
  for (int i = 0; i < n; ++i) (rows[i].linear.isZero(0.0) ? angle : distance) += rows[i].error * rows[i].error;
  return {std::sqrt(distance), std::sqrt(angle)};
}

}  // namespace cairn
