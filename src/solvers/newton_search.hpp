// Newton's method on contacts until it is there, begun again in another way whenever it is stuck.
//
// Its merit has local minima, and the pieces may go round in circles. Both depend on where it starts and on rho, which
// changes F everywhere but at its zeros. So a search that makes no progress goes back to its best point, does some sweeps of
// blocked Gauss-Seidel, and goes on from there with another rho; later also with the impulses shaken.
#pragma once

#include "solvers/contact_newton.hpp"
#include "solvers/monitor.hpp"
#include "solvers/sweep.hpp"

namespace cairn {

struct SearchOptions {
  int sweeps = 5;     // before the first restart; twice as many before each further one, up to a limit
  int restarts = 48;  // then it is Exit::Stalled
};

// Leaves the best that was found. The sweeper may be null: it is then made when it is needed.
Exit searchByNewton(const ContactProblem& problem, ContactNewton& newton, std::unique_ptr<Sweeper> sweeper,
                    const SearchOptions& options, Monitor& monitor, Vector& impulse);

}  // namespace cairn
