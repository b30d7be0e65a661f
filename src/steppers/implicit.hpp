// Contacts at the end of the step (GALILEO §2.3): 0 <= g(q+) ⟂ lambda_n >= 0 with exact gaps, by fixpoint iteration over
// complementarity problems.
//
//   1  u' = u,  q' = exp(h u') q
//   2  gaps g, normals and J at q'; surfaces that are curved are curved
//   3  solve  0 <= J_n u+ + g(q')/h - J_n u'  ⟂  lambda_n >= 0,  with friction
//   4  u' = u+, q' = exp(h u') q; again from 2 until nothing moves any more
//
// dg/dt = J_n u holds exactly for vertices on faces, edges on edges and smooth surfaces, so that each pass is Newton's step
// for the gap, without numerical derivatives. The rate of convergence is O(h). A step that does not settle is halved.
//
// Joints: C(q+) = 0 by the same passes, with forces along their rows of the step's beginning (SHAKE), so that mechanisms
// keep their energy.
//
// If bodies went through each other on the way to q', gaps are those of where they met (mechanics/swept_manifold.hpp).
//
// Fails: contacts that change their features from pass to pass; the step then ends as it is and says so.
#pragma once

#include "steppers/bounces.hpp"

namespace cairn {

class ImplicitStepper final : public Stepper {
 public:
  void step(StepContext& context, double dt) override;

 private:
  enum class Result { Settled, Unsettled, Refused };
  Result advance(StepContext& context, double dt, double elapsed, bool last);
  Result halve(StepContext& context, double dt, double elapsed, int halvings);

  IslandSolver solver_;
  Bounces bounces_;
  bool hopeless_ = false;  // even the shortest part of this step did not settle
};

}  // namespace cairn
