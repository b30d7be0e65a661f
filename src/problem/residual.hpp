// The judge's inner half, for steps whose velocities did not come from W lambda + b.
#pragma once

#include "cairn/contact_problem.hpp"

namespace cairn {

// How far impulses and velocities v of the rows (m/s, bias and compliance included) are from obeying the laws together.
Residual judgeVelocities(const ContactProblem& problem, const Vector& impulse, const Vector& v);

}  // namespace cairn
