// Contacts on a flat piece of surface: a plane, a polygon of a box or hull, or the cap of a cylinder.
#pragma once

#include "collision/contact_set.hpp"
#include "collision/solid.hpp"

namespace cairn {

struct Flat {
  enum class Kind : std::uint8_t { Infinite, Polygon, Disc };
  Kind kind = Kind::Infinite;
  bool ownerIsB = false;
  Vec3 normal;                         // unit, out of its owner
  Vec3 point;                          // on it; a disc's centre
  double radius = 0.0;                 // disc
  const Solid* owner = nullptr;        // polygon
  const Polytope* polytope = nullptr;  // polygon
  std::uint32_t face = 0;              // polygon
};

Flat polygonFlat(const Solid& owner, const Polytope& polytope, std::uint32_t face, bool ownerIsB);
Flat capFlat(const Solid& cylinder, double side, bool ownerIsB);  // side +1: the cap at the end of the axis; a cone has -1

// Fills the set with the points of `other` over the flat, each with its own separation along the flat's normal. Points are
// not filtered by distance. `polytope` is the other's, if it is a box or hull. `slop` (m): how far outside the flat still
// counts.
void touchFlat(const Flat& flat, const Solid& other, const Polytope* polytope, double slop, ContactSet& set);

// A convex polygon in the plane whose corners carry a height and the label of the edge that leaves them.
struct ClipVertex {
  double x, y, s;
  std::uint32_t edge;
};
struct ClipPolygon {
  static constexpr int kCapacity = 128;
  int count = 0;
  ClipVertex vertices[kCapacity];
};
// Keeps the part of the polygon with nx x + ny y <= limit (unit normal); `label` names the edge that the cut makes. Returns
// the polygon that holds the result: `from` itself if nothing was cut, else `to`.
ClipPolygon* clip(ClipPolygon* from, ClipPolygon* to, double nx, double ny, double limit, double slop, std::uint32_t label);

}  // namespace cairn
