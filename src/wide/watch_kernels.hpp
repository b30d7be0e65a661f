// Contacts that are only looked at, to see whether they come close: no rows, one gap for all points of a contact.
#pragma once

#include <span>

#include "wide/contact_block.hpp"

namespace cairn::wide {

struct alignas(64) WatchBlock {
  std::uint32_t bodyA[kLanes], bodyB[kLanes];
  Lane3 normal;         // from A to B
  Lane gap;             // m at the step's beginning, of the nearest point; huge in an empty lane
  Lane reachA, reachB;  // m: the largest |r x n| of the points
  std::uint32_t first;  // whatever its user finds the contacts by
  std::uint32_t lanes;  // that are in use
  bool meets;           // see watch()
  bool joined;          // it is not watched any more
};

// Notes in `meets` whether a lane might be closer than `closest` (m) after another `ahead` seconds at the present
// velocities.
void watch(std::span<WatchBlock> blocks, const SolverBody* bodies, float ahead, float closest);

}  // namespace cairn::wide
