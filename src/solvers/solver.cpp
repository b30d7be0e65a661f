// What all solvers share: refusing what they cannot do, keeping to the rules, and having the last word said by the judge.
#include <chrono>
#include <new>

#include "base/stop.hpp"
#include "cairn/contact_problem.hpp"
#include "solvers/monitor.hpp"

namespace cairn {

std::string_view nameOf(Exit exit) {
  constexpr std::array<std::string_view, kExitCount> names{"converged",  "iteration_limit", "time_limit",  "stalled",
                                                           "inaccurate", "infeasible",      "ray",         "inconsistent",
                                                           "singular",   "diverged",        "unsupported", "stopped"};
  return names[static_cast<int>(exit)];
}

std::string ContactSolver::refusal(const ContactProblem& problem) const {
  const Capabilities can = capabilities();
  const std::string who(name());
  for (const Block& block : problem.blocks()) {
    const bool planar = block.law >= Law::Pyramid && block.size == 2 && can.planarCone;
    if (!can.has(block.law) && !planar)
      return who + " does not take the law \"" + std::string(nameOf(block.law)) + "\"" +
             (block.law == Law::Cone ? " (a circular or elliptic friction cone)" : "");
    if (block.law != Law::Interval || can.finiteIntervals) continue;
    for (int i = block.first; i < block.first + block.size; ++i)
      if (problem.data().lower[i] != 0.0 || std::isfinite(problem.data().upper[i]))
        return who + " takes intervals from 0 to infinity only";
  }
  if (can.mostRows > 0 && problem.rows() > can.mostRows)
    return who + " takes at most " + std::to_string(can.mostRows) + " rows; there are " + std::to_string(problem.rows());
  if (!can.matrixOnly && !problem.hasBodies()) return who + " needs the bodies; the problem is given by its matrix only";
  if (!can.compliance && (problem.data().compliance.array() > 0.0).any()) return who + " does not take compliant rows";
  if (!can.unsymmetric && !problem.isSymmetric()) return who + " needs a symmetric matrix W";
  return {};
}

SolveReport ContactSolver::solve(const ContactProblem& problem, const SolveLimits& limits, Vector& impulse,
                                 IterationLog* log) {
  SolveReport report;
  if (impulse.size() != problem.rows() || !impulse.allFinite()) impulse = Vector::Zero(problem.rows());
  report.message = refusal(problem);
  if (!report.message.empty()) {
    report.exit = Exit::Unsupported;
    report.residual = judge(problem, impulse);
    return report;
  }
  const Vector start = impulse;
  Monitor monitor(problem, limits, limits.iterations > 0 ? limits.iterations : iterationLimit(), log);
  monitor.record(impulse);
  if (problem.rows() == 0) {
    report.exit = Exit::Converged;
    return report;
  }
  // A solver inside a step, or inside another solver, minds the flag that is there already.
  const StopScope scope(limits.stop != nullptr ? limits.stop : StopScope::current());
  try {
    pollStop();
    report.exit = iterate(problem, monitor, impulse);
  } catch (const Stopped&) {
    if (limits.stop == nullptr) throw;
    report.exit = Exit::Stopped;
    if (!monitor.restoreBest(impulse)) impulse = start;
    monitor.explain("stopped from outside");
  } catch (const std::bad_alloc&) {
    report.exit = Exit::Unsupported;
    impulse = start;
    monitor.explain(std::string(name()) + " needs more memory for this problem than there is");
  }
  report.ms = monitor.milliseconds();
  report.iterations = monitor.iterations();
  report.message = monitor.message();
  if (impulse.size() != start.size() || !impulse.allFinite()) {
    impulse = start;
    report.exit = Exit::Diverged;
  }
  report.residual = judge(problem, impulse);
  const bool good = report.residual.forTolerance() <= limits.tolerance;
  if (report.exit == Exit::Converged && !good) report.exit = Exit::Inaccurate;
  if (good && report.exit != Exit::Diverged && report.exit != Exit::Stopped) report.exit = Exit::Converged;
  return report;
}

}  // namespace cairn
