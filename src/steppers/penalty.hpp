// Springs and dampers in the contacts.
//
//   linear   F = k d + c d'             d = -g > 0, the depth
//   hertz    F = k d^1.5 (1 + 1.5 alpha d')    Hunt and Crossley; alpha = (1 - e)/(speed of impact)
//   both     F >= 0; friction is a spring along the surface that slips when it pulls more than mu F
//
// explicit: forces from the present state, in substeps short for the stiffest contact. implicit: forces at the end of the
// substep. Linearised about a depth d0 with stiffness K = dF/dd and damping C = dF/dd' a contact is then a soft row of the
// ordinary contact problem, F = F0 + K (d - h u_n - d0) - C u_n, that is
//
//   0 <= lambda ⟂ u_n + Gamma lambda - (F0 + K (d - d0))/(h K + C) >= 0,   Gamma = 1/(h (h K + C)),
//
// exact for linear springs, repeated as Newton's method for others. Contacts give way: bodies rest at a depth of weight over
// stiffness, and creep while friction springs stretch.
#pragma once

#include "steppers/solve_islands.hpp"

namespace cairn {

class PenaltyStepper final : public Stepper {
 public:
  void step(StepContext& context, double dt) override;

 private:
  bool substep(StepContext& context, double h);

  IslandSolver solver_;
};

}  // namespace cairn
