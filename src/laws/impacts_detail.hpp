// What both orders of impacts share.
#pragma once

#include "laws/impacts.hpp"

namespace cairn {

// The problem after some impulses: velocities are what they have become.
ProblemData continuedAfter(const ContactProblem& problem, const Vector& impulse);

// Kinetic energy gained (J), from the velocities of the rows before and after.
inline double energyGained(const Vector& impulse, const Vector& before, const Vector& after) {
  return 0.5 * impulse.dot(before + after);
}
// All the work that was done either way: what gains are measured against.
inline double workDone(const Vector& impulse, const Vector& before, const Vector& after) {
  return 0.5 * impulse.cwiseAbs().dot(before.cwiseAbs() + after.cwiseAbs());
}

ImpactsResult simultaneousImpacts(const ContactProblem& problem, std::span<const ImpactParameters> parameters,
                                  const std::string& solver, double tolerance);
ImpactsResult sequentialImpacts(const ContactProblem& problem, std::span<const ImpactParameters> parameters, bool byBlock,
                                const std::string& solver, double tolerance);

// Solves it to `tolerance`, relative by the solver's own measure or over `speed` (m/s). The latter because expansion may
// have next to nothing left to do, and then no relative measure is met. Empty if that went well, else what to tell people.
std::string solveBy(const std::string& solver, double tolerance, double speed, const ContactProblem& problem,
                    Vector& impulse);

}  // namespace cairn
