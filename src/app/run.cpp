// cairn run: simulate, watch, record, report.
#include <fmt/format.h>

#include <ostream>

#include "app/bad_input.hpp"
#include "app/command.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/options.hpp"
#include "app/progress.hpp"
#include "app/report.hpp"
#include "app/run_recordings.hpp"
#include "app/scene_options.hpp"
#include "hdf5/problem_file.hpp"
#include "picture/picture.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

void checkSolver(const std::string& solver, const std::string& stepper) {
  if (!stepperTakesSolver(stepper)) {
    throw BadInput(
        fmt::format("--solver: found \"{}\"; the stepper {} sweeps its contacts itself, and no other solver can take "
                    "its place; allowed: leave --solver out, or --stepper with one of {}",
                    solver, stepper, listNames(steppersWithSolver())));
  }
  checkSolverOption(solver);
}

void setAudit(World& world, Audit audit) {
  if (world.settings().audit == audit) return;
  WorldSettings settings = world.settings();
  settings.audit = audit;
  world.setSettings(settings);
}

// The contact problems of one step, as a file beside where the command was started.
class ProblemDump {
 public:
  ProblemDump(const std::optional<std::string>& step, const SceneModel& model, long steps) {
    if (!step) return;
    step_ = readWholeOption("--dump-problem", *step, 1, static_cast<int>(std::min<long>(steps, 1000000000)));
    path_ = fmt::format("{}-step{}.h5", model.name, step_);
    checkOutputPath("--dump-problem", path_);
  }
  Audit audit(long step) const { return step == step_ ? Audit::Problems : Audit::Residual; }
  void afterStep(long step, const World& world) {
    if (step != step_) return;
    std::vector<SavedProblem> problems;
    for (const StepProblem& one : world.contactProblems())
      problems.push_back({one.problem->name(), one.problem, one.impulse});
    count_ = problems.size();
    if (count_ == 0) return;
    try {
      writeProblemHdf5(path_, problems);
    } catch (const ProblemFileError& error) {
      throw OutputFailure(fmt::format("--dump-problem: {}", error.what()));
    }
  }
  std::string line() const {
    if (step_ == 0) return {};
    if (count_ == 0) return fmt::format("nothing touched in step {}: no problem was written", step_);
    return fmt::format("{} contact problem{} of step {} in {}", count_, count_ == 1 ? "" : "s", step_, path_);
  }

 private:
  long step_ = 0;
  std::size_t count_ = 0;
  std::string path_;
};

}  // namespace

int commandRun(const RunArguments& arguments, std::ostream& out, std::ostream& err) {
  std::vector<std::pair<const char*, std::string>> outputs;
  for (const std::string& path : arguments.record) outputs.emplace_back("--record", path);
  if (arguments.replay) outputs.emplace_back("--replay", *arguments.replay);
  if (arguments.report) outputs.emplace_back("--report", *arguments.report);
  if (arguments.picture) outputs.emplace_back("--picture", *arguments.picture);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (outputs[i].second == outputs[j].second)
        throw BadInput(fmt::format("{} and {}: both are {}; allowed: two files", outputs[j].first, outputs[i].first,
                                   outputs[i].second));
  const RecordOptions recordOptions(arguments);
  if (arguments.stepper) checkNameOption("--stepper", *arguments.stepper, stepperNames());
  SceneModel model = openModel(arguments);
  if (arguments.stepper) model.settings.stepper = *arguments.stepper;
  if (arguments.solver) {
    checkSolver(*arguments.solver, model.settings.stepper);
    model.settings.solver.name = *arguments.solver;
  }
  model.settings.audit = Audit::Residual;

  SceneRun run(std::move(model));
  ProblemDump dump(arguments.dumpProblem, run.model(), run.stepCount());
  const InterruptGuard interrupt;  // before the files, so that Ctrl-C leaves nothing half written
  const auto wholeFile = [](const char* option, const std::optional<std::string>& path) {
    return path ? std::make_unique<WholeFile>(option, *path) : nullptr;
  };
  const std::unique_ptr<WholeFile> reportFile = wholeFile("--report", arguments.report);
  const std::unique_ptr<WholeFile> pictureFile = wholeFile("--picture", arguments.picture);
  const bool showProgress = !arguments.quiet && isTerminal(err);
  RunRecordings recordings(recordOptions, run, interrupt, showProgress, err);

  run.world().setStopFlag(InterruptGuard::flag());
  RunMeter meter(run);
  const long steps = run.stepCount();
  std::string failure;  // why a step was not made
  {
    Progress progress(err, showProgress, steps * run.model().dt);
    run.admit();
    recordings.start();
    for (long i = 0; i < steps && interrupt.signal() == 0; ++i) {
      run.admit();
      meter.beforeStep();
      setAudit(run.world(), dump.audit(i + 1));
      const StepReport step = run.step();
      if (step.status == StepStatus::Stopped) break;
      if (step.status == StepStatus::Refused) {
        throw BadInput(step.solve ? fmt::format("--solver: at {:.6g} s, {}; allowed: another solver, such as auto",
                                                run.world().time(), step.refusal())
                                  : std::string(step.refusal()));
      }
      if (step.status != StepStatus::Ok) {
        failure = step.refusal();
        meter.noteFailure(step);
        break;
      }
      meter.afterStep(step);
      dump.afterStep(i + 1, run.world());
      recordings.afterStep(i + 1, step, meter.last());
      progress.show(run.world().time());
    }
  }

  const RunReport report = meter.report();
  const Paint paint(wantsColour(out));
  if (reportFile) reportFile->commit(reportJson(report));
  recordings.finish(reportJson(report));
  if (pictureFile && interrupt.signal() == 0) pictureFile->commit(encodePng(renderPicture(run.world())));
  if (pictureFile && interrupt.signal() != 0)
    err << fmt::format("cairn: --picture {}: no picture was drawn, since the run was interrupted\n", *arguments.picture);
  if (!arguments.quiet) {
    out << reportTable(report, paint);
    if (!dump.line().empty()) out << fmt::format("  {}{}\n", paint.dim(fmt::format("{:<16}", "problems")), dump.line());
    out << recordings.table(paint);
    for (const auto& one : meter.quarantined()) {
      out << fmt::format("  {} {} at {:.6g} s: {}\n", paint.warn("quarantined"), one.name, one.time, one.reason);
    }
  }
  if (!failure.empty()) {
    err << fmt::format("cairn: at {:.6g} s {}\n", run.world().time(), failure);
    return kExitInternal;
  }
  if (interrupt.signal() != 0) {
    err << fmt::format("cairn: interrupted at {:.6g} s of {:.6g} s\n", report.seconds, steps * report.dt);
    return interrupt.exitCode();
  }
  return kExitOk;
}

}  // namespace cairn
