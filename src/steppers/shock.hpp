// Velocity-based shock propagation (Erleben 2007, figure 14): stacks solved from the ground up.
//
//   dynamics(a h) for everything                              the weight above is felt, and every impact
//   for each layer, from the ground up:
//     hold what is below, dynamics((1-a) h), correction by projection
//   let go; contacts anew, correction for everything          what is left of errors is spread
//
// dynamics(t): velocities by Erleben's boxed problem, then positions. correction: 0 <= y ⟂ W_nn y + g + slop >= 0, without
// friction; y (kg m) displaces bodies and leaves their velocities alone. A contact is live in one layer, the higher one's.
//
// A few sweeps are enough where plain sweeps would need hundreds, because each layer sees a fixed ground. The price: while a
// layer is held, momentum goes into it (StepReport::method.swallowed), and bodies feel what rests on them a step late.
//
// Three rules are not in the paper. (1) What is held moves exactly with what carries it: errors that were left in a layer
// would grow by lever from layer to layer, and tall stacks would shake themselves apart. (2) So only what is steady may be
// held: a thing of infinite mass that moves on its own is a source of energy. What its layer's dynamics leave faster than
// restitutionSpeed against its carrier is put off to one last layer, with all that nothing steady supports. (3) A layer
// bears what pressed on it from above in the last step: for the share a alone, a see-saw with a crate on it would not tip.
#pragma once

#include <optional>

#include "steppers/bounces.hpp"
#include "steppers/stack_layers.hpp"

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
  struct Solved {
    std::vector<IslandProblem> islands;
    std::vector<Vector> impulses;
    std::vector<char> bodies;  // by body: it is in one of the islands
    bool startsNext = true;    // the next step's dynamics of this kind start from it
  };
  Layer everything(const System& system) const;
  Layer layerOf(const System& system, std::vector<std::uint32_t> bodies) const;
  // Of everything at once; of a layer on what is held; of all that could not be held.
  enum class Dynamics : std::uint8_t { First, Layer, Rest };
  // Velocities after dt; false if the solver refused.
  bool solve(StepContext& context, const WorldSettings& settings, double dt, Dynamics what, const Layer& layer, Solved& out);
  Vec6 loadFromAbove(const System& system, const Layer& layer, std::uint32_t body, double dt) const;
  void move(StepContext& context, double dt, const Layer& layer, Solved solved);
  bool correct(StepContext& context, const WorldSettings& settings, const Layer& layer);
  bool climb(StepContext& context, const WorldSettings& dynamic, const WorldSettings& correcting, double dt);
  bool keepSteady(const StepContext& context, const Solved& solved, std::vector<std::uint32_t>& bodies) const;
  Vec6 carriedVelocity(const System& system, std::uint32_t body) const;

  IslandSolver solver_, corrector_;
  Bounces bounces_;
  std::optional<StackSearch> search_;
  std::vector<char> held_;                                         // by body
  std::vector<double> reach_;                                      // m, by body: from its centre
  double passed_ = 0.0;                                            // s, of the step
  double stepSeconds_ = 0.0;                                       // s, of the whole step
  std::vector<Solved> found_;                                      // in this step, stored when it is over
  std::vector<std::vector<std::uint32_t>> contactsOf_, jointsOf_;  // by body
};

}  // namespace cairn
