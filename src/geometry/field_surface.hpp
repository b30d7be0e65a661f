// The surface of a distance field as triangles: to look at, and to have points of it.
#pragma once

#include "cairn/surface.hpp"
#include "geometry/distance_field.hpp"

namespace cairn {

// One vertex in each cell that the surface goes through (Gibson 1998, "surface nets"), moved onto it along the slope; `cells`
// along the longest side.
SurfaceTriangles fieldSurface(const DistanceField& field, int cells);

}  // namespace cairn
