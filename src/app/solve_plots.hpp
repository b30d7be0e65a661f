// Pictures of a comparison of solvers.
#pragma once

#include <string>

#include "app/solve_report.hpp"

namespace cairn {

// Residual against iterations and against time, for a comparison on one problem whose logs were kept.
std::string convergencePlot(const SolveComparison& comparison);

// Dolan and Moré's profile (Math. Programming 91, 2002): the share of problems that a solver solves within tau times the
// least time of any solver; and the share that it solves within a time. Problems that a solver does not take or does not
// solve count against it, those that nobody solved count against all.
std::string performancePlot(const SolveComparison& comparison);

}  // namespace cairn
