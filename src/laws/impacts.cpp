#include "laws/impacts.hpp"

#include "laws/impacts_detail.hpp"

namespace cairn {

namespace {

std::string refusal(const ContactProblem& problem, std::span<const ImpactParameters> parameters, double tolerance) {
  const std::vector<Block>& blocks = problem.blocks();
  const ProblemData& data = problem.data();
  if (parameters.size() != blocks.size())
    return "there are " + std::to_string(blocks.size()) + " blocks, but parameters for " + std::to_string(parameters.size());
  if (!(tolerance > 0.0)) return "the tolerance must be above 0";
  if (!data.compliance.isZero(0.0)) return "impacts take no compliance";
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    if (block.law == Law::Free) continue;
    const std::string name = "block " + std::to_string(i) + ": ";
    if (block.law == Law::Interval &&
        (block.size != 1 || data.lower[block.first] != 0.0 || std::isfinite(data.upper[block.first])))
      return name + "an interval must be one row from 0 to infinity to have impacts";
    if (!(parameters[i].restitution >= 0.0 && parameters[i].restitution <= 1.0)) return name + "restitution must be 0 to 1";
    if (!(std::abs(parameters[i].tangentialRestitution) <= 1.0)) return name + "tangential restitution must be -1 to 1";
  }
  return {};
}

}  // namespace

ProblemData continuedAfter(const ContactProblem& problem, const Vector& impulse) {
  ProblemData data = problem.data();
  data.warmStart.resize(0);
  if (problem.hasBodies())
    data.freeVelocity = problem.bodyVelocity(impulse);
  else
    data.bias = problem.velocity(impulse);
  return data;
}

std::string solveBy(const std::string& solver, double tolerance, double speed, const ContactProblem& problem,
                    Vector& impulse) {
  SolveLimits limits;
  limits.tolerance = tolerance;
  impulse = Vector::Zero(problem.rows());
  const SolveReport report = makeSolver(solver)->solve(problem, limits, impulse);
  const bool ended = report.exit == Exit::Inaccurate || report.exit == Exit::Stalled || report.exit == Exit::IterationLimit;
  if (report.exit == Exit::Converged || (ended && report.residual.worst <= tolerance * speed)) return {};
  return "solver " + solver + ": " + std::string(nameOf(report.exit)) +
         (report.message.empty() ? "" : ", " + report.message);
}

ImpactsResult resolveImpacts(const ContactProblem& problem, std::span<const ImpactParameters> parameters, ImpactOrder order,
                             const std::string& solver, double tolerance) {
  ImpactsResult result;
  result.impulse = Vector::Zero(problem.rows());
  result.message = refusal(problem, parameters, tolerance);
  if (!result.message.empty()) return result;
  return order == ImpactOrder::Simultaneous
             ? simultaneousImpacts(problem, parameters, solver, tolerance)
             : sequentialImpacts(problem, parameters, order == ImpactOrder::SequentialByBlock, solver, tolerance);
}

}  // namespace cairn
