#include "geometry/hull_limit.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace cairn {
namespace {

// Four of the points that span much: the farthest apart, the farthest from their line, the farthest from their plane.
std::vector<std::size_t> spanningFour(const std::vector<Vec3>& points) {
  const auto farthest = [&](auto&& measure) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
      if (measure(points[i]) > measure(points[best])) best = i;
    }
    return best;
  };
  const std::size_t a = farthest([&](const Vec3& p) { return (p - points[0]).squaredNorm(); });
  const std::size_t b = farthest([&](const Vec3& p) { return (p - points[a]).squaredNorm(); });
  const Vec3 along = (points[b] - points[a]).normalized();
  const std::size_t c = farthest([&](const Vec3& p) { return (p - points[a]).cross(along).squaredNorm(); });
  const Vec3 normal = (points[b] - points[a]).cross(points[c] - points[a]).normalized();
  const std::size_t d = farthest([&](const Vec3& p) { return std::abs(normal.dot(p - points[a])); });
  return {a, b, c, d};
}

}  // namespace

LimitedHull buildLimitedHull(std::span<const Vec3> points, std::size_t limit) {
  if (limit < 4) throw std::invalid_argument("limit: at least 4 vertices, got " + std::to_string(limit));
  LimitedHull result{buildHull(points), 0.0};
  if (result.hull->vertices.size() <= limit) return result;
  const std::vector<Vec3> all = result.hull->vertices;
  std::vector<std::size_t> chosen = spanningFour(all);
  for (;;) {
    std::vector<Vec3> some;
    for (std::size_t i : chosen) some.push_back(all[i]);
    result.hull = buildHull(some);
    std::size_t farthest = 0;
    result.error = -1.0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      double outside = 0.0;  // over the plane that it is farthest above: a bound from below of its distance
      for (const HullFace& face : result.hull->faces) outside = std::max(outside, face.normal.dot(all[i]) - face.offset);
      if (outside > result.error && std::ranges::find(chosen, i) == chosen.end()) result.error = outside, farthest = i;
    }
    if (chosen.size() == limit) return result;
    chosen.push_back(farthest);
  }
}

}  // namespace cairn
