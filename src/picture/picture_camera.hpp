// Where the picture is taken from.
#pragma once

#include "picture/picture.hpp"
#include "picture/picture_scene.hpp"

namespace cairn {

// A pinhole that looks along `forward`. A point p appears at
//   column = width / 2 + focal * x / w,  row = height / 2 - focal * y / w,
// with (x, y, w) = (p - eye) along (right, upward, forward). 1 / w is affine in column and row over any plane, which is what
// the rasteriser interpolates.
struct Camera {
  Vec3 eye = Vec3::Zero();  // m, relative to the scene's origin
  Vec3 right = Vec3::UnitX();
  Vec3 upward = Vec3::UnitZ();
  Vec3 forward = Vec3::UnitY();
  double focal = 1.0;  // pixels
  double near = 1e-3;  // m
  int width = 0;       // pixels
  int height = 0;      // pixels

  Vec3 toCamera(const Vec3& point) const {
    const Vec3 d = point - eye;
    return {right.dot(d), upward.dot(d), forward.dot(d)};
  }
  // The direction through a place of the picture, scaled to unit depth.
  Vec3 direction(double column, double row) const {
    return forward + (column - 0.5 * width) / focal * right + (0.5 * height - row) / focal * upward;
  }
};

Camera chooseCamera(const PictureScene& scene, const PictureOptions& options);
// Large static shapes that stand between the camera and many of the bodies become glass.
void findGlass(PictureScene& scene, const Camera& camera);

}  // namespace cairn
