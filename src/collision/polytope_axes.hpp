// What a search over separating axes of two polytopes found, and how a manifold follows from it.
#pragma once

#include <limits>

#include "collision/collide_pairs.hpp"

namespace cairn {

struct PolytopeAxes {
  static constexpr double kNone = -std::numeric_limits<double>::infinity();
  double separationA = kNone, separationB = kNone;  // m, largest over the faces of each
  std::uint32_t faceA = 0, faceB = 0;
  double separationEdges = kNone;  // m, largest over pairs of edges
  std::uint32_t edgeA = 0, edgeB = 0;
  Vec3 edgeNormal;              // from A to B
  Vec3 edgePointA, edgePointB;  // closest points of the two edges
  std::uint32_t edgeFeature = 0;

  // A's face, unless B's is better by more than rounding.
  bool prefersB(double tie) const { return separationB > separationA + tie; }
};

// With the patch on the better face in `set` (on B's if ofB): the manifold.
void manifoldFromAxes(const Solid& a, const Solid& b, const PolytopeAxes& axes, bool ofB, double margin, ContactSet& set,
                      Manifold& manifold);

}  // namespace cairn
