// How much pushing bodies out of each other may cost. A penetration that joints, levers or other contacts hold has next to
// no mobility: pushed out at some speed it makes something else arbitrarily fast. So does a kinematic body that presses on
// it.
#pragma once

#include "steppers/solve_islands.hpp"

namespace cairn {

struct PushOut {
  double speed;  // m/s: of parting; more kinetic energy than that gives to all bodies of an island is too much
  double dt;     // s
  // The same problems, but nothing is pushed out and no joint closed: with no speed a solution, none of them gains.
  std::function<std::vector<IslandProblem>()> without;
};

// Solves the islands; if they contradict each other or would get too fast, again without pushing out; and if kinematic
// bodies make them too fast even so, again as if those stood still. Says what it did. False if the solver does not take
// them.
bool solveGently(StepContext& context, IslandSolver& solver, const SolverSettings& settings, const PushOut& push,
                 std::vector<IslandProblem>& islands);

}  // namespace cairn
