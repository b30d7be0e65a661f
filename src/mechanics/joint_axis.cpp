#include "mechanics/joint_axis.hpp"

#include <cmath>
#include <numbers>

#include "math/rotation.hpp"

namespace cairn {

namespace {

// How far a rotation turns about an axis (rad, -2 pi to 2 pi), whatever else it does.
double angleAbout(const Vec3& axis, const Quat& turn) { return 2.0 * std::atan2(turn.vec().dot(axis), turn.w()); }

Mat3 crossMatrix(const Vec3& v) {
  Mat3 m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

// d(theta)/dt = D w for a rotation vector theta and the angular velocity w, in the same axes (Bullo and Murray 1995):
// D = 1 - [theta]/2 + (1/t^2 - (1 + cos t)/(2 t sin t)) [theta]^2. Near a whole half turn any axis may be next.
Mat3 rateOfRotationVector(const Vec3& theta) {
  const double t = theta.norm();
  const Mat3 cross = crossMatrix(theta);
  constexpr double kSmall = 1e-3;  // rad: below, the series has all digits
  const double half = 0.5 * t;
  const double factor = t < kSmall ? 1.0 / 12.0 + t * t / 720.0 : (1.0 - half / std::tan(half)) / (t * t);
  return Mat3::Identity() - 0.5 * cross + factor * cross * cross;
}

}  // namespace

int jointAxes(const Joint& joint, const Pose& a, const Pose& b, std::array<JointAxis, kMostJointAxes>& axes) {
  if (const auto* hinge = std::get_if<HingeJoint>(&joint.kind)) {
    const Vec3 axis = a.rotation * hinge->axisA;
    const double angle = angleAbout(axis, b.rotation * (a.rotation * joint.rest).conjugate());
    axes[0] = {Vec3::Zero(), -axis, axis, angle, true};
    return 1;
  }
  if (std::holds_alternative<BallJoint>(joint.kind)) {
    const Quat turn = a.rotation.conjugate() * b.rotation * joint.rest.conjugate();
    const Vec3 theta = rotationVector(turn);
    const Mat3 rates = rateOfRotationVector(theta) * a.rotation.conjugate().toRotationMatrix();
    for (int i = 0; i < 3; ++i)
      axes[i] = {Vec3::Zero(), -rates.row(i).transpose(), rates.row(i).transpose(), theta[i], true};
    return 3;
  }
  if (std::holds_alternative<DistanceJoint>(joint.kind)) {
    const Vec3 armA = a.rotation * joint.anchorA, armB = b.rotation * joint.anchorB;
    const Vec3 gap = (b.position - a.position) + armB - armA;
    const double length = gap.norm();
    // Anchors in the same place have no direction between them; any will do to push them apart.
    const Vec3 d = length > 1e-12 ? Vec3(gap / length) : Vec3(Vec3::UnitZ());
    axes[0] = {d, -armA.cross(d), armB.cross(d), length, false};
    return 1;
  }
  return 0;
}

void axisRows(const Joint& joint, const Pose& a, const Pose& b, double dt, std::vector<AxisRow>& rows) {
  rows.clear();
  if (joint.forces.empty()) return;
  std::array<JointAxis, kMostJointAxes> axes;
  const int count = jointAxes(joint, a, b, axes);
  for (std::size_t i = 0; i < joint.forces.size() && static_cast<int>(i) < count; ++i) {
    const AxisForces& forces = joint.forces[i];
    JointAxis axis = axes[i];
    if (axis.turns) axis.value = std::remainder(axis.value, 2.0 * std::numbers::pi);
    const auto add = [&](AxisForce force) -> AxisRow& {
      AxisRow& row = rows.emplace_back();
      row.axis = axis;
      row.force = force;
      row.index = static_cast<int>(i);
      return row;
    };
    if (std::isfinite(forces.lowest)) add(AxisForce::LowerLimit).gap = axis.value - forces.lowest;
    if (std::isfinite(forces.highest)) {
      AxisRow& row = add(AxisForce::UpperLimit);
      row.gap = forces.highest - axis.value;
      row.axis.linear = -axis.linear;
      row.axis.angularA = -axis.angularA;
      row.axis.angularB = -axis.angularB;
    }
    const auto addBetween = [&](AxisForce force, double most, double speed) {
      if (!(most > 0.0)) return;
      AxisRow& row = add(force);
      row.upper = dt * most;
      row.lower = -row.upper;
      row.speed = speed;
    };
    addBetween(AxisForce::Motor, forces.motorEffort, forces.motorSpeed);
    addBetween(AxisForce::Friction, forces.friction, 0.0);
  }
}

}  // namespace cairn
