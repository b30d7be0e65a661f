// How much of the sun and of the sky each visible point sees.
//
// Both are many directions: the sun a narrow cone of them, which gives shadows a soft edge that widens with distance; the
// sky a hemisphere, which gives true ambient occlusion, dark between bricks and under bodies. For each direction the bodies
// are drawn from far away into a map of heights along it, and a point is lit if nothing above it is higher.
#pragma once

#include <vector>

#include "picture/picture_scene.hpp"

namespace cairn {

// A visible piece of one face in one pixel: everything that is lit once.
struct LitPoint {
  Vec3f position;  // m, relative to the scene's origin
  Vec3f normal;
  // The point whose sky this one shares: itself, or an earlier one close by on the same flat face. The sky's light changes
  // slowly, and is most of the work.
  std::uint32_t skyFrom = 0;
  float sun = 0.0f;  // of the sun's light, cosine included
  float sky = 0.0f;  // of a whole sky above a level face, cosine included
};

// Triangles that throw shadows.
struct Casters {
  std::vector<Vec3f> vertices;
  std::vector<std::uint32_t> indices;  // three per triangle
};

// `toSun` is a unit vector; `pictureSide` the longer side of the picture in pixels, which says how fine shadows must be.
// Bodies beyond the scene's radius by a good deal throw no shadows.
void lightPoints(std::vector<LitPoint>& points, const Casters& casters, const PictureScene& scene, const Vec3& toSun,
                 int pictureSide);

}  // namespace cairn
