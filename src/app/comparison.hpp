// One scene under several time-stepping methods: what `cairn compare` makes and shows.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/trace.hpp"
#include "scene/run_report.hpp"

namespace cairn {

enum class MethodOutcome {
  Done,         // ran to the end
  TimeLimit,    // cut off by --limit-s
  Refused,      // does not take the scene or its settings
  OutOfMemory,  // needs more than this machine has
  Interrupted,  // by Ctrl-C
  Failed,       // something went wrong inside a step
};
std::string_view nameOf(MethodOutcome outcome);

struct MethodRun {
  std::string stepper;
  std::optional<std::string> solver;  // none: the stepper has no exchangeable solver
  MethodOutcome outcome = MethodOutcome::Done;
  std::string message;                                  // why it did not get to the end; empty if it did
  double wallSeconds = 0.0;                             // s, with building the world and measuring
  std::optional<RunReport> report;                      // up to where it came; none: not a single step
  Trace energy{}, penetration{}, residual{}, stepMs{};  // J, m, -, ms

  bool done() const { return outcome == MethodOutcome::Done; }
  double stepSeconds() const;   // s, wall clock of all steps, without measuring
  double relativeRise() const;  // of the energy, over its scale
};

struct MethodComparison {
  SceneModel scene;
  double limitSeconds = 0.0;          // for each method; 0: none
  std::vector<std::string> drivenBy;  // what gives the bodies energy from outside, in words
  std::vector<MethodRun> methods;     // in the order they were asked for
};

// Dynamic bodies that are in the world at some time of the run, and how many of them appear after its start.
struct BodyCount {
  int all = 0, later = 0;
};
BodyCount countBodies(const SceneModel& model);

// Runs model.settings.stepper until it is done, refuses, has used up `limitSeconds` of wall-clock time (0: no limit), or
// `goOn`, which gets the share that is done, says no. The limit, and `interrupt` if it is raised, also end a step that takes
// long. Throws SceneError if the scene is wrong whatever the method.
MethodRun runMethod(SceneModel model, double limitSeconds, const std::function<bool(double)>& goOn,
                    const std::atomic<bool>* interrupt = nullptr);

}  // namespace cairn
