// Frames at even times, made from moments and kept on the disk: a video must know where everything went before it can choose
// its camera.
#pragma once

#include <cstdio>
#include <vector>

#include "export/moment.hpp"

namespace cairn {

class FrameSpool {
 public:
  FrameSpool(std::size_t bodies, double rate);  // frames per second; throws ExportFailure, like the others
  ~FrameSpool();
  FrameSpool(const FrameSpool&) = delete;
  FrameSpool& operator=(const FrameSpool&) = delete;

  void add(const Moment& moment);  // frames between this and the last are interpolated
  long frames() const { return frames_; }
  std::vector<Pose> frame(long index);  // of every body, in the world; NaN for one that is not there

 private:
  void write(const std::vector<Pose>& poses);

  std::size_t bodies_;
  double rate_;  // 1/s
  std::FILE* file_ = nullptr;
  long frames_ = 0;
  bool hasStarted_ = false;
  double startTime_ = 0.0, lastTime_ = 0.0;  // s
  std::vector<Pose> last_;
};

}  // namespace cairn
