#include "export/motion_stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

namespace cairn {
namespace {

constexpr double kFinest = 1e-4;         // m
constexpr double kShareOfRadius = 1e-5;  // of a small scene's radius: a tenth of a pixel
// Quantised positions stay below 2^30, so that their changes fit into 32 bits in any reader. A body that is farther away
// than that (100 km in a scene of metres) is shown at that distance.
constexpr double kLargest = 1 << 30;
constexpr double kRadiiWithin = 16.0;  // of the scene, that must fit
constexpr double kRotationUnits = 32767.0;
constexpr std::uint32_t kMagic = 0x544f4d43;  // "CMOT"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kBlockBytes = 1 << 16;  // deflated at once

template <class Number>
void append(std::string& text, Number value) {
  char bytes[sizeof value];  // little-endian, like every machine that Cairn runs on
  std::memcpy(bytes, &value, sizeof value);
  text.append(bytes, sizeof value);
}

std::int64_t quantised(double value, double unit) {
  return static_cast<std::int64_t>(std::llround(std::clamp(value / unit, -kLargest, kLargest)));
}

}  // namespace

// Deflate's blocks without the zlib frame around them.
class Deflater {
 public:
  Deflater() {
    if (deflateInit2(&stream_, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void put(const std::string& block, int flush) {
    sum_ = adler32(sum_, reinterpret_cast<const Bytef*>(block.data()), static_cast<uInt>(block.size()));
    length_ += static_cast<long>(block.size());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
    stream_.avail_in = static_cast<uInt>(block.size());
    do {
      char space[1 << 14];
      stream_.next_out = reinterpret_cast<Bytef*>(space);
      stream_.avail_out = sizeof space;
      deflate(&stream_, flush);  // cannot fail: there is always room
      out_.append(space, sizeof space - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }
  const std::string& out() const { return out_; }
  unsigned long sum() const { return sum_; }
  long length() const { return length_; }

 private:
  z_stream stream_{};
  unsigned long sum_ = adler32(0, nullptr, 0);
  long length_ = 0;
  std::string out_;
};

double motionResolution(double radius) {
  return std::max(std::min(kFinest, kShareOfRadius * radius), kRadiiWithin * radius / kLargest);
}

MotionStream::MotionStream(std::vector<std::uint32_t> slots, double resolution)
    : slots_(std::move(slots)),
      resolution_(resolution),
      last_(slots_.size()),
      now_(slots_.size()),
      deflater_(std::make_unique<Deflater>()) {
  for (auto& one : last_) one.fill(0);
}

MotionStream::~MotionStream() = default;

std::size_t MotionStream::bytes() const { return deflater_->out().size(); }

void MotionStream::put(std::int64_t change) {
  auto zigzag = (static_cast<std::uint64_t>(change) << 1) ^ static_cast<std::uint64_t>(change >> 63);
  while (zigzag >= 0x80) {
    block_.push_back(static_cast<char>(zigzag | 0x80));
    zigzag >>= 7;
  }
  block_.push_back(static_cast<char>(zigzag));
}

void MotionStream::add(double time, const std::vector<Pose>& poses) {
  times_.push_back(static_cast<float>(time));
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Pose& pose = poses[i];
    now_[i] = last_[i];
    if (!pose.position.allFinite() || !pose.rotation.coeffs().allFinite()) continue;
    for (int k = 0; k < 3; ++k) now_[i][k] = quantised(pose.position[k], resolution_);
    double along = 0.0;
    for (int k = 0; k < 4; ++k) along += pose.rotation.coeffs()[k] * static_cast<double>(last_[i][3 + k]);
    const double sign = along < 0.0 ? -1.0 : 1.0;  // q and -q are one rotation; the nearer one changes less
    for (int k = 0; k < 4; ++k) now_[i][3 + k] = quantised(sign * pose.rotation.coeffs()[k], 1.0 / kRotationUnits);
  }
  for (int channel = 0; channel < kChannels; ++channel)
    for (std::size_t i = 0; i < slots_.size(); ++i) put(now_[i][channel] - last_[i][channel]);
  last_.swap(now_);
  if (block_.size() < kBlockBytes) return;
  deflater_->put(block_, Z_NO_FLUSH);
  block_.clear();
}

// The head says how many frames there are, and so is made last. Its blocks, ended at a whole byte, go in front of those of
// the motion, which refer to nothing before them: together they are one stream.
std::string MotionStream::finish() {
  deflater_->put(block_, Z_FINISH);
  block_.clear();
  std::string head;
  append(head, kMagic);
  append(head, kVersion);
  append(head, static_cast<std::uint32_t>(slots_.size()));
  append(head, static_cast<std::uint32_t>(times_.size()));
  append(head, resolution_);
  for (const std::uint32_t slot : slots_) append(head, slot);
  for (const float time : times_) append(head, time);
  Deflater first;
  first.put(head, Z_FULL_FLUSH);
  std::string stream("\x78\xda", 2);  // zlib: deflate, a window of 32 KiB, best compression
  stream += first.out();
  stream += deflater_->out();
  const unsigned long sum = adler32_combine(first.sum(), deflater_->sum(), deflater_->length());
  for (int shift = 24; shift >= 0; shift -= 8) stream.push_back(static_cast<char>(sum >> shift));
  return stream;
}

}  // namespace cairn
