// Impacts of all contacts of an island at one instant, by the law of each pair of materials, audited.
#pragma once

#include "mechanics/solve_islands.hpp"

namespace cairn {

// Builds problems for impacts: velocities as they are, no loads, no gaps. `active` chooses the contact points.
std::vector<IslandProblem> impactProblems(const StepContext& context, double dt, Law law,
                                          const std::function<bool(const ContactTerms&)>& active);

// Gives the bodies their velocities after the impact and books it in the report and in context.impacts. Where the laws have
// no answer (the message says so), the impact is plastic. Returns the impulses of each island, for storeImpulses when the
// step is over.
std::vector<Vector> resolveIslandImpacts(StepContext& context, std::vector<IslandProblem>& islands,
                                         const std::string& solver);

}  // namespace cairn
