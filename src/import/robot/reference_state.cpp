#include "import/robot/reference_state.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/mass.hpp"
#include "import/robot/robot_error.hpp"

namespace cairn {
namespace {

// Inertia about a point p and an axis through it: a . I a + m |(c - p) x a|^2.
double aboutAxis(const MassProperties& mass, const Vec3& point, const Vec3& axis) {
  return axis.dot(mass.inertia * axis) + mass.mass * (mass.center - point).cross(axis).squaredNorm();
}

// Of every body with all that hangs on it, in world axes.
std::vector<MassProperties> subtrees(const RobotModel& model, const std::vector<Pose>& poses) {
  std::vector<std::vector<MassProperties>> parts(model.bodies.size());
  std::vector<MassProperties> sums(model.bodies.size());
  for (std::size_t i = model.bodies.size(); i-- > 0;) {
    parts[i].push_back(transformed(model.bodies[i].mass, poses[i]));
    sums[i] = combined(parts[i]);
    if (model.bodies[i].parent >= 0) parts[model.bodies[i].parent].push_back(sums[i]);
  }
  return sums;
}

void checkFinite(const RobotModel& model) {
  const auto check = [](bool finite, const RobotPlace& place, const std::string& what) {
    if (!finite) throw RobotFileError(place, what + ": its numbers are too large or too small to compute with");
  };
  const auto pose = [](const Pose& p) { return p.position.allFinite() && p.rotation.coeffs().allFinite(); };
  for (const RobotBody& body : model.bodies)
    check(pose(body.pose) && std::isfinite(body.mass.mass) && body.mass.center.allFinite() && body.mass.inertia.allFinite(),
          body.place, "body \"" + body.name + "\"");
  for (const RobotJoint& j : model.joints)
    check(j.axis.allFinite() && j.anchor.allFinite() && std::isfinite(j.stiffness) && std::isfinite(j.damping), j.place,
          "joint \"" + j.name + "\"");
  for (const RobotGeom& geom : model.geoms)
    check(pose(geom.pose) && geom.size.allFinite(), geom.place, "geom \"" + geom.name + "\"");
  for (const RobotSite& site : model.sites) check(pose(site.pose), site.place, "site \"" + site.name + "\"");
  for (const RobotActuator& a : model.actuators)
    check(std::isfinite(a.scale) && std::isfinite(a.offset) && std::isfinite(a.stiffness) && std::isfinite(a.damping), a.place,
          "actuator \"" + a.name + "\"");
  for (const RobotEquality& e : model.equalities)
    check(pose(e.firstFrame) && pose(e.secondFrame), e.place, "equality \"" + e.name + "\"");
  for (const Pose& world : referencePoses(model))
    check(pose(world), model.bodies[0].place, "the placement of bodies");
}

}  // namespace

std::vector<Pose> referencePoses(const RobotModel& model) {
  std::vector<Pose> poses;
  for (const RobotBody& body : model.bodies) poses.push_back(body.parent < 0 ? body.pose : poses[body.parent] * body.pose);
  return poses;
}

std::vector<int> dofOffsets(const RobotModel& model) {
  std::vector<int> offsets;
  int next = 0;
  for (const RobotJoint& joint : model.joints) {
    offsets.push_back(next);
    next += dofs(joint.kind);
  }
  return offsets;
}

std::vector<double> referenceInertia(const RobotModel& model) {
  const std::vector<Pose> poses = referencePoses(model);
  const std::vector<MassProperties> moved = subtrees(model, poses);
  std::vector<double> diagonal;
  for (const RobotJoint& joint : model.joints) {
    const Pose& pose = poses[joint.body];
    const MassProperties& mass = moved[joint.body];
    const auto addRotations = [&](const Vec3& point) {
      for (int k = 0; k < 3; ++k)
        diagonal.push_back(joint.armature + aboutAxis(mass, point, pose.direction(Vec3::Unit(k))));
    };
    switch (joint.kind) {
      case RobotJointKind::Fixed:
        break;
      case RobotJointKind::Hinge:
        diagonal.push_back(joint.armature + aboutAxis(mass, pose.point(joint.anchor), pose.direction(joint.axis)));
        break;
      case RobotJointKind::Slide:
        diagonal.push_back(joint.armature + mass.mass);
        break;
      case RobotJointKind::Ball:
        addRotations(pose.point(joint.anchor));
        break;
      case RobotJointKind::Free:
        diagonal.insert(diagonal.end(), 3, joint.armature + mass.mass);
        addRotations(pose.position);
        break;
    }
  }
  return diagonal;
}

// M = sum over bodies of m J^T J + W^T I W, with J and W the Jacobians of the centre of mass and of the rotation.
Eigen::MatrixXd referenceMassMatrix(const RobotModel& model) {
  const std::vector<Pose> poses = referencePoses(model);
  const std::vector<int> offsets = dofOffsets(model);
  const int count = offsets.empty() ? 0 : offsets.back() + dofs(model.joints.back().kind);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(count, count);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const MassProperties mass = transformed(model.bodies[b].mass, poses[b]);
    Eigen::MatrixXd linear = Eigen::MatrixXd::Zero(3, count), angular = Eigen::MatrixXd::Zero(3, count);
    std::vector<bool> above(model.bodies.size(), false);
    for (int up = static_cast<int>(b); up >= 0; up = model.bodies[up].parent) above[up] = true;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const RobotJoint& joint = model.joints[j];
      if (!above[joint.body]) continue;
      const Pose& pose = poses[joint.body];
      const auto turn = [&](int column, const Vec3& axis, const Vec3& point) {
        angular.col(column) = axis;
        linear.col(column) = axis.cross(mass.center - point);
      };
      int at = offsets[j];
      if (joint.kind == RobotJointKind::Hinge) turn(at, pose.direction(joint.axis), pose.point(joint.anchor));
      if (joint.kind == RobotJointKind::Slide) linear.col(at) = pose.direction(joint.axis);
      if (joint.kind == RobotJointKind::Free)
        for (int k = 0; k < 3; ++k) linear.col(at++) = Vec3::Unit(k);
      if (joint.kind == RobotJointKind::Free || joint.kind == RobotJointKind::Ball)
        for (int k = 0; k < 3; ++k) turn(at++, pose.direction(Vec3::Unit(k)), pose.point(joint.anchor));
    }
    matrix += mass.mass * linear.transpose() * linear + angular.transpose() * mass.inertia * angular;
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int k = 0; k < dofs(model.joints[j].kind); ++k) matrix(offsets[j] + k, offsets[j] + k) += model.joints[j].armature;
  return matrix;
}

void finishModel(RobotModel& model) {
  checkFinite(model);
  constexpr double kNone = 1e-15;  // kg m^2 or kg: MuJoCo's own mark for "no inertia"
  const std::vector<double> inertia = referenceInertia(model);
  std::size_t at = 0;
  for (const RobotJoint& joint : model.joints) {
    const int count = dofs(joint.kind);
    const bool some = std::all_of(inertia.begin() + at, inertia.begin() + at + count, [](double i) { return i > kNone; });
    at += count;
    if (!some)
      model.warnings.push_back({joint.place, "joint \"" + joint.name + "\" moves nothing that has inertia: the mass matrix is "
                                             "singular"});
  }
}

}  // namespace cairn
