#include "app/mesh_picture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cairn {
namespace {

constexpr int kPerPixel = 2;  // samples along each side

Vec3 colourOf(std::uint32_t number) {
  if (number == 0) return {0.72, 0.74, 0.76};
  // Hues a golden angle apart, so that neighbours in number differ.
  const double hue = 6.0 * std::fmod(0.6180339887498949 * number, 1.0);
  const auto channel = [&](double offset) {
    const double k = std::fmod(offset + hue, 6.0);
    return 0.85 - 0.45 * std::clamp(std::min(k, 4.0 - k), 0.0, 1.0);
  };
  return {channel(5.0), channel(3.0), channel(1.0)};
}

}  // namespace

Image drawSurface(const PictureSurface& surface, int width, int height) {
  const Vec3 towards = Vec3(0.55, -0.72, 0.42).normalized();  // the eye
  const Vec3 right = Vec3::UnitZ().cross(towards).normalized(), up = towards.cross(right);
  const Vec3 light = (towards + 0.5 * up - 0.6 * right).normalized();
  Aabb box;  // in the picture's axes
  std::vector<Vec3> points;
  Aabb world;
  for (const TriangleIndices& t : surface.view.triangles) {
    for (std::uint32_t v : t) world = world.united({surface.view.vertices[v], surface.view.vertices[v]});
  }
  const Vec3 middle = world.center();
  for (const Vec3& v : surface.view.vertices) {
    const Vec3 d = v - middle;
    points.push_back({right.dot(d), up.dot(d), towards.dot(d)});
  }
  for (const TriangleIndices& t : surface.view.triangles) {
    for (std::uint32_t v : t) box = box.united({points[v], points[v]});
  }
  const int columns = kPerPixel * width, rows = kPerPixel * height;
  const Vec3 extent = box.upper - box.lower;
  const double scale = 0.9 * std::min(columns / std::max(extent.x(), 1e-300), rows / std::max(extent.y(), 1e-300));
  std::vector<float> depth(static_cast<std::size_t>(columns) * rows, -std::numeric_limits<float>::infinity());
  std::vector<Eigen::Vector3f> colour(depth.size(), Eigen::Vector3f(0.97f, 0.97f, 0.96f));
  for (std::size_t t = 0; t < surface.view.size(); ++t) {
    double x[3], y[3], z[3];
    for (int k = 0; k < 3; ++k) {
      const Vec3 p = points[surface.view.triangles[t][k]] - box.center();
      x[k] = 0.5 * columns + scale * p.x();
      y[k] = 0.5 * rows - scale * p.y();
      z[k] = scale * p.z();
    }
    const double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    if (area == 0.0 || !std::isfinite(area)) continue;
    const Vec3 normal = surface.view.triangle(t).normal();
    const bool isFront = normal.dot(towards) > 0.0;
    const double shade = 0.35 + 0.65 * std::max(0.0, (isFront ? 1.0 : -1.0) * normal.dot(light));
    const Vec3 base = isFront ? colourOf(surface.colour.empty() ? 0 : surface.colour[t]) : Vec3(0.55, 0.16, 0.12);
    const Eigen::Vector3f lit = (shade * base).cast<float>();
    const int left = std::max(0, static_cast<int>(std::floor(std::min({x[0], x[1], x[2]})))), rightmost = std::min(columns - 1, static_cast<int>(std::ceil(std::max({x[0], x[1], x[2]}))));
    const int top = std::max(0, static_cast<int>(std::floor(std::min({y[0], y[1], y[2]})))), bottom = std::min(rows - 1, static_cast<int>(std::ceil(std::max({y[0], y[1], y[2]}))));
    for (int row = top; row <= bottom; ++row) {
      for (int column = left; column <= rightmost; ++column) {
        const double px = column + 0.5, py = row + 0.5;
        double w[3];
        bool isIn = true;
        for (int k = 0; k < 3; ++k) {
          const int a = (k + 1) % 3, b = (k + 2) % 3;
          w[k] = ((x[b] - x[a]) * (py - y[a]) - (px - x[a]) * (y[b] - y[a])) / area;
          isIn &= w[k] >= 0.0;
        }
        if (!isIn) continue;
        const auto at = static_cast<float>(w[0] * z[0] + w[1] * z[1] + w[2] * z[2]);
        const std::size_t i = static_cast<std::size_t>(row) * columns + column;
        if (at <= depth[i]) continue;
        depth[i] = at;
        colour[i] = lit;
      }
    }
  }
  Image image{width, height, {}};
  image.rgb.reserve(static_cast<std::size_t>(width) * height * 3);
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      Eigen::Vector3f sum = Eigen::Vector3f::Zero();
      for (int r = 0; r < kPerPixel; ++r) {
        for (int c = 0; c < kPerPixel; ++c)
          sum += colour[static_cast<std::size_t>(kPerPixel * row + r) * columns + kPerPixel * column + c];
      }
      for (int k = 0; k < 3; ++k)
        image.rgb.push_back(static_cast<std::uint8_t>(std::clamp(255.0f * sum[k] / (kPerPixel * kPerPixel) + 0.5f, 0.0f, 255.0f)));
    }
  }
  return image;
}

}  // namespace cairn
