// Islands that contain articulations, or joints with limits, motors or friction among contacts or in loops, for steppers that
// do not build contact problems: these islands are taken out of the step, solved exactly by themselves, with substeps, and put
// back when the step is over.
//
// They are solved as the stepper `velocity` does: rows of contacts, joints, limits and motors, M^-1 of the tree, any solver.
#pragma once

#include "mechanics/island.hpp"
#include "mechanics/solve_islands.hpp"

namespace cairn {

inline constexpr int kArticulatedSubsteps = 8;

class ArticulatedIslands {
 public:
  // Advances them by dt, aside. Until finish() their bodies seem to sleep.
  void begin(StepContext& context, double dt);
  void finish(StepContext& context);

 private:
  void chooseIslands(const System& world);
  void substep(StepContext& context, double h, bool isFirst);
  IslandSolver solver_;
  Island island_;
  std::vector<std::uint32_t> bodies_;  // of the world
  std::vector<char> isOurs_;           // by island
  struct Joints {
    std::uint32_t bodies = 0, joints = 0;
    bool forces = false;  // along axes of some
  };
  std::vector<Joints> joints_;  // by island
};

}  // namespace cairn
