#include "bench_scene.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include "scene/scene_run.hpp"

namespace cairn::bench {
namespace {

// A tensor this near to diagonal counts as such, relative to its largest moment: the frame then stays the body's own, and
// engines can take a single shape as it is.
constexpr double kDiagonal = 1e-12;

void findPrincipalAxes(BenchBody& body) {
  const Mat3& inertia = body.mass.inertia;
  const Mat3 rest = inertia - Mat3(inertia.diagonal().asDiagonal());
  if (rest.cwiseAbs().maxCoeff() <= kDiagonal * inertia.diagonal().maxCoeff()) {
    body.moments = inertia.diagonal();
    return;
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia);
  Mat3 axes = eigen.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(2) = -axes.col(2);
  body.moments = eigen.eigenvalues();
  body.axes = Quat(axes);
}

bool isPlain(const Material& material) {
  Material plain;
  plain.friction = material.friction;
  plain.kind = material.kind;
  return material == plain;
}

std::string objectionTo(const BodyDesc& desc) {
  if (desc.kind == BodyKind::Kinematic) return "bodies that move as told";
  if (desc.trajectory) return "trajectories";
  if (desc.locks.any()) return "locked degrees of freedom";
  if (desc.drag.any()) return "drag";
  if (desc.linearDamping != 0.0 || desc.angularDamping != 0.0) return "damping, which every engine defines differently";
  if (desc.gravityScale != 1.0) return "a gravity of its own";
  if (desc.shapes.empty() && desc.kind == BodyKind::Dynamic) return "bodies without shapes";
  for (const ShapeDesc& shape : desc.shapes) {
    if (std::holds_alternative<Ellipsoid>(shape.geometry)) return "ellipsoids";
    if (shape.geometry.index() > 6) return "cones, sets of shapes, meshes and fields";
    const Box* box = std::get_if<Box>(&shape.geometry);
    const ConvexHull* hull = std::get_if<ConvexHull>(&shape.geometry);
    if ((box != nullptr && box->rounding > 0.0) || (hull != nullptr && hull->rounding > 0.0)) return "rounded shapes";
    if (shape.group != 1 || shape.collidesWith != 0xffffffffu) return "collision groups";
    if (shape.material.restitution != 0.0) return "restitution, which every engine defines differently";
    if (!isPlain(shape.material)) return "materials with more than a coefficient of friction";
    if (shape.material.friction != desc.shapes[0].material.friction) return "bodies of several frictions";
  }
  return {};
}

std::string objectionTo(const JointDesc& joint) {
  const bool known = std::holds_alternative<BallJoint>(joint.kind) || std::holds_alternative<HingeJoint>(joint.kind) ||
                     std::holds_alternative<DistanceJoint>(joint.kind);
  if (!known) return "joints other than balls, hinges and distances";
  if (joint.spring) return "joints with springs";
  if (joint.drive) return "driven joints";
  if (joint.bodiesCollide) return "joints whose bodies collide";
  return {};
}

}  // namespace

BenchScene::BenchScene(SceneModel given) : model(std::move(given)) {
  model.dt = kTimeStep;
  checkModel(model);
  World world(model.settings);
  for (const SceneBody& one : model.bodies) {
    BenchBody body;
    body.scene = &one;
    const BodyId id = world.addBody(one.desc);
    if (one.desc.kind == BodyKind::Dynamic) {
      body.mass = *world.massProperties(id);
      findPrincipalAxes(body);
    }
    bodies.push_back(body);
  }
  for (const SceneJoint& joint : model.joints) joints.push_back({bodyNamed(joint.a), bodyNamed(joint.b), &joint.desc});
}

std::size_t BenchScene::bodyNamed(const std::string& name) const {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].desc.name == name) return i;
  throw std::logic_error("checkModel let through a joint of \"" + name + "\"");
}

int BenchScene::dynamicCount() const {
  return static_cast<int>(std::count_if(bodies.begin(), bodies.end(), [](const BenchBody& one) { return one.isDynamic(); }));
}

std::string whatOnlyCairnTakes(const BenchScene& scene) {
  if (!scene.model.settings.pairs.empty()) return "laws for pairs of materials";
  for (const BenchBody& body : scene.bodies) {
    if (const std::string objection = objectionTo(body.desc()); !objection.empty())
      return fmt::format("{} (\"{}\")", objection, body.desc().name);
  }
  for (const BenchScene::Joint& joint : scene.joints) {
    std::string objection = objectionTo(*joint.desc);
    if (scene.bodies[joint.a].scene->appear > 0.0 || scene.bodies[joint.b].scene->appear > 0.0)
      objection = "joints of bodies that appear later";
    if (!objection.empty()) return fmt::format("{} (\"{}\")", objection, joint.desc->name);
  }
  return {};
}

std::optional<double> commonFriction(const BenchScene& scene) {
  std::optional<double> common;
  for (const BenchBody& body : scene.bodies) {
    for (const ShapeDesc& shape : body.desc().shapes) {
      if (common && *common != shape.material.friction) return std::nullopt;
      common = shape.material.friction;
    }
  }
  return common;
}

}  // namespace cairn::bench
