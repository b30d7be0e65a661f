// An axis-aligned box in the world.
#pragma once

#include "cairn/math.hpp"

namespace cairn {

struct Aabb {
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 upper = Vec3::Constant(-std::numeric_limits<double>::infinity());

  bool overlaps(const Aabb& other) const {
    return (lower.array() <= other.upper.array()).all() && (other.lower.array() <= upper.array()).all();
  }
  bool contains(const Aabb& other) const {
    return (lower.array() <= other.lower.array()).all() && (other.upper.array() <= upper.array()).all();
  }
  Aabb united(const Aabb& other) const { return {lower.cwiseMin(other.lower), upper.cwiseMax(other.upper)}; }
  Aabb grown(double margin) const { return {lower.array() - margin, upper.array() + margin}; }
  Vec3 center() const { return 0.5 * (lower + upper); }
  // Half the surface: what a tree's insertion cost is measured in.
  double halfArea() const {
    const Vec3 d = upper - lower;
    return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
  }
};

}  // namespace cairn
