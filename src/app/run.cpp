// cairn run: simulate, watch, record, report.
#include <fmt/format.h>

#include <csignal>
#include <ostream>

#include "app/bad_input.hpp"
#include "app/command.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/options.hpp"
#include "app/picture.hpp"
#include "app/progress.hpp"
#include "app/recorder.hpp"
#include "app/report.hpp"
#include "scene/gallery.hpp"

namespace cairn {
namespace {

constexpr double kMaximumSteps = 1e8;

SceneModel openModel(const RunArguments& arguments) {
  std::vector<Override> overrides;
  for (const std::string& text : arguments.set) overrides.push_back(readSetOption(text));
  // Options are checked before a scene is read: they are quicker to put right.
  if (arguments.stepper) checkNameOption("--stepper", *arguments.stepper, stepperNames());
  std::optional<double> dt, seconds;
  std::optional<int> threads;
  if (arguments.dt) {
    dt = readNumberOption("--dt", *arguments.dt, {.low = 0, .high = kMaximumTimeStep, .lowOpen = true, .unit = "s"});
  }
  if (arguments.seconds) {
    seconds =
        readNumberOption("--seconds", *arguments.seconds, {.low = 0, .high = kMaximumSeconds, .lowOpen = true, .unit = "s"});
  }
  if (arguments.threads) threads = readWholeOption("--threads", *arguments.threads, 1, kMaximumThreads);

  SceneModel model = openScene(arguments.scene, overrides);
  if (arguments.stepper) model.settings.stepper = *arguments.stepper;
  if (dt) model.dt = *dt;
  if (seconds) model.seconds = *seconds;
  if (threads) model.settings.threads = *threads;
  if (model.seconds / model.dt > kMaximumSteps) {
    throw BadInput(fmt::format("{:g} s in steps of {:g} s are {:.3g} steps; allowed: at most {:g}", model.seconds, model.dt,
                               model.seconds / model.dt, kMaximumSteps));
  }
  return model;
}

void refuseSolver(const std::string& solver, const std::string& stepper) {
  throw BadInput(
      fmt::format("--solver: found \"{}\"; the stepper {} sweeps its contacts itself, and no other solver can take "
                  "its place; allowed: leave --solver out",
                  solver, stepper));
}

}  // namespace

int commandRun(const RunArguments& arguments, std::ostream& out, std::ostream& err) {
  int every = 1;
  if (arguments.every) {
    every = readWholeOption("--every", *arguments.every, 1, 1000000000);
    if (!arguments.record) throw BadInput("--every: says how often --record writes; allowed: together with --record FILE");
  }
  const std::pair<const char*, const std::optional<std::string>&> outputs[] = {
      {"--record", arguments.record}, {"--report", arguments.report}, {"--picture", arguments.picture}};
  for (const auto& [option, path] : outputs) {
    for (const auto& [other, otherPath] : outputs) {
      if (option == other) break;
      if (path && path == otherPath)
        throw BadInput(fmt::format("{} and {}: both are {}; allowed: two files", other, option, *path));
    }
  }
  SceneModel model = openModel(arguments);
  if (arguments.solver) refuseSolver(*arguments.solver, model.settings.stepper);

  SceneRun run(std::move(model));
  const InterruptGuard interrupt;  // before the files, so that Ctrl-C leaves nothing half written
  const auto wholeFile = [](const char* option, const std::optional<std::string>& path) {
    return path ? std::make_unique<WholeFile>(option, *path) : nullptr;
  };
  const std::unique_ptr<WholeFile> reportFile = wholeFile("--report", arguments.report);
  const std::unique_ptr<WholeFile> pictureFile = wholeFile("--picture", arguments.picture);
  std::unique_ptr<Recorder> recorder;
  if (arguments.record) recorder = std::make_unique<Recorder>(*arguments.record, every);

  RunMeter meter(run);
  const long steps = run.stepCount();
  {
    Progress progress(err, !arguments.quiet && isTerminal(err), steps * run.model().dt);
    run.admit();
    if (recorder) recorder->record(run, 0);
    for (long i = 0; i < steps && interrupt.signal() == 0; ++i) {
      run.admit();
      meter.beforeStep();
      meter.afterStep(run.step());
      if (recorder) recorder->record(run, i + 1);
      progress.show(run.world().time());
    }
  }
  if (recorder) recorder->close();

  const RunReport report = meter.report();
  const Paint paint(wantsColour(out));
  if (reportFile) reportFile->commit(reportJson(report));
  if (pictureFile) pictureFile->commit(encodePng(renderPicture(run.world())));
  if (!arguments.quiet) {
    out << reportTable(report, paint);
    for (const auto& one : meter.quarantined()) {
      out << fmt::format("  {} {} at {:.6g} s: {}\n", paint.warn("quarantined"), one.name, one.time, one.reason);
    }
  }
  if (const int signal = interrupt.signal(); signal != 0) {
    err << fmt::format("cairn: interrupted at {:.6g} s of {:.6g} s\n", report.seconds, steps * report.dt);
    return signal == SIGTERM ? kExitTerminated : kExitInterrupted;
  }
  return kExitOk;
}

}  // namespace cairn
