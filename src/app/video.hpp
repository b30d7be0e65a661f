// A run as a video: drawn after it has ended, by one camera that has seen where everything went.
#pragma once

#include <string>

#include "app/recorder.hpp"
#include "export/frame_spool.hpp"
#include "export/video_pipe.hpp"
#include "picture/picture.hpp"

namespace cairn {

inline constexpr double kVideoRate = 30.0;  // frames per second of simulated time: the video plays at real speed

class VideoRecording : public Recording {
 public:
  VideoRecording(const RecordingPlan& plan, const InterruptGuard& interrupt, std::ostream& err);  // throws BadInput

  void record(const Moment& moment) override { spool_.add(moment); }
  // Draws, which takes longer than most runs. Ctrl-C ends the video early; if it ended the run already, there is none.
  void finish(const std::string& report) override;

 private:
  std::string option_, path_, ffmpeg_;
  VideoFormat format_;
  SceneDescription scene_;
  FrameSpool spool_;
  const InterruptGuard& interrupt_;
  std::ostream& err_;
  bool showProgress_;
};

}  // namespace cairn
