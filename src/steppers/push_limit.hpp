// Pushing overlaps out, and joints back together, moves bodies by velocities that they keep. Where contacts and joints
// contradict each other, an exact answer may ask for any speed: rows that all but depend on each other are then pushed apart
// along what they leave free. So the energy that an answer adds is compared with what it would take to push each row out by
// itself; an answer that adds more is replaced by one that pushes nothing out, which never adds energy.
#pragma once

#include <memory>

#include "steppers/island_problem.hpp"

namespace cairn {

bool pushesOutTooHard(const IslandProblem& island, const Vector& impulse);
// The same problem, in which rows keep their errors. What drives and other bodies prescribe stays.
std::shared_ptr<const ContactProblem> withoutPushingOut(const IslandProblem& island);

}  // namespace cairn
