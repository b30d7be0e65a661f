// The plain velocity formulation (Erleben eq. 20-33, STAR §3.1): each island is one contact problem,
//   0 <= lambda_n, v_n = J_n u + bias >= 0, complementary; friction by the law asked for;
//   bias = g/h for a gap g > 0, or the stabilised share of a penetration,
// solved by any solver; then u = u_free + M^-1 J^T lambda, q = q + h u. Contacts bounce where the step ends
// (steppers/bounces.hpp): e J_n u- in the same problem as g/h would bounce bodies where they do not touch yet.
//
// Fails: tall stacks need many sweeps of a splitting solver; a penetration is taken back as velocity, which pops bodies
// apart if it is deep (hence pushOutSpeed).
#pragma once

#include "steppers/bounces.hpp"

namespace cairn {

class VelocityStepper : public Stepper {
 public:
  void step(StepContext& context, double dt) override;

 private:
  IslandSolver solver_;
  Bounces bounces_;
};

}  // namespace cairn
