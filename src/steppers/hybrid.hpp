// Impulses where contacts are brief, constraints where they last: the open problem that GALILEO §4 names.
//
// Each contact point is brief or lasting. T_b = 2 e |u_n| / a_n predicts the flight after the next bounce, from the speed of
// approach u_n, the restitution e and the acceleration a_n that presses the bodies together; it is infinite if none does.
// (Of a contact that separates it is the flight that it is in, 2 u_n / a_n.)
//
//   brief to lasting    T_b < 2 h, or T_b < 4 h in an island with two or more loaded contacts
//   lasting to brief    no load and separating for 3 steps, or far apart, or an approach with T_b > 4 h
//
// Impulses are the better method while there is less than one event in a step, and T_b measures just that, without speeds to
// tune; the factor 2 between the thresholds is the hysteresis. An island whose contacts are all brief is advanced by
// impacts, each at its own time ("impulse"). An island with a lasting contact, or a joint, is one contact problem ("lcp"
// without restitution, Coulomb's cone); what hits it is resolved before, in one capped impact over all its touching
// contacts, not pair by pair. If a body turns so far that it meets something which the step's beginning does not show, its
// island goes by impacts in that step whatever its contacts are.
//
// Energy: flights add nothing, impacts and plastic solves take away, and a change of mode leaves positions and velocities
// alone: the gap stays as g/h. At most one bounce per contact of a lasting island and step, so there is no Zeno.
#pragma once

#include "mechanics/solve_islands.hpp"

namespace cairn {

class HybridStepper final : public Stepper {
 public:
  void step(StepContext& context, double dt) override;

 private:
  IslandSolver solver_;
};

}  // namespace cairn
