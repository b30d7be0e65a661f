// The motion of the bodies as a table of comma-separated values.
#pragma once

#include <string>

#include "app/output_file.hpp"
#include "scene/scene_run.hpp"

namespace cairn {

inline constexpr std::string_view kRecordHeader = "time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz";

// A name as a CSV field: quoted if it has a comma, a quote or a line end.
std::string csvField(std::string_view text);

class Recorder {
 public:
  Recorder(const std::string& path, int every);  // throws BadInput

  // The state as it is now; `step` counts from 0 for the state before the first step. Keeps every N-th.
  void record(const SceneRun& run, long step);
  void close() { file_.close(); }

 private:
  StreamFile file_;
  int every_;
  std::vector<std::string> names_;  // quoted, by the model's order
  std::string block_;
};

}  // namespace cairn
