// Solids given by formulas for their signed distance: balls, boxes and tori, joined and cut with rounded seams.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/aabb.hpp"

namespace cairn {

struct FieldSample {
  double value = 0.0;            // m, negative inside
  Vec3 gradient = Vec3::Zero();  // of the value; a unit vector where the distance is exact
};

enum class FieldKind : std::uint8_t {
  Sphere,      // size.x: the radius
  Box,         // size: half extents
  Torus,       // about the local z axis; size.x: radius of the ring, size.y: of the tube
  Union,       // of all children
  Difference,  // the first child without the others
};

// Distances of sphere, box and torus are exact, so is their union on the outside. Seams and differences only bound the distance:
// never more than the true one outside, with a slope of at most 1.
struct AnalyticField {
  FieldKind kind = FieldKind::Sphere;
  Pose pose{};                      // in the frame of the parent
  Vec3 size = Vec3::Constant(0.5);  // m
  double rounding = 0.0;            // m, of primitives: all points within this distance belong to it too
  double seam = 0.0;                // m, of unions and differences: width over which two surfaces run into each other; 0: a crease
  std::vector<AnalyticField> children{};
};

// Throws std::invalid_argument that names the field.
void checkAnalyticField(const AnalyticField& field);
FieldSample sampleAnalyticField(const AnalyticField& field, const Vec3& point);
// Holds all points where the value is not positive.
Aabb boundsOf(const AnalyticField& field);

}  // namespace cairn
