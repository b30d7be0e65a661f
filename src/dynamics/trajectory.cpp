#include "dynamics/trajectory.hpp"

#include <numbers>

#include "math/rotation.hpp"

namespace cairn {

namespace {

using Keys = std::vector<Trajectory::Key>;

// m/s at a key: the slope between its neighbours; none at the ends.
Vec3 velocityAt(const Keys& keys, std::size_t i) {
  if (i == 0 || i + 1 == keys.size()) return Vec3::Zero();
  return (keys[i + 1].pose.position - keys[i - 1].pose.position) / (keys[i + 1].time - keys[i - 1].time);
}

// Positions are cubic between keys, with continuous velocity. Rotations come to rest at every key.
Pose between(const Keys& keys, std::size_t i, double time, bool smooth) {
  const Pose& from = keys[i].pose;
  const Pose& to = keys[i + 1].pose;
  const double length = keys[i + 1].time - keys[i].time;
  const double s = (time - keys[i].time) / length;
  if (!smooth) return {from.position + s * (to.position - from.position), from.rotation.slerp(s, to.rotation)};
  const double s2 = s * s, s3 = s2 * s;
  const Vec3 position = (2 * s3 - 3 * s2 + 1) * from.position + (s3 - 2 * s2 + s) * length * velocityAt(keys, i) +
                        (3 * s2 - 2 * s3) * to.position + (s3 - s2) * length * velocityAt(keys, i + 1);
  return {position, from.rotation.slerp(3 * s2 - 2 * s3, to.rotation)};
}

Pose alongKeys(const Trajectory& trajectory, double time) {
  const Keys& keys = trajectory.keys;
  const double first = keys.front().time, last = keys.back().time;
  if (trajectory.repeat && last > first && time > last) time = first + std::fmod(time - first, last - first);
  if (time <= first) return keys.front().pose;
  if (time >= last) return keys.back().pose;
  std::size_t i = 0;
  while (time >= keys[i + 1].time) ++i;
  return between(keys, i, time, trajectory.smooth);
}

}  // namespace

Pose poseAt(const BodyExtras& extras, double time) {
  const Trajectory& trajectory = *extras.trajectory;
  Pose pose = trajectory.keys.empty() ? extras.home : alongKeys(trajectory, time);
  const double swing = std::sin(2.0 * std::numbers::pi * trajectory.frequency * time + trajectory.phase);
  pose.position += swing * trajectory.amplitude;
  pose.rotation = rotated(pose.rotation, swing * trajectory.turnAmplitude);
  return pose;
}

}  // namespace cairn
