#include "collision/touch.hpp"

namespace cairn {

void touchChildren(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, Children, double margin,
                   Manifold& manifold) {
  collide(a, poseA, b, poseB, margin, manifold);
}

double touch(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, double margin, Manifold& room,
             ManifoldVisitor visit) {
  touchChildren(a, poseA, b, poseB, {}, margin, room);
  if (room.count > 0) visit(Children{}, room);
  return room.clearance;
}

}  // namespace cairn
