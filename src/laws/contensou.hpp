#pragma once
#include <cmath>
namespace cairn {
struct PatchFriction {
  double force = 0.0, moment = 0.0;
};
inline PatchFriction contensouFriction(double slide, double turn) { return {slide / (slide + turn), 2.0 / 3.0 / (1.0 + 8.0 / 3.0 * slide / std::max(turn, 1e-300))}; }
}  // namespace cairn
