// A shape at its place, as contact generation sees it: coordinates are world axes about the first shape's origin, so that
// nothing is lost far from the world's origin.
#pragma once

#include <array>
#include <cmath>

#include "geometry/distance.hpp"
#include "geometry/shape.hpp"

namespace cairn {

// Faces, edges and vertices of a box or hull in its own frame. A view: what it points to lives elsewhere.
struct Polytope {
  const Vec3* vertices = nullptr;
  const HullFace* faces = nullptr;
  const std::uint32_t* faceVertices = nullptr;
  const HullEdge* edges = nullptr;
  std::uint32_t vertexCount = 0, faceCount = 0, edgeCount = 0;

  const std::uint32_t* loop(std::uint32_t face) const { return faceVertices + faces[face].first; }
};

// Room for the parts of a box's polytope that depend on its size.
struct BoxParts {
  Vec3 vertices[8];
  HullFace faces[6];
};

// Faces of a triangle: 0 is the one that it is counter-clockwise on, 1 its back.
Polytope trianglePolytope(const Vec3* corners, BoxParts& parts);

struct Solid {
  const Shape& shape;
  Quat orientation;
  Mat3 rotation;
  Vec3 position;
  double grown = 0.0;  // m: it is the core of a rounded shape with this radius about it

  Solid(const Shape& shape_, const Quat& orientation_, const Vec3& position_)
      : shape(shape_), orientation(orientation_), rotation(orientation_.toRotationMatrix()), position(position_) {}

  ShapeType type() const { return shape.type; }
  bool isPolytope() const {
    return shape.type == ShapeType::Box || shape.type == ShapeType::Hull || shape.type == ShapeType::Triangle;
  }
  auto axis() const { return rotation.col(2); }  // of capsules, cylinders and cones
  Pose pose() const { return {position, orientation}; }
};

// Boxes fill `parts` (which must outlive the view), hulls do not need it.
Polytope polytopeOf(const Solid& solid, BoxParts& parts);

// std::hypot guards against overflow that sizes of 1e-6 to 1e6 m cannot cause, and takes ten times as long.
inline double hypotenuse(double x, double y) { return std::sqrt(x * x + y * y); }

// How far the shape reaches from its position along a unit direction given in the solid's own frame. Not planes or
// polytopes. (Cones alone reach farther one way than the other.)
double reach(const Shape& shape, const Vec3& localDirection);
// Largest half extent.
double largestSize(const Shape& shape);
// Radius of the largest ball about a point (world) that fits inside a box, hull, cylinder or cone; negative outside.
double innerDistance(const Solid& solid, const Polytope* polytope, const Vec3& point);
// Scale for tolerances: the smaller of the two sizes, and what rounding of the larger one adds.
struct PairScale {
  double smaller;
  double proven;  // m, see kProvenTolerance
};
PairScale pairScale(const Solid& a, const Solid& b);

// Two unit vectors that make a right-handed frame with the normal. Depends on nothing but the normal, and is continuous
// about the directions that normals commonly have (the axes), so that contact points chosen with it stay put.
struct Tangents {
  Vec3 u, v;
};
Tangents tangentsOf(const Vec3& normal);

inline SignedDistance exactDistance(const Solid& a, const Solid& b) {
  return signedDistance(a.shape, a.pose(), b.shape, b.pose());
}

}  // namespace cairn
