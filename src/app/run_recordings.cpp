#include "app/run_recordings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>

#include "app/bad_input.hpp"
#include "app/options.hpp"
#include "picture/picture.hpp"

namespace cairn {
namespace {

constexpr double kFastestReplay = 1000.0;  // frames per second

const std::vector<RecordFormat> kRecorded{RecordFormat::Csv,  RecordFormat::Hdf5, RecordFormat::Log, RecordFormat::Glb,
                                          RecordFormat::Gltf, RecordFormat::Mp4,  RecordFormat::Webm};

}  // namespace

std::pair<int, int> readVideoSize(const std::string& text) {
  int width = 0, height = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, width);
  const bool hasCross = first.ec == std::errc{} && first.ptr != end && *first.ptr == 'x';
  const auto second = hasCross ? std::from_chars(first.ptr + 1, end, height) : first;
  const auto fits = [](int side) { return side >= 16 && side <= 4096 && side % 2 == 0; };  // videos halve their colours
  if (!hasCross || second.ec != std::errc{} || second.ptr != end || !fits(width) || !fits(height))
    throw BadInput(
        fmt::format("--size: found \"{}\"; allowed: width and height in pixels, even numbers from 16 to 4096, such "
                    "as 1280x720",
                    text));
  return {width, height};
}

double readReplayRate(const std::string& text) {
  return readNumberOption("--replay-fps", text,
                          {.low = 0, .high = kFastestReplay, .lowOpen = true, .unit = "frames per second"});
}

RecordOptions::RecordOptions(const RunArguments& arguments) : scene(arguments.scene), replay(arguments.replay) {
  for (const std::string& text : arguments.set) set.push_back(readSetOption(text));
  if (arguments.every) {
    every = readWholeOption("--every", *arguments.every, 1, 1000000000);
    if (arguments.record.empty())
      throw BadInput("--every: says how often --record writes; allowed: together with --record FILE");
  }
  if (arguments.replayFps) {
    replayRate = readReplayRate(*arguments.replayFps);
    if (!replay) throw BadInput("--replay-fps: says how many frames --replay has; allowed: together with --replay FILE");
  }
  for (const std::string& path : arguments.record) files.emplace_back(path, recordFormat("--record", path, kRecorded));
  if (replay) recordFormat("--replay", *replay, {RecordFormat::Html});
  if (arguments.size) {
    std::tie(width, height) = readVideoSize(*arguments.size);
    const bool hasVideo = std::any_of(files.begin(), files.end(), [](const auto& file) { return isVideo(file.second); });
    if (!hasVideo)
      throw BadInput("--size: says how large a video is; allowed: together with --record FILE.mp4 or FILE.webm");
  }
}

RunRecordings::RunRecordings(const RecordOptions& options, const SceneRun& run, const InterruptGuard& interrupt,
                             bool showProgress, std::ostream& err) {
  if (options.files.empty() && !options.replay) return;
  const SceneModel& model = run.model();
  std::optional<SceneDescription> scene;  // made if something needs it
  const bool onlyCsv = !options.replay && std::all_of(options.files.begin(), options.files.end(),
                                                      [](const auto& file) { return file.second == RecordFormat::Csv; });
  if (!onlyCsv) scene = describeWhole(run);

  const auto open = [&](const char* option, const std::string& path, RecordFormat format, int every) {
    RecordingPlan plan{.option = option,
                       .path = path,
                       .format = format,
                       .model = &model,
                       .scene = scene ? &*scene : nullptr,
                       .interval = every * model.dt,
                       .moments = run.stepCount() / every + 1,
                       .every = every,
                       .replayRate = options.replayRate,
                       .width = options.width,
                       .height = options.height,
                       .showProgress = showProgress};
    if (format == RecordFormat::Log) {
      if (model.settings.solver.milliseconds > 0.0)
        throw BadInput(
            fmt::format("{} {}: with settings.solver.milliseconds the result depends on the machine, and a log could "
                        "not be repeated; allowed: 0, or another kind of file",
                        option, path));
      plan.origin = openWithOrigin(options.scene, options.set).origin;
      addOptions(plan.origin, model);
    }
    for (const SceneBody& body : model.bodies)
      plan.names.push_back(body.desc.kind == BodyKind::Static ? std::nullopt : std::optional(body.desc.name));
    entries_.push_back({openRecording(plan, interrupt, err), every, option, path});
  };
  for (const auto& [path, format] : options.files)
    open("--record", path, format, format == RecordFormat::Log ? 1 : options.every);  // a log needs every step
  if (options.replay) open("--replay", *options.replay, RecordFormat::Html, 1);
  const bool withContacts =
      std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.recording->wantsContacts(); });
  taker_ = std::make_unique<MomentTaker>(run, withContacts);
}

void RunRecordings::start() {
  if (!taker_) return;
  const Moment& moment = taker_->start();
  for (const Entry& entry : entries_) entry.recording->record(moment);
}

void RunRecordings::afterStep(long step, const StepReport& report, const RunSample& sample) {
  const auto isDue = [&](const Entry& entry) { return step % entry.every == 0; };
  if (std::none_of(entries_.begin(), entries_.end(), isDue)) return;
  const Moment& moment = taker_->afterStep(step, report, sample);
  for (const Entry& entry : entries_)
    if (isDue(entry)) entry.recording->record(moment);
}

void RunRecordings::finish(const std::string& report) {
  std::exception_ptr failure;  // the first; the others are finished all the same
  for (const Entry& entry : entries_) {
    try {
      entry.recording->finish(report);
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

std::string RunRecordings::table(const Paint& paint) const {
  std::string text;
  for (const Entry& entry : entries_) {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(entry.path, error);
    if (error) continue;  // a device, or a video that was not made
    const bool isReplay = entry.option == "--replay";
    text += fmt::format("  {}{}, {:.3g} MB{}\n", paint.dim(fmt::format("{:<16}", isReplay ? "replay" : "recorded")),
                        entry.path, 1e-6 * static_cast<double>(bytes), isReplay ? ", opens in a browser" : "");
  }
  return text;
}

}  // namespace cairn
