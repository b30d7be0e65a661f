// Two convex shapes as GJK, EPA and SAT see them: in A's frame, and each as a core plus a radius. A ball is a point with a
// radius and a capsule a segment with one, so that only the cores need an iteration, and their contacts are exact.
//
// The set that all three work on is the difference B - A = { b - a }. Its support along d is supportB(d) - supportA(-d). The
// signed distance of the two shapes is the largest value over unit n of separation(n): the gap between the two planes across
// n that touch A from the side of B and B from the side of A. Any n gives a bound from below, whatever its source.
#pragma once

#include "geometry/shape.hpp"

namespace cairn {

struct CorePair {
  const Shape* a;
  const Shape* b;
  Mat3 rotation;     // B's axes in A's frame
  Vec3 translation;  // m, B's origin in A's frame
  double radiusA;    // m, around A's core
  double radiusB;

  Vec3 supportA(const Vec3& direction) const;  // of the core, in A's frame
  Vec3 supportB(const Vec3& direction) const;
  // Of the cores (without the radii), along the unit vector n from A to B.
  double separation(const Vec3& n) const { return n.dot(supportB(-n) - supportA(n)); }
  // The same pair with B moved.
  CorePair movedBy(const Vec3& shift) const {
    CorePair moved = *this;
    moved.translation += shift;
    return moved;
  }
};

// Neither may be a plane.
CorePair makeCorePair(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB);

// Whether the core has curved parts: its difference with another is then no polytope.
inline bool hasCurvedCore(const Shape& shape) {
  return shape.type == ShapeType::Cylinder || shape.type == ShapeType::Ellipsoid || shape.type == ShapeType::Cone;
}

// A corner of a simplex or polytope in B - A.
struct DifferenceVertex {
  Vec3 a, b;  // m, on the two cores, in A's frame
  Vec3 w;     // b - a
};

inline DifferenceVertex differenceSupport(const CorePair& pair, const Vec3& direction) {
  DifferenceVertex vertex;
  vertex.a = pair.supportA(-direction);
  vertex.b = pair.supportB(direction);
  vertex.w = vertex.b - vertex.a;
  return vertex;
}

}  // namespace cairn
