// The penetration of two polytopes by separating axes: exact, for boxes fast, for hulls as slow as their edges are many.
#pragma once

#include "geometry/core_pair.hpp"

namespace cairn {

struct SatResult {
  double separation = 0.0;      // m: the largest over all axes; if negative, minus the depth
  Vec3 normal = Vec3::UnitX();  // unit, from A to B, A's frame
};

// Two boxes, 15 axes (Gottschalk, Lin, Manocha 1996). Exact when they overlap; when apart, a bound from below.
SatResult boxBoxSat(const CorePair& pair);

// Each a box, a hull or the segment or point inside a capsule or sphere. Exact when they overlap: the candidates are all
// faces of B - A, which are the faces of either and the pairs of edges whose arcs cross on the sphere of normals (Gregorius
// 2013).
SatResult polytopeSat(const CorePair& pair);

}  // namespace cairn
