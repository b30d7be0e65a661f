// Springs of contacts: how stiff they can be, how far contacts may sink into them, and how stiff that asks them to be.
#pragma once

#include <algorithm>
#include <cmath>

#include "soft/plan/policy.hpp"
#include "wide/contact_block.hpp"

namespace cairn {

inline constexpr double kTwoPi = 6.283185307179586;

inline float depthAllowed(float thickness) {
  return static_cast<float>(std::min(policy::plan::kDeepest, policy::plan::kDeepestShare * static_cast<double>(thickness)));
}

// 1/s^2: omega^2 of the springs that a contact asks for, so that it sinks by no more than `depth` (m). `load`: its impulses,
// N s per 1/perSecond; inverseMass: of its two bodies together. They accelerate each other by load * inverseMass *
// perSecond; what it took to stop them in an impact is over.
inline float hardnessOf(float load, float inverseMass, float approachSpeed, float perSecond, float depth) {
  return depth > 0.0f ? (load * inverseMass - std::max(approachSpeed, 0.0f)) * perSecond / depth : 0.0f;
}

// 1/s^2: omega^2 of the stiffest springs at so many substeps.
inline double hardnessAt(double substeps, double dt) { return std::pow(policy::plan::kSpringAngle * substeps / dt, 2); }

// What impulses stored per `seconds` are to be multiplied by for a substep h of a step dt. Not across absurd ratios.
inline double impulseShare(double seconds, double dt, double h) {
  const double ratio = seconds > 0.0 ? dt / seconds : 0.0;
  return ratio > 1.0 / policy::plan::kMostRescaling && ratio < policy::plan::kMostRescaling ? h / seconds : 0.0;
}

// omega in 1/s, of the undamped spring.
inline wide::Softness softness(double omega, double dampingRatio, double h) {
  if (omega <= 0.0) return {0.0f, 1.0f};
  const double a1 = 2.0 * dampingRatio + h * omega;
  const double a2 = h * omega * a1;
  return {static_cast<float>(omega / a1), static_cast<float>(a2 / (1.0 + a2))};
}

}  // namespace cairn
