// An open box for things to fall into: a floor and four walls, shared by the scenes that fill it.
#pragma once

#include "scenes/builders.hpp"

namespace cairn {

// Adds a square bin about the origin, `width` wide inside.
inline void addBin(SceneModel& model, double width, double wallHeight, const Material& material) {
  constexpr double kWallThickness = 1.0;  // m
  model.bodies.push_back(fixedBody("floor", Plane{}, material));
  const double reach = 0.5 * (width + kWallThickness);
  const double z = 0.5 * wallHeight;
  const Box alongX{0.5 * Vec3(width + 2.0 * kWallThickness, kWallThickness, wallHeight)};
  const Box alongY{0.5 * Vec3(kWallThickness, width, wallHeight)};
  const auto addWall = [&](const char* name, const Box& box, const Vec3& position) {
    model.bodies.push_back(fixedBody(name, box, material, {position, Quat::Identity()}));
  };
  addWall("wall north", alongX, {0.0, reach, z});
  addWall("wall south", alongX, {0.0, -reach, z});
  addWall("wall east", alongY, {reach, 0.0, z});
  addWall("wall west", alongY, {-reach, 0.0, z});
}

}  // namespace cairn
