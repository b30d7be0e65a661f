// cairn solve: contact problems from files, solver against solver.
#include <fmt/format.h>

#include <ostream>
#include <set>

#include "app/bad_input.hpp"
#include "app/command.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/options.hpp"
#include "app/output_file.hpp"
#include "app/progress.hpp"
#include "app/solve_plots.hpp"
#include "app/solve_report.hpp"
#include "app/solver_specs.hpp"
#include "hdf5/problem_file.hpp"

namespace cairn {
namespace {

constexpr double kDefaultLimitMs = 10000.0;
// The first run of a small problem measures the caches; quick ones are repeated and the least time counts.
constexpr double kQuickMs = 50.0;
constexpr int kRunsIfQuick = 5;

std::vector<SavedProblem> readAll(const std::vector<std::string>& files) {
  std::vector<SavedProblem> all;
  std::multiset<std::string> stems;
  std::vector<std::string> fileOf;
  for (const std::string& file : files) {
    if (std::count(files.begin(), files.end(), file) > 1)
      throw BadInput(fmt::format("{}: found twice; allowed: each file once", file));
    try {
      for (SavedProblem& one : readProblems(file)) {
        stems.insert(one.name);
        fileOf.push_back(file);
        all.push_back(std::move(one));
      }
    } catch (const ProblemFileError& error) {
      throw BadInput(error.what());
    }
  }
  // Files of the same name in several folders are told apart by their paths.
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (stems.count(all[i].name) == 1) continue;
    const std::size_t number = all[i].name.rfind('#');
    const bool several = std::count(fileOf.begin(), fileOf.end(), fileOf[i]) > 1;
    all[i].name = fileOf[i] + (several ? all[i].name.substr(number) : "");
  }
  return all;
}

SolveReport solveOnce(const ContactProblem& problem, const std::string& spec, const SolveLimits& limits,
                      IterationLog* log = nullptr) {
  Vector impulse = problem.data().warmStart;
  return makeSolver(spec)->solve(problem, limits, impulse, log);
}

SolveRow solveTimed(const SavedProblem& saved, const std::string& spec, const SolveLimits& limits, bool keepLog) {
  SolveRow row{.problem = saved.name,
               .rows = saved.problem->rows(),
               .blocks = static_cast<int>(saved.problem->blocks().size()),
               .solver = spec,
               .report = solveOnce(*saved.problem, spec, limits),
               .log = {}};
  if (!row.taken()) return row;
  for (int run = 1; run < kRunsIfQuick && row.report.ms < kQuickMs && row.report.exit != Exit::TimeLimit; ++run)
    row.report.ms = std::min(row.report.ms, solveOnce(*saved.problem, spec, limits).ms);
  // A log changes how often a solver is judged, so it is not kept while the time counts.
  if (keepLog) {
    const SolveReport logged = solveOnce(*saved.problem, spec, limits, &row.log);
    row.log.entries.push_back({logged.iterations, logged.ms, logged.residual});  // some solvers log nothing between
  }
  return row;
}

}  // namespace

int commandSolve(const SolveArguments& arguments, std::ostream& out, std::ostream& err) {
  SolveLimits limits;
  limits.milliseconds = kDefaultLimitMs;
  if (arguments.tolerance)
    limits.tolerance = readNumberOption("--tolerance", *arguments.tolerance, {.low = 0, .high = 1, .lowOpen = true});
  if (arguments.limitMs)
    limits.milliseconds = readNumberOption("--limit-ms", *arguments.limitMs, {.low = 0, .high = 1e9, .unit = "ms"});
  if (arguments.iterations) limits.iterations = readWholeOption("--iterations", *arguments.iterations, 1, 1000000000);
  if (arguments.plot && arguments.plot == arguments.report)
    throw BadInput(fmt::format("--plot and --report: both are {}; allowed: two files", *arguments.plot));
  SolveComparison comparison;
  comparison.tolerance = limits.tolerance;
  comparison.solvers = readSolverSpecs(arguments.solver);
  const std::vector<SavedProblem> problems = readAll(arguments.files);
  for (const SavedProblem& one : problems) comparison.problems.push_back(one.name);

  const InterruptGuard interrupt;
  limits.stop = InterruptGuard::flag();
  const auto wholeFile = [](const char* option, const std::optional<std::string>& path) {
    return path ? std::make_unique<WholeFile>(option, *path) : nullptr;
  };
  const std::unique_ptr<WholeFile> plotFile = wholeFile("--plot", arguments.plot);
  const std::unique_ptr<WholeFile> reportFile = wholeFile("--report", arguments.report);
  const bool convergence = problems.size() == 1;
  {
    const int all = static_cast<int>(problems.size() * comparison.solvers.size());
    CountProgress progress(err, !arguments.quiet && isTerminal(err), all);
    for (const SavedProblem& one : problems) {
      for (const std::string& solver : comparison.solvers) {
        if (interrupt.signal() != 0) break;
        progress.show(static_cast<double>(comparison.rows.size()), one.name + " with " + solver);
        SolveRow row = solveTimed(one, solver, limits, plotFile != nullptr && convergence);
        if (interrupt.signal() != 0) break;  // in the middle of it
        comparison.rows.push_back(std::move(row));
      }
    }
  }
  if (reportFile) reportFile->commit(comparisonJson(comparison));
  if (plotFile) plotFile->commit(convergence ? convergencePlot(comparison) : performancePlot(comparison));
  if (!arguments.quiet) out << comparisonTable(comparison, Paint(wantsColour(out)));
  if (interrupt.signal() != 0) {
    err << fmt::format("cairn: interrupted after {} of {} solves\n", comparison.rows.size(),
                       problems.size() * comparison.solvers.size());
    return interrupt.exitCode();
  }
  return kExitOk;
}

}  // namespace cairn
