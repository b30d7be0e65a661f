#include "app/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "app/bad_input.hpp"
#include "app/video.hpp"
#include "export/gltf_animation.hpp"
#include "export/hdf5_recording.hpp"
#include "export/replay.hpp"
#include "lab/input_log.hpp"
#include "viewer/page.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

struct Ending {
  RecordFormat format;
  std::string_view ending, what;
};
constexpr Ending kEndings[] = {
    {RecordFormat::Csv, ".csv", "a table"},
    {RecordFormat::Hdf5, ".h5", "HDF5 with everything"},
    {RecordFormat::Log, ".cairnlog", "for cairn replay"},
    {RecordFormat::Glb, ".glb", "glTF animation"},
    {RecordFormat::Gltf, ".gltf", "the same as text"},
    {RecordFormat::Html, ".html", "a replay page"},
    {RecordFormat::Mp4, ".mp4", "video"},
    {RecordFormat::Webm, ".webm", "video"},
};

class GltfRecording : public Recording {
 public:
  explicit GltfRecording(const RecordingPlan& plan)
      : file_(plan.option, plan.path), animation_(*plan.scene), binary_(plan.format == RecordFormat::Glb) {}
  void record(const Moment& moment) override { animation_.add(moment); }
  void finish(const std::string&) override { file_.commit(animation_.finish(binary_)); }

 private:
  WholeFile file_;
  GltfAnimation animation_;
  bool binary_;
};

class ReplayRecording : public Recording {
 public:
  explicit ReplayRecording(const RecordingPlan& plan)
      : file_(plan.option, plan.path), replay_(*plan.scene, {plan.interval, plan.moments, plan.replayRate}) {}
  void record(const Moment& moment) override { replay_.add(moment); }
  void finish(const std::string& report) override { file_.commit(replay_.finish(labPage(), report)); }

 private:
  WholeFile file_;
  Replay replay_;
};

// What a run was told, which is its scene, and the hash of every step.
class LogRecording : public Recording {
 public:
  explicit LogRecording(const RecordingPlan& plan)
      : option_(plan.option), path_(plan.path), origin_(plan.origin), dt_(plan.interval) {
    checkOutputPath(option_, path_);
  }
  void record(const Moment& moment) override {
    write([&] {
      if (writer_) return writer_->step(moment.step, moment.facts.stateHash);
      writer_.emplace(path_, origin_, dt_, moment.facts.stateHash);
    });
  }
  void finish(const std::string&) override {
    if (writer_) write([&] { writer_->close(); });
  }

 private:
  template <class Write>
  void write(Write&& how) {
    try {
      how();
    } catch (const LogWriteError& error) {
      writer_.reset();
      removePartial(path_);
      throw OutputFailure(fmt::format("{} {}", option_, error.what()));
    }
  }
  std::string option_, path_;
  SceneOrigin origin_;
  double dt_;  // s
  std::optional<InputLogWriter> writer_;
};

std::unique_ptr<Recording> openHdf5(const RecordingPlan& plan) {
  checkOutputPath(plan.option, plan.path);
  std::error_code error;
  if (const fs::file_status status = fs::status(plan.path, error); fs::exists(status) && !fs::is_regular_file(status))
    throw BadInput(fmt::format("{} {}: cannot be written: HDF5 needs a regular file", plan.option, plan.path));
  try {
    return std::make_unique<Hdf5Recording>(plan.path, *plan.model, *plan.scene, plan.every);
  } catch (const ExportFailure& failure) {
    throw BadInput(fmt::format("{} {}", plan.option, failure.what()));
  }
}

}  // namespace

std::string csvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

CsvRecording::CsvRecording(const std::string& option, const std::string& path, std::vector<std::optional<std::string>> names)
    : file_(option, path), names_(std::move(names)) {
  for (auto& name : names_)
    if (name) name = csvField(*name);
  file_.write(fmt::format("{}\n", kRecordHeader));
}

void CsvRecording::record(const Moment& moment) {
  block_.clear();
  auto out = std::back_inserter(block_);
  for (std::size_t i = 0; i < moment.bodies.size(); ++i) {
    const BodyState& state = moment.bodies[i];
    if (!names_[i] || !Moment::isThere(state)) continue;
    const Vec3& p = state.center;
    const Quat& q = state.pose.rotation;
    const Vec3& v = state.linearVelocity;
    const Vec3& w = state.angularVelocity;
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", moment.time, *names_[i], p.x(), p.y(), p.z(),
                   q.w(), q.x(), q.y(), q.z(), v.x(), v.y(), v.z(), w.x(), w.y(), w.z());
  }
  file_.write(block_);
}

void CsvRecording::finish(const std::string&) { file_.close(); }

bool isVideo(RecordFormat format) { return format == RecordFormat::Mp4 || format == RecordFormat::Webm; }

RecordFormat recordFormat(const std::string& option, const std::string& path, const std::vector<RecordFormat>& allowed) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) return RecordFormat::Csv;
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string list;
  for (const Ending& one : kEndings) {
    if (std::find(allowed.begin(), allowed.end(), one.format) == allowed.end()) continue;
    if (ending == one.ending) return one.format;
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", one.ending, one.what);
  }
  throw BadInput(fmt::format("{} {}: found {}; allowed: {}", option, path,
                             ending.empty() ? "no ending" : fmt::format("the ending \"{}\"", ending), list));
}

std::unique_ptr<Recording> openRecording(const RecordingPlan& plan, const InterruptGuard& interrupt, std::ostream& err) {
  switch (plan.format) {
    case RecordFormat::Csv:
      return std::make_unique<CsvRecording>(plan.option, plan.path, plan.names);
    case RecordFormat::Hdf5:
      return openHdf5(plan);
    case RecordFormat::Log:
      return std::make_unique<LogRecording>(plan);
    case RecordFormat::Glb:
    case RecordFormat::Gltf:
      return std::make_unique<GltfRecording>(plan);
    case RecordFormat::Html:
      return std::make_unique<ReplayRecording>(plan);
    case RecordFormat::Mp4:
    case RecordFormat::Webm:
      break;
  }
  return std::make_unique<VideoRecording>(plan, interrupt, err);
}

}  // namespace cairn
