// The face goes first: if the shape's lowest point over the triangle's plane lies over the triangle, both bounds on the
// distance meet (see collide_curved_flat.cpp), and the contact is proven with the face's normal. So it is for faces that lie
// flush. What is left touches an edge or a corner: the exact distance tells where. An overlap whose shortest way out of the
// thin triangle goes through its back, or along it, is no way out of the solid behind it: there the face's own normal holds.
#include "collision/triangle_contact.hpp"

#include <algorithm>

#include "collision/collide_pairs.hpp"
#include "collision/manifold_tolerances.hpp"
#include "geometry/triangle.hpp"

namespace cairn {
namespace {

constexpr double kSidewaysCosine = 0.05;  // a way out this nearly along the triangle, or behind it, is none

Vec3 lowestPoint(const ShapeOnSurface& shape, const Vec3& normal) {
  return shape.rotation * support(shape.core, shape.rotation.conjugate() * -normal);
}

// A ball is nearest to the point of the triangle that is nearest to its centre.
bool touchBall(double radius, double margin, TriangleContact& contact) {
  const TrianglePoint nearest =
      closestOnTriangle(Triangle{{contact.corners[0], contact.corners[1], contact.corners[2]}}, Vec3::Zero());
  contact.onFace = nearest.feature == TriangleFeature::Face;
  const double distance = nearest.point.norm();
  // Over the face, and behind it, the height counts.
  const double separation = contact.onFace ? contact.height : distance - radius;
  if (separation > margin || (!contact.onFace && contact.height < -2.0 * radius)) return false;
  Vec3 normal = contact.faceNormal;
  if (!contact.onFace && distance > 0.0) normal = -nearest.point / distance;
  if (!(normal.dot(contact.faceNormal) > 0.0)) return false;
  Manifold& manifold = contact.manifold;
  manifold.normal = normal;
  manifold.count = 1;
  manifold.points[0].position = normal * (-radius - 0.5 * separation);
  manifold.points[0].separation = separation;
  manifold.points[0].feature = kSinglePoint;
  if (contact.onFace) contact.over = manifold;
  return true;
}

}  // namespace

double lowestReach(const ShapeOnSurface& shape, const Vec3& normal) {
  return normal.dot(lowestPoint(shape, normal)) - shape.grown;
}

void touchPlane(const Vec3& point, const Vec3& normal, const ShapeOnSurface& shape, double margin, Manifold& manifold) {
  Shape plane;
  plane.type = ShapeType::Plane;
  plane.size = normal;
  plane.offset = normal.dot(point);
  manifold.count = 0;
  manifold.clearance = 0.0;
  collidePlane(Solid(plane, Quat::Identity(), Vec3::Zero()), Solid(shape.core, shape.rotation, Vec3::Zero()),
               margin + shape.grown, manifold);
  growManifold(0.0, shape.grown, manifold);
}

bool touchTriangle(const Vec3 (&corners)[3], const ShapeOnSurface& shape, bool oneSided, bool pushed, double margin,
                   TriangleContact& contact) {
  contact.manifold.count = contact.over.count = 0;
  contact.onFace = false;
  Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
  const double length = normal.norm();
  if (!(length > 0.0)) return false;
  normal /= length;
  const bool behind = normal.dot(corners[0] - shape.corePoint) > 0.0;
  const bool turned = behind && !pushed;
  if (turned && oneSided) return false;
  for (int k = 0; k < 3; ++k) contact.corners[k] = corners[turned && k > 0 ? 3 - k : k];
  contact.faceNormal = turned ? Vec3(-normal) : normal;
  const Vec3& n = contact.faceNormal;
  const Vec3 lowest = lowestPoint(shape, n);
  const double coreHeight = n.dot(lowest - contact.corners[0]);
  contact.height = coreHeight - shape.grown;
  if (contact.height > margin) return false;
  if (shape.core.type == ShapeType::Sphere) return touchBall(shape.core.radius(), margin, contact);
  const double wide = margin + shape.grown;

  Shape triangle;
  triangle.type = ShapeType::Triangle;
  triangle.corners = contact.corners;
  triangle.size = (contact.corners[1] - contact.corners[0])
                      .cwiseAbs()
                      .cwiseMax((contact.corners[2] - contact.corners[0]).cwiseAbs());
  BoxParts partsA, partsB;
  Solid a(triangle, Quat::Identity(), Vec3::Zero()), b(shape.core, shape.rotation, Vec3::Zero());
  b.grown = shape.grown;
  const Polytope polytopeA = polytopeOf(a, partsA);
  Polytope polytopeB;
  if (b.isPolytope()) polytopeB = polytopeOf(b, partsB);
  const PairScale scale = pairScale(a, b);
  const double slop = kClipSlop * scale.smaller;
  ContactSet set;
  touchFlat(polygonFlat(a, polytopeA, 0, false), b, b.isPolytope() ? &polytopeB : nullptr, slop, set);
  const double deepest = set.deepest();
  // Nearly parallel faces count as flush however deep they are: behind the triangle is a solid, not its back.
  const bool flush = set.parallelism >= kFlushCosine && set.count >= 2 && deepest <= wide;
  const bool proven = deepest <= coreHeight + scale.proven || flush;
  reduce(set, wide, contact.over);
  growManifold(0.0, shape.grown, contact.over);
  if (proven) {
    contact.manifold = contact.over;
    contact.onFace = true;
    return contact.manifold.count > 0;
  }
  const SignedDistance exact = exactDistance(a, b);
  if (!(exact.distance <= wide)) return false;
  if (exact.distance <= 0.0 && exact.normal.dot(n) < kSidewaysCosine) {
    contact.manifold = contact.over;
    contact.onFace = true;
    return contact.manifold.count > 0;
  }
  if (exact.normal.dot(n) <= 0.0) return false;
  contactFromDistance(a, &polytopeA, b, b.isPolytope() ? &polytopeB : nullptr, exact, wide, set, contact.manifold);
  growManifold(0.0, shape.grown, contact.manifold);
  contact.onFace = contact.manifold.normal.dot(n) > 1.0 - 1e-9;
  return contact.manifold.count > 0;
}

}  // namespace cairn
