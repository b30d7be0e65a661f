// One animated quantity of one body, of which only those samples are kept that interpolation between their neighbours would
// not give back: none of a body that rests, many of one that tumbles.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cairn/math.hpp"

namespace cairn {

// How a quantity is interpolated, and how far two values of it are from each other.
struct PositionTrait {
  using Value = Vec3;
  static Vec3 between(const Vec3& a, const Vec3& b, double share) { return a + share * (b - a); }
  static double distance(const Vec3& a, const Vec3& b) { return (a - b).norm(); }  // m
  static Vec3 near(const Vec3& value, const Vec3&) { return value; }
};
struct RotationTrait {
  using Value = Quat;
  static Quat between(const Quat& a, const Quat& b, double share) { return a.slerp(share, b); }
  static double distance(const Quat& a, const Quat& b) { return a.angularDistance(b); }  // rad
  // Of q and -q, which are one rotation, the one that players reach by the shorter way.
  static Quat near(const Quat& value, const Quat& last) { return value.dot(last) < 0.0 ? Quat(-value.coeffs()) : value; }
};

template <class Trait>
class KeyTrack {
 public:
  using Value = typename Trait::Value;
  struct Key {
    float time;  // s
    Value value;
  };

  explicit KeyTrack(double tolerance) : tolerance_(tolerance) {}

  // Times must rise; one that single precision cannot tell from the last is left out.
  void add(double seconds, const Value& given) {
    const auto time = static_cast<float>(seconds);
    if (keys_.empty()) {
      keys_.push_back({time, given});
      return;
    }
    const Key& last = pending_.empty() ? keys_.back() : pending_.back();
    if (!(time > last.time)) return;
    const Key sample{time, Trait::near(given, last.value)};
    if (!pending_.empty() && (pending_.size() >= kMostPending || !gives(sample))) {
      keys_.push_back(pending_.back());
      pending_.clear();
    }
    pending_.push_back(sample);
  }
  void finish() {
    if (!pending_.empty()) keys_.push_back(pending_.back());
    pending_.clear();
    const bool rests = std::all_of(keys_.begin(), keys_.end(), [&](const Key& key) {
      return Trait::distance(key.value, keys_.front().value) <= tolerance_;
    });
    if (rests && keys_.size() > 1) keys_.resize(1, keys_.front());
  }
  const std::vector<Key>& keys() const { return keys_; }  // one at most: it does not change

 private:
  static constexpr std::size_t kMostPending = 64;  // bounds memory and work

  // Whether going straight from the last key to this sample passes all samples between closely enough.
  bool gives(const Key& sample) const {
    const Key& from = keys_.back();
    for (const Key& one : pending_) {
      const double share = (one.time - from.time) / (static_cast<double>(sample.time) - from.time);
      if (!(Trait::distance(Trait::between(from.value, sample.value, share), one.value) <= tolerance_)) return false;
    }
    return true;
  }

  double tolerance_;
  std::vector<Key> keys_;
  std::vector<Key> pending_;  // samples after the last key
};

}  // namespace cairn
