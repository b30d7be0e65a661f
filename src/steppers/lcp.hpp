// Fixed time steps with one linear complementarity problem each (Anitescu eq. 4.11; Stewart and Trinkle).
//
//   0 <= W_nn l_n + W_nD beta           + b_n + gamma g/h + L  ⟂ l_n   >= 0
//   0 <= W_Dn l_n + W_DD beta + E sigma + b_D                  ⟂ beta  >= 0
//   0 <= mu l_n - E^T beta                                     ⟂ sigma >= 0
//
// Gaps are linearised, so that a contact which closes within the step ends it exactly touching. Steps do not stop at
// collisions. The paper puts the restitution L = e v_n (eq. 4.10) into the problem of the step after the closing one; here
// it has a problem of its own where the closing step ends (steppers/bounces.hpp): the same velocities, but a world never
// shows energy that is on its way from one step to the next.
//
// Fails: penetrations that contradict each other (wedged bodies) leave the problem without a solution; the step is then
// taken without pushing out, and says so.
#pragma once

#include "steppers/bounces.hpp"

namespace cairn {

class LcpStepper final : public Stepper {
 public:
  void step(StepContext& context, double dt) override;

 private:
  IslandSolver solver_;
  Bounces bounces_;
};

}  // namespace cairn
