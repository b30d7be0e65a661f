// The scenes that are made by code: each is one file here, and one line in the gallery's list.
#pragma once

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

SceneBuilder inclineBuilder();
SceneBuilder pileBuilder();
SceneBuilder towerBuilder();

}  // namespace cairn
