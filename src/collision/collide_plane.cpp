// A half-space against everything: the plane is a flat without an outline, so every contact is exact.
#include "collision/collide_pairs.hpp"

namespace cairn {

void collidePlane(const Solid& plane, const Solid& other, double margin, Manifold& manifold) {
  Flat flat;
  flat.kind = Flat::Kind::Infinite;
  flat.normal = plane.rotation * plane.shape.size;
  flat.point = plane.position + flat.normal * plane.shape.offset;
  const double height = flat.normal.dot(other.position - flat.point);
  BoxParts parts;
  Polytope polytope;
  const Vec3 down = other.rotation.transpose() * flat.normal;
  const bool isHull = other.type() == ShapeType::Hull;  // looking for its lowest corner is most of the work
  const double above = height - (isHull                           ? 0.0
                                 : other.type() == ShapeType::Box ? other.shape.size.dot(down.cwiseAbs())
                                                                  : reach(other.shape, -down));
  if (!isHull && above > margin) {
    manifold.clearance = above;
    return;
  }
  if (other.isPolytope()) polytope = polytopeOf(other, parts);
  ContactSet set;
  touchFlat(flat, other, &polytope, 0.0, set);
  reduce(set, margin, manifold);
  if (isHull && manifold.count == 0 && set.count > 0) manifold.clearance = set.deepest();
}

}  // namespace cairn
