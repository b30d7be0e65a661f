// Contacts of a batch within a step of the soft stepper: laid out in blocks of eight by colour, swept by the wide kernels,
// and read back.
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
  float h;           // s
  float rescale;     // of stored impulses, to this substep's length
  float unscale;     // and back
};

class SoftContacts {
 public:
  std::vector<ContactEnds> contacts;  // slots, with the batch's numbers of the bodies

  void begin(StepContext& context, SoftBodies& bodies, double dt, double h);
  void finish(StepContext& context) const;
  // Rows of bodies that spin fast for their shape, for the inertia that they have now.
  void refreshSpinning(SoftBodies& bodies);

  bool bounces() const { return !approaches_.empty(); }
  int colours() const { return colouring_.colours; }

  // The order in which colours are swept: 0 as they are, other numbers at random. Swept in the same order again and again,
  // what one colour leaves undone for the next always points the same way, and tall stacks walk. (Low ones do not, and keep
  // their symmetry better in one order.)
  void arrange(int number);
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
  std::vector<ContactEnds> sorting_;
  std::vector<wide::ContactBlock> blocks_;
  std::vector<wide::ContactPointLanes> points_;
  std::vector<wide::ApproachLanes> approaches_;
  std::vector<std::size_t> runs_;        // blocks of one colour: runs_[c] .. runs_[c + 1]
  std::vector<std::uint32_t> order_;     // of the colours
  std::vector<std::uint32_t> spinning_;  // blocks
  SoftContactValues values_{};
  std::size_t serialFrom_ = 0;  // blocks from here on share bodies
};

}  // namespace cairn
