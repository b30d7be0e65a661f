// Stops two bodies that approach each other at the points of a contact: one impact, by sweeps over its points.
#pragma once

#include <span>

#include "cairn/math.hpp"

namespace cairn {

// A body, or its way, as an impulse changes it.
struct PushedBody {
  Vec3 velocity = Vec3::Zero();  // m/s, of the centre of mass
  Vec3 spin = Vec3::Zero();      // rad/s
  double inverseMass = 0.0;      // 1/kg; 0: it cannot be pushed
  Mat3 inverseInertia = Mat3::Zero();
};

struct PushedPoint {
  Vec3 armA = Vec3::Zero(), armB = Vec3::Zero();  // m, from the centres of mass
};

struct ImpulseLaw {
  double friction = 0.0, restitution = 0.0;
  double restitutionSpeed = 0.0;  // m/s: slower approaches do not bounce
};

// The impulse on B (N s), of all points together. Newton's law along the normal (from A to B), Coulomb's across it.
Vec3 stopApproach(PushedBody& a, PushedBody& b, std::span<const PushedPoint> points, const Vec3& normal,
                  const ImpulseLaw& law);

}  // namespace cairn
