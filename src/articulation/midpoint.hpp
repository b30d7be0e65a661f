// The implicit midpoint rule in reduced coordinates:
//
//   q_m = q + (h/2) v_m,   v_m = v + (h/2) a(q_m, v_m),   q_1 = q_m + (h/2) v_m,   v_1 = 2 v_m - v
//
// with quaternions moved by the exponential map. Symmetric in time and of second order: the energy of a mechanism swings
// about its value and does not drift. Viscous damping of the joints is in it, linearly implicit, so that no damping is too
// strong.
#pragma once

#include "articulation/data.hpp"

namespace cairn {

struct MidpointScratch {
  Vector q, v, middle, acceleration, efforts;
};

// From data.q and data.v by h with constant efforts. False, and nothing changed, if the equations were not solved within
// kMidpointRounds. Leaves positions and velocities of the nodes computed for the end of the step.
inline constexpr int kMidpointRounds = 30;
bool stepMidpoint(const ArticulationModel& model, ArticulationData& data, double h, const Vector& efforts,
                  MidpointScratch& scratch);
// The same in as many equal parts, a power of two, as it takes; false if kMidpointHalvings do not suffice.
inline constexpr int kMidpointHalvings = 8;
bool stepMidpointSafely(const ArticulationModel& model, ArticulationData& data, double h, const Vector& efforts,
                        MidpointScratch& scratch);

// Velocities alone: v_1 = v + h a(q, v_m), v_m = (v + v_1)/2, into data.v. What is at rest feels the forces of where it is,
// to the last digit, and free rotation keeps its energy. False, and nothing changed, if not solved.
bool stepVelocities(const ArticulationModel& model, ArticulationData& data, double h, const Vector& efforts,
                    MidpointScratch& scratch);

// Euler, for comparison: v_1 = v + h a(q, v), q_1 = q + h v_1. Of first order.
bool stepSemiImplicit(const ArticulationModel& model, ArticulationData& data, double h, const Vector& efforts,
                      MidpointScratch& scratch);

}  // namespace cairn
