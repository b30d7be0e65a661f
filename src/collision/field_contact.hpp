// Shapes against a distance field: the field is sampled where the shape's points are.
#pragma once

#include <span>
#include <vector>

#include "collision/surface_contact.hpp"
#include "geometry/distance_field.hpp"

namespace cairn {

// A point of a shape that is near a field, in the field's frame.
struct FieldPoint {
  Vec3 position;         // m, of the shape
  Vec3 normal;           // unit, out of the field
  double separation;     // m
  std::uint32_t feature;
};

// The points of a convex shape nearest to the field: corners, and along edges and over faces where it is nearest.
void samplePoints(const Shape& shape, const Pose& pose, const DistanceField& field, double margin,
                  std::vector<FieldPoint>& points);
// Adds a point if it is within the margin; `radius` is taken off its distance.
void samplePoint(const DistanceField& field, const Vec3& point, double radius, double margin, std::uint32_t feature,
                 std::vector<FieldPoint>& points);

// Patches of points with nearly one normal, deepest first; normals are out of the field.
void mergePoints(std::vector<FieldPoint>& points, double size, double margin, std::vector<SurfacePatch>& patches);

}  // namespace cairn
