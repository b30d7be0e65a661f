#include "collision/polytope_axes.hpp"

#include <cmath>

#include "collision/manifold_tolerances.hpp"

namespace cairn {

void manifoldFromAxes(const Solid& a, const Solid& b, const PolytopeAxes& axes, bool ofB, double margin, ContactSet& set,
                      Manifold& manifold) {
  const PairScale scale = pairScale(a, b);
  const double face = ofB ? axes.separationB : axes.separationA;
  const bool edgesWin = axes.separationEdges > face + kAxisTie * scale.smaller;
  if ((!edgesWin && set.deepest() <= face + scale.proven) || set.isFlush(margin)) {
    reduce(set, margin, manifold);
    return;
  }
  if (edgesWin) {
    // If the edges lie in nearly parallel faces, the patch between the faces holds their crossing and more.
    if (patchAgrees(set, axes.separationEdges, axes.edgeNormal.dot(set.normal), scale.smaller, margin, a.grown + b.grown)) {
      reduce(set, margin, manifold);
      return;
    }
    const Vec3 gap = axes.edgePointB - axes.edgePointA;
    const bool holds =
        (gap - axes.edgeNormal * axes.separationEdges).norm() <= scale.proven + 1e-6 * std::abs(axes.separationEdges);
    if (holds || axes.separationEdges < 0.0) {
      setSinglePoint({axes.separationEdges, axes.edgeNormal, axes.edgePointA, axes.edgePointB}, axes.edgeFeature, manifold);
      return;
    }
  }
  // Apart, and nearest at a vertex and an edge or two vertices: no axis of the search is their direction.
  const SignedDistance exact = exactDistance(a, b);
  if (!(exact.distance <= margin)) return;
  if (patchAgrees(set, exact.distance, exact.normal.dot(set.normal), scale.smaller, margin, a.grown + b.grown)) {
    reduce(set, margin, manifold);
    return;
  }
  setSinglePoint(exact, kSinglePoint, manifold);
}

}  // namespace cairn
