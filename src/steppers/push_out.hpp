// How much pushing bodies out of each other may cost. A penetration that joints, levers or other contacts hold has next to
// no mobility: pushed out at some speed it makes something else arbitrarily fast.
#pragma once

#include "steppers/island_problem.hpp"

namespace cairn {

// Whether the impulses leave more kinetic energy than the free velocities have and parting at `speed` (m/s) gives to all
// bodies of the island.
bool pushesTooHard(const System& system, const IslandProblem& island, const Vector& impulse, double speed);

}  // namespace cairn
