// What --record and --replay write, and what `cairn export` makes of a recording: one kind of file for each ending.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/interrupt.hpp"
#include "app/output_file.hpp"
#include "export/recording.hpp"
#include "export/scene_description.hpp"
#include "lab/scene_origin.hpp"

namespace cairn {

inline constexpr std::string_view kRecordHeader = "time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz";

// A name as a CSV field: quoted if it has a comma, a quote or a line end.
std::string csvField(std::string_view text);

// The motion of the bodies as a table of comma-separated values.
class CsvRecording : public Recording {
 public:
  // `names` are in the scene's order; none for bodies that never move. Throws BadInput.
  CsvRecording(const std::string& option, const std::string& path, std::vector<std::optional<std::string>> names);

  void record(const Moment& moment) override;
  void finish(const std::string& report) override;

 private:
  StreamFile file_;
  std::vector<std::optional<std::string>> names_;  // quoted
  std::string block_;
};

enum class RecordFormat { Csv, Hdf5, Log, Glb, Gltf, Html, Mp4, Webm };

// By the ending of the path; throws BadInput that lists what is allowed. A device or a pipe, which cannot be named freely,
// takes CSV.
RecordFormat recordFormat(const std::string& option, const std::string& path, const std::vector<RecordFormat>& allowed);
bool isVideo(RecordFormat format);

// What a recording must know before it starts.
struct RecordingPlan {
  std::string option, path;
  RecordFormat format = RecordFormat::Csv;
  const SceneModel* model = nullptr;                // of a run; none when a recording is converted, which never makes .h5
  const SceneDescription* scene = nullptr;          // of all but CSV
  std::vector<std::optional<std::string>> names{};  // for CSV
  SceneOrigin origin{};                             // for a log
  double interval = 0.0;                            // s between moments
  long moments = 0;                                 // that are expected
  int every = 1;                                    // steps between moments
  std::optional<double> replayRate{};               // frames per second
  int width = 1280, height = 720;                   // of a video, pixels
  bool showProgress = false;
};

// Throws BadInput if the file cannot be written or a program is missing: before any waiting.
std::unique_ptr<Recording> openRecording(const RecordingPlan& plan, const InterruptGuard& interrupt, std::ostream& err);

}  // namespace cairn
