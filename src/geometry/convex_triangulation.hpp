// The surface of a convex hull as triangles: the only file that speaks to Qhull.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/math.hpp"

namespace cairn {

using HullTriangle = std::array<std::uint32_t, 3>;  // indices of points, counter-clockwise seen from outside

// A closed, consistently oriented triangulation of the hull of the points. The points should be about the unit size, with no
// two of them equal. Throws std::invalid_argument with Qhull's own words if it can make no hull of them.
std::vector<HullTriangle> triangulateHull(std::span<const Vec3> points);

}  // namespace cairn
