// All that a run writes while it goes: any number of --record, and --replay.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "app/recorder.hpp"
#include "app/terminal.hpp"
#include "export/moment.hpp"
#include "scene/run_report.hpp"
#include "scene/scene_run.hpp"

namespace cairn {

// The options, checked before the scene is read: they are quicker to put right.
struct RecordOptions {
  explicit RecordOptions(const RunArguments& arguments);  // throws BadInput

  int every = 1;
  std::vector<std::pair<std::string, RecordFormat>> files;
  std::string scene;          // as it was asked for
  std::vector<Override> set;  // likewise
  std::optional<std::string> replay;
  std::optional<double> replayRate;  // frames per second
  int width = 1280, height = 720;    // pixels
};

// "1280x720"; throws BadInput.
std::pair<int, int> readVideoSize(const std::string& text);
double readReplayRate(const std::string& text);  // throws BadInput

class RunRecordings {
 public:
  // Opens every file. Throws BadInput.
  RunRecordings(const RecordOptions& options, const SceneRun& run, const InterruptGuard& interrupt, bool showProgress,
                std::ostream& err);

  void start();
  void afterStep(long step, const StepReport& report, const RunSample& sample);
  void finish(const std::string& report);       // as JSON
  std::string table(const Paint& paint) const;  // what is there now, as lines of the report

 private:
  struct Entry {
    std::unique_ptr<Recording> recording;
    int every;  // steps
    std::string option, path;
  };
  std::vector<Entry> entries_;
  std::unique_ptr<MomentTaker> taker_;  // none if there is nothing to record
};

}  // namespace cairn
