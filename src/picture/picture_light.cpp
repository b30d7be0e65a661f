#include "picture/picture_light.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "picture/picture_raster.hpp"

namespace cairn {
namespace {

constexpr int kSunDirections = 24;
// Points that the sun's whole rim lights, or none of it, are not asked about its inside.
constexpr int kRimDirections = 6;
constexpr float kDecided = 1e-4f;
constexpr double kSunRadius = 0.022;  // rad, half the angle across: larger than the real sun's, for softer shadows
constexpr double kSunMapSide = 0.8;   // of the picture: about a texel for a pixel
constexpr int kSkyDirections = 64;
constexpr double kSkyMapSide = 0.32;
constexpr int kSmallestMapSide = 192, kLargestMapSide = 2560;  // texels
// Large scenes get fewer directions rather than a long wait.
constexpr double kMostTriangleDraws = 8e6;
constexpr int kFewestDirections = 10;
constexpr float kLift = 1.3f;  // texels, along the normal: keeps a face from shadowing itself

// Heights along one direction, seen from far away in that direction.
class HeightMap {
 public:
  HeightMap(const Vec3& direction, const PictureScene& scene, int side) : side_(side) {
    const Vec3 u = direction.cross(std::abs(direction.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitX()).normalized();
    const Vec3 v = direction.cross(u);
    const auto reach = [&](const Vec3& axis) {
      double most = -std::numeric_limits<double>::max();
      for (const PicturePart& part : scene.parts) {
        // Static shapes much larger than the scene would take all the texels.
        if (part.isFocus || (part.radius < scene.radius && part.pose.position.norm() < 2.5 * scene.radius)) {
          most = std::max(most, part.support(axis));
        }
      }
      return most;
    };
    const double lowU = -reach(-u), lowV = -reach(-v);
    const double extent = std::max({reach(u) - lowU, reach(v) - lowV, 1e-9});
    texel_ = static_cast<float>(extent / (side - 6));
    const double scale = 1.0 / texel_;
    u_ = (scale * u).cast<float>();
    v_ = (scale * v).cast<float>();
    direction_ = direction.cast<float>();
    offsetU_ = static_cast<float>(3.0 - scale * lowU);
    offsetV_ = static_cast<float>(3.0 - scale * lowV);
  }

  void draw(const Casters& casters, std::vector<Vec3f>& scratch) {
    heights_.assign(static_cast<std::size_t>(side_) * side_, -std::numeric_limits<float>::max());
    scratch.clear();
    for (const Vec3f& p : casters.vertices) {
      scratch.emplace_back(u_.dot(p) + offsetU_, v_.dot(p) + offsetV_, direction_.dot(p));
    }
    for (std::size_t i = 0; i + 2 < casters.indices.size(); i += 3) {
      fill(scratch[casters.indices[i]], scratch[casters.indices[i + 1]], scratch[casters.indices[i + 2]]);
    }
  }

  // The share of light that reaches a point, smoothed over two texels.
  float visibility(const LitPoint& point) const {
    const Vec3f p = point.position + (kLift * texel_) * point.normal;
    const float x = u_.dot(p) + offsetU_ - 0.5f, y = v_.dot(p) + offsetV_ - 0.5f;
    const float limit = static_cast<float>(side_ - 2);
    if (!(x >= 0.0f && y >= 0.0f && x < limit && y < limit)) return 1.0f;
    const int column = static_cast<int>(x), row = static_cast<int>(y);
    const float fx = x - static_cast<float>(column), fy = y - static_cast<float>(row);
    const float height = direction_.dot(p);
    const float* low = heights_.data() + static_cast<std::size_t>(row) * side_ + column;
    const float* high = low + side_;
    const auto lit = [&](float top) { return top <= height ? 1.0f : 0.0f; };
    const float lower = lit(low[0]) + fx * (lit(low[1]) - lit(low[0]));
    const float upper = lit(high[0]) + fx * (lit(high[1]) - lit(high[0]));
    return lower + fy * (upper - lower);
  }

  const Vec3f& direction() const { return direction_; }

 private:
  void fill(const Vec3f& a, const Vec3f& b, const Vec3f& c) {
    const Eigen::Vector2d corners[3] = {a.head<2>().cast<double>(), b.head<2>().cast<double>(), c.head<2>().cast<double>()};
    const Eigen::Vector2d ab = corners[1] - corners[0], ac = corners[2] - corners[0];
    const double area = ab.x() * ac.y() - ab.y() * ac.x();
    if (!(area > 0.0)) return;  // seen from behind
    const double db = b.z() - a.z(), dc = c.z() - a.z();
    const double slopeX = (db * ac.y() - dc * ab.y()) / area, slopeY = (dc * ab.x() - db * ac.x()) / area;
    const auto [low, high] = std::minmax({a.z(), b.z(), c.z()});
    scanTriangle(
        corners, side_, side_, [](int) { return 0.0; },
        [&](int row, int first, int last) {
          const double start = a.z() + slopeX * (0.5 - corners[0].x()) + slopeY * (row + 0.5 - corners[0].y());
          float* heights = heights_.data() + static_cast<std::size_t>(row) * side_;
          for (int i = first; i <= last; ++i) {
            const float height = std::clamp(static_cast<float>(start + slopeX * i), low, high);
            heights[i] = std::max(heights[i], height);
          }
        });
  }

  int side_;
  float texel_ = 1.0f;  // m
  Vec3f u_, v_, direction_;
  float offsetU_ = 0.0f, offsetV_ = 0.0f;
  std::vector<float> heights_;
};

constexpr double kGoldenAngle = 2.399963229728653;  // rad: successive turns by it fill a disc evenly

}  // namespace

void lightPoints(std::vector<LitPoint>& points, const Casters& casters, const PictureScene& scene, const Vec3& toSun,
                 int pictureSide) {
  const double triangles = std::max(1.0, casters.indices.size() / 3.0);
  const double share = std::min(1.0, kMostTriangleDraws / (triangles * (kSunDirections + kSkyDirections)));
  const int sunCount = std::max(kFewestDirections, static_cast<int>(share * kSunDirections));
  const int skyCount = std::max(kFewestDirections, static_cast<int>(share * kSkyDirections));
  const auto mapSide = [&](double ofPicture) {
    return std::clamp(static_cast<int>(ofPicture * pictureSide), kSmallestMapSide, kLargestMapSide);
  };
  std::vector<Vec3f> scratch;
  const auto add = [&](std::vector<LitPoint>& lit, const Vec3& direction, int side, float LitPoint::*where, float weight) {
    const Vec3f along = direction.cast<float>();
    if (casters.indices.empty()) {
      for (LitPoint& point : lit) point.*where += weight * std::max(0.0f, along.dot(point.normal));
      return;
    }
    HeightMap map(direction, scene, side);
    map.draw(casters, scratch);
    for (LitPoint& point : lit) {
      const float cosine = along.dot(point.normal);
      if (cosine > 0.0f) point.*where += weight * cosine * map.visibility(point);
    }
  };
  const Vec3 sunX = toSun.unitOrthogonal(), sunY = toSun.cross(sunX);
  const auto sunDirection = [&](double r, double angle) -> Vec3 {
    return (toSun + kSunRadius * r * (std::cos(angle) * sunX + std::sin(angle) * sunY)).normalized();
  };
  const float weight = 1.0f / static_cast<float>(sunCount);
  Vec3f rim = Vec3f::Zero();
  for (int i = 0; i < kRimDirections; ++i) {
    const Vec3 direction = sunDirection(1.0, 2.0 * std::numbers::pi * i / kRimDirections);
    add(points, direction, mapSide(kSunMapSide), &LitPoint::sun, weight);
    rim += weight * direction.cast<float>();
  }
  std::vector<LitPoint> halfLit;
  std::vector<std::uint32_t> halfLitIndices;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    LitPoint& point = points[i];
    const float most = rim.dot(point.normal);
    if (point.sun > kDecided * most && point.sun < (1.0f - kDecided) * most) {
      halfLit.push_back(point);
      halfLitIndices.push_back(i);
    }
    point.sun *= static_cast<float>(sunCount) / kRimDirections;
  }
  const int inner = sunCount - kRimDirections;
  for (int i = 0; i < inner; ++i) {
    const Vec3 direction = sunDirection(std::sqrt((i + 0.5) / inner), i * kGoldenAngle);
    add(halfLit, direction, mapSide(kSunMapSide), &LitPoint::sun, weight);
  }
  for (std::size_t k = 0; k < halfLit.size(); ++k) points[halfLitIndices[k]].sun = halfLit[k].sun;

  std::vector<LitPoint> skyPoints;
  std::vector<std::uint32_t> place(points.size());
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    place[i] = points[i].skyFrom == i ? static_cast<std::uint32_t>(skyPoints.size()) : place[points[i].skyFrom];
    if (points[i].skyFrom == i) skyPoints.push_back(points[i]);
  }
  const Vec3 skyX = scene.up.unitOrthogonal(), skyY = scene.up.cross(skyX);
  for (int i = 0; i < skyCount; ++i) {
    const double z = (i + 0.5) / skyCount, r = std::sqrt(1.0 - z * z), angle = i * kGoldenAngle;
    const Vec3 direction = z * scene.up + r * std::cos(angle) * skyX + r * std::sin(angle) * skyY;
    add(skyPoints, direction, mapSide(kSkyMapSide), &LitPoint::sky, 2.0f / static_cast<float>(skyCount));
  }
  for (std::uint32_t i = 0; i < points.size(); ++i) points[i].sky = skyPoints[place[i]].sky;
}

}  // namespace cairn
