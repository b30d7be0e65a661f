// Springs of contacts: how stiff they can be, how far contacts may sink into them, and how stiff that asks them to be.
#pragma once

#include <algorithm>
#include <cmath>

#include "wide/contact_block.hpp"

namespace cairn {

// omega h, at most. Sweeps with warm starts act on the slow modes of a tall stack as springs of 2 m/h^2; a contact spring
// that is stiffer than those feeds the mode (see docs/how-a-step-works.md: unstable from the square root of 2 on).
inline constexpr double kSpringAngle = 6.283185307179586 * 3.0 / 16.0;
inline constexpr double kDeepest = 0.01;        // m that a loaded point may sink
inline constexpr double kDeepestShare = 0.015;  // of the body's thickness, likewise
inline float depthAllowed(float thickness) {
  return static_cast<float>(std::min(kDeepest, kDeepestShare * static_cast<double>(thickness)));
}

// 1/s^2: omega^2 of the springs that a contact asks for, so that it sinks by no more than `depth` (m). `load`: its impulses,
// N s per 1/perSecond; inverseMass: of its two bodies together. They accelerate each other by load * inverseMass *
// perSecond; what it took to stop them in an impact is over.
inline float hardnessOf(float load, float inverseMass, float approachSpeed, float perSecond, float depth) {
  return depth > 0.0f ? (load * inverseMass - std::max(approachSpeed, 0.0f)) * perSecond / depth : 0.0f;
}

// What impulses stored per `seconds` are to be multiplied by for a substep h of a step dt. Not across absurd ratios.
inline double impulseShare(double seconds, double dt, double h) {
  constexpr double kMostRescaling = 10.0;
  const double ratio = seconds > 0.0 ? dt / seconds : 0.0;
  return ratio > 1.0 / kMostRescaling && ratio < kMostRescaling ? h / seconds : 0.0;
}

// omega in 1/s, of the undamped spring.
inline wide::Softness softness(double omega, double dampingRatio, double h) {
  if (omega <= 0.0) return {0.0f, 1.0f};
  const double a1 = 2.0 * dampingRatio + h * omega;
  const double a2 = h * omega * a1;
  return {static_cast<float>(omega / a1), static_cast<float>(a2 / (1.0 + a2))};
}

}  // namespace cairn
