// An island through one step of the world: smooth motion from event to event.
//
//   1 resolve impacts of all that touches; decide which contacts push, stick, slide (modes.hpp)
//   2 integrate by Cash and Karp's rule, forces solved for at every stage, until the first event (events.hpp)
//   3 project what drifted: gaps, speeds, joints, in the metric of masses; go on with 1
#pragma once

#include "steppers/acceleration/events.hpp"
#include "steppers/acceleration/impacts.hpp"

namespace cairn {

struct IslandOutcome {
  IslandState state;  // state.time says how far it got
  IslandLoads loads;
  ImpactBook book;
  int events = 0;
  int inconsistent = 0;
  std::string message;  // the first thing out of the ordinary
};

IslandOutcome runIsland(const SmoothIsland& island, double dt);

}  // namespace cairn
