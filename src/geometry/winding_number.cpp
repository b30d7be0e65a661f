#include "geometry/winding_number.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace cairn {
namespace {

constexpr std::uint32_t kTrianglesPerLeaf = 8;
// A group is far if its middle is farther than this many of its radii. Measured on tori: an error of 0.06.
constexpr double kFar = 2.3;

}  // namespace

// Van Oosterom and Strackee 1983: tan(angle / 2) = a . (b x c) / (|a||b||c| + (a . b)|c| + (b . c)|a| + (c . a)|b|).
double windingOf(const Triangle& triangle, const Vec3& point) {
  const Vec3 a = triangle.corner[0] - point, b = triangle.corner[1] - point, c = triangle.corner[2] - point;
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  const double above = a.dot(b.cross(c));
  const double below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
  return std::atan2(above, below) / (2.0 * std::numbers::pi);
}

WindingNumber::WindingNumber(const TriangleView& view) : view_(view), order_(view.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
  if (!order_.empty()) build(0, static_cast<std::uint32_t>(order_.size()));
}

std::uint32_t WindingNumber::build(std::uint32_t first, std::uint32_t count) {
  const auto self = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({Vec3::Zero(), Vec3::Zero(), 0.0, first, count, 0});
  Vec3 weighted = Vec3::Zero(), dipole = Vec3::Zero();
  double area = 0.0;
  Aabb middles;
  const Vec3 origin = view_.triangle(order_[first]).corner[0];  // near by: no rounding far from the origin
  for (std::uint32_t i = first; i < first + count; ++i) {
    const Triangle triangle = view_.triangle(order_[i]);
    const Vec3 middle = triangle.centroid(), vector = 0.5 * triangle.areaVector();
    weighted += vector.norm() * (middle - origin);
    area += vector.norm();
    dipole += vector;
    middles = middles.united({middle, middle});
  }
  const Vec3 center = area > 0.0 ? Vec3(origin + weighted / area) : middles.center();
  double square = 0.0;
  for (std::uint32_t i = first; i < first + count; ++i) {
    for (const Vec3& corner : view_.triangle(order_[i]).corner) square = std::max(square, (corner - center).squaredNorm());
  }
  nodes_[self].center = center;
  nodes_[self].dipole = dipole;
  nodes_[self].radius = std::sqrt(square);
  if (count <= kTrianglesPerLeaf) return self;
  int axis = 0;
  (middles.upper - middles.lower).maxCoeff(&axis);
  const std::uint32_t half = count / 2;
  std::nth_element(order_.begin() + first, order_.begin() + first + half, order_.begin() + first + count,
                   [&](std::uint32_t a, std::uint32_t b) {
                     const double atA = view_.triangle(a).centroid()[axis], atB = view_.triangle(b).centroid()[axis];
                     return atA != atB ? atA < atB : a < b;
                   });
  build(first, half);
  const std::uint32_t right = build(first + half, count - half);
  nodes_[self].right = right;
  return self;
}

double WindingNumber::at(const Vec3& point) const {
  if (nodes_.empty()) return 0.0;
  double sum = 0.0;
  std::uint32_t stack[64];  // halves: as deep as the logarithm of the count
  std::size_t top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const std::uint32_t index = stack[--top];
    const Node& node = nodes_[index];
    const Vec3 d = node.center - point;
    const double square = d.squaredNorm();
    if (square > kFar * kFar * node.radius * node.radius) {
      sum += d.dot(node.dipole) / (4.0 * std::numbers::pi * square * std::sqrt(square));
    } else if (node.right == 0) {
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) sum += windingOf(view_.triangle(order_[i]), point);
    } else {
      stack[top++] = node.right;
      stack[top++] = index + 1;
    }
  }
  return sum;
}

double WindingNumber::exactAt(const Vec3& point) const {
  double sum = 0.0;
  for (std::size_t t = 0; t < view_.size(); ++t) sum += windingOf(view_.triangle(t), point);
  return sum;
}

}  // namespace cairn
