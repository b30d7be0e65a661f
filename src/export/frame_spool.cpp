#include "export/frame_spool.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>

#include "export/recording.hpp"

namespace cairn {
namespace {

constexpr double kSameTime = 1e-6;  // of a frame: steps end at multiples of dt, up to rounding
constexpr int kNumbers = 7;         // of a pose

bool isThere(const Pose& pose) { return pose.position.x() == pose.position.x(); }

Pose between(const Pose& a, const Pose& b, double share) {
  if (share >= 1.0) return b;
  if (!isThere(a) || !isThere(b)) return a;
  return {a.position + share * (b.position - a.position), a.rotation.slerp(share, b.rotation)};
}

}  // namespace

FrameSpool::FrameSpool(std::size_t bodies, double rate) : bodies_(bodies), rate_(rate), file_(std::tmpfile()) {
  if (!file_) throw ExportFailure(std::string("a temporary file for the frames: ") + std::strerror(errno));
}

FrameSpool::~FrameSpool() {
  if (file_) std::fclose(file_);
}

void FrameSpool::add(const Moment& moment) {
  std::vector<Pose> poses;
  poses.reserve(bodies_);
  for (const BodyState& state : moment.bodies) poses.push_back(state.pose);
  if (!hasStarted_) {
    hasStarted_ = true;
    startTime_ = moment.time;
    write(poses);
  } else {
    const double span = moment.time - lastTime_;
    while (true) {
      const double due = startTime_ + static_cast<double>(frames_) / rate_;
      if (due > moment.time + kSameTime / rate_) break;
      double share = (due - lastTime_) / span;
      if (due > moment.time - kSameTime / rate_) share = 1.0;
      std::vector<Pose> frame(bodies_);
      for (std::size_t i = 0; i < bodies_; ++i) frame[i] = between(last_[i], poses[i], share);
      write(frame);
    }
  }
  lastTime_ = moment.time;
  last_ = std::move(poses);
}

void FrameSpool::write(const std::vector<Pose>& poses) {
  std::vector<double> numbers;
  numbers.reserve(kNumbers * bodies_);
  for (const Pose& pose : poses) {
    numbers.insert(numbers.end(), pose.position.begin(), pose.position.end());
    numbers.insert(numbers.end(), pose.rotation.coeffs().begin(), pose.rotation.coeffs().end());
  }
  if (std::fwrite(numbers.data(), sizeof(double), numbers.size(), file_) != numbers.size())
    throw ExportFailure(std::string("the frames could not be kept in a temporary file: ") + std::strerror(errno));
  ++frames_;
}

std::vector<Pose> FrameSpool::frame(long index) {
  std::vector<double> numbers(kNumbers * bodies_);
  const long place = index * static_cast<long>(numbers.size() * sizeof(double));
  if (std::fflush(file_) != 0 || fseeko(file_, place, SEEK_SET) != 0 ||
      std::fread(numbers.data(), sizeof(double), numbers.size(), file_) != numbers.size())
    throw ExportFailure("the frames in the temporary file cannot be read back");
  std::vector<Pose> poses(bodies_);
  for (std::size_t i = 0; i < bodies_; ++i) {
    const double* n = numbers.data() + kNumbers * i;
    poses[i].position = Vec3(n[0], n[1], n[2]);
    poses[i].rotation.coeffs() = Eigen::Vector4d(n[3], n[4], n[5], n[6]);
  }
  return poses;
}

}  // namespace cairn
