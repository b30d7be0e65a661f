// Pushing overlaps out, and joints back together, moves bodies by velocities that they keep. Where contacts and joints
// contradict each other, an exact answer may ask for any speed: rows that all but depend on each other are then pushed apart
// along what they leave free. So the energy that an answer adds is compared with that of all bodies at the speed of the
// fastest row, and with what drives and kinematic bodies could give. An answer that adds more is replaced by one that pushes
// nothing out, which adds no energy but what is driven; and if that is too much, by one in which whatever drives stands
// still.
#pragma once

#include <memory>

#include "mechanics/island_problem.hpp"

namespace cairn {

bool pushesTooHard(const IslandProblem& island, const Vector& impulse);
// The same problem, in which rows keep their errors. What drives and other bodies prescribe stays.
std::shared_ptr<const ContactProblem> withoutPushingOut(const IslandProblem& island);
// The same with drives and other bodies at rest.
std::shared_ptr<const ContactProblem> withoutDrives(const IslandProblem& island);

}  // namespace cairn
