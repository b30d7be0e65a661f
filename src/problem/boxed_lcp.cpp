// A contact problem as a boxed LCP; the formulation stands in lcp.hpp.
#include <stdexcept>

#include "problem/admissible.hpp"
#include "problem/lcp.hpp"

namespace cairn {

BoxedLcp lowerToBoxedLcp(const ContactProblem& problem) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const ProblemData& data = problem.data();
  BoxedLcp lcp;
  lcp.a = problem.delassus();
  lcp.b = problem.b();
  lcp.lo = Vector::Constant(problem.rows(), -kInfinity);
  lcp.hi = Vector::Constant(problem.rows(), kInfinity);
  lcp.follows.assign(problem.rows(), -1);
  lcp.coefficient = Vector::Zero(problem.rows());
  for (const Block& block : data.blocks) {
    if (block.law == Law::Free) continue;
    if (block.law == Law::Interval) {
      lcp.lo.segment(block.first, block.size) = data.lower.segment(block.first, block.size);
      lcp.hi.segment(block.first, block.size) = data.upper.segment(block.first, block.size);
      continue;
    }
    if (block.law != Law::Box && block.size > 2)
      throw std::invalid_argument("a friction " + std::string(nameOf(block.law)) +
                                  " in space has no bounds for each row by itself; a box has");
    lcp.lo[block.first] = 0.0;
    const BlockVector scale = frictionScale(block);
    for (int i = 1; i < block.size; ++i) {
      lcp.lo[block.first + i] = lcp.hi[block.first + i] = 0.0;
      if (scale[i] == 0.0) continue;
      lcp.follows[block.first + i] = block.first;
      lcp.coefficient[block.first + i] = scale[i];
    }
  }
  return lcp;
}

}  // namespace cairn
