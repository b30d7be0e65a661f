// Islands: groups of dynamic bodies that touch or are joined, directly or through others. Bodies that cannot be moved do not
// join islands together.
#pragma once

#include <vector>

#include "base/tasks.hpp"
#include "dynamics/system.hpp"

namespace cairn {

struct IslandScratch {
  std::vector<std::uint32_t> parent;
  std::vector<std::uint32_t> number;
  bool anyAsleep = false;  // a body of an island sleeps
};

// Numbers the islands in the order of their smallest body, writes Body::island, and returns how many there are.
int findIslands(System& system, const Tasks& tasks, IslandScratch& scratch);

// Puts whole islands to sleep that have been slow for long enough, and wakes islands with a body that is awake.
void updateSleep(System& system, const SleepOptions& options, int islands, double dt, IslandScratch& scratch);
void wakeIslands(System& system, int islands, IslandScratch& scratch);

}  // namespace cairn
