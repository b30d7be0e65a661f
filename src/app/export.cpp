// cairn export: what a recording (.h5) can still become after the run.
#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "app/bad_input.hpp"
#include "app/command.hpp"
#include "app/commands.hpp"
#include "app/progress.hpp"
#include "app/run_recordings.hpp"
#include "app/terminal.hpp"
#include "export/recorded_run.hpp"
#include "problem/problem_file_error.hpp"

namespace cairn {
namespace {

const std::vector<RecordFormat> kConverted{RecordFormat::Csv,  RecordFormat::Html, RecordFormat::Glb,
                                           RecordFormat::Gltf, RecordFormat::Mp4,  RecordFormat::Webm};

RecordingPlan planFor(const ExportArguments& arguments, const RecordedRun& run) {
  RecordingPlan plan{.option = "OUT",
                     .path = arguments.out,
                     .format = recordFormat("OUT", arguments.out, kConverted),
                     .scene = &run.scene(),
                     .interval = run.interval(),
                     .moments = run.moments()};
  for (const DescribedBody& body : run.scene().bodies)
    plan.names.push_back(body.kind == BodyKind::Static ? std::nullopt : std::optional(body.name));
  return plan;
}

}  // namespace

int commandExport(const ExportArguments& arguments, std::ostream& out, std::ostream& err) {
  recordFormat("OUT", arguments.out, kConverted);  // before a long file is read
  std::optional<double> rate;
  std::pair<int, int> size{1280, 720};
  if (arguments.replayFps) rate = readReplayRate(*arguments.replayFps);
  if (arguments.size) size = readVideoSize(*arguments.size);
  std::error_code error;
  if (std::filesystem::equivalent(arguments.recording, arguments.out, error))
    throw BadInput(fmt::format("RECORDING and OUT: both are {}; allowed: two files", arguments.out));
  const InterruptGuard interrupt;
  try {
    RecordedRun run(arguments.recording);
    RecordingPlan plan = planFor(arguments, run);
    plan.replayRate = rate;
    std::tie(plan.width, plan.height) = size;
    plan.showProgress = !arguments.quiet && isTerminal(err);
    const std::unique_ptr<Recording> recording = openRecording(plan, interrupt, err);
    long done = 0;
    {
      CountProgress progress(err, plan.showProgress, static_cast<int>(std::min<long>(run.moments(), 1000000000)));
      for (Moment moment; interrupt.signal() == 0 && run.next(moment); ++done) {
        recording->record(moment);
        progress.show(static_cast<double>(done), "moments");
      }
    }
    recording->finish(run.report());
    if (!arguments.quiet)
      out << fmt::format("{}: {} moments of {} in {}\n", arguments.recording, done, run.scene().name, arguments.out);
  } catch (const ProblemFileError& failure) {
    throw BadInput(failure.what());
  }
  if (interrupt.signal() != 0) {
    err << "cairn: interrupted\n";
    return interrupt.exitCode();
  }
  return kExitOk;
}

}  // namespace cairn
