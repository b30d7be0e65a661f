#include "picture/picture_scene.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {
namespace {

// A body is a stray if leaving out this share of the bodies makes the rest this much smaller. Without that rule one body
// that fell off the edge turns everything else into a dot.
constexpr double kStrayShare = 0.05;
constexpr double kStrayFactor = 4.0;
constexpr double kSmallestRadius = 1e-3;  // m
constexpr double kEmptyRadius = 2.5;      // m, of a world with nothing to look at

double boundingRadius(const Geometry& geometry) {
  if (const auto* hull = std::get_if<ConvexHull>(&geometry)) {
    double most = 0.0;
    for (const Vec3& point : hull->points) most = std::max(most, point.norm());
    return most;
  }
  Vec3 most;
  for (int k = 0; k < 3; ++k) most[k] = std::max(support(geometry, Vec3::Unit(k)), support(geometry, -Vec3::Unit(k)));
  return most.norm();
}

PicturePlane placePlane(const Plane& plane, const Pose& pose) {
  PicturePlane placed;
  const double length = plane.normal.norm();
  placed.normal = pose.direction(plane.normal / length);
  placed.offset = plane.offset / length + placed.normal.dot(pose.position);
  return placed;
}

// Marks what the camera should see and returns the middle and the radius of it.
std::pair<Vec3, double> chooseFocus(std::vector<PicturePart>& parts) {
  std::vector<PicturePart*> wanted;
  for (PicturePart& part : parts) {
    if (!part.isStatic) wanted.push_back(&part);
  }
  if (wanted.empty()) {
    for (PicturePart& part : parts) wanted.push_back(&part);
  }
  if (wanted.empty()) return {Vec3::Zero(), kEmptyRadius};

  Vec3 median;
  std::vector<double> values(wanted.size());
  for (int k = 0; k < 3; ++k) {
    std::transform(wanted.begin(), wanted.end(), values.begin(), [&](const PicturePart* p) { return p->pose.position[k]; });
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    median[k] = values[values.size() / 2];
  }
  const auto reach = [&](const PicturePart* part) { return (part->pose.position - median).norm() + part->radius; };
  std::transform(wanted.begin(), wanted.end(), values.begin(), reach);
  std::sort(values.begin(), values.end());
  const auto strays = static_cast<std::size_t>(kStrayShare * values.size());
  const double usual = values[values.size() - 1 - strays];
  const double limit = values.back() > kStrayFactor * usual ? kStrayFactor * usual : values.back();

  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (PicturePart* part : wanted) {
    part->isFocus = reach(part) <= limit;
    if (!part->isFocus) continue;
    for (int k = 0; k < 3; ++k) {
      high[k] = std::max(high[k], part->support(Vec3::Unit(k)));
      low[k] = std::min(low[k], -part->support(-Vec3::Unit(k)));
    }
  }
  const Vec3 middle = 0.5 * (low + high);
  double radius = kSmallestRadius;
  for (const PicturePart* part : wanted) {
    if (part->isFocus)
      radius = std::max(radius, std::min(0.5 * (high - low).norm(), (part->pose.position - middle).norm() + part->radius));
  }
  return {middle, radius};
}

}  // namespace

double PicturePart::support(const Vec3& direction) const {
  return pose.position.dot(direction) + cairn::support(geometry, pose.inverseDirection(direction));
}

PictureScene gatherScene(const World& world, const std::optional<PictureStage>& stage) {
  PictureScene scene;
  const Vec3& gravity = world.settings().gravity;
  if (gravity.allFinite() && gravity.norm() > 0.0) scene.up = -gravity.normalized();
  Palette palette;
  for (const BodyId body : world.bodies()) {
    const auto state = world.state(body);
    if (!state || !state->pose.position.allFinite() || !state->pose.rotation.coeffs().allFinite()) continue;
    const bool isStatic = world.kind(body) == BodyKind::Static;
    std::optional<Vec3f> colour;
    for (const ShapeId id : world.shapes(body)) {
      const auto shape = world.shape(id);
      if (!shape) continue;
      const Pose pose = state->pose * shape->local;
      if (const auto* plane = std::get_if<Plane>(&shape->geometry)) {
        scene.planes.push_back(placePlane(*plane, pose));
        continue;
      }
      if (!colour) colour = isStatic ? staticColour() : palette.colourOf(world.name(body), shape->geometry);
      PicturePart part;
      part.geometry = shape->geometry;
      part.pose = pose;
      part.radius = boundingRadius(shape->geometry);
      part.albedo = *colour;
      part.isStatic = isStatic;
      scene.parts.push_back(std::move(part));
    }
  }
  std::tie(scene.origin, scene.radius) = chooseFocus(scene.parts);
  if (stage) {
    scene.origin = stage->origin;
    scene.radius = stage->radius;
  }
  for (PicturePart& part : scene.parts) part.pose.position -= scene.origin;
  for (PicturePlane& plane : scene.planes) {
    plane.offset -= plane.normal.dot(scene.origin);
    layGrid(plane, scene);
  }
  return scene;
}

void layGrid(PicturePlane& plane, const PictureScene& scene) {
  Vec3 level = scene.up.cross(plane.normal);
  if (level.norm() < 1e-6) level = std::abs(plane.normal.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
  plane.gridX = (level - level.dot(plane.normal) * plane.normal).normalized();
  plane.gridY = plane.normal.cross(plane.gridX);
  plane.phaseX = plane.gridX.dot(scene.origin);
  plane.phaseY = plane.gridY.dot(scene.origin);
}

}  // namespace cairn
