// The last digits of a penetration between curved cores, which EPA's flat faces only approach.
#pragma once

#include "geometry/core_pair.hpp"

namespace cairn {

// Of two cores, in A's frame.
struct CoreDistance {
  double distance;  // m, negative when they overlap
  Vec3 normal;      // unit, from A to B
  Vec3 pointA;      // m, on A; pointA + distance * normal is on B
};

// Slides the normal of overlapping cores to the best one nearby, and puts the point where it belongs. Never makes it worse.
void polish(const CorePair& pair, CoreDistance& core);

}  // namespace cairn
