#include "geometry/composite.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace cairn {
namespace {

[[noreturn]] void refuseChild(const std::string& field, const std::string& what) {
  throw std::invalid_argument(field + ": " + what);
}

}  // namespace

Aabb turnedBox(const Aabb& box, const Pose& pose) {
  const Vec3 middle = pose.point(box.center());
  const Vec3 half = pose.rotation.toRotationMatrix().cwiseAbs() * (0.5 * (box.upper - box.lower));
  return {middle - half, middle + half};
}

std::shared_ptr<const BallSet> buildBallSet(const SphereSet& set) {
  if (set.centers.empty()) refuseChild("centers", "at least one is needed");
  if (set.centers.size() != set.radii.size())
    refuseChild("radii", "as many as centers are needed, " + std::to_string(set.centers.size()) + ", got " +
                             std::to_string(set.radii.size()));
  auto balls = std::make_shared<BallSet>();
  for (std::size_t i = 0; i < set.centers.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      if (!(std::abs(set.centers[i][k]) <= kLargestSize))
        refuseChild("centers[" + std::to_string(i) + "][" + std::to_string(k) + "]",
                    "must be within +-1e7 m, got " + std::to_string(set.centers[i][k]));
    }
    try {
      makeShape(Sphere{set.radii[i]});
    } catch (const std::invalid_argument& error) {
      refuseChild("radii[" + std::to_string(i) + "]", error.what());
    }
    const Vec3 reach = Vec3::Constant(set.radii[i]);
    balls->bounds = balls->bounds.united({set.centers[i] - reach, set.centers[i] + reach});
    balls->radius = std::max(balls->radius, set.centers[i].norm() + set.radii[i]);
  }
  balls->centers = set.centers;
  balls->radii = set.radii;
  balls->tree = BoxTree(set.centers.size(), [&](std::size_t i) {
    const Vec3 reach = Vec3::Constant(set.radii[i]);
    return Aabb{set.centers[i] - reach, set.centers[i] + reach};
  });
  return balls;
}

std::shared_ptr<const ConvexParts> buildParts(const Compound& compound) {
  if (compound.children.empty()) refuseChild("children", "at least one is needed");
  auto parts = std::make_shared<ConvexParts>();
  std::vector<Aabb> boxes;
  for (std::size_t i = 0; i < compound.children.size(); ++i) {
    const CompoundChild& child = compound.children[i];
    const std::string field = "children[" + std::to_string(i) + "]";
    if (!child.local.position.allFinite() || child.local.position.cwiseAbs().maxCoeff() > kLargestSize)
      refuseChild(field + ".local.position", "must be within +-1e7 m");
    const double length = child.local.rotation.norm();
    if (!(std::abs(length - 1.0) < 1e-3)) refuseChild(field + ".local.rotation", "must be a unit quaternion");
    try {
      parts->shapes.push_back(std::visit([](const auto& one) { return makeShape(Geometry{one}); }, child.geometry));
    } catch (const std::invalid_argument& error) {
      refuseChild(field, error.what());
    }
    parts->places.push_back({child.local.position, child.local.rotation.normalized()});
    boxes.push_back(boundingBox(parts->shapes.back(), parts->places.back()));
    parts->bounds = parts->bounds.united(boxes.back());
    parts->radius = std::max(parts->radius, child.local.position.norm() + boundingRadius(parts->shapes.back()));
  }
  parts->tree = BoxTree(boxes);
  return parts;
}

std::uint32_t childCount(const Shape& shape) {
  if (shape.type == ShapeType::SphereSet) return static_cast<std::uint32_t>(ballsOf(shape).centers.size());
  return shape.type == ShapeType::Compound ? static_cast<std::uint32_t>(childrenOf(shape).shapes.size()) : 1;
}

PlacedChild childOf(const Shape& shape, std::uint32_t child) {
  if (shape.type == ShapeType::SphereSet) {
    const BallSet& balls = ballsOf(shape);
    PlacedChild ball;
    ball.shape.type = ShapeType::Sphere;
    ball.shape.size = Vec3::Constant(balls.radii[child]);
    ball.place.position = balls.centers[child];
    return ball;
  }
  if (shape.type == ShapeType::Compound) {
    const ConvexParts& parts = childrenOf(shape);
    return {parts.shapes[child], parts.places[child]};
  }
  return {shape, {}};
}

}  // namespace cairn
