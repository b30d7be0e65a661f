// The signed distance between two shapes from exact geometry: closed forms where they exist, otherwise GJK when apart and
// EPA when overlapping. This is what Cairn measures its own penetration with, so it depends on nothing in the solver.
#pragma once

#include "geometry/shape.hpp"

namespace cairn {

struct SignedDistance {
  double distance = 0.0;        // m: the gap; negative is the shortest translation that separates the two
  Vec3 normal = Vec3::UnitZ();  // unit, from A to B: moving B by -distance * normal makes them just touch
  Vec3 pointA = Vec3::Zero();   // m, world: witness on A's surface
  Vec3 pointB = Vec3::Zero();   // m, world: pointB - pointA == distance * normal
};

// At most one of the two may be a plane (two planes throw std::invalid_argument). Of composite shapes the two children that
// are nearest or deepest count; an overlap that several of them share may take a longer way out.
SignedDistance signedDistance(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB);

}  // namespace cairn
