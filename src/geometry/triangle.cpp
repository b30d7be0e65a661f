#include "geometry/triangle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cairn {

double Triangle::altitude() const {
  const double longest = std::max({(corner[1] - corner[0]).stableNorm(), (corner[2] - corner[1]).stableNorm(),
                                   (corner[0] - corner[2]).stableNorm()});
  return longest > 0.0 ? areaVector().stableNorm() / longest : 0.0;
}

// By Voronoi regions (Ericson 2005, "Real-Time Collision Detection", 5.1.5), corners first, then edges, then the face.
TrianglePoint closestOnTriangle(const Triangle& triangle, const Vec3& query) {
  const Vec3 &a = triangle.corner[0], &b = triangle.corner[1], &c = triangle.corner[2];
  const Vec3 ab = b - a, ac = c - a;
  const Vec3 ap = query - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0.0 && d2 <= 0.0) return {a, TriangleFeature::Corner0};
  const Vec3 bp = query - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0.0 && d4 <= d3) return {b, TriangleFeature::Corner1};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 - d3 > 0.0) return {a + d1 / (d1 - d3) * ab, TriangleFeature::Edge0};
  const Vec3 cp = query - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0.0 && d5 <= d6) return {c, TriangleFeature::Corner2};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 - d6 > 0.0) return {a + d2 / (d2 - d6) * ac, TriangleFeature::Edge2};
  const double va = d3 * d6 - d5 * d4;
  const double alongB = d4 - d3, alongC = d5 - d6;
  if (va <= 0.0 && alongB >= 0.0 && alongC >= 0.0 && alongB + alongC > 0.0)
    return {b + alongB / (alongB + alongC) * (c - b), TriangleFeature::Edge1};
  const double sum = va + vb + vc;
  if (!(sum > 0.0)) return {a, TriangleFeature::Corner0};  // no area: corners and edges have been tried
  return {a + vb / sum * ab + vc / sum * ac, TriangleFeature::Face};
}

TriangleRay::TriangleRay(const Vec3& origin, const Vec3& direction) : origin_(origin) {
  direction.cwiseAbs().maxCoeff(&z_);
  x_ = (z_ + 1) % 3;
  y_ = (z_ + 2) % 3;
  if (direction[z_] < 0.0) std::swap(x_, y_);
  shear_ = {direction[x_] / direction[z_], direction[y_] / direction[z_], 1.0 / direction[z_]};
}

std::optional<TriangleRay::Hit> TriangleRay::cast(const Triangle& triangle) const {
  // In a frame where the ray is the z axis: corners sheared, not turned.
  double x[3], y[3], z[3];
  for (int k = 0; k < 3; ++k) {
    const Vec3 d = triangle.corner[k] - origin_;
    x[k] = d[x_] - shear_.x() * d[z_];
    y[k] = d[y_] - shear_.y() * d[z_];
    z[k] = shear_.z() * d[z_];
  }
  const double u = x[2] * y[1] - y[2] * x[1];
  const double v = x[0] * y[2] - y[0] * x[2];
  const double w = x[1] * y[0] - y[1] * x[0];
  if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) return std::nullopt;
  const double sum = u + v + w;
  if (sum == 0.0) return std::nullopt;  // seen edge on
  const double distance = (u * z[0] + v * z[1] + w * z[2]) / sum;
  if (!(distance >= 0.0)) return std::nullopt;
  return Hit{distance, sum > 0.0};
}

}  // namespace cairn
