// The subcommands, each with its arguments as they were typed.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace cairn {

// Of every command that simulates a scene.
struct SceneArguments {
  std::string scene;
  std::vector<std::string> set;
  std::optional<std::string> solver, seconds, dt, threads;
  bool quiet = false;
};

struct RunArguments : SceneArguments {
  std::vector<std::string> record;
  std::optional<std::string> stepper, every, replay, replayFps, size, picture, report, dumpProblem;
};

struct ExportArguments {
  std::string recording, out;
  std::optional<std::string> replayFps, size;
  bool quiet = false;
};

struct CompareArguments : SceneArguments {
  std::vector<std::string> steppers;
  std::optional<std::string> limitS, report, json;
};

struct SolveArguments {
  std::vector<std::string> files, solver;
  std::optional<std::string> tolerance, limitMs, iterations, plot, report;
  bool quiet = false;
};

struct QueryArguments : SceneArguments {
  std::vector<std::string> ray, cast, overlap, closest;
  std::optional<std::string> at, report;
  bool all = false;
};

struct ViewArguments {
  std::string scene = "tower";
  std::vector<std::string> set;
  std::optional<std::string> port, host, token, log;
  bool noBrowser = false;
  bool paused = false;
};

struct MeshArguments {
  std::string file;
  std::optional<std::string> scale, unit, density, concavity, vertices, out, picture, report;
  bool yUp = false, decompose = false, noCache = false, quiet = false;
};

// Each returns an exit code and may throw SceneError, BadInput or OutputFailure.
int commandRun(const RunArguments& arguments, std::ostream& out, std::ostream& err);
int commandExport(const ExportArguments& arguments, std::ostream& out, std::ostream& err);
int commandCompare(const CompareArguments& arguments, std::ostream& out, std::ostream& err);
int commandSolve(const SolveArguments& arguments, std::ostream& out, std::ostream& err);
int commandQuery(const QueryArguments& arguments, std::ostream& out, std::ostream& err);
int commandView(const ViewArguments& arguments, std::ostream& out, std::ostream& err);
int commandMesh(const MeshArguments& arguments, std::ostream& out);
int commandReplay(const std::string& log, bool quiet, std::ostream& out, std::ostream& err);
int commandList(std::ostream& out);
int commandInfo(const std::string& scene, const std::vector<std::string>& set, std::ostream& out);
int commandCheck(const std::vector<std::string>& files, std::ostream& out, std::ostream& err);
int commandSchema(bool reference, std::ostream& out);
// Runs the program that links the other engines, beside this one, with the arguments as they are. It writes to the
// process's own output.
int commandBench(const std::vector<std::string>& arguments, std::ostream& err);
int runBenchProgram(const std::string& program, const std::vector<std::string>& arguments, std::ostream& err);

}  // namespace cairn
