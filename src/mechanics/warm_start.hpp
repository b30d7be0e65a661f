// Impulses from step to step: written to contacts and joints when an island is solved, read where the next solve starts and
// by whoever judges the step. Rows are found again by what they belong to (IslandProblem::Origin).
#pragma once

#include "mechanics/island_problem.hpp"

namespace cairn {

// Adds impulses to those of the contacts and joints that they belong to: to what the step did, and, if it is to start there,
// to what the next step starts from.
void storeImpulses(System& system, const IslandProblem& island, const Vector& impulse, bool startsNext = true);
// The other way round: what the last step stored, friction of a patch shared among its points.
Vector storedImpulses(const System& system, const IslandProblem& island);
// Sets totals of all contacts and joints to zero, for steppers that only touch those with a problem.
void forgetImpulses(System& system);

}  // namespace cairn
