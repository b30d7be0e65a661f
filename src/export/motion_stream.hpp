// The motion of many bodies in few bytes: quantised, as changes from frame to frame, deflated while the run goes.
// docs/lab-protocol.md, "The replay file", has the format.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cairn/math.hpp"

namespace cairn {

// m: 0.1 mm, less for small scenes, more for those that would run out of numbers. `radius` is of what one wants to see.
double motionResolution(double radius);

class MotionStream {
 public:
  MotionStream(std::vector<std::uint32_t> slots, double resolution);
  ~MotionStream();
  MotionStream(const MotionStream&) = delete;
  MotionStream& operator=(const MotionStream&) = delete;

  // One pose for each slot, relative to the scene's origin; NaN for a body that has not appeared.
  void add(double time, const std::vector<Pose>& poses);
  long frames() const { return static_cast<long>(times_.size()); }
  std::size_t bytes() const;  // of the deflated stream, about, so far
  std::string finish();       // the whole zlib stream; nothing may be added after

 private:
  static constexpr int kChannels = 7;  // px, py, pz, qx, qy, qz, qw

  void put(std::int64_t change);

  std::vector<std::uint32_t> slots_;
  double resolution_;  // m
  std::vector<float> times_;
  std::vector<std::array<std::int64_t, kChannels>> last_;
  std::vector<std::array<std::int64_t, kChannels>> now_;
  std::string block_;  // varints that are not deflated yet
  std::unique_ptr<class Deflater> deflater_;
};

}  // namespace cairn
