// What integration lets drift is put back after every step, the least way in the metric of masses: speeds and places of
// joints, of normals and of tangents that stick.
#pragma once

#include "steppers/acceleration/impacts.hpp"

namespace cairn {

// J u = 0. The impulses are booked if wanted.
void projectSpeeds(const SmoothIsland& island, IslandState& state, const std::vector<ActiveContact>& contacts,
                   double slipTolerance, IslandLoads* loads = nullptr);

// Gaps become what contacts hold (ActiveContact::target, `mostMove` (m) nearer to zero), joints close by at most `mostMove`.
void projectPlaces(const SmoothIsland& island, IslandState& state, const std::vector<ActiveContact>& contacts,
                   double slipTolerance, double mostMove);

}  // namespace cairn
