// One triangle: its plane, its nearest point to a point, where a ray meets it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "geometry/aabb.hpp"

namespace cairn {

struct Triangle {
  std::array<Vec3, 3> corner;  // m; counter-clockwise seen from the front

  // Twice the area, along the normal.
  Vec3 areaVector() const { return (corner[1] - corner[0]).cross(corner[2] - corner[0]); }
  Vec3 normal() const { return areaVector().stableNormalized(); }
  double area() const { return 0.5 * areaVector().norm(); }
  Vec3 centroid() const { return corner[0] + ((corner[1] - corner[0]) + (corner[2] - corner[0])) / 3.0; }
  Aabb bounds() const {
    return {corner[0].cwiseMin(corner[1]).cwiseMin(corner[2]), corner[0].cwiseMax(corner[1]).cwiseMax(corner[2])};
  }
  // Its least height: twice the area over the longest side; zero if it has no area.
  double altitude() const;
};

// Where on a triangle a point is. Edge k goes from corner k to corner k + 1.
enum class TriangleFeature : std::uint8_t { Face, Edge0, Edge1, Edge2, Corner0, Corner1, Corner2 };

struct TrianglePoint {
  Vec3 point = Vec3::Zero();
  TriangleFeature feature = TriangleFeature::Face;
};
TrianglePoint closestOnTriangle(const Triangle& triangle, const Vec3& query);

// A ray made ready for many triangles. No ray slips through between two triangles that share an edge, whatever the rounding:
// the sign of an edge's test is exactly opposite for the two (Woop, Benthin, Wald 2013, "Watertight ray/triangle
// intersection").
class TriangleRay {
 public:
  TriangleRay(const Vec3& origin, const Vec3& direction);
  // The distance in units of the direction's length, at least 0; and the side: front if the ray goes against the normal.
  struct Hit {
    double distance;
    bool isFront;
  };
  std::optional<Hit> cast(const Triangle& triangle) const;

 private:
  Vec3 origin_, shear_;
  int x_, y_, z_;
};

}  // namespace cairn
