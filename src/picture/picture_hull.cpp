// The convex hull of a shape's points, to look at. The command sees only the library's public headers, and those give the
// points but not the faces; a hull that is drawn may be wrong by far more than one that is collided with, which keeps this
// short: points are added one by one, each replacing the triangles that it sees.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "picture/picture_mesh.hpp"

namespace cairn {
namespace {

// Both relative to the largest distance between points.
constexpr double kSeesTolerance = 1e-9;        // a point this far in front of a triangle sees it
constexpr double kOneFaceCosine = 1.0 - 1e-6;  // neighbours whose normals agree so well (1.4 mrad) are one face
// Adding a point costs as many looks as there are triangles. Clouds of more points are first thinned to the outermost ones
// along this many directions.
constexpr std::size_t kMostPoints = 600;

using Corners = std::array<std::uint32_t, 3>;

struct HullTriangle {
  Corners corners;
  Vec3 normal;
  double offset;
};

std::vector<Vec3> thinned(const std::vector<Vec3>& points) {
  if (points.size() <= kMostPoints) return points;
  std::set<std::size_t> kept;
  for (std::size_t i = 0; i < kMostPoints; ++i) {  // directions along a spiral from pole to pole
    const double z = 1.0 - 2.0 * (i + 0.5) / kMostPoints;
    const double angle = i * std::numbers::pi * (3.0 - std::sqrt(5.0));
    const double r = std::sqrt(1.0 - z * z);
    const Vec3 direction(r * std::cos(angle), r * std::sin(angle), z);
    std::size_t best = 0;
    for (std::size_t k = 1; k < points.size(); ++k) {
      if (points[k].dot(direction) > points[best].dot(direction)) best = k;
    }
    kept.insert(best);
  }
  std::vector<Vec3> result;
  for (const std::size_t k : kept) result.push_back(points[k]);
  return result;
}

template <class Measure>
std::uint32_t furthest(const std::vector<Vec3>& points, Measure measure) {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < points.size(); ++i) {
    if (measure(points[i]) > measure(points[best])) best = i;
  }
  return best;
}

class HullBuilder {
 public:
  explicit HullBuilder(const std::vector<Vec3>& points) : points_(points) {}

  std::vector<HullTriangle> build() {
    const std::uint32_t a = 0;
    const std::uint32_t b = furthest(points_, [&](const Vec3& p) { return (p - points_[a]).norm(); });
    extent_ = (points_[b] - points_[a]).norm();
    const Vec3 along = (points_[b] - points_[a]).normalized();
    const std::uint32_t c = furthest(points_, [&](const Vec3& p) { return (p - points_[a]).cross(along).norm(); });
    const Vec3 across = (points_[b] - points_[a]).cross(points_[c] - points_[a]).normalized();
    const std::uint32_t d = furthest(points_, [&](const Vec3& p) { return std::abs((p - points_[a]).dot(across)); });
    inside_ = 0.25 * (points_[a] + points_[b] + points_[c] + points_[d]);
    for (const Corners& corners : {Corners{a, b, c}, Corners{a, b, d}, Corners{a, c, d}, Corners{b, c, d}}) {
      const Vec3 normal = normalOf(corners);
      add(normal.dot(inside_ - points_[corners[0]]) > 0 ? Corners{corners[0], corners[2], corners[1]} : corners);
    }
    for (std::uint32_t i = 0; i < points_.size(); ++i) insert(i);
    return std::move(triangles_);
  }

 private:
  Vec3 normalOf(const Corners& corners) const {
    const Vec3& p = points_[corners[0]];
    return (points_[corners[1]] - p).cross(points_[corners[2]] - p).normalized();
  }

  void add(const Corners& corners) {
    const Vec3 normal = normalOf(corners);
    triangles_.push_back({corners, normal, normal.dot(points_[corners[0]])});
  }

  void insert(std::uint32_t index) {
    const auto seen = std::stable_partition(triangles_.begin(), triangles_.end(), [&](const HullTriangle& triangle) {
      return triangle.normal.dot(points_[index]) - triangle.offset <= kSeesTolerance * extent_;
    });
    if (seen == triangles_.end()) return;
    // The rim of what is seen: edges whose other side is not seen.
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (auto it = seen; it != triangles_.end(); ++it) {
      for (int k = 0; k < 3; ++k) edges.emplace(it->corners[k], it->corners[(k + 1) % 3]);
    }
    triangles_.erase(seen, triangles_.end());
    for (const auto& [from, to] : edges) {
      if (!edges.contains({to, from})) add({from, to, index});
    }
  }

  const std::vector<Vec3>& points_;
  Vec3 inside_;
  double extent_ = 0.0;
  std::vector<HullTriangle> triangles_;
};

}  // namespace

Mesh buildHullMesh(const std::vector<Vec3>& points) {
  Mesh mesh;
  if (points.size() < 4) return mesh;
  mesh.vertices = thinned(points);
  for (const HullTriangle& triangle : HullBuilder(mesh.vertices).build()) {
    // On a convex body triangles with equal normals lie in one plane, so that neighbourhood need not be looked at.
    const auto same = std::find_if(mesh.faceNormals.begin(), mesh.faceNormals.end(),
                                   [&](const Vec3& normal) { return normal.dot(triangle.normal) > kOneFaceCosine; });
    const auto face = static_cast<std::uint32_t>(same - mesh.faceNormals.begin());
    if (same == mesh.faceNormals.end()) mesh.faceNormals.push_back(triangle.normal);
    mesh.triangles.push_back({triangle.corners[0], triangle.corners[1], triangle.corners[2], face});
  }
  return mesh;
}

}  // namespace cairn
