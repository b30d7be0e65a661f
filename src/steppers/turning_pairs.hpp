// What bodies that turn far within a step meet on their way, which the step's beginning does not show.
#pragma once

#include "dynamics/system.hpp"

namespace cairn {

struct TurningMeeting {
  std::uint32_t bodyA = kNone, bodyB = kNone;
  double turn = 0.0;  // rad, in the step
};

// Pairs that are farther apart than `apart` (m) now, turn by more than kTurnPerPass (passes.hpp) within dt (s), and
// meet meanwhile if they go on as they do.
std::vector<TurningMeeting> turningMeetings(const System& system, double dt, double apart);

}  // namespace cairn
