#include "geometry/distance_field.hpp"

#include <cmath>

namespace cairn {
namespace {

// Value and slope of the trilinear interpolant of eight corners, x fastest, at u in [0, 1]^3; slope per unit of u.
template <class Corner>
FieldSample trilinear(const Corner& corner, const Vec3& u) {
  double value[2][2], slope[2][2];
  for (int z = 0; z < 2; ++z) {
    for (int y = 0; y < 2; ++y) {
      const double low = corner(0, y, z), high = corner(1, y, z);
      slope[z][y] = high - low;
      value[z][y] = low + u.x() * (high - low);
    }
  }
  double alongX[2], alongY[2], at[2];
  for (int z = 0; z < 2; ++z) {
    alongX[z] = slope[z][0] + u.y() * (slope[z][1] - slope[z][0]);
    alongY[z] = value[z][1] - value[z][0];
    at[z] = value[z][0] + u.y() * alongY[z];
  }
  return {at[0] + u.z() * (at[1] - at[0]),
          {alongX[0] + u.z() * (alongX[1] - alongX[0]), alongY[0] + u.z() * (alongY[1] - alongY[0]), at[1] - at[0]}};
}

}  // namespace

DistanceField::DistanceField(AnalyticField analytic) {
  checkAnalyticField(analytic);
  bounds_ = boundsOf(analytic);
  analytic_ = std::make_shared<const AnalyticField>(std::move(analytic));
}

std::size_t DistanceField::bytes() const {
  return blockIndex_.size() * sizeof(std::int32_t) + samples_.size() * sizeof(std::int16_t) + corners_.size() * sizeof(float);
}

FieldSample DistanceField::sampleInside(const Vec3& cells) const {
  std::array<int, 3> block, node;
  Vec3 inBlock;
  for (int axis = 0; axis < 3; ++axis) {
    block[axis] = std::clamp(static_cast<int>(cells[axis]) / kSide, 0, blocks_[axis] - 1);
    inBlock[axis] = cells[axis] - kSide * block[axis];
    node[axis] = std::clamp(static_cast<int>(inBlock[axis]), 0, kSide - 1);
  }
  const std::int32_t index = blockIndex_[blockAt(block[0], block[1], block[2])];
  if (index < 0) {
    FieldSample sample = trilinear(
        [&](int x, int y, int z) { return static_cast<double>(corners_[cornerAt(block[0] + x, block[1] + y, block[2] + z)]); },
        inBlock / kSide);
    sample.gradient /= kSide * cell_;
    return sample;
  }
  const std::int16_t* samples = samples_.data() + static_cast<std::size_t>(index) * kNodesPerBlock;
  FieldSample sample = trilinear(
      [&](int x, int y, int z) {
        return static_cast<double>(samples[((node[2] + z) * kNodes + node[1] + y) * kNodes + node[0] + x]);
      },
      inBlock - Vec3(node[0], node[1], node[2]));
  sample.value *= step_;
  sample.gradient *= step_ / cell_;
  return sample;
}

FieldSample DistanceField::sample(const Vec3& point) const {
  if (analytic_) return sampleAnalyticField(*analytic_, point);
  const Vec3 size = static_cast<double>(kSide) * cell_ * Vec3(blocks_[0], blocks_[1], blocks_[2]);
  const Vec3 from = point - origin_;
  const Vec3 inside = from.cwiseMax(0.0).cwiseMin(size);
  FieldSample sample = sampleInside(inside / cell_);
  const Vec3 beyond = from - inside;
  const double square = beyond.squaredNorm();
  if (!(square > 0.0)) return sample;
  // Beyond the grid: as if what is nearest to its border lay straight below. Continuous, and near the truth far away.
  const double border = std::max(sample.value, 0.0);
  const double value = std::sqrt(border * border + square);
  Vec3 slope = sample.gradient;  // along the border alone: across it the clamped point does not move
  for (int axis = 0; axis < 3; ++axis) {
    if (beyond[axis] != 0.0) slope[axis] = 0.0;
  }
  return {value, (border * slope + beyond) / value};
}

// A cell that the surface cannot reach (slopes are at most 1) is full or empty. Others are cut in 4 x 4 x 4, each of them full to
// the share that a plane at this distance leaves of it, taken as linear over its width along the gradient: too much on
// one side of the surface and too little on the other.
MassProperties DistanceField::mass(double density) const {
  constexpr int kCut = 4;
  const Vec3 extent = bounds_.upper - bounds_.lower;
  const double h = analytic_ ? extent.maxCoeff() / 64.0 : cell_;
  const Vec3 middle = bounds_.center();
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  const auto add = [&](const Vec3& center, double side, double share) {
    const double v = share * side * side * side;
    const Vec3 x = center - middle;
    volume += v;
    first += v * x;
    second += v * (x * x.transpose() + side * side / 12.0 * Mat3::Identity());
  };
  std::array<int, 3> count;
  for (int axis = 0; axis < 3; ++axis) count[axis] = static_cast<int>(std::ceil(extent[axis] / h)) + 2;
  const Vec3 start = middle - 0.5 * h * Vec3(count[0], count[1], count[2]);
  for (int z = 0; z < count[2]; ++z) {
    for (int y = 0; y < count[1]; ++y) {
      for (int x = 0; x < count[0]; ++x) {
        const Vec3 center = start + h * Vec3(x + 0.5, y + 0.5, z + 0.5);
        const double value = sample(center).value;
        if (std::abs(value) > 0.95 * h) {  // half the diagonal is 0.87; the rest is for the interpolation
          if (value < 0.0) add(center, h, 1.0);
          continue;
        }
        const double part = h / kCut;
        for (int i = 0; i < kCut * kCut * kCut; ++i) {
          const Vec3 at = center + part * Vec3(i % kCut - 1.5, i / kCut % kCut - 1.5, i / (kCut * kCut) - 1.5);
          const FieldSample s = this->sample(at);
          const double width = part * std::max(s.gradient.lpNorm<1>(), 1e-3);
          const double share = std::clamp(0.5 - s.value / width, 0.0, 1.0);
          if (share > 0.0) add(at, part, share);
        }
      }
    }
  }
  if (!(volume > 0.0)) return {};
  const Vec3 offset = first / volume;
  second -= volume * offset * offset.transpose();
  return {density * volume, middle + offset, density * (second.trace() * Mat3::Identity() - second)};
}

}  // namespace cairn
