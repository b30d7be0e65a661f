// Every tolerance of contact generation, with its unit and its reason.
#pragma once

namespace cairn {

// Of the smaller shape's size: how far apart the best separating axis and the closest point found by clipping may be for the
// face contact to count as proven. Only rounding has to fit in it; when it fails, the exact distance is asked for.
inline constexpr double kProvenTolerance = 1e-9;
// The same for the rounding that a large partner brings in, of the larger shape's size.
inline constexpr double kRoundingTolerance = 1e-14;
// Of the smaller shape's size: a later axis must be better by this much to win. It only breaks ties.
inline constexpr double kAxisTie = 1e-8;
// Of the reference face's reach: a vertex this far outside a side still counts as inside, so that equal boxes stacked
// exactly keep the same corners while they tremble.
inline constexpr double kClipSlop = 1e-7;
// Where the true closest direction is not a face normal but differs from one by less than about eight degrees, the patch on
// the face describes the contact better than one point, provided that its deepest point is as deep as the truth within this
// share.
inline constexpr double kPatchCosine = 0.99;
inline constexpr double kPatchShare = 0.02;     // of the distance
inline constexpr double kPatchAbsolute = 1e-7;  // of the smaller shape's size
// Two faces (or a face and a line) within about a degree of parallel make a patch whatever the exact distance says: the gap
// is right at each of its points, and the exact normal may be that of two edges that cross at a tiny angle. Not slivers: an
// overlap deeper than this share of the patch's reach may have a shorter way out sideways.
inline constexpr double kFlushCosine = 0.9998;
inline constexpr double kFlushDepth = 0.1;
// Of the patch's reach: the point set of largest area is kept as long as it misses the deepest point by less than this.
inline constexpr double kDepthTie = 1e-6;
// Relative: a point set must be larger by this much to replace one that was met earlier.
inline constexpr double kAreaTie = 1e-6;
// Sine of the angle between two generators or edges up to which they touch along a line.
inline constexpr double kParallelSine = 0.03;
// Of the smaller radius: how far past the end of a cylinder's axis the nearest core point of the other may be for its side
// still to count as what touches. The gap is then wrong by at most 5e-8 of that radius.
inline constexpr double kSideOffset = 3e-4;
// Cosine that parts a cylinder that stands on a face (its cap touches) from one that lies on it (its side touches). Any
// value between works: near 45 degrees the only deep point is the lowest point of the rim, which both give.
inline constexpr double kStandingCosine = 0.70710678;
// Rise over run of a capsule's core beyond which only its ends, not a cut through it, make contact points.
inline constexpr double kSlope = 0.05;
// Sine of a cap's tilt below which the choice of rim points ignores it.
inline constexpr double kFlatSine = 1e-6;
// Relative: how nearly a ball that proves the depth of an overlap must have that depth as its radius.
inline constexpr double kDepthProof = 1e-6;
// Hulls with more pairs of edges than this are not searched edge by edge: GJK and EPA are faster then (measured).
inline constexpr unsigned kMostEdgePairs = 160;

}  // namespace cairn
