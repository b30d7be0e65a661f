// Closest points of points, segments, boxes and cylinders: the closed forms that distances are made of.
#pragma once

#include "cairn/math.hpp"

namespace cairn {

struct SegmentPair {
  Vec3 pointA, pointB;  // m
};
// The points of two segments nearest to each other. Where many are (parallel and side by side), the middle of them.
SegmentPair closestOnSegments(const Vec3& fromA, const Vec3& toA, const Vec3& fromB, const Vec3& toB);
Vec3 closestOnSegment(const Vec3& from, const Vec3& to, const Vec3& query);

// The surface point of a solid that is nearest to a query, the outward normal there and the signed distance, negative
// inside: query == point + distance * normal. Inside, of several nearest ones the first axis wins.
struct SurfacePoint {
  Vec3 point, normal;
  double distance;
};
SurfacePoint closestOnBox(const Vec3& halfExtents, const Vec3& query);
SurfacePoint closestOnCylinder(double radius, double halfHeight, const Vec3& query);  // axis z
SurfacePoint closestOnCone(double radius, double halfHeight, const Vec3& query);      // axis z, apex up

}  // namespace cairn
