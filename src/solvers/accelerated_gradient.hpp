// Accelerated projected gradient descent on a convex program (Nesterov; for contacts: Mazhar, Heyn, Negrut, Tasora 2015).
//
//   x+ = P(y - g(y)/L),   y+ = x+ + beta (x+ - x),   beta = theta (1 - theta)/(theta^2 + theta+),
//   theta+ the positive root of theta+^2 = (1 - theta+) theta^2.
//
// L is an estimate of the largest eigenvalue of T W T (x are scaled impulses): doubled whenever the step shows more
// curvature than that, let down a little after each step. If the step goes up the gradient, g(y).(x+ - x) > 0, the momentum
// is given up (O'Donoghue, Candes 2015). The gradient is linear, so that g(y+) follows from g(x+) and g(x): one product with
// W per step.
#pragma once

#include "problem/cone_program.hpp"
#include "solvers/monitor.hpp"

namespace cairn {

class AcceleratedGradient {
 public:
  explicit AcceleratedGradient(const ConeProgram& program) : program_(program) {}

  enum class Outcome { Solved, StepsSpent, LimitReached };
  // Moves x, until program.residual() is at most `target` (m/s); counts its steps with the monitor. Ends with the best x
  // that it has looked at.
  Outcome minimise(Vector& x, double target, int mostSteps, Monitor& monitor);
  double residual() const { return residual_; }  // m/s, of the x that minimise() left
  int steps() const { return steps_; }           // of the last call

 private:
  const ConeProgram& program_;
  double curvature_ = 1.0;  // L, kept for the next program of the same kind
  double residual_ = 0.0;
  int steps_ = 0;
};

}  // namespace cairn
