// Overlaps that a step begins with. Rigid bodies in contact have none, and the equations of this formulation do not know
// what to do with them: they are taken apart first, without touching velocities.
#pragma once

#include "steppers/acceleration/rows.hpp"

namespace cairn {

inline constexpr double kPushOutSpeed = 3.0;   // m/s, at most, out of overlaps and joint errors that were there before
inline constexpr double kOverlapShare = 1e-4;  // of the smaller body's size: less is left to the motion itself

// How deep points overlap beyond that (m).
double deepestOverlap(const SmoothIsland& island, const IslandState& state);

// Moves bodies, the least way in the metric of their masses, so that none is deeper: 0 <= y ⟂ W_nn y + g >= 0, joints
// holding (Erleben's correction step). At most `mostMove` (m) at any contact. True if none is left.
bool takeApart(const SmoothIsland& island, IslandState& state, double mostMove);

}  // namespace cairn
