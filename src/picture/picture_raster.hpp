// Which face covers which sample, and how far away it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "picture/picture_camera.hpp"
#include "picture/picture_mesh.hpp"

namespace cairn {

inline constexpr int kSamplesPerSide = 3;  // of a pixel; their squares are averaged
inline constexpr std::uint32_t kNoFace = UINT32_MAX;

// Rows of samples within a pixel are shifted against each other, so that steep edges pass nine columns of samples, not
// three.
constexpr double sampleShift(int row) {
  return (row % kSamplesPerSide - 0.5 * (kSamplesPerSide - 1)) / kSamplesPerSide;  // in samples
}

// The nearest face at every sample.
struct SampleLayer {
  SampleLayer(int pixelWidth, int pixelHeight);

  int width, height;                // samples
  std::vector<float> inverseDepth;  // 1/m, along the camera's axis; 0 where there is nothing
  std::vector<std::uint32_t> face;

  std::size_t index(int column, int row) const { return static_cast<std::size_t>(row) * width + column; }
};

// Draws the sides that face the camera. Faces are numbered from `firstFace`.
void drawMesh(SampleLayer& layer, const Camera& camera, const Mesh& mesh, const Pose& pose, std::uint32_t firstFace);
// Draws the half-space's surface up to the horizon, if the camera is outside.
void drawPlane(SampleLayer& layer, const Camera& camera, const PicturePlane& plane, std::uint32_t face);

// Calls span(row, first, last) for the samples first..last of each row that a counter-clockwise triangle (in x to the right,
// y downwards: positive area) covers. Sample i of a row lies at x = i + 0.5 + shift(row), y = row + 0.5. Edges are
// inclusive: neighbours leave no gap.
template <class Shift, class Span>
void scanTriangle(const Eigen::Vector2d* corner, int width, int height, Shift shift, Span span) {
  constexpr double kOverlap = 1e-6;  // samples: more than the rounding of where two neighbours think their edge is
  const auto [lowY, highY] = std::minmax({corner[0].y(), corner[1].y(), corner[2].y()});
  const int firstRow = static_cast<int>(std::max(0.0, std::ceil(lowY - 0.5 - kOverlap)));
  const int lastRow = static_cast<int>(std::min(height - 1.0, std::floor(highY - 0.5 + kOverlap)));
  for (int row = firstRow; row <= lastRow; ++row) {
    const double y = row + 0.5;
    double left = 1e300, right = -1e300;
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector2d& a = corner[k];
      const Eigen::Vector2d& b = corner[k == 2 ? 0 : k + 1];
      const double low = std::min(a.y(), b.y()), high = std::max(a.y(), b.y());
      if (y < low - kOverlap || y > high + kOverlap) continue;
      const double rise = b.y() - a.y();
      double x0 = a.x(), x1 = b.x();
      if (std::abs(rise) > kOverlap) x0 = x1 = a.x() + (b.x() - a.x()) * std::clamp((y - a.y()) / rise, 0.0, 1.0);
      left = std::min({left, x0, x1});
      right = std::max({right, x0, x1});
    }
    const double offset = 0.5 + shift(row);
    const int first = static_cast<int>(std::max(0.0, std::ceil(left - offset - kOverlap)));
    const int last = static_cast<int>(std::min(width - 1.0, std::floor(right - offset + kOverlap)));
    if (first <= last) span(row, first, last);
  }
}

}  // namespace cairn
