// Contacts within a step of the soft stepper: laid out in blocks of eight by colour, swept by the wide kernels, and read
// back.
#pragma once

#include <vector>

#include "dynamics/colouring.hpp"
#include "steppers/soft_bodies.hpp"
#include "steppers/stepper.hpp"
#include "wide/contact_block.hpp"

namespace cairn {

// A spring-damper row over a substep h, from its undamped angular frequency and damping ratio, relative to the row's mass m:
// k = m w^2, c = 2 zeta m w, softness 1/(h (h k + c)). Implicit Euler, so stable for any stiffness.
struct Softness {
  float rate;       // 1/s
  float massScale;  // m_soft / m; the spring lets go of the rest, 1 - massScale, of the impulse in each pass
};

// What all contacts of a step share.
struct SoftContactValues {
  Softness between;  // two bodies that can be moved
  Softness ground;   // one that cannot
  float pushOut;     // m/s
  float memory;      // share of the last load that is remembered
  float h;           // s
  float rescale;     // of stored impulses, to this substep's length
};

class SoftContacts {
 public:
  void begin(StepContext& context, const SoftBodies& bodies, double h);
  void finish(StepContext& context) const;
  // Rows of bodies that spin fast for their shape, for the inertia that they have now.
  void refreshSpinning(StepContext& context, const SoftBodies& bodies);

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
  std::vector<std::size_t> runs_;                                  // blocks of one colour: runs_[c] .. runs_[c + 1]
  std::vector<std::pair<std::uint32_t, std::uint32_t>> spinning_;  // block and lane
  SoftContactValues values_{};
  std::size_t serialFrom_ = 0;  // blocks from here on share bodies
};

}  // namespace cairn
