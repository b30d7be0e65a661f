// Fixed time steps with one linear complementarity problem each (Anitescu eq. 4.11; Stewart and Trinkle).
//
//   0 <= W_nn l_n + W_nD beta           + b_n + gamma g/h + L  ⟂ l_n   >= 0
//   0 <= W_Dn l_n + W_DD beta + E sigma + b_D                  ⟂ beta  >= 0
//   0 <= mu l_n - E^T beta                                     ⟂ sigma >= 0
//
// Gaps are linearised, so that a contact which closes within the step ends it exactly touching. Steps do not stop at
// collisions; restitution comes one step late instead, from the velocity before the contact closed, and so the speed after
// an impact is right for every h (Anitescu eq. 4.10: L = e v_n, v_n negative).
//
// Fails: penetrations that contradict each other (wedged bodies) leave the problem without a solution; the step is then
// taken without pushing out, and says so. Restitution has no energy guarantee with friction.
#pragma once

#include "steppers/solve_islands.hpp"

namespace cairn {

class LcpStepper final : public Stepper {
 public:
  void step(StepContext& context, double dt) override;

 private:
  IslandSolver solver_;
};

}  // namespace cairn
