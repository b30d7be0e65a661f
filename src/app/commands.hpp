// The subcommands, each with its arguments as they were typed.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace cairn {

struct RunArguments {
  std::string scene;
  std::vector<std::string> set;
  std::optional<std::string> stepper, solver, seconds, dt, threads, record, every, picture, report, dumpProblem;
  bool quiet = false;
};

struct SolveArguments {
  std::vector<std::string> files, solver;
  std::optional<std::string> tolerance, limitMs, iterations, plot, report;
  bool quiet = false;
};

// Each returns an exit code and may throw SceneError, BadInput or OutputFailure.
int commandRun(const RunArguments& arguments, std::ostream& out, std::ostream& err);
int commandSolve(const SolveArguments& arguments, std::ostream& out, std::ostream& err);
int commandList(std::ostream& out);
int commandInfo(const std::string& scene, const std::vector<std::string>& set, std::ostream& out);
int commandCheck(const std::vector<std::string>& files, std::ostream& out, std::ostream& err);
int commandSchema(bool reference, std::ostream& out);

}  // namespace cairn
