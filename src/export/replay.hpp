// The replay of a run: the lab's page with the motion, the plots and the report inside it. One file that opens anywhere.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "export/moment.hpp"
#include "export/motion_stream.hpp"
#include "export/scene_description.hpp"
#include "export/series.hpp"

namespace cairn {

inline constexpr double kReplayRate = 30.0;  // frames per second of simulated time, if nothing else is asked for
// Body poses in one file, if no rate is asked for: longer or larger runs get fewer frames, so that the file stays below
// about 15 MB however much moves.
inline constexpr double kMostReplayPoses = 2e6;
inline constexpr double kMostAskedPoses = 5e7;  // if a rate is asked for: what a page can hold

// Which moments become frames.
struct ReplayPace {
  double interval;                            // s between moments
  long moments;                               // that are expected
  std::optional<double> rate = std::nullopt;  // frames per second of simulated time that were asked for
};
long replayStride(const ReplayPace& pace, std::size_t movingBodies);  // moments from one frame to the next

class Replay {
 public:
  Replay(const SceneDescription& scene, const ReplayPace& pace);

  void add(const Moment& moment);
  // The page with everything inside; nothing may be added after. `report` is JSON, or empty.
  std::string finish(std::string_view page, const std::string& report);

 private:
  void addFrame(double time);
  std::string data(const std::string& report) const;

  SceneDescription scene_;
  std::vector<std::size_t> moving_;           // bodies by their order in the scene
  std::vector<std::optional<long>> appears_;  // frame, of those that come later
  long stride_;
  double interval_;  // s between frames
  MotionStream motion_;
  Series series_;
  std::vector<Pose> poses_;  // of the last moment
  long moments_ = 0;
  double time_ = 0.0;    // s, of the last moment
  bool isShown_ = true;  // whether the last moment is a frame
};

}  // namespace cairn
