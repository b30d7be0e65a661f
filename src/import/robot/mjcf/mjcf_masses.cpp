// Masses of bodies: as written or from shapes, then bounded, balanced and scaled as the compiler settings say. What the
// medium does depends on them.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Cholesky>

#include "geometry/mass.hpp"
#include "import/robot/mjcf/mjcf_reader.hpp"
#include "import/robot/reference_state.hpp"

namespace cairn {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kNone = 1e-15;  // MuJoCo's mark for "nothing"

MassProperties primitive(ShapeType type, const Vec3& size) {
  Shape shape;
  shape.type = type;
  shape.size = size;
  return shapeMass(shape, 1.0);
}

// For a density of 1 (1 kg/m^3, or 1 kg/m^2 of a shell), in the frame of the shape.
MassProperties solid(const RobotGeom& geom) {
  const Vec3& s = geom.size;
  switch (geom.kind) {
    case RobotGeomKind::Sphere:
      return primitive(ShapeType::Sphere, Vec3::Constant(s.x()));
    case RobotGeomKind::Capsule:
      return primitive(ShapeType::Capsule, {s.x(), s.x(), s.y()});
    case RobotGeomKind::Cylinder:
      return primitive(ShapeType::Cylinder, {s.x(), s.x(), s.y()});
    case RobotGeomKind::Ellipsoid:
      return primitive(ShapeType::Ellipsoid, s);
    case RobotGeomKind::Box:
      return primitive(ShapeType::Box, s);
    default:
      return {};
  }
}

MassProperties diagonal(double mass, double xx, double yy, double zz) {
  return {mass, Vec3::Zero(), Vec3(xx, yy, zz).asDiagonal()};
}

// Surfaces; of an ellipsoid there is no closed form.
std::optional<MassProperties> shell(const RobotGeom& geom) {
  const double r = geom.size.x(), h = geom.size.y();
  switch (geom.kind) {
    case RobotGeomKind::Sphere: {
      const double m = 4.0 * kPi * r * r;
      return diagonal(m, 2.0 / 3.0 * m * r * r, 2.0 / 3.0 * m * r * r, 2.0 / 3.0 * m * r * r);
    }
    case RobotGeomKind::Capsule: {
      // Two half spheres, whose centroid is r/2 from their rim, and a tube.
      const double caps = 4.0 * kPi * r * r, tube = 4.0 * kPi * r * h;
      const double across = caps * (2.0 / 3.0 * r * r + h * h + h * r) + tube * (r * r / 2.0 + h * h / 3.0);
      return diagonal(caps + tube, across, across, caps * 2.0 / 3.0 * r * r + tube * r * r);
    }
    case RobotGeomKind::Cylinder: {
      const double discs = 2.0 * kPi * r * r, tube = 4.0 * kPi * r * h;
      const double across = discs * (r * r / 4.0 + h * h) + tube * (r * r / 2.0 + h * h / 3.0);
      return diagonal(discs + tube, across, across, discs * r * r / 2.0 + tube * r * r);
    }
    case RobotGeomKind::Box: {
      const Vec3 s = geom.size;
      Mat3 second = Mat3::Zero();
      double area = 0.0;
      for (int k = 0; k < 3; ++k) {  // both faces across axis k
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double part = 8.0 * s[i] * s[j];
        area += part;
        second(k, k) += part * s[k] * s[k];
        second(i, i) += part * s[i] * s[i] / 3.0;
        second(j, j) += part * s[j] * s[j] / 3.0;
      }
      return MassProperties{area, Vec3::Zero(), second.trace() * Mat3::Identity() - second};
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

MassProperties MjcfReader::geomMass(int index) {
  const RobotGeom& geom = model_.geoms[index];
  const ShapeMass& wanted = shapeMasses_[index];
  const double none = wanted.mass ? *wanted.mass : wanted.density;
  if (none == 0.0 || geom.kind == RobotGeomKind::Plane) return {};
  MassProperties unit;
  if (geom.kind == RobotGeomKind::Mesh) {
    try {
      unit = unitMass(geom.mesh, wanted.meshInertia);
    } catch (const std::exception& error) {
      remarks_.missing(*wanted.node, "geom: mass from mesh \"" + model_.meshes[geom.mesh].name + "\": " + error.what());
      return {};
    }
    if (!(unit.mass > kNone)) {
      remarks_.missing(*wanted.node, "geom: mass from mesh \"" + model_.meshes[geom.mesh].name +
                                         "\": it has no volume; allowed: inertia=\"shell\" for the mesh");
      return {};
    }
  } else if (wanted.shell) {
    const std::optional<MassProperties> surface = shell(geom);
    if (!surface) {
      remarks_.missing(*wanted.node, "geom: shellinertia of an ellipsoid");
      return {};
    }
    unit = *surface;
  } else {
    unit = solid(geom);
  }
  if (!(unit.mass > kNone)) return {};
  const double density = wanted.mass ? *wanted.mass / unit.mass : wanted.density;
  unit.mass *= density;
  unit.inertia *= density;
  return transformed(unit, geom.pose);
}

void MjcfReader::massFromGeoms(int body) {
  std::vector<MassProperties> parts;
  const auto first = std::lower_bound(model_.geoms.begin(), model_.geoms.end(), body,
                                      [](const RobotGeom& geom, int wanted) { return geom.body < wanted; });
  for (std::size_t i = first - model_.geoms.begin(); i < model_.geoms.size() && model_.geoms[i].body == body; ++i) {
    RobotGeom& geom = model_.geoms[i];
    if (geom.group < settings_.groupLower || geom.group > settings_.groupUpper) continue;
    geom.mass = geomMass(static_cast<int>(i));
    parts.push_back(geom.mass);
  }
  model_.bodies[body].mass = combined(parts);
}

void MjcfReader::computeMasses() {
  using From = MjcfSettings::FromGeoms;
  double total = 0.0;
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    RobotBody& body = model_.bodies[i];
    if (settings_.inertiaFromGeoms == From::Always) body.hasInertial = false;
    if (!body.hasInertial && settings_.inertiaFromGeoms != From::Never) massFromGeoms(static_cast<int>(i));
    MassProperties& mass = body.mass;
    mass.mass = std::max(mass.mass, settings_.boundMass);
    const bool balance = settings_.balanceInertia && mass.inertia != Mat3::Zero() && !isPhysicalInertia(mass.inertia);
    if (settings_.boundInertia > 0.0 || balance) {
      PrincipalAxes axes = principalAxes(mass.inertia);
      axes.moments = axes.moments.cwiseMax(settings_.boundInertia);
      const Vec3& m = axes.moments;
      if (settings_.balanceInertia && 2.0 * m.maxCoeff() > m.sum()) axes.moments.setConstant(m.mean());
      const Mat3 r = axes.rotation.toRotationMatrix();
      mass.inertia = r * axes.moments.asDiagonal() * r.transpose();
    }
    if (mass.mass > 0.0 && mass.inertia != Mat3::Zero() && !isPhysicalInertia(mass.inertia))
      model_.warnings.push_back({body.place, "body \"" + body.name + "\": no solid has this inertia (principal moments must be "
                                             "positive, and none above the sum of the others); kept as written"});
    total += mass.mass;
  }
  if (settings_.totalMass >= 0.0 && total > 0.0)
    for (RobotBody& body : model_.bodies) {
      body.mass.mass *= settings_.totalMass / total;
      body.mass.inertia *= settings_.totalMass / total;
    }
  computeDrag();
}

// MuJoCo's model of a medium: every body is the box of its inertia (documentation, "Inertia model").
void MjcfReader::computeDrag() {
  const double density = model_.options.density, viscosity = model_.options.viscosity;
  if (density == 0.0 && viscosity == 0.0) return;
  if (fluidEllipsoid_) model_.missing.push_back({{file_, 0}, "geom: fluidshape=\"ellipsoid\": forces of a medium on shapes"});
  for (RobotBody& body : model_.bodies) {
    if (!(body.mass.mass > kNone)) continue;
    const Vec3 moments = principalAxes(body.mass.inertia).moments;
    Vec3 box;
    for (int i = 0; i < 3; ++i) box[i] = std::sqrt(std::max(kNone, moments.sum() - 2.0 * moments[i]) / body.mass.mass * 6.0);
    RobotDrag drag;
    const double diameter = box.mean();
    drag.linear = 3.0 * kPi * diameter * viscosity;
    drag.angular = kPi * std::pow(diameter, 3) * viscosity;
    for (int i = 0; i < 3; ++i) {
      const double a = box[(i + 1) % 3], b = box[(i + 2) % 3];
      drag.quadratic[i] = 0.5 * density * a * b;
      drag.angularQuadratic[i] = density * box[i] * (std::pow(a, 4) + std::pow(b, 4)) / 64.0;
    }
    body.drag = drag;
  }
}

// springdamper: a time constant and a damping ratio, for the inertia that the joint feels with all others free.
void MjcfReader::resolveSpringDampers() {
  if (springDampers_.empty()) return;
  constexpr int kMostDofs = 1500;
  const std::vector<int> offsets = dofOffsets(model_);
  const int count = offsets.empty() ? 0 : offsets.back() + dofs(model_.joints.back().kind);
  if (count > kMostDofs) {
    model_.missing.push_back({model_.joints[springDampers_[0].joint].place, "joint: springdamper in a model with over 1500 degrees of freedom"});
    return;
  }
  const Eigen::MatrixXd inverse = referenceMassMatrix(model_).ldlt().solve(Eigen::MatrixXd::Identity(count, count));
  for (const Pending& pending : springDampers_) {
    RobotJoint& joint = model_.joints[pending.joint];
    const int at = offsets[pending.joint], n = dofs(joint.kind);
    const double inertia = n / std::max(kNone, inverse.diagonal().segment(at, n).sum());
    const double t = pending.timeConstant, ratio = pending.dampingRatio;
    joint.stiffness = inertia / (t * t * ratio * ratio);
    joint.damping = 2.0 * inertia / t;
    if (!std::isfinite(joint.stiffness) || !std::isfinite(joint.damping)) {
      model_.missing.push_back({joint.place, "joint \"" + joint.name + "\": springdamper without inertia"});
      joint.stiffness = joint.damping = 0.0;
    }
  }
}

}  // namespace cairn
