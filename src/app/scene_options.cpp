#include "app/scene_options.hpp"

#include <fmt/format.h>

#include "app/bad_input.hpp"
#include "app/options.hpp"
#include "cairn/contact_problem.hpp"
#include "cairn/options.hpp"
#include "cairn/world.hpp"
#include "scene/gallery.hpp"

namespace cairn {
namespace {

constexpr double kMaximumSteps = 1e8;

}  // namespace

SceneModel openModel(const SceneArguments& arguments) {
  std::vector<Override> overrides;
  for (const std::string& text : arguments.set) overrides.push_back(readSetOption(text));
  // Options are checked before a scene is read: they are quicker to put right.
  std::optional<double> dt, seconds;
  std::optional<int> threads;
  if (arguments.dt) {
    dt = readNumberOption("--dt", *arguments.dt, {.low = 0, .high = kMaximumTimeStep, .lowOpen = true, .unit = "s"});
  }
  if (arguments.seconds) {
    seconds =
        readNumberOption("--seconds", *arguments.seconds, {.low = 0, .high = kMaximumSeconds, .lowOpen = true, .unit = "s"});
  }
  if (arguments.threads) {
    const Option& described = *findOption("", "threads");
    threads = readWholeOption("--threads", *arguments.threads, static_cast<int>(described.least),
                              static_cast<int>(described.most));
  }

  SceneModel model = openScene(arguments.scene, overrides);
  if (dt) model.dt = *dt;
  if (seconds) model.seconds = *seconds;
  if (threads) model.settings.threads = *threads;
  if (model.seconds / model.dt > kMaximumSteps) {
    throw BadInput(fmt::format("{:g} s in steps of {:g} s are {:.3g} steps; allowed: at most {:g}", model.seconds, model.dt,
                               model.seconds / model.dt, kMaximumSteps));
  }
  return model;
}

void checkSolverOption(const std::string& solver) {
  const std::string name = solver.substr(0, solver.find(':'));
  checkNameOption("--solver", name, solverNames());
  try {
    makeSolver(solver);
  } catch (const std::invalid_argument& error) {
    throw BadInput(fmt::format("--solver: {}", error.what()));
  }
}

std::vector<std::string_view> steppersWithSolver() {
  std::vector<std::string_view> names;
  for (const std::string_view name : stepperNames())
    if (stepperTakesSolver(name)) names.push_back(name);
  return names;
}

}  // namespace cairn
