// From the triangles of a convex surface to its polygons.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "geometry/convex_triangulation.hpp"

namespace cairn {

using HullLoop = std::vector<std::uint32_t>;  // indices of points, counter-clockwise seen from outside

// Puts neighbouring triangles together whose corners all lie within `tolerance` (m) of one plane, and drops the points that
// are then inside a face or inside an edge. Nothing if the outcome is not a proper convex polyhedron (Euler, every edge
// between two faces, every point below every face): ask again with a smaller tolerance.
std::optional<std::vector<HullLoop>> mergeFaces(std::span<const Vec3> points, std::span<const HullTriangle> triangles,
                                                double tolerance);

// Unit normal of a polygon by Newell's method: the best plane, whichever corners are nearly in line. Zero if it has no area.
Vec3 loopNormal(std::span<const Vec3> points, std::span<const std::uint32_t> loop);

}  // namespace cairn
