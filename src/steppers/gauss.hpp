// Gauss' principle of least constraint in motion space, without friction (Redon, Kheddar, Coquillart 2002): of all motions
// that the contacts allow, bodies take the one nearest to their free motion, measured by mass.
//
//   collisions   min |u+ - u-|_M    with  J u+ >= -e J u-          (eq. 5: Newton's law)
//   motion       min |x - x_free|_M with  J x >= -g/h              x: velocity at the end of the step
//
// The second is the paper's acceleration problem integrated over a step, (x - u)/h being the acceleration; gaps in place of
// second derivatives make it right for curved bodies too, for which eq. 3 is not. Both are nearest-point problems, solved by
// Wilhelmsen's algorithm (solver nnls), joints as free multipliers.
//
// First-order world: no masses in motion, velocity = relaxation * M^-1 f, no restitution: things creep to where forces
// balance.
//
// Refuses friction. Fails: penetrations that contradict each other; the certificate is reported, and the step is taken
// without pushing out.
#pragma once

#include "mechanics/solve_islands.hpp"

namespace cairn {

class GaussStepper final : public Stepper {
 public:
  void step(StepContext& context, double dt) override;

 private:
  IslandSolver solver_;
};

}  // namespace cairn
