// One impact of one contact point, by the laws of Newton, Poisson, Stronge (all three on Keller's way through the impact,
// hodograph.hpp) or Chatterjee and Ruina (algebra). STAR §2; docs/laws.md tells it slowly.
#pragma once

#include "cairn/math.hpp"
#include "cairn/shape.hpp"

namespace cairn {

// Rows n, t1, t2. A planar impact leaves one tangent's row and column of w, and its velocity, at zero.
struct Impact {
  Mat3 w = Mat3::Zero();               // J M^-1 J^T, 1/kg; symmetric, positive semidefinite
  Vec3 velocity = Vec3::Zero();        // before, m/s; velocity.x() < 0 approaches
  double friction = 0.0;               // Coulomb's coefficient, at least 0
  double restitution = 0.0;            // 0 to 1, by the law: of velocity, impulse or (squared) energy
  double tangentialRestitution = 0.0;  // -1 (smooth) to 1 (a superball); ChatterjeeRuina only
  ImpactLaw law = ImpactLaw::Newton;
};

struct ImpactResult {
  Vec3 impulse = Vec3::Zero();   // N s
  Vec3 velocity = Vec3::Zero();  // after, m/s
  double energyChange = 0.0;     // J, of the kinetic energy: impulse . (v- + v+)/2
  bool sliding = false;          // friction is at its limit when the impact ends
  bool slipStopped = false;      // slip vanished on the way (then sliding means that it started again: reverse slip)
  int compressions = 0;          // 1; more if slip turned so that the contact was compressed again before the law's end
  // False: no impulse, because the numbers are not those of an impact (not finite, w_nn = 0, coefficients out of range), or
  // because w is singular and the law's end is out of reach. `why` says which.
  bool complete = true;
  const char* why = "";
};

// A contact that does not approach gets no impulse. Newton's law ends where v_n = -e v_n-: with w positive definite that is
// always reached, since v_n rises without bound once slip has stopped.
ImpactResult resolveImpact(const Impact& impact);

// The same, but never with a gain of energy: where the law would have one (Newton's with friction) its restitution is
// lowered until it does not; without restitution there is none. `factor` becomes the share that is left, if that is less.
ImpactResult resolveWithoutGain(Impact impact, double& factor);

}  // namespace cairn
