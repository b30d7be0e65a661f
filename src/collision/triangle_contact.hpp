// One triangle of a surface against a convex shape.
#pragma once

#include "collision/manifold.hpp"

namespace cairn {

// A shape that has come near a surface, in the surface's axes about the shape's own position, with its core apart from its
// rounding.
struct ShapeOnSurface {
  Shape core;
  Quat rotation = Quat::Identity();
  double grown = 0.0;              // m, about the core
  Vec3 corePoint = Vec3::Zero();   // m: well inside; the side of a triangle that it is on is the shape's side
};

struct TriangleContact {
  std::uint32_t triangle = 0;
  bool onFace = false;     // the normal is the triangle's, and no edge or corner of it had a say
  Vec3 faceNormal;         // unit, out of the solid side
  double height = 0.0;     // m: of the shape's lowest point over the triangle's plane
  Vec3 corners[3];         // m, about the shape's position
  // Normal from the triangle to the shape. Features that the triangle has a part in have its number mixed in.
  Manifold manifold;
  // What lies over the triangle, along its own normal, each point with its own separation: what is left if the contact's
  // normal turns out not to be one that the surface has.
  Manifold over;
};

// False if they are farther apart than the margin, or the shape is behind a triangle that is solid on its front side only.
// `pushed`: it is in front all the same, because contacts have pushed it to that side in the last step.
bool touchTriangle(const Vec3 (&corners)[3], const ShapeOnSurface& shape, bool oneSided, bool pushed, double margin,
                   TriangleContact& contact);

// The contact of the shape with the plane through a point: points of the shape as they come, not cut to any outline.
void touchPlane(const Vec3& point, const Vec3& normal, const ShapeOnSurface& shape, double margin, Manifold& manifold);

// m: how low the shape reaches along the unit normal, from its position; negative.
double lowestReach(const ShapeOnSurface& shape, const Vec3& normal);

}  // namespace cairn
