// Boxes and hulls against each other.
//
// The faces of B - A are the faces of either shape and the pairs of edges whose arcs cross on the sphere of normals (the
// Gauss map; Gregorius, GDC 2013). The one with the largest separation is the shortest way out of an overlap, and the
// distance of shapes that are apart if the closest features are a vertex and a face or two edges. Faces go first, because a
// face often proves itself (see isShortestWayOut) and edges are many: hulls that have too many ask for the exact distance
// instead.
#include <algorithm>
#include <cmath>

#include "collision/collide_pairs.hpp"
#include "collision/manifold_tolerances.hpp"
#include "collision/polytope_axes.hpp"

namespace cairn {
namespace {

constexpr std::uint32_t kMostVertices = 128;              // of a hull whose faces are searched
constexpr std::uint32_t kMostEdges = kMostEdgePairs / 6;  // the other has at least those of a tetrahedron

struct PlacedEdge {
  Vec3 point, direction;  // in A's frame
  Vec3 normal0, normal1;  // of its faces, turned inside out for B
  Vec3 turn;              // normal1 x normal0
};

// The largest separation over the faces of `owner` from vertices given in its frame, `center` among them somewhere. A vertex
// that is lower than the best face so far rules its face out, so the most promising face goes first and most others take one
// look.
double largestFaceSeparation(const Polytope& owner, const Vec3* vertices, std::uint32_t count, const Vec3& center,
                             std::uint32_t& best) {
  best = 0;
  double farthest = -std::numeric_limits<double>::infinity();
  for (std::uint32_t f = 0; f < owner.faceCount; ++f) {
    const double distance = owner.faces[f].normal.dot(center) - owner.faces[f].offset;
    if (distance > farthest) {
      farthest = distance;
      best = f;
    }
  }
  const std::uint32_t first = best;
  std::uint32_t lowestVertex = 0;  // of the last face looked at: neighbours in the list often share it
  const auto lowestOver = [&](const HullFace& face, double enough) {
    double lowest = face.normal.dot(vertices[lowestVertex]) - face.offset;
    for (std::uint32_t i = 0; i < count && lowest > enough; ++i) {
      const double height = face.normal.dot(vertices[i]) - face.offset;
      if (height < lowest) {
        lowest = height;
        lowestVertex = i;
      }
    }
    return lowest;
  };
  double largest = lowestOver(owner.faces[first], -std::numeric_limits<double>::infinity());
  for (std::uint32_t f = 0; f < owner.faceCount; ++f) {
    if (f == first) continue;
    const double separation = lowestOver(owner.faces[f], largest);
    if (separation > largest) {
      largest = separation;
      best = f;
    }
  }
  return largest;
}

PlacedEdge placeEdge(const Polytope& polytope, const HullEdge& edge) {
  PlacedEdge placed;
  placed.point = polytope.vertices[edge.vertex0];
  placed.direction = polytope.vertices[edge.vertex1] - placed.point;
  placed.normal0 = polytope.faces[edge.face0].normal;
  placed.normal1 = polytope.faces[edge.face1].normal;
  return placed;
}

// False: they are farther apart than the margin.
bool searchFaces(const Solid& a, const Polytope& polytopeA, const Solid& b, const Polytope& polytopeB, double margin,
                 PolytopeAxes& axes) {
  const Mat3 relative = a.rotation.transpose() * b.rotation;
  const Vec3 translation = a.rotation.transpose() * (b.position - a.position);
  const Vec3 translationBack = -(relative.transpose() * translation);
  std::array<Vec3, kMostVertices> placed;
  Vec3 center = Vec3::Zero();
  for (std::uint32_t i = 0; i < polytopeB.vertexCount; ++i) {
    placed[i] = relative * polytopeB.vertices[i] + translation;
    center += placed[i];
  }
  axes.separationA =
      largestFaceSeparation(polytopeA, placed.data(), polytopeB.vertexCount, center / polytopeB.vertexCount, axes.faceA);
  if (axes.separationA > margin) return false;
  center.setZero();
  for (std::uint32_t i = 0; i < polytopeA.vertexCount; ++i) {
    placed[i] = relative.transpose() * polytopeA.vertices[i] + translationBack;
    center += placed[i];
  }
  axes.separationB =
      largestFaceSeparation(polytopeB, placed.data(), polytopeA.vertexCount, center / polytopeA.vertexCount, axes.faceB);
  return axes.separationB <= margin;
}

// False: they are farther apart than the margin.
bool searchEdges(const Solid& a, const Polytope& polytopeA, const Solid& b, const Polytope& polytopeB, double margin,
                 PolytopeAxes& axes) {
  const Mat3 relative = a.rotation.transpose() * b.rotation;
  const Vec3 translation = a.rotation.transpose() * (b.position - a.position);
  std::array<PlacedEdge, kMostEdges> edgesB;
  for (std::uint32_t j = 0; j < polytopeB.edgeCount; ++j) {
    PlacedEdge edge = placeEdge(polytopeB, polytopeB.edges[j]);
    edge.point = relative * edge.point + translation;
    edge.direction = relative * edge.direction;
    edge.normal0 = -(relative * edge.normal0);
    edge.normal1 = -(relative * edge.normal1);
    edge.turn = edge.normal1.cross(edge.normal0);
    edgesB[j] = edge;
  }
  for (std::uint32_t i = 0; i < polytopeA.edgeCount; ++i) {
    const PlacedEdge edgeA = placeEdge(polytopeA, polytopeA.edges[i]);
    const Vec3 turnA = edgeA.normal1.cross(edgeA.normal0);
    for (std::uint32_t j = 0; j < polytopeB.edgeCount; ++j) {
      const PlacedEdge& edgeB = edgesB[j];
      const double b0 = edgeB.normal0.dot(turnA), b1 = edgeB.normal1.dot(turnA);
      if (b0 * b1 >= 0.0) continue;
      const double a0 = edgeA.normal0.dot(edgeB.turn), a1 = edgeA.normal1.dot(edgeB.turn);
      if (a0 * a1 >= 0.0 || b0 * a1 <= 0.0) continue;
      Vec3 axis = edgeA.direction.cross(edgeB.direction);
      const double squared = axis.squaredNorm();
      if (squared < 1e-16 * edgeA.direction.squaredNorm() * edgeB.direction.squaredNorm()) continue;
      axis /= std::sqrt(squared);
      if (axis.dot(edgeA.normal0 + edgeA.normal1) < 0.0) axis = -axis;
      const double separation = axis.dot(edgeB.point - edgeA.point);
      if (separation <= axes.separationEdges) continue;
      axes.separationEdges = separation;
      if (separation > margin) return false;
      axes.edgeNormal = axis;
      axes.edgeA = i;
      axes.edgeB = j;
    }
  }
  if (axes.separationEdges > -std::numeric_limits<double>::infinity()) {
    const PlacedEdge edgeA = placeEdge(polytopeA, polytopeA.edges[axes.edgeA]);
    const PlacedEdge& edgeB = edgesB[axes.edgeB];
    const Vec3 armA = 0.5 * edgeA.direction, armB = 0.5 * edgeB.direction;
    const CorePoints points = closestOfSegments(edgeA.point + armA, armA, edgeB.point + armB, armB);
    axes.edgePointA = a.position + a.rotation * points.first;
    axes.edgePointB = a.position + a.rotation * points.second;
    axes.edgeNormal = a.rotation * axes.edgeNormal;
    axes.edgeFeature = featureName(FeatureKind::Edges, (edgeLabel(false, axes.edgeA) << 15) | edgeLabel(true, axes.edgeB));
  }
  return true;
}

}  // namespace

void collidePolytopes(const Solid& a, const Solid& b, double margin, Manifold& manifold) {
  BoxParts partsA, partsB;
  const Polytope polytopeA = polytopeOf(a, partsA), polytopeB = polytopeOf(b, partsB);
  ContactSet set;
  if (polytopeA.vertexCount > kMostVertices || polytopeB.vertexCount > kMostVertices) {
    contactFromDistance(a, &polytopeA, b, &polytopeB, exactDistance(a, b), margin, set, manifold);
    return;
  }
  PolytopeAxes axes;
  if (!searchFaces(a, polytopeA, b, polytopeB, margin, axes)) return;
  const PairScale scale = pairScale(a, b);
  const double slop = kClipSlop * scale.smaller;
  const bool ofB = axes.prefersB(kAxisTie * scale.smaller);
  const double face = ofB ? axes.separationB : axes.separationA;
  if (ofB) {
    touchFlat(polygonFlat(b, polytopeB, axes.faceB, true), a, &polytopeA, slop, set);
  } else {
    touchFlat(polygonFlat(a, polytopeA, axes.faceA, false), b, &polytopeB, slop, set);
  }
  if (set.isFlush(margin) ||
      (set.deepest() <= face + scale.proven &&
       (ofB ? isShortestWayOut(b, true, &polytopeB, a, set, face) : isShortestWayOut(a, false, &polytopeA, b, set, face)))) {
    reduce(set, margin, manifold);
    return;
  }
  if (polytopeA.edgeCount * polytopeB.edgeCount > kMostEdgePairs) {
    contactFromDistance(a, &polytopeA, b, &polytopeB, exactDistance(a, b), margin, set, manifold);
    return;
  }
  if (!searchEdges(a, polytopeA, b, polytopeB, margin, axes)) return;
  manifoldFromAxes(a, b, axes, ofB, margin, set, manifold);
}

}  // namespace cairn
