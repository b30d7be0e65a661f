// How deep two overlapping convex cores are in each other, by the expanding polytope algorithm (van den Bergen 2001).
#pragma once

#include "geometry/gjk.hpp"

namespace cairn {

inline constexpr int kEpaMaximumVertices = 132;
inline constexpr int kEpaMaximumFaces = 264;  // a closed surface of triangles has 2 V - 4 of them
// When both cores are polytopes the end is exact, and this is the rounding that is allowed for, relative to the coordinates.
inline constexpr double kEpaRounding = 4e-15;
// With curved cores the polytope never arrives: it stops when the bounds agree to this, relative to the depth.
inline constexpr double kEpaCurvedGap = 1e-8;

// How many separate directions are remembered in case the storage runs out before it is known which is the best.
inline constexpr int kEpaCandidates = 6;

struct EpaCandidate {
  double depth = std::numeric_limits<double>::infinity();  // m, as below
  Vec3 normal = Vec3::UnitX();
};

struct EpaResult {
  bool converged = false;  // else the storage was full, or the surface too thin: the numbers are a valid bound, not the best
  bool exact = false;      // converged to rounding: the nearest face of the difference is flat, and was found
  double depth = 0.0;  // m: moving B by depth * normal separates the cores; may be negative by rounding if they only touch
  Vec3 normal = Vec3::UnitX();  // unit, from A to B, A's frame
  Vec3 pointA = Vec3::Zero();   // m, on A's core, A's frame; pointA - depth * normal is on B's
  int iterations = 0;
  // If not converged with a curved core: the best directions met that are well apart (depth infinite: none).
  std::array<EpaCandidate, kEpaCandidates> candidates;
};

// The outcome of GJK may be any: the origin may be inside its simplex, on it, or (by rounding) a little outside of B - A.
EpaResult epa(const CorePair& pair, const GjkResult& start);

// For overlapping cores and a unit normal with its depth: B moved out along the normal until it is just clear of A, and the
// nearest points there, by GJK.
GjkResult gapAfterMovingOut(const CorePair& pair, const Vec3& normal, double depth);

}  // namespace cairn
