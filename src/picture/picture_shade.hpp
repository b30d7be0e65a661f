// Colours: materials, light, the ground's grid, haze and background.
#pragma once

#include <optional>

#include "picture/picture_camera.hpp"
#include "picture/picture_light.hpp"

namespace cairn {

// A face of the scene as the shader knows it.
struct PictureFace {
  const PicturePart* part = nullptr;  // null: of a plane
  Vec3f normal = Vec3f::Zero();       // zero: curved
  float lineSize = 0.0f;              // m; the size of parts that lines go around; 0: no lines
  const PicturePlane* grid = nullptr;
  bool isGround = false;
};

class Shader {
 public:
  Shader(const PictureScene& scene, const Camera& camera);

  Vec3 toSun() const { return toSun_; }
  Vec3f background(int row) const;
  // The colour of a lit point, linear. `line` is the share of it under a line, `inverseDepth` in 1/m.
  Vec3f shade(const PictureFace& face, const LitPoint& point, float line, float inverseDepth, int row) const;
  // How much of the background the haze puts over a point. Bodies that move are never hazy.
  float hazeAt(const PictureFace& face, const Vec3f& position) const;
  // How dark lines of this face are at this distance: they fade before they would turn small parts black.
  float lineStrength(const PictureFace& face, float inverseDepth) const;
  // A pixel seen through glass; both shares of the pixel's samples.
  static Vec3f throughGlass(const Vec3f& behind, float glass, float line);

 private:
  float gridCoverage(const PicturePlane& plane, const LitPoint& point, float inverseDepth) const;

  const PictureScene& scene_;
  const Camera& camera_;
  Vec3 toSun_;
  double gridSpacing_;  // m
  double hazeScale_;    // m
};

// 0 below the first edge, 1 above the second.
inline float smoothStep(float low, float high, float x) {
  const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
  return t * t * (3.0f - 2.0f * t);
}

}  // namespace cairn
