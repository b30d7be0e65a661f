// Lower bounds on the time of an impact (Mirtich 1996; conservative advancement).
//
// Two convex shapes with a gap g along n (from A to B) lie on two sides of a slab of width g. While both fly, it closes by
// no more than
//
//   s(t) = (v_A - v_B).n t + (a_A - a_B).n t^2/2 + S_A(t, n) + S_B(t, -n)
//
// with a the acceleration by loads, and S what turning adds to how far a shape reaches along n. In the body's axes it is n
// that turns, n(t) = n + n' t + r with n' = n x w and |r| <= (W^2 + W') t^2/2 for bounds W of |w| and W' of |dw/dt|. How far
// a shape reaches, h(m) = max m.x over its points, is convex, and steeper than R (its points' greatest distance from the
// centre of mass) nowhere. So
//
//   S(t, n) = h(n + n' t) - h(n) + R (W^2 + W') t^2/2
//
// which is exact to first order: a ball that rolls, or a box that rocks, is not taken for one that is about to hit. And s is
// convex in t (loads that part the two are left out), so that s(T) < g says that nothing happens until T.
#pragma once

#include "steppers/free_motion.hpp"

namespace cairn {

// What bounds the motion of one shape, from now on.
struct MotionBound {
  Vec3 velocity = Vec3::Zero();      // m/s, of the centre of mass
  Vec3 acceleration = Vec3::Zero();  // m/s^2, by loads
  Vec3 spin = Vec3::Zero();          // rad/s
  double spinChange = 0.0;           // rad/s^2, at most
  double slowing = 0.0;              // m/s^2, by damping, at most
};
// For a time `ahead` (s). Bodies that do not move have nothing but zeros.
MotionBound motionBound(const Body& body, const FreeMotion& motion, double ahead);

// A shape on its way.
struct FlyingShape {
  const Collider& collider;
  Pose body;  // its centre of mass
  MotionBound bound;
};

// When a slab of normal n (from A to B) has shrunk by `distance` (m, positive), at the earliest: s; infinity if not within
// `ahead` (s), for which the bounds must hold.
double earliestClosing(double distance, const Vec3& n, const FlyingShape& a, const FlyingShape& b, double ahead);

// The box that a shape stays in for a time `ahead` (s).
Aabb sweptBox(const FlyingShape& shape, double ahead);

}  // namespace cairn
