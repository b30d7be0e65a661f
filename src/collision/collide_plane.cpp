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
  if (other.isPolytope()) {
    const Vec3 down = other.rotation.transpose() * flat.normal;
    if (other.type() == ShapeType::Box && height - other.shape.size.dot(down.cwiseAbs()) > margin) return;
    polytope = polytopeOf(other, parts);
  } else if (height - reach(other.shape, other.rotation.transpose() * flat.normal) > margin) {
    return;
  }
  ContactSet set;
  touchFlat(flat, other, &polytope, 0.0, set);
  reduce(set, margin, manifold);
}

}  // namespace cairn
