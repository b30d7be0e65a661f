#include "solvers/lcp_solver.hpp"

namespace cairn {

Capabilities LcpSolver::capabilities() const {
  Capabilities can;
  can.laws.fill(true);
  can.laws[static_cast<int>(Law::Cone)] = false;
  can.planarCone = true;
  return can;
}

namespace {

// "row 2 of block 5", for people.
std::string describeRow(const ContactProblem& problem, int row) {
  for (std::size_t i = 0; i < problem.blocks().size(); ++i) {
    const Block& block = problem.blocks()[i];
    if (row >= block.first && row < block.first + block.size)
      return "row " + std::to_string(row - block.first) + " of block " + std::to_string(i);
  }
  return "a row";
}

// At least so many unknowns the mixed LCP will have; cheap, unlike making it.
int mixedLcpSize(const ContactProblem& problem) {
  int unknowns = 0;
  for (const Block& block : problem.blocks())
    unknowns += block.law == Law::Pyramid && block.size == 3 ? block.facets + 2
                : isContact(block.law)                       ? 3 * block.size - 2
                                                             : block.size;
  return unknowns;
}

}  // namespace

Exit LcpSolver::iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) {
  if (const int unknowns = mixedLcpSize(problem); unknowns > kMostDenseRows) {
    monitor.explain(std::string(name()) + " works on a dense matrix of at most " + std::to_string(kMostDenseRows) +
                    " unknowns; there are " + std::to_string(unknowns));
    return Exit::Unsupported;
  }
  const MixedLcp mixed = lowerToMixedLcp(problem);
  const StandardLcp standard = eliminateJoints(mixed, problem.data().speedFloor);
  if (standard.inconsistent) {
    monitor.explain("joints contradict each other: " + describeRow(problem, mixed.impulseRow(*standard.inconsistent)));
    return Exit::Inconsistent;
  }
  if (standard.singular) {
    monitor.explain(describeRow(problem, mixed.impulseRow(*standard.singular)) +
                    " of a joint is moved by contacts only; the matrix is not positive semidefinite");
    return Exit::Singular;
  }
  if (mostUnknowns() > 0 && standard.lcp.size() > mostUnknowns()) {
    monitor.explain(std::string(name()) + " takes at most " + std::to_string(mostUnknowns()) +
                    " unknowns after joints are eliminated; there are " + std::to_string(standard.lcp.size()));
    return Exit::Unsupported;
  }
  const Vector mixedStart = mixedLcpStart(problem, mixed, impulse);
  Vector start(standard.lcp.size());
  for (int i = 0; i < standard.lcp.size(); ++i) start[i] = mixedStart[standard.boundedRows[i]];
  LcpAnswer answer;
  if (standard.lcp.size() == 0) {  // joints alone
    answer.exit = Exit::Converged;
    answer.x = start;
  } else {
    answer = solveLcp(standard.lcp, start, [&monitor] {
      if (monitor.stop()) return false;
      monitor.countIterations(1);
      return true;
    });
  }
  if (!answer.message.empty()) monitor.explain(answer.message);
  // What failed may still be nearer than the start.
  monitor.keepBest(true);
  monitor.judgeNow(impulse);
  const Vector found = mixed.toImpulse(standard.toMixed(answer.x));
  if (found.allFinite()) monitor.judgeNow(found);
  monitor.restoreBest(impulse);
  return answer.exit == Exit::IterationLimit ? monitor.exit() : answer.exit;
}

}  // namespace cairn
