// Fixed time steps with one linear complementarity problem each (Anitescu eq. 4.11; Stewart and Trinkle).
//
//   0 <= W_nn l_n + W_nD beta           + b_n + gamma g/h + L  ⟂ l_n   >= 0
//   0 <= W_Dn l_n + W_DD beta + E sigma + b_D                  ⟂ beta  >= 0
//   0 <= mu l_n - E^T beta                                     ⟂ sigma >= 0
//
// Gaps are linearised, so that a contact which closes within the step ends it exactly touching. Steps do not stop at
// collisions. A step in which a contact closes is plastic for it; the bounce follows where the step ends, with the velocity
// from before the contact closed (Anitescu eq. 4.10: L = e v_n, v_n negative), and so the speed after an impact is right for
// every h. The paper puts L into the next step's problem; here it has a problem of its own, without loads, when the closing
// step ends: the same velocities, but a world never shows energy that is on its way from one step to the next. If the energy
// were above that of the step's beginning, restitution is lowered until it is not.
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
  struct Closing {
    double tolerance;  // m/s: slower impacts do not bounce
    double gained;     // m/s: by loads, until it touches; negative when they press
    bool pressed;      // it had an impulse in this step
  };
  using Closings = std::unordered_map<ContactKey, Closing, ContactKeyHash>;
  void bounce(StepContext& context, const std::vector<Body>& start, const Closings& contacts, Law law, double dt);

  IslandSolver solver_, bouncer_;
};

}  // namespace cairn
