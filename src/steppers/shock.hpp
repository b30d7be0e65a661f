// Velocity-based shock propagation (Erleben 2007, figure 14): stacks solved from the ground up.
//
//   dynamics(a h) for everything                              the weight above is felt
//   for each layer, from the ground up:
//     hold what is below (it keeps its velocity), dynamics((1-a) h), correction by projection, let go
//   contacts anew, correction for everything                  what is left of errors is spread
//
// dynamics(t): velocities by Erleben's boxed problem, then positions. correction: 0 <= y ⟂ W_nn y + g + slop >= 0, without
// friction; y (kg m) displaces bodies and leaves their velocities alone. A contact is live in one layer, max(height) - 1.
//
// A few sweeps are enough where plain sweeps would need hundreds, because each layer sees a fixed ground. The price: while a
// layer is held, momentum goes into it and is lost (StepReport::method.swallowed), and with a = 0 bodies do not feel what
// rests on them.
#pragma once

#include "steppers/solve_islands.hpp"

namespace cairn {

class ShockStepper final : public Stepper {
 public:
  void step(StepContext& context, double dt) override;

 private:
  struct Layer {
    std::vector<std::uint32_t> bodies;    // that are free in it
    std::vector<std::uint32_t> contacts;  // slots
    std::vector<std::uint32_t> joints;
  };
  bool dynamics(StepContext& context, const WorldSettings& settings, double dt, double elapsed, const Layer& layer);
  bool correct(StepContext& context, const WorldSettings& settings, const Layer& layer);

  IslandSolver solver_, corrector_;
  Vec6 heldVelocity(const StepContext& context, std::uint32_t body) const;

  std::vector<char> held_;              // by body
  std::vector<std::uint32_t> carrier_;  // by body: the kinematic body that it stands on in the end, or none
  std::vector<double> reach_;           // m, by body: from its centre
  struct Found {
    IslandProblem island;
    Vector impulse;
    bool startsNext;
  };
  std::vector<Found> found_;  // in this step, stored when it is over
};

}  // namespace cairn
