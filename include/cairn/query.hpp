// Questions that change nothing.
#pragma once

#include <cstdint>

#include "cairn/ids.hpp"
#include "cairn/math.hpp"

namespace cairn {

struct Ray {
  Vec3 origin = Vec3::Zero();                // m
  Vec3 direction = Vec3::UnitX();            // need not be a unit vector
  double length = 1e6;                       // m, along the direction
  std::uint32_t collidesWith = 0xffffffffu;  // groups it can hit
};

struct RayHit {
  ShapeId shape{};
  BodyId body{};
  double distance = 0.0;       // m
  Vec3 point = Vec3::Zero();   // m
  Vec3 normal = Vec3::Zero();  // outward
};

}  // namespace cairn
