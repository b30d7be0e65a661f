#include "app/solve_report.hpp"

#include <fmt/format.h>

#include "app/json_out.hpp"

namespace cairn {
namespace {

std::string milliseconds(double ms) { return ms < 1000.0 ? fmt::format("{:.3g}", ms) : fmt::format("{:.0f}", ms); }

std::string count(std::size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

std::string paintExit(const SolveRow& row, std::size_t width, const Paint& paint) {
  const std::string text = fmt::format("{:<{}}", nameOf(row.report.exit), width);
  if (row.solved()) return paint.good(text);
  return row.report.exit == Exit::Diverged ? paint.bad(text) : paint.warn(text);
}

// Why some pairs are missing: one line for each reason, however many solvers and problems share it.
std::string notTaken(const SolveComparison& comparison, const Paint& paint) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> problems;  // by solver and reason
  for (const SolveRow& row : comparison.rows) {
    if (row.taken()) continue;
    const std::string name = row.solver.substr(0, row.solver.find(':')) + " ";
    const bool named = row.report.message.compare(0, name.size(), name) == 0;
    problems[{row.solver, row.report.message.substr(named ? name.size() : 0)}].push_back(row.problem);
  }
  const auto which = [&](const std::vector<std::string>& hit) -> std::string {
    if (comparison.problems.size() == 1) return {};
    if (hit.size() == comparison.problems.size()) return " (all problems)";
    return hit.size() > 3 ? fmt::format(" ({} problems)", hit.size()) : fmt::format(" ({})", fmt::join(hit, ", "));
  };
  std::map<std::string, std::vector<std::string>> solvers;  // by what is said of them
  std::vector<std::string> order;
  for (const std::string& solver : comparison.solvers) {
    for (const auto& [key, hit] : problems) {
      if (key.first != solver) continue;
      std::vector<std::string>& alike = solvers[key.second + which(hit)];
      if (alike.empty()) order.push_back(key.second + which(hit));
      alike.push_back(solver);
    }
  }
  std::string text;
  for (const std::string& reason : order)
    text += "  " + paint.dim(fmt::format("not taken by {}: {}", fmt::join(solvers[reason], ", "), reason)) + "\n";
  return text.empty() ? text : "\n" + text;
}

// Solver by solver, over all problems.
std::string bySolver(const SolveComparison& comparison, const std::map<std::string, double>& best, const Paint& paint) {
  std::size_t width = 6;
  for (const std::string& solver : comparison.solvers) width = std::max(width, solver.size());
  std::string text =
      "\n  " + paint.dim(fmt::format("{:<{}}  {:>7}  {:>7}  {:>9}", "solver", width, "solved", "fastest", "median ms")) +
      "\n";
  for (const std::string& solver : comparison.solvers) {
    std::vector<double> times;
    int fastest = 0;
    for (const SolveRow& row : comparison.rows) {
      if (row.solver != solver || !row.solved()) continue;
      times.push_back(row.report.ms);
      if (row.report.ms <= best.at(row.problem)) ++fastest;
    }
    std::sort(times.begin(), times.end());
    text += fmt::format("  {:<{}}  {:>7}  {:>7}  {:>9}\n", solver, width,
                        fmt::format("{}/{}", times.size(), comparison.problems.size()), fastest,
                        times.empty() ? "-" : milliseconds(times[times.size() / 2]));
  }
  return text;
}

}  // namespace

std::map<std::string, double> SolveComparison::bestTimes() const {
  std::map<std::string, double> best;
  for (const SolveRow& row : rows) {
    if (!row.solved()) continue;
    const auto [found, isNew] = best.try_emplace(row.problem, row.report.ms);
    if (!isNew) found->second = std::min(found->second, row.report.ms);
  }
  return best;
}

std::string comparisonJson(const SolveComparison& comparison) {
  JsonOut out;
  out.object({}, [&] {
    out.value("tolerance", comparison.tolerance);
    out.list("rows", [&] {
      for (const SolveRow& row : comparison.rows) {
        // Nothing was solved, so nothing is there to be judged.
        const double judged = row.taken() ? 1.0 : std::nan("");
        out.object({}, [&] {
          out.value("problem", row.problem);
          out.value("solver", row.solver);
          out.value("exit", nameOf(row.report.exit));
          out.value("iterations", row.report.iterations);
          out.value("residual", judged * row.report.residual.relative);
          out.value("natmap_rel", judged * row.report.residual.naturalMapRelative);
          out.value("ms", row.report.ms);
          out.value("message", row.report.message);
        });
      }
    });
    out.object("reached", [&] {
      for (const std::string& problem : comparison.problems) {
        out.list(problem, [&] {
          for (const SolveRow& row : comparison.rows)
            if (row.problem == problem && row.solved()) out.value({}, row.solver);
        });
      }
    });
  });
  return out.text();
}

std::string comparisonTable(const SolveComparison& comparison, const Paint& paint) {
  const std::map<std::string, double> best = comparison.bestTimes();
  std::size_t problemWidth = 7, solverWidth = 6, exitWidth = 9;
  for (const SolveRow& row : comparison.rows) {
    problemWidth = std::max(problemWidth, row.problem.size());
    if (!row.taken()) continue;
    solverWidth = std::max(solverWidth, row.solver.size());
    exitWidth = std::max(exitWidth, nameOf(row.report.exit).size());
  }
  std::string text = fmt::format("{}  {}\n", paint.bold("cairn solve"),
                                 fmt::format("{}, {}, tolerance {:g}", count(comparison.problems.size(), "problem"),
                                             count(comparison.solvers.size(), "solver"), comparison.tolerance));
  text += "  " +
          paint.dim(fmt::format("{:<{}}  {:>5}  {:>6}  {:<{}}  {:<{}}  {:>10}  {:>8}  {:>10}  {:>8}", "problem",
                                problemWidth, "rows", "blocks", "solver", solverWidth, "exit", exitWidth, "iterations",
                                "residual", "natmap_rel", "ms")) +
          "\n";
  std::string last;
  for (const SolveRow& row : comparison.rows) {
    if (!row.taken()) continue;
    const std::string problem = fmt::format("{:<{}}  {:>5}  {:>6}", row.problem, problemWidth, row.rows, row.blocks);
    const std::string ms = fmt::format("{:>8}", milliseconds(row.report.ms));
    const bool fastest = comparison.solvers.size() > 1 && row.solved() && row.report.ms <= best.at(row.problem);
    text += fmt::format("  {}  {:<{}}  {}  {:>10}  {:>8.1e}  {:>10.1e}  {}{}\n",
                        row.problem == last ? std::string(problem.size(), ' ') : problem, row.solver, solverWidth,
                        paintExit(row, exitWidth, paint), row.report.iterations, row.report.residual.relative,
                        row.report.residual.naturalMapRelative, fastest ? paint.bold(ms) : ms,
                        row.report.message.empty() ? "" : "  " + paint.dim(row.report.message));
    last = row.problem;
  }
  text += notTaken(comparison, paint);
  if (comparison.problems.size() > 1) text += bySolver(comparison, best, paint);
  text += fmt::format("\n  {} of {} solved\n", best.size(), count(comparison.problems.size(), "problem"));
  return text;
}

}  // namespace cairn
