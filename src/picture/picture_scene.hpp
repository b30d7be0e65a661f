// What of a world goes into its picture: shapes with colours, relative to an origin near what matters.
#pragma once

#include <vector>

#include "cairn/world.hpp"
#include "picture/palette.hpp"
#include "picture/picture.hpp"
#include "picture/picture_mesh.hpp"

namespace cairn {

// A shape other than a plane.
struct PicturePart {
  Geometry geometry;
  Pose pose;            // relative to the scene's origin
  double radius = 0.0;  // m, of a ball around pose.position that holds the shape
  Vec3f albedo;         // linear
  bool isStatic = false;
  bool isFocus = false;                         // the camera should see it
  bool isGlass = false;                         // a wall between the camera and the bodies: only its outlines are drawn
  double support(const Vec3& direction) const;  // relative to the scene's origin
};

struct PicturePlane {
  Vec3 normal = Vec3::UnitZ();
  double offset = 0.0;            // m, relative to the scene's origin
  Vec3 gridX, gridY;              // unit, in the plane
  double phaseX = 0, phaseY = 0;  // m: where the origin lies in the grid
};

struct PictureScene {
  // Positions are taken relative to this point, so that a scene a million metres from the world's origin looks like one
  // beside it.
  Vec3 origin = Vec3::Zero();
  Vec3 up = Vec3::UnitZ();
  double radius = 1.0;  // m, around the origin, that holds what the camera should see
  std::vector<PicturePart> parts;
  std::vector<PicturePlane> planes;
};

PictureScene gatherScene(const World& world, const std::optional<PictureStage>& stage = std::nullopt);
// Lays a grid through the world's origin onto the plane: along the level direction and the one of steepest descent, or along
// x and y on level ground.
void layGrid(PicturePlane& plane, const PictureScene& scene);

}  // namespace cairn
