// Springs and dampers in the contacts (penalty_springs.hpp), and springs along the surface that slip when they pull more
// than mu F.
//
// A contact bounces if it came in faster than restitutionSpeed with e > 0, or with a stiffness that its material states,
// until it has lasted three times as long as an impact does. An island with such a contact is advanced by the mean forces
// over the substep, bodies moving with their mean velocities,
//
//   d1 = d0 - h (u_n + u_n+)/2,   F = (V(d1) - V(d0))/(d1 - d0) + damper,
//
// which neither gains nor loses energy without a damper, in substeps of a twentieth of the time that the impact takes. The
// first of them ends where the contact closes. All others, where a spring only carries, have their forces at the end of the
// substep: linearised about a depth d0 with stiffness K = dF/dd and damping C = dF/dd' a contact is then a soft row of the
// ordinary contact problem, F = F0 + K (d - h u_n - d0) - C u_n, that is
//
//   0 <= lambda ⟂ u_n + Gamma lambda - (F0 + K (d - d0))/(h K + C) >= 0,   Gamma = 1/(h (h K + C)).
//
// implicit: both are solved as contact problems, by Newton's method where springs are not linear. explicit: all contacts
// have mean forces, found by repetition, in substeps short for the stiffest of them.
//
// Joints are forces too (STAR §3.2.1): -alpha J^T (Omega^2 C + 2 Omega mu C' + C''), implicit, as rows with compliance. They
// give way by their load over alpha Omega^2 times the mass.
//
// Contacts give way: bodies rest at a depth of weight over stiffness, and creep while friction springs stretch. A contact
// that would be deeper than half of what is thinnest gets a stiffer spring, and the message says so. Overlaps that were
// there before any spring push bodies apart at no more than kPushOutSpeed.
#pragma once

#include "mechanics/solve_islands.hpp"

namespace cairn {

class PenaltyStepper final : public Stepper {
 public:
  void step(StepContext& context, double dt) override;

 private:
  // Takes h (s) at most; returns what it took, or 0 if the solver refused.
  double substep(StepContext& context, double h, double least);

  IslandSolver solver_;
  double elapsed_ = 0.0;  // s since the step began
};

}  // namespace cairn
