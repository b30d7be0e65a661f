#include "mechanics/joint_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechanics/joint_frames.hpp"

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

JointRow rowOf(const JointAxis& axis, double error) {
  return {axis.linear, axis.angularA, axis.angularB, error, 0.0, true, axis.pullA};
}

// Holds axisB of B on axisA of A, both in the world.
int alignedRows(const Vec3& axisA, const Vec3& axisB, int n, std::array<JointRow, kJointRows>& rows) {
  const Vec3 off = axisA.cross(axisB);
  const auto [t1, t2] = tangents(axisA);
  rows[n] = turnRow(t1, off.dot(t1));
  rows[n + 1] = turnRow(t2, off.dot(t2));
  return n + 2;
}

// Holds the rotation of B against A that there was when the joint was made.
int rotationRows(const JointFrames& frames, int n, std::array<JointRow, kJointRows>& rows) {
  Quat off = frames.rotationB * (frames.rotationA * frames.rest).conjugate();
  if (off.w() < 0.0) off.coeffs() *= -1.0;
  for (int i = 0; i < 3; ++i) rows[n + i] = turnRow(Vec3::Unit(i), 2.0 * off.vec()[i]);
  return n + 3;
}

// Holds B's anchor on a line of A.
int lineRows(const JointFrames& frames, const Vec3& axisA, std::array<JointRow, kJointRows>& rows) {
  const auto [t1, t2] = tangents(axisA);
  int n = 0;
  for (const Vec3& across : {t1, t2}) {
    const JointAxis axis = frames.travel(frames.rotationA * across);
    rows[n++] = rowOf(axis, axis.value);
  }
  return n;
}

// Holds axisA across axisB: d/dt (a.b) = (b x a).(wB - wA).
int acrossRow(const Vec3& a, const Vec3& b, int n, std::array<JointRow, kJointRows>& rows) {
  rows[n] = turnRow(b.cross(a), a.dot(b));
  return n + 1;
}

int sixDofRows(const SixDofJoint& six, const JointFrames& frames, const std::array<JointAxis, kMostJointAxes>& axes,
               std::array<JointRow, kJointRows>& rows) {
  int n = 0, held = 0, open = 0;
  for (int i = 0; i < 3; ++i)
    if (six.holdsTravel[i]) rows[n++] = rowOf(axes[i], axes[i].value);
  for (int i = 0; i < 3; ++i) {
    held += six.holdsTurn[i] ? 1 : 0;
    if (!six.holdsTurn[i]) open = i;
  }
  if (held == 3) return rotationRows(frames, n, rows);
  if (held == 2) {
    const Vec3 axis = six.frameA * Vec3::Unit(open);
    return alignedRows(frames.rotationA * axis, frames.rotationB * (frames.rest.conjugate() * axis), n, rows);
  }
  for (int i = 0; i < 3; ++i)
    if (six.holdsTurn[i]) rows[n++] = rowOf(axes[3 + i], axes[3 + i].value);
  return n;
}

// Of kinds that are put together from travel, alignment and sums of axes.
int heldRows(const Joint& joint, const Pose& a, const Pose& b, std::array<JointRow, kJointRows>& rows, double elapsed) {
  const JointFrames frames(joint, a, b);
  Anchors anchors{frames.armA, frames.armB, frames.gap};
  std::array<JointAxis, kMostJointAxes> axes;
  const auto findAxes = [&] { jointAxes(joint, a, b, axes, elapsed); };
  const auto addSum = [&](int n, double first, double second, double constant) {
    const JointAxis sum = sumOf(first, axes[0], second, axes[1]);
    rows[n] = rowOf(sum, sum.value - constant);
    return n + 1;
  };
  if (const auto* slider = std::get_if<SliderJoint>(&joint.kind))
    return rotationRows(frames, lineRows(frames, slider->axisA, rows), rows);
  if (const auto* cylindrical = std::get_if<CylindricalJoint>(&joint.kind))
    return alignedRows(a.rotation * cylindrical->axisA, b.rotation * cylindrical->axisB,
                       lineRows(frames, cylindrical->axisA, rows), rows);
  if (const auto* screw = std::get_if<ScrewJoint>(&joint.kind)) {
    findAxes();
    int n = lineRows(frames, screw->axisA, rows);
    n = addSum(n, 1.0, -screw->pitch / (2.0 * std::numbers::pi), 0.0);
    return alignedRows(a.rotation * screw->axisA, b.rotation * screw->axisB, n, rows);
  }
  if (const auto* universal = std::get_if<UniversalJoint>(&joint.kind))
    return acrossRow(a.rotation * universal->axisA, b.rotation * universal->axisB, pointRows(anchors, rows), rows);
  if (const auto* suspension = std::get_if<SuspensionJoint>(&joint.kind))
    return acrossRow(a.rotation * suspension->axisA, b.rotation * suspension->axisB,
                     lineRows(frames, suspension->axisA, rows), rows);
  if (std::holds_alternative<ConeTwistJoint>(joint.kind)) return pointRows(anchors, rows);
  if (const auto* planar = std::get_if<PlanarJoint>(&joint.kind)) {
    const JointAxis normal = frames.travel(a.rotation * planar->normalA);
    rows[0] = rowOf(normal, normal.value);
    return alignedRows(a.rotation * planar->normalA, b.rotation * planar->normalB, 1, rows);
  }
  if (const auto* curve = std::get_if<CurveJoint>(&joint.kind); curve != nullptr) {
    const CurvePlace place = frames.onCurve(joint, a, joint.turns[0] + elapsed * joint.turnRates[0]);
    const auto [t1, t2] = tangents(place.tangent);
    int n = 0;
    for (const Vec3& across : {t1, t2}) rows[n++] = rowOf(frames.along(across), across.dot(place.off));
    return n;
  }
  findAxes();
  if (const auto* gear = std::get_if<GearJoint>(&joint.kind)) return addSum(0, 1.0, gear->ratio, 0.0);
  if (const auto* rack = std::get_if<RackAndPinionJoint>(&joint.kind)) return addSum(0, 1.0, -rack->radius, 0.0);
  if (const auto* pulley = std::get_if<PulleyJoint>(&joint.kind))
    return pulley->slack ? 0 : addSum(0, 1.0, pulley->ratio, pulley->length.value_or(0.0));
  if (const auto* six = std::get_if<SixDofJoint>(&joint.kind)) return sixDofRows(*six, frames, axes, rows);
  return 0;
}

}  // namespace

bool holdsToWorld(const JointKind& kind) {
  return std::holds_alternative<GearJoint>(kind) || std::holds_alternative<RackAndPinionJoint>(kind) ||
         std::holds_alternative<PulleyJoint>(kind);
}

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
    const double angle = angleAbout(axisA, rotationB * (rotationA * joint.rest).conjugate());
    const double target = joint.driveNow + elapsed * joint.driveRate;
    rows[n + 2] = turnRow(axisA, std::remainder(angle - target, 2.0 * std::numbers::pi));
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

  if (const auto* distance = std::get_if<DistanceJoint>(&joint.kind)) {
    if (distance->shortest || distance->longest) return 0;  // limits of its axis
    std::array<JointAxis, kMostJointAxes> axes;
    jointAxes(joint, {centerA, rotationA}, {centerB, rotationB}, axes);
    rows[0] = {axes[0].linear, axes[0].angularA, axes[0].angularB, axes[0].value - distance->length.value_or(0.0)};
    if (joint.drive) {
      rows[0].error -= joint.driveNow + elapsed * joint.driveRate;
      rows[0].rate = -joint.driveRate;
    }
    return 1;
  }
  return heldRows(joint, {centerA, rotationA}, {centerB, rotationB}, rows, elapsed);
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
