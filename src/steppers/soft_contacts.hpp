// Contacts within a step of the soft stepper: laid out in blocks of eight by colour, swept by the wide kernels, and read
// back.
#pragma once

#include <vector>

#include "dynamics/colouring.hpp"
#include "steppers/soft_bodies.hpp"
#include "steppers/stepper.hpp"
#include "wide/contact_block.hpp"

namespace cairn {

class SoftContacts {
 public:
  void begin(StepContext& context, const SoftBodies& bodies, double h);
  void finish(StepContext& context) const;

  bool bounces() const { return !approaches_.empty(); }
  int colours() const { return colouring_.colours; }

  void applyImpulses(const Tasks& tasks, wide::SolverBody* bodies);
  void solve(const Tasks& tasks, wide::SolverBody* bodies, const wide::SubstepValues& values);
  void relax(const Tasks& tasks, wide::SolverBody* bodies, const wide::SubstepValues& values);
  void noteApproach(const Tasks& tasks, const wide::SolverBody* bodies);
  void bounce(const Tasks& tasks, wide::SolverBody* bodies, const wide::SubstepValues& values);

 private:
  void layOut(StepContext& context);
  template <class Kernel>
  void sweep(const Tasks& tasks, Kernel&& kernel);

  Colouring colouring_;
  std::vector<wide::ContactBlock> blocks_;
  std::vector<wide::ContactPointLanes> points_;
  std::vector<wide::ApproachLanes> approaches_;
  std::vector<std::size_t> runs_;  // blocks of one colour: runs_[c] .. runs_[c + 1]
  std::size_t serialFrom_ = 0;     // blocks from here on share bodies
};

}  // namespace cairn
