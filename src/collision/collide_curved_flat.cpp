// Pairs in which one shape has flat faces and one is curved.
//
// Any direction gives a bound from below on the signed distance, and any two surface points one from above. So the flat face
// with the largest separation is tried first: if the other shape's point nearest to it lies over the face, both bounds meet,
// and the contact is proven with the face's exact normal. This is what rolling shapes have at every angle. The same for two
// round sides. Only what is left (rims, edges, corners, deep overlaps) needs the exact distance.
#include <algorithm>
#include <cmath>

#include "collision/collide_pairs.hpp"
#include "collision/manifold_tolerances.hpp"

namespace cairn {
namespace {

struct BestFlat {
  double separation = -std::numeric_limits<double>::infinity();
  std::uint32_t face = 0;
  double side = 1.0;  // cylinders
};

// Lowest point of the polytope along a unit direction (world), from its position.
double lowestVertex(const Solid& solid, const Polytope& polytope, const Vec3& direction) {
  const Vec3 local = solid.rotation.transpose() * direction;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < polytope.vertexCount; ++i) lowest = std::min(lowest, local.dot(polytope.vertices[i]));
  return lowest;
}

// The flat of `owner` that keeps `other` farthest away.
BestFlat bestFlat(const Solid& owner, const Polytope* polytope, const Solid& other, const Polytope* otherPolytope) {
  BestFlat best;
  if (owner.isPolytope()) {
    const Mat3 relative = other.rotation.transpose() * owner.rotation;
    const Vec3 center = owner.rotation.transpose() * (other.position - owner.position);
    for (std::uint32_t f = 0; f < polytope->faceCount; ++f) {
      const HullFace& face = polytope->faces[f];
      const double separation = face.normal.dot(center) - face.offset - reach(other.shape, -(relative * face.normal));
      if (separation > best.separation) best = {separation, f, 1.0};
    }
  } else if (owner.type() == ShapeType::Cylinder) {
    const Vec3 axis = owner.axis();
    const double middle = axis.dot(other.position - owner.position);
    for (const double side : {1.0, -1.0}) {
      const double depth = other.isPolytope() ? -lowestVertex(other, *otherPolytope, side * axis)
                                              : reach(other.shape, other.rotation.transpose() * (-side * axis));
      const double separation = side * middle - owner.shape.halfHeight() - depth;
      if (separation > best.separation) best = {separation, 0, side};
    }
  } else if (owner.type() == ShapeType::Cone) {
    const Vec3 axis = owner.axis();
    const double depth = other.isPolytope() ? -lowestVertex(other, *otherPolytope, -axis)
                                            : reach(other.shape, other.rotation.transpose() * axis);
    best = {-axis.dot(other.position - owner.position) - owner.shape.halfHeight() - depth, 0, -1.0};
  }
  return best;
}

}  // namespace

void collideCurvedFlat(const Solid& a, const Solid& b, double margin, Manifold& manifold) {
  BoxParts partsA, partsB;
  Polytope storeA, storeB;
  const Polytope* polytopeA = nullptr;
  const Polytope* polytopeB = nullptr;
  if (a.isPolytope()) {
    storeA = polytopeOf(a, partsA);
    polytopeA = &storeA;
  }
  if (b.isPolytope()) {
    storeB = polytopeOf(b, partsB);
    polytopeB = &storeB;
  }
  const BestFlat bestA = bestFlat(a, polytopeA, b, polytopeB);
  if (bestA.separation > margin) return;
  const BestFlat bestB = bestFlat(b, polytopeB, a, polytopeA);
  if (bestB.separation > margin) return;

  const PairScale scale = pairScale(a, b);
  const double slop = kClipSlop * scale.smaller;
  double best = std::max(bestA.separation, bestB.separation);
  ContactSet set;

  // Side against side, if it keeps them farther apart than any flat does.
  const bool hasSides =
      (a.type() == ShapeType::Capsule || a.type() == ShapeType::Cylinder) && b.type() == ShapeType::Cylinder;
  double sideSeparation;
  if (hasSides && touchSides(a, b, set, sideSeparation) && sideSeparation > best) {
    if (sideSeparation > margin) return;
    if (isShortestWayOut(b, true, polytopeB, a, set, sideSeparation)) {
      reduce(set, margin, manifold);
      return;
    }
  }

  const bool useB = bestB.separation > bestA.separation + kAxisTie * scale.smaller;
  const Solid& owner = useB ? b : a;
  const BestFlat& chosen = useB ? bestB : bestA;
  const Flat flat =
      owner.isPolytope() ? polygonFlat(owner, useB ? storeB : storeA, chosen.face, useB) : capFlat(owner, chosen.side, useB);
  best = chosen.separation;
  touchFlat(flat, useB ? a : b, useB ? polytopeA : polytopeB, slop, set);
  if (set.isFlush(margin)) {
    reduce(set, margin, manifold);
    return;
  }
  const bool holds = set.deepest() <= best + scale.proven;
  const Solid& other = useB ? a : b;
  if (holds && isShortestWayOut(owner, useB, useB ? polytopeB : polytopeA, other, set, best)) {
    reduce(set, margin, manifold);
    return;
  }
  const SignedDistance exact = exactDistance(a, b);
  if (holds && best >= exact.distance - scale.proven) {
    reduce(set, margin, manifold);  // deep, and the face is as short a way out as any
    return;
  }
  contactFromDistance(a, polytopeA, b, polytopeB, exact, margin, set, manifold);
}

}  // namespace cairn
