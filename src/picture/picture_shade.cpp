#include "picture/picture_shade.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cairn {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kSunElevation = 50.0 * kDegree;
constexpr double kSunTurn = 58.0 * kDegree;  // to the left of the camera's back: the two visible sides of a box differ

const Vec3f kSunLight(1.25f, 1.17f, 1.05f);  // sun and sky together light level ground with about 1.4
const Vec3f kSkyLight(0.45f, 0.49f, 0.55f);
const Vec3f kBounceLight(0.27f, 0.26f, 0.24f);    // from the ground, upwards
const Vec3f kLeastLight(0.055f, 0.052f, 0.050f);  // what many bounces bring into every corner
constexpr float kShine = 0.10f;                   // of the sun, in the highlight of a body
constexpr float kShineExponent = 36.0f;
constexpr float kLineStrength = 0.62f;                // of the colour, taken away
constexpr float kLineGone = 2.5f, kLineFull = 11.0f;  // pixels: parts this small have no lines, full lines

constexpr unsigned kGroundColour = 0xC8C9C8;
constexpr float kGridStrength = 0.16f;          // of the colour, taken away
constexpr float kGridWidth = 0.012f;            // of the spacing
constexpr float kGridGone = 5, kGridFull = 22;  // pixels between lines
constexpr unsigned kTop = 0xC3D3E2, kBottom = 0xF3F4F4;
constexpr float kHazeStart = 1.3f, kHazeEnd = 11.0f;  // scene radii around its middle
constexpr double kClearHeight = 10.0;                 // scene radii: the ground below a scene this high up is still clear

const Vec3f kGlassColour = linearFromHex(0xE8EEF2);
const Vec3f kGlassLine = linearFromHex(0x5C666E);
constexpr float kGlassOpacity = 0.06f;
constexpr float kGlassLineOpacity = 0.75f;

Vec3f mix(const Vec3f& a, const Vec3f& b, float t) { return a + t * (b - a); }

}  // namespace

Shader::Shader(const PictureScene& scene, const Camera& camera) : scene_(scene), camera_(camera) {
  Vec3 back = -camera.forward + camera.forward.dot(scene.up) * scene.up;
  if (back.norm() < 1e-3) back = -camera.upward;
  const Vec3 level = Eigen::AngleAxisd(-kSunTurn, scene.up) * back.normalized();
  toSun_ = (std::cos(kSunElevation) * level + std::sin(kSunElevation) * scene.up).normalized();
  // A metre, or for small scenes the power of ten that still gives some lines.
  gridSpacing_ = std::min(1.0, std::pow(10.0, std::floor(std::log10(std::max(scene.radius, 1e-6)) + 0.15)));
  double height = 0.0;
  for (const PicturePlane& plane : scene.planes) {
    if (plane.normal.dot(scene.up) > 0.5) height = std::max(height, -plane.offset);
  }
  hazeScale_ = std::max(scene.radius, std::min(height, kClearHeight * scene.radius));
}

Vec3f Shader::background(int row) const {
  static const Vec3f top = linearFromHex(kTop), bottom = linearFromHex(kBottom);
  const float t = (static_cast<float>(row) + 0.5f) / static_cast<float>(camera_.height);
  return mix(top, bottom, smoothStep(-0.35f, 0.75f, t));
}

float Shader::lineStrength(const PictureFace& face, float inverseDepth) const {
  const float pixels = face.lineSize * static_cast<float>(camera_.focal) * inverseDepth;
  return kLineStrength * smoothStep(kLineGone, kLineFull, pixels);
}

// The share of the pixel's footprint that lies on grid lines, for spacings of 1, 10, 100 ... units.
float Shader::gridCoverage(const PicturePlane& plane, const LitPoint& point, float inverseDepth) const {
  const Vec3 position = point.position.cast<double>();
  const Vec3 view = (position - camera_.eye).normalized();
  const double facing = std::max(std::abs(view.dot(plane.normal)), 1e-4);
  const Vec3 away = (view - view.dot(plane.normal) * plane.normal).normalized();
  const double pixel = 1.0 / (camera_.focal * inverseDepth);  // m
  const double at[2] = {plane.gridX.dot(position) + plane.phaseX, plane.gridY.dot(position) + plane.phaseY};
  const double along[2] = {plane.gridX.dot(away), plane.gridY.dot(away)};
  double most = 0.0;
  for (int k = 0; k < 2; ++k) {
    // The footprint is an ellipse, stretched away from the eye.
    const double width = pixel * std::sqrt(1.0 + along[k] * along[k] * (1.0 / (facing * facing) - 1.0));
    double spacing = gridSpacing_;
    for (int level = 0; level < 4; ++level, spacing *= 10.0) {
      const float visible = smoothStep(kGridGone, kGridFull, static_cast<float>(spacing / width));
      if (visible <= 0.0f) continue;
      const double distance = std::abs(at[k] - spacing * std::floor(at[k] / spacing + 0.5));
      const double line = std::max(kGridWidth * gridSpacing_ * (level > 0 ? 2.0 : 1.0), 1.2 * width);
      const double cover = std::clamp((0.5 * (line + width) - distance) / width, 0.0, 1.0);
      most = std::max(most, cover * visible * (level > 0 ? 1.5 : 1.0));
    }
  }
  return static_cast<float>(most);
}

float Shader::hazeAt(const PictureFace& face, const Vec3f& position) const {
  if (face.part && (!face.part->isStatic || face.part->isFocus)) return 0.0f;
  const float distance = position.norm() / static_cast<float>(hazeScale_);
  return smoothStep(0.0f, 1.0f, std::sqrt(smoothStep(kHazeStart, kHazeEnd, distance)));
}

Vec3f Shader::shade(const PictureFace& face, const LitPoint& point, float line, float inverseDepth, int row) const {
  static const Vec3f ground = linearFromHex(kGroundColour);
  Vec3f albedo = face.isGround ? ground : face.part->albedo;
  const float haze = hazeAt(face, point.position);
  if (face.grid) albedo *= 1.0f - kGridStrength * gridCoverage(*face.grid, point, inverseDepth);

  const float upwards = point.normal.dot(scene_.up.cast<float>());
  // What the ground throws back is lost in the same corners as the sky's light.
  const float open = std::min(1.0f, 2.0f * point.sky / (1.0f + upwards + 0.2f));
  const Vec3f light = kLeastLight + point.sun * kSunLight + point.sky * kSkyLight +
                      (0.5f - 0.5f * upwards) * (0.35f + 0.65f * open) * kBounceLight;
  Vec3f colour = albedo.cwiseProduct(light);
  if (face.part && !face.part->isStatic && point.sun > 0.0f) {
    const Vec3f toEye = (camera_.eye.cast<float>() - point.position).normalized();
    const Vec3f half = (toEye + toSun_.cast<float>()).normalized();
    const float cosine = std::max(0.0f, half.dot(point.normal));
    colour += kShine * std::pow(cosine, kShineExponent) * std::min(1.0f, 2.0f * point.sun) * kSunLight;
  }
  colour *= 1.0f - line;
  return mix(colour, background(row), haze);
}

Vec3f Shader::throughGlass(const Vec3f& behind, float glass, float line) {
  return mix(mix(behind, kGlassColour, kGlassOpacity * glass), kGlassLine, kGlassLineOpacity * line);
}

}  // namespace cairn
