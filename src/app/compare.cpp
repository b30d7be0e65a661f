// cairn compare: one scene under every time-stepping method.
#include <fmt/format.h>

#include <ostream>

#include "app/bad_input.hpp"
#include "app/command.hpp"
#include "app/commands.hpp"
#include "app/compare_page.hpp"
#include "app/compare_report.hpp"
#include "app/interrupt.hpp"
#include "app/options.hpp"
#include "app/output_file.hpp"
#include "app/progress.hpp"
#include "app/scene_options.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

constexpr double kDefaultLimit = 60.0;  // s
constexpr double kMostLimit = 1e6;      // s: as many ms as solver settings take

std::vector<std::string> readSteppers(const std::vector<std::string>& texts) {
  std::vector<std::string_view> known = stepperNames();
  known.push_back("all");
  std::vector<std::string> asked;
  const auto add = [&](std::string_view name) {
    if (std::find(asked.begin(), asked.end(), name) == asked.end()) asked.emplace_back(name);
  };
  const auto addAll = [&] {
    for (const std::string_view name : stepperNames()) add(name);
  };
  for (const std::string& text : texts) {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      const std::string name = text.substr(at, comma - at);
      checkNameOption("--steppers", name, known);
      name == "all" ? addAll() : add(name);
      at = comma + 1;
    }
  }
  if (texts.empty()) addAll();
  return asked;
}

void checkSolver(const std::string& solver, const std::vector<std::string>& steppers) {
  if (std::none_of(steppers.begin(), steppers.end(), stepperTakesSolver))
    throw BadInput(fmt::format(
        "--solver: found \"{}\"; none of {} lets its solver be chosen; allowed: leave --solver out, or --steppers with one "
        "of {}",
        solver, fmt::join(steppers, ", "), listNames(steppersWithSolver())));
  checkSolverOption(solver);
}

// A comparison of nothing is no answer.
void checkAnyRan(const MethodComparison& comparison) {
  if (comparison.methods.empty()) return;  // interrupted at once
  std::string reasons;
  for (const MethodRun& method : comparison.methods) {
    if (method.report || method.outcome == MethodOutcome::Interrupted) return;
    reasons += fmt::format("\n  {} {}", method.stepper, shortfall(comparison, method));
  }
  throw BadInput(fmt::format("no method takes the scene {}:{}", comparison.scene.name, reasons));
}

}  // namespace

int commandCompare(const CompareArguments& arguments, std::ostream& out, std::ostream& err) {
  if (arguments.report && arguments.report == arguments.json)
    throw BadInput(fmt::format("--report and --json: both are {}; allowed: two files", *arguments.report));
  const std::vector<std::string> steppers = readSteppers(arguments.steppers);
  if (arguments.solver) checkSolver(*arguments.solver, steppers);
  MethodComparison comparison;
  comparison.limitSeconds = kDefaultLimit;
  if (arguments.limitS)
    comparison.limitSeconds = readNumberOption("--limit-s", *arguments.limitS, {.low = 0, .high = kMostLimit, .unit = "s"});
  comparison.scene = openModel(arguments);
  comparison.drivenBy = drivesOf(comparison.scene);

  const InterruptGuard interrupt;  // before the files, so that Ctrl-C leaves nothing half written
  const auto wholeFile = [](const char* option, const std::optional<std::string>& path) {
    return path ? std::make_unique<WholeFile>(option, *path) : nullptr;
  };
  const std::unique_ptr<WholeFile> pageFile = wholeFile("--report", arguments.report);
  const std::unique_ptr<WholeFile> jsonFile = wholeFile("--json", arguments.json);
  {
    CountProgress progress(err, !arguments.quiet && isTerminal(err), static_cast<int>(steppers.size()));
    for (const std::string& stepper : steppers) {
      if (interrupt.signal() != 0) break;
      SceneModel model = comparison.scene;
      model.settings.stepper = stepper;
      if (arguments.solver && stepperTakesSolver(stepper)) model.settings.solver.name = *arguments.solver;
      const double done = static_cast<double>(comparison.methods.size());
      comparison.methods.push_back(runMethod(
          std::move(model), comparison.limitSeconds,
          [&](double share) {
            progress.show(done + share, stepper);
            return interrupt.signal() == 0;
          },
          InterruptGuard::flag()));
    }
  }
  checkAnyRan(comparison);
  if (jsonFile) jsonFile->commit(compareJson(comparison));
  if (pageFile) pageFile->commit(comparePage(comparison));
  if (!arguments.quiet) out << compareTable(comparison, Paint(wantsColour(out)));
  if (interrupt.signal() != 0) {
    err << fmt::format("cairn: interrupted after {} of {} methods\n",
                       std::count_if(comparison.methods.begin(), comparison.methods.end(),
                                     [](const MethodRun& method) { return method.outcome != MethodOutcome::Interrupted; }),
                       steppers.size());
    return interrupt.exitCode();
  }
  return kExitOk;
}

}  // namespace cairn
