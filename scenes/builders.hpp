// The scenes that are made by code: each is one file here, and one line in the gallery's list.
#pragma once

#include <numbers>

#include "scene/gallery.hpp"

namespace cairn {

inline constexpr double kDefaultDensity = 1000.0;  // kg/m^3

inline Material withFriction(double friction) {
  Material material;
  material.friction = friction;
  return material;
}

inline ShapeDesc shapeOf(Geometry geometry, const Material& material, double density = kDefaultDensity) {
  ShapeDesc shape;
  shape.geometry = std::move(geometry);
  shape.material = material;
  shape.density = density;
  return shape;
}

inline SceneBody fixedBody(std::string name, Geometry geometry, const Material& material, const Pose& pose = {}) {
  SceneBody body;
  body.desc.name = std::move(name);
  body.desc.kind = BodyKind::Static;
  body.desc.pose = pose;
  body.desc.shapes = {shapeOf(std::move(geometry), material)};
  return body;
}

// What joints to kWorldBodyName hold on to; a scene with such joints has it among its bodies.
inline SceneBody worldAnchor() {
  SceneBody anchor;
  anchor.desc.name = std::string(kWorldBodyName);
  anchor.desc.kind = BodyKind::Static;
  return anchor;
}

// A body that stays in the plane of x and z, upright.
inline Locks planarLocks() { return {.position = {false, true, false}, .rotation = {true, false, true}}; }

inline double radians(double degrees) { return degrees * std::numbers::pi / 180.0; }
inline Quat turned(double angle, const Vec3& axis) { return Quat(Eigen::AngleAxisd(angle, axis)); }

SceneBuilder ballAndChainBuilder();
SceneBuilder bridgeBuilder();
SceneBuilder carBuilder();
SceneBuilder cardHouseBuilder();
SceneBuilder disksBuilder();
SceneBuilder engravedBuilder();
SceneBuilder fallingRoofBuilder();
SceneBuilder inclineBuilder();
SceneBuilder newtonCradleBuilder();
SceneBuilder overhangBuilder();
SceneBuilder pileBuilder();
SceneBuilder ragdollsBuilder();
SceneBuilder rattlebackBuilder();
SceneBuilder siloBuilder();
SceneBuilder slideToRollBuilder();
SceneBuilder spheresBuilder();
SceneBuilder stoneArchBuilder();
SceneBuilder towerBuilder();
SceneBuilder vehicleBuilder();

}  // namespace cairn
