// Why a solver of a contact problem stopped. In a header of its own: reports count exits, and need nothing else of solvers.
#pragma once

#include <cstdint>
#include <string_view>

namespace cairn {

enum class Exit : std::uint8_t {
  Converged,  // and the judge agrees
  IterationLimit,
  TimeLimit,
  Stalled,       // no progress any more, short of the tolerance
  Inaccurate,    // the method ended as it should, but rounding leaves more than the tolerance
  Infeasible,    // no impulses obey the laws; certified
  Ray,           // Lemke's method ended on a ray: infeasible or unlucky
  Inconsistent,  // joints contradict each other
  Singular,      // a factorisation broke down
  Diverged,      // numbers grew out of bounds; the impulses are those of the warm start
  Unsupported,   // the solver does not take such a problem; see the message
  Stopped,       // SolveLimits::stop was raised
};
inline constexpr int kExitCount = 12;
std::string_view nameOf(Exit exit);

}  // namespace cairn
