#include "mechanics/joint_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechanics/joint_axis.hpp"

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

// The wheel's lowest point stays in the plane and does not move along it. As a point of the wheel it has velocity
// v + w x (r d), d from the centre down within the wheel; its height changes like the gap, exactly.
int wheelRows(const WheelJoint& wheel, const Anchors& anchors, const Vec3& n, const Vec3& axle, const Vec3& centers,
              std::array<JointRow, kJointRows>& rows) {
  Vec3 ahead = axle.cross(n);
  if (ahead.norm() < 1e-9) ahead = n.unitOrthogonal();  // it lies flat: any direction rolls
  ahead.normalize();
  const Vec3 down = ahead.cross(axle).normalized() * (ahead.cross(axle).dot(n) > 0.0 ? -1.0 : 1.0);
  const Vec3 armB = anchors.armB + wheel.radius * down;
  const Vec3 armA = centers + armB;  // the point of A under it
  const Vec3 sideways = n.cross(ahead);
  const double height = n.dot(anchors.gap + wheel.radius * down);
  int count = 0;
  for (const Vec3& d : {n, ahead, sideways}) {
    rows[count] = {d, -armA.cross(d), armB.cross(d), count == 0 ? height : 0.0, 0.0, count == 0};
    ++count;
  }
  return count;
}

}  // namespace

int jointRows(const Joint& joint, const Vec3& centerA, const Quat& rotationA, const Vec3& centerB, const Quat& rotationB,
              std::array<JointRow, kJointRows>& rows, double elapsed) {
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
    if (!joint.drive) return n + 2;
    std::array<JointAxis, kMostJointAxes> axes;
    jointAxes(joint, {centerA, rotationA}, {centerB, rotationB}, axes);
    const double target = joint.driveNow + elapsed * joint.driveRate;
    rows[n + 2] = turnRow(axisA, std::remainder(axes[0].value - target, 2.0 * std::numbers::pi));
    rows[n + 2].rate = -joint.driveRate;
    return n + 3;
  }

  if (const auto* fixed = std::get_if<FixedJoint>(&joint.kind)) {
    const int n = pointRows(anchors, rows);
    Quat off = rotationB * (rotationA * fixed->rotation.value_or(Quat::Identity())).conjugate();
    if (off.w() < 0.0) off.coeffs() *= -1.0;
    for (int i = 0; i < 3; ++i) rows[n + i] = turnRow(Vec3::Unit(i), 2.0 * off.vec()[i]);
    return n + 3;
  }

  if (const auto* wheel = std::get_if<WheelJoint>(&joint.kind))
    return wheelRows(*wheel, anchors, rotationA * wheel->normalA, rotationB * wheel->axisB, centerB - centerA, rows);

  if (const auto* skate = std::get_if<SkateJoint>(&joint.kind)) {
    // What moves sideways is B's anchor, wherever it is now: the point of A below it.
    const Vec3 sideways = rotationB * skate->axisB;
    const Vec3 arm = centerB - centerA + anchors.armB;
    rows[0] = {sideways, -arm.cross(sideways), anchors.armB.cross(sideways), 0.0, 0.0, false};
    return 1;
  }

  const auto& distance = std::get<DistanceJoint>(joint.kind);
  std::array<JointAxis, kMostJointAxes> axes;
  jointAxes(joint, {centerA, rotationA}, {centerB, rotationB}, axes);
  rows[0] = {axes[0].linear, axes[0].angularA, axes[0].angularB, axes[0].value - distance.length.value_or(0.0)};
  if (joint.drive) {
    rows[0].error -= joint.driveNow + elapsed * joint.driveRate;
    rows[0].rate = -joint.driveRate;
  }
  return 1;
}

JointError jointError(const Joint& joint, const Body& a, const Body& b, double elapsed) {
  if (std::holds_alternative<BallJoint>(joint.kind))  // most joints of long chains are, and are asked in every step
    return {((b.center - a.center) + b.rotation * joint.anchorB - a.rotation * joint.anchorA).norm(), 0.0};
  std::array<JointRow, kJointRows> rows;
  const int n = jointRows(joint, a.center, a.rotation, b.center, b.rotation, rows, elapsed);
  double distance = 0.0, angle = 0.0;
  for (int i = 0; i < n; ++i) (rows[i].linear.isZero(0.0) ? angle : distance) += rows[i].error * rows[i].error;
  return {std::sqrt(distance), std::sqrt(angle)};
}

}  // namespace cairn
