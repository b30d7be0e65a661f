// Box against box: fifteen axes, then the patch on the reference face or the point where two edges cross. This is the pair
// that piles and walls are made of, so it works on the two boxes' numbers directly.
#include <algorithm>
#include <cmath>

#include "collision/manifold_tolerances.hpp"
#include "collision/polytope_axes.hpp"

namespace cairn {
namespace {

// Faces are numbered 2 axis + (negative side ? 1 : 0). The edge of face f next to face g is labelled 6 f + g.
std::uint32_t boxEdgeLabel(bool ownerIsB, int face, int neighbour) {
  return edgeLabel(ownerIsB, static_cast<std::uint32_t>(6 * face + neighbour));
}

// The patch of `incident` on the face of `reference`. `relative` and `center`: incident in the frame of the reference.
void boxPatch(const Solid& reference, const Vec3& incidentHalf, const Mat3& relative, const Vec3& center, int face,
              bool referenceIsB, double slop, ContactSet& set) {
  const Vec3& half = reference.shape.size;
  const int k = face / 2;
  const double sign = face % 2 ? -1.0 : 1.0;
  const int u = k == 2 ? 0 : k + 1, v = u == 2 ? 0 : u + 1;
  const Vec3 worldNormal = sign * reference.rotation.col(k);
  set.normal = referenceIsB ? Vec3(-worldNormal) : worldNormal;
  set.count = 0;
  set.isOrdered = true;

  // The face of the other box that looks most squarely at ours.
  int j = 0;
  relative.row(k).cwiseAbs().maxCoeff(&j);
  set.parallelism = std::abs(relative(k, j));
  const double side = sign * relative(k, j) > 0.0 ? -1.0 : 1.0;
  const int p = j == 2 ? 0 : j + 1, q = p == 2 ? 0 : p + 1;
  const Vec3 middle = center + relative.col(j) * (side * incidentHalf[j]);
  const Vec3 armP = relative.col(p) * incidentHalf[p], armQ = relative.col(q) * incidentHalf[q];
  const int incidentFace = 2 * j + (side < 0.0 ? 1 : 0);

  ClipPolygon first, second;
  const auto put = [&](int i, const Vec3& at, int neighbour) {
    first.vertices[i] = {at[u], at[v], sign * at[k] - half[k], boxEdgeLabel(!referenceIsB, incidentFace, neighbour)};
  };
  put(0, middle + armP + armQ, 2 * q);
  put(1, middle - armP + armQ, 2 * p + 1);
  put(2, middle - armP - armQ, 2 * q + 1);
  put(3, middle + armP - armQ, 2 * p);
  first.count = 4;
  ClipPolygon* current = &first;
  ClipPolygon* spare = &second;
  const auto cut = [&](double nx, double ny, double limit, int neighbour) {
    ClipPolygon* result = clip(current, spare, nx, ny, limit, slop, boxEdgeLabel(referenceIsB, face, neighbour));
    if (result == spare) std::swap(current, spare);
  };
  cut(1.0, 0.0, half[u], 2 * u);
  cut(-1.0, 0.0, half[u], 2 * u + 1);
  cut(0.0, 1.0, half[v], 2 * v);
  cut(0.0, -1.0, half[v], 2 * v + 1);
  if (current->count == 0) return;

  const Vec3 axisU = reference.rotation.col(u), axisV = reference.rotation.col(v);
  const Vec3 base = reference.position + worldNormal * half[k];
  std::uint32_t before = current->vertices[current->count - 1].edge;
  for (int i = 0; i < current->count; ++i) {
    const ClipVertex& c = current->vertices[i];
    ContactCandidate& point = set.points[i];
    point.position = base + axisU * c.x + axisV * c.y + worldNormal * (0.5 * c.s);
    point.x = c.x;
    point.y = c.y;
    point.separation = c.s;
    point.feature = cornerName(before, c.edge);
    before = c.edge;
  }
  set.count = current->count;
}

}  // namespace

void collideBoxBox(const Solid& a, const Solid& b, double margin, Manifold& manifold) {
  const Vec3& halfA = a.shape.size;
  const Vec3& halfB = b.shape.size;
  const Mat3 relative = a.rotation.transpose() * b.rotation;  // B's axes in A's frame
  const Vec3 center = a.rotation.transpose() * (b.position - a.position);
  const Mat3 absolute = relative.cwiseAbs();
  PolytopeAxes axes;
  const auto isApart = [&](double separation) {  // along an axis: no distance is less
    if (separation > margin) manifold.clearance = separation;
    return separation > margin;
  };

  const Vec3 onA = center.cwiseAbs() - halfA - absolute * halfB;
  int k;
  axes.separationA = onA.maxCoeff(&k);
  if (isApart(axes.separationA)) return;
  axes.faceA = static_cast<std::uint32_t>(2 * k + (center[k] < 0.0 ? 1 : 0));
  const Vec3 centerInB = relative.transpose() * center;
  const Vec3 onB = centerInB.cwiseAbs() - halfB - absolute.transpose() * halfA;
  axes.separationB = onB.maxCoeff(&k);
  if (isApart(axes.separationB)) return;
  // B's face looks back at A.
  axes.faceB = static_cast<std::uint32_t>(2 * k + (centerInB[k] > 0.0 ? 1 : 0));

  int bestI = -1, bestJ = 0;
  for (int i = 0; i < 3; ++i) {
    const int i1 = i == 2 ? 0 : i + 1, i2 = i1 == 2 ? 0 : i1 + 1;
    for (int j = 0; j < 3; ++j) {
      const int j1 = j == 2 ? 0 : j + 1, j2 = j1 == 2 ? 0 : j1 + 1;
      // The axis e_i x b_j has components -b(i2) along i1 and b(i1) along i2.
      const double squared = relative(i1, j) * relative(i1, j) + relative(i2, j) * relative(i2, j);
      if (squared < 1e-12) continue;
      const double reachA = halfA[i1] * absolute(i2, j) + halfA[i2] * absolute(i1, j);
      const double reachB = halfB[j1] * absolute(i, j2) + halfB[j2] * absolute(i, j1);
      const double distance = std::abs(center[i2] * relative(i1, j) - center[i1] * relative(i2, j));
      const double separation = (distance - reachA - reachB) / std::sqrt(squared);
      if (separation > axes.separationEdges) {
        axes.separationEdges = separation;
        if (isApart(separation)) return;
        bestI = i;
        bestJ = j;
      }
    }
  }

  if (bestI >= 0) {
    const int i = bestI, j = bestJ;
    const int i1 = i == 2 ? 0 : i + 1, i2 = i1 == 2 ? 0 : i1 + 1;
    const int j1 = j == 2 ? 0 : j + 1, j2 = j1 == 2 ? 0 : j1 + 1;
    Vec3 normal = Vec3::Zero();
    normal[i1] = -relative(i2, j);
    normal[i2] = relative(i1, j);
    normal.normalize();
    if (normal.dot(center) < 0.0) normal = -normal;
    // The edge of each box that reaches farthest towards the other.
    Vec3 onEdgeA = Vec3::Zero();
    const bool plusA1 = normal[i1] > 0.0, plusA2 = normal[i2] > 0.0;
    onEdgeA[i1] = plusA1 ? halfA[i1] : -halfA[i1];
    onEdgeA[i2] = plusA2 ? halfA[i2] : -halfA[i2];
    const Vec3 normalInB = relative.transpose() * normal;
    const bool plusB1 = normalInB[j1] < 0.0, plusB2 = normalInB[j2] < 0.0;
    const Vec3 onEdgeB =
        center + relative.col(j1) * (plusB1 ? halfB[j1] : -halfB[j1]) + relative.col(j2) * (plusB2 ? halfB[j2] : -halfB[j2]);
    Vec3 armA = Vec3::Zero();
    armA[i] = halfA[i];
    const CorePoints points = closestOfSegments(onEdgeA, armA, onEdgeB, relative.col(j) * halfB[j]);
    axes.edgeNormal = a.rotation * normal;
    axes.edgePointA = a.position + a.rotation * points.first;
    axes.edgePointB = a.position + a.rotation * points.second;
    const auto edgeName = [](int axis, bool plus1, bool plus2) {
      return static_cast<std::uint32_t>(4 * axis + (plus1 ? 1 : 0) + (plus2 ? 2 : 0));
    };
    axes.edgeFeature = featureName(FeatureKind::Edges, (edgeLabel(false, edgeName(i, plusA1, plusA2)) << 15) |
                                                           edgeLabel(true, edgeName(j, plusB1, plusB2)));
  }

  const double smaller = std::min(halfA.maxCoeff(), halfB.maxCoeff());
  const bool ofB = axes.prefersB(kAxisTie * smaller);
  ContactSet set;
  if (ofB) {
    boxPatch(b, halfA, relative.transpose(), -centerInB, static_cast<int>(axes.faceB), true, kClipSlop * smaller, set);
  } else {
    boxPatch(a, halfB, relative, center, static_cast<int>(axes.faceA), false, kClipSlop * smaller, set);
  }
  manifoldFromAxes(a, b, axes, ofB, margin, set, manifold);
}

}  // namespace cairn
