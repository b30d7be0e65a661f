// Newton's method for a mixed LCP (problem/lcp.hpp) written as equations F(x) = 0, for any complementarity function:
//
//   F_i = f(x_i, y_i), zero exactly where x_i >= 0, y_i >= 0, x_i y_i = 0      bounded rows
//   F_i = y_i                                                                    free rows,      y = A x + b
//
//   (diag(p) + diag(q) (A + alpha)) dx = -F          p = df/dx, q = df/dy (an element of the generalised Jacobian)
//
// Rows with q_i = 0 give dx_i = -F_i/p_i at once; the rest is solved directly. alpha > 0 pulls towards the present x, which
// makes singular systems solvable - redundant contacts, the multipliers of friction - and keeps steps short far away; it
// shrinks with the residual. Everything is scaled symmetrically so that the diagonal of A is 1, and its couplings to
// multipliers are about 1.
//
// Psi = |F|^2/2 must fall below the largest of its last values (non-monotone Armijo). Where no part of a step does that
// alpha grows; then a step down the gradient J^T F is tried; then comes a restart: some sweeps of blocked Gauss-Seidel on
// the contact problem from the best point, from the seventh restart on with impulses shaken at random.
//
// Known failure: for friction LCPs, whose A is not positive semidefinite, Psi has local minima that are no solutions.
// Restarts leave most of them; when they are used up the exit is Stalled, with the best point that was met.
#pragma once

#include "cairn/contact_problem.hpp"
#include "solvers/monitor.hpp"

namespace cairn {

struct LcpFunction {
  double value = 0.0;
  double dx = 0.0, dy = 0.0;
};

struct LcpNewtonOptions {
  double sufficient = 1e-4;  // Armijo: share of the predicted decrease
  int halvings = 12;         // of a step
  int memory = 5;            // values of Psi that a step is compared with; 1: monotone
  double proximal = 0.1;     // alpha over (relative |F|)^0.7
  int sweeps = 10;           // at the start, and before each restart (twice as many each time, up to a limit)
  int restarts = 48;
};

// function(x, y, restart): of one bounded row; it may differ from restart to restart.
using ComplementarityFunction = LcpFunction (*)(double x, double y, int restart);

Exit solveByLcpNewton(const ContactProblem& problem, ComplementarityFunction function, const LcpNewtonOptions& options,
                      Monitor& monitor, Vector& impulse);

}  // namespace cairn
