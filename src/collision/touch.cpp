#include "collision/touch.hpp"

#include "collision/composite_touch.hpp"
#include "geometry/composite.hpp"

namespace cairn {

void touchChildren(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, Children children, double margin,
                   Manifold& manifold) {
  if (!a.isComposite() && !b.isComposite()) return collide(a, poseA, b, poseB, margin, manifold);
  if (((children.a | children.b) & kPatch) == 0) {
    const PlacedChild childA = childOf(a, children.a), childB = childOf(b, children.b);
    return collide(childA.shape, poseA * childA.place, childB.shape, poseB * childB.place, margin, manifold);
  }
  Manifold room, found;
  touchComposite(a, poseA, b, poseB, {}, margin, room, [&](Children one, const Manifold& patch) {
    if (one == children) found = patch;
  });
  manifold = found;
}

double touch(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, double margin, Manifold& room,
             ManifoldVisitor visit) {
  return touch(a, poseA, b, poseB, {}, margin, room, visit);
}

double touch(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, const TouchHints& hints, double margin,
             Manifold& room, ManifoldVisitor visit) {
  if (a.isComposite() || b.isComposite()) return touchComposite(a, poseA, b, poseB, hints, margin, room, visit);
  collide(a, poseA, b, poseB, margin, room);
  if (room.count > 0) visit(Children{}, room);
  return room.clearance;
}

}  // namespace cairn
