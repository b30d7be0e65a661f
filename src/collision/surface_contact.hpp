// A convex shape on a surface of many triangles: the mesh or height field is asked for those that are near, contacts with
// them are corrected where the surface as a whole does not have their normals, and merged to patches.
//
// The proximal normal test. A contact with place p and normal n is real if a small ball (radius epsilon, weldDistance) can
// touch the whole surface there: no other triangle is nearer to p + epsilon n than epsilon. At an edge inside a flat or hollow
// part it is not; neighbours are in the way. Contacts that fail are not dropped, because a valley may be felt through nothing
// else: they take the normal of the incident face that is nearest to theirs, and the shape's distance to that face's plane.
#pragma once

#include <span>
#include <vector>

#include "collision/triangle_contact.hpp"

namespace cairn {

// What a pair knows beside its two shapes, and what is wanted of it.
struct TouchHints {
  double weldDistance = 2e-3;            // m: epsilon
  std::span<const Vec3> pushes{};        // unit, from A to B: contacts of the last step pushed them apart along these
  double* midPhaseSeconds = nullptr;     // the time that finding triangles takes is added to it
};

struct SurfacePatch {
  Manifold manifold;            // in the surface's axes about the shape's position; from the surface to the shape
  std::uint32_t triangle = 0;   // the one with the deepest point
};

// Triangles of a surface: `corners` are about the shape's position.
struct NearTriangle {
  std::uint32_t id = 0;
  bool isNear = false;  // within the margin; the others are only asked for by the test
  Vec3 corners[3];
};

// Fills `patches`, deepest first. `pushes`: unit, surface axes, from the surface to the shape. `triangles` are sorted by their
// number. Does not allocate once the vectors have grown.
void touchTriangles(std::span<const NearTriangle> triangles, const ShapeOnSurface& shape, bool oneSided,
                    std::span<const Vec3> pushes, double margin, double weldDistance, std::vector<SurfacePatch>& patches);

}  // namespace cairn
