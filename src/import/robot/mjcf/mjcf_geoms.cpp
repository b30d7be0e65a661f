// Shapes: primitives, meshes, and primitives fitted to meshes.
#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "import/robot/mjcf/mjcf_reader.hpp"

namespace cairn {
namespace {

int sizesNeeded(RobotGeomKind kind, bool fromTo) {
  switch (kind) {
    case RobotGeomKind::Sphere:
      return 1;
    case RobotGeomKind::Capsule:
    case RobotGeomKind::Cylinder:
      return fromTo ? 1 : 2;
    case RobotGeomKind::Box:
    case RobotGeomKind::Ellipsoid:
      return fromTo ? 1 : 3;
    default:
      return 0;
  }
}

// Between two points: z along the line, the length in the size.
void placeBetween(const XmlNode& node, const std::array<double, 6>& e, RobotGeom& geom) {
  const Vec3 from(e[0], e[1], e[2]), to(e[3], e[4], e[5]);
  const double length = (from - to).norm();
  if (!(length > 1e-14)) node.fail("fromto", "both ends are the same point");
  geom.pose = {0.5 * (from + to), turningZTo(from - to)};
  if (geom.kind == RobotGeomKind::Capsule || geom.kind == RobotGeomKind::Cylinder) {
    geom.size.y() = 0.5 * length;
  } else {
    geom.size.y() = geom.size.x();
    geom.size.z() = 0.5 * length;
  }
}

}  // namespace

void MjcfReader::readGeom(const XmlNode& node, const Scope& scope) {
  MjcfGeom record = classOf(node, scope).geom;
  readAttributes(node, settings_, record, remarks_);
  for (const XmlNode& part : node.children) remarks_.missing(part, "geom: <" + part.name + ">: cannot be represented");
  RobotGeom& geom = record.geom;
  static const std::map<std::string, RobotGeomKind> kKinds{
      {"plane", RobotGeomKind::Plane},         {"sphere", RobotGeomKind::Sphere},     {"capsule", RobotGeomKind::Capsule},
      {"ellipsoid", RobotGeomKind::Ellipsoid}, {"cylinder", RobotGeomKind::Cylinder}, {"box", RobotGeomKind::Box},
      {"mesh", RobotGeomKind::Mesh}};
  const auto kind = kKinds.find(record.type);
  if (kind == kKinds.end()) {
    if (record.type != "hfield" && record.type != "sdf")
      node.fail("type", "found \"" + record.type + "\"; allowed: plane, sphere, capsule, ellipsoid, cylinder, box, mesh");
    remarks_.missing(node, "geom: type=\"" + record.type + "\": cannot be represented");
    return;
  }
  geom.kind = kind->second;
  if (node.has("name")) geom.name = node.attribute("name") + scope.suffix;
  claimName(node, "geom", geom.name);
  geom.body = scope.body;
  geom.place = node.place;
  if (geom.kind == RobotGeomKind::Mesh && record.mesh.empty()) node.fail("a mesh shape without mesh; allowed: the name of a mesh");
  // A default may name a mesh for all shapes of a class; then primitives are fitted to it.
  if (!record.mesh.empty()) {
    geom.mesh = indexOf(model_.meshes, record.mesh);
    if (geom.mesh < 0) node.fail("mesh", "there is no mesh \"" + record.mesh + "\"");
    if (geom.kind != RobotGeomKind::Mesh && !fitToMesh(node, record)) return;
  } else {
    if (record.fromTo && sizesNeeded(geom.kind, true) != sizesNeeded(geom.kind, false)) placeBetween(node, *record.fromTo, geom);
    for (int i = 0; i < sizesNeeded(geom.kind, record.fromTo.has_value()); ++i)
      if (!(geom.size[i] > 0.0)) node.fail("size", "number " + std::to_string(i + 1) + " is not above 0, or is not there");
  }
  geom.pose = scope.frame * geom.pose;
  geom.visual = geom.group < 3;
  geom.collision = geom.contactType != 0 || geom.contactAffinity != 0;
  if (geom.contactDimension != 1 && geom.contactDimension != 3 && geom.contactDimension != 4 && geom.contactDimension != 6)
    node.fail("condim", "allowed: 1, 3, 4, 6");
  geom.softness = softness(record.solver);
  if (!record.material.empty()) {
    geom.material = indexOf(model_.materials, record.material);
    if (geom.material < 0) node.fail("material", "there is no material \"" + record.material + "\"");
    if (!record.coloured) geom.colour = model_.materials[geom.material].colour;
  }
  fluidEllipsoid_ = fluidEllipsoid_ || record.fluidEllipsoid;
  ShapeMass mass;
  mass.mass = record.mass;
  mass.density = record.density;
  mass.shell = record.shell;
  if (geom.mesh >= 0) mass.meshInertia = record.shell ? MeshInertia::Shell : meshRules_[geom.mesh];
  mass.node = &node;
  if (geom.kind != RobotGeomKind::Mesh) geom.mesh = -1;
  model_.geoms.push_back(geom);
  shapeMasses_.push_back(mass);
}

// As MuJoCo does it: the box of the same inertia, or the bounding box, in the mesh's principal axes with the largest moment
// first.
bool MjcfReader::fitToMesh(const XmlNode& node, MjcfGeom& record) {
  RobotGeom& geom = record.geom;
  MeshTriangles mesh;
  MassProperties unit;
  try {
    unit = unitMass(geom.mesh, meshRules_[geom.mesh]);
    mesh = trianglesOf(geom.mesh);
    if (!(unit.mass > 0.0)) throw std::runtime_error("the mesh has no volume");
  } catch (const std::exception& error) {
    remarks_.missing(node, "geom: type=\"" + record.type + "\" fitted to mesh \"" + record.mesh + "\": " + error.what());
    return false;
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(unit.inertia);  // smallest first
  Mat3 axes;
  Vec3 moments;
  for (int i = 0; i < 3; ++i) {
    axes.col(i) = solver.eigenvectors().col(2 - i);
    moments[i] = solver.eigenvalues()[2 - i];
  }
  if (axes.determinant() < 0.0) axes.col(2) = -axes.col(2);
  Pose frame{unit.center, Quat(axes).normalized()};
  Vec3 half;
  if (settings_.fitToBox) {
    Vec3 least = Vec3::Constant(1e300), most = Vec3::Constant(-1e300);
    for (const Vec3& v : mesh.vertices) {
      least = least.cwiseMin(frame.inversePoint(v));
      most = most.cwiseMax(frame.inversePoint(v));
    }
    half = 0.5 * (most - least);
    frame.position = frame.point(0.5 * (most + least));
  } else {
    for (int i = 0; i < 3; ++i)
      half[i] = 0.5 * std::sqrt(std::max(1e-15, 6.0 * (moments.sum() - 2.0 * moments[i]) / unit.mass));
  }
  const double across = settings_.fitToBox ? std::max(half.x(), half.y()) : 0.5 * (half.x() + half.y());
  switch (geom.kind) {
    case RobotGeomKind::Sphere:
      geom.size.x() = settings_.fitToBox ? half.maxCoeff() : half.sum() / 3.0;
      break;
    case RobotGeomKind::Capsule:
      geom.size = {across, std::max(0.0, half.z() - (settings_.fitToBox ? across : 0.5 * across)), 0.0};
      break;
    case RobotGeomKind::Cylinder:
      geom.size = {across, half.z(), 0.0};
      break;
    case RobotGeomKind::Box:
    case RobotGeomKind::Ellipsoid:
      geom.size = half;
      break;
    default:
      node.fail("type", "found \"" + record.type + "\" with a mesh; allowed: sphere, capsule, cylinder, ellipsoid, box, mesh");
  }
  geom.size *= record.fitScale;
  geom.pose = geom.pose * frame;
  return true;
}

}  // namespace cairn
