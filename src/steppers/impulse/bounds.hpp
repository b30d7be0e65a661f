// Lower bounds on the time of an impact (Mirtich 1996; conservative advancement).
//
// Two convex shapes with a gap g along n (from A to B) lie on two sides of a slab of width g. While both fly, it closes by
// no more than
//
//   s(t) = (v_A - v_B).n t + (a_A - a_B).n t^2/2 + S_A(t, n) + S_B(t, -n)
//
// with a the acceleration by loads, and S what turning adds to how far a shape reaches along n. In the body's axes it is n
// that turns, n(t) = n + n' t + r with n' = n x w. How far a shape reaches, h(m) = max m.p over its points p (from the
// centre of mass), is sublinear: h(n + n' t + r) <= h(n + n' t) + h(r), and
//
//   h(r) <= (t^2/2) max n''.p = (t^2/2) max n.(w x (w x p) + w' x p) <= B t^2/2
//
// B follows from bounds W_i of |w_i| and W'_i of |dw_i/dt| about the principal axes i, and of |p_i|. One bound for all axes
// would not do: a rod that turns across itself has next to no inertia about itself, and would be taken to tumble at once.
//
//   W_i     free rotation keeps 2T = sum I_i w_i^2 and L^2 = sum I_i^2 w_i^2; of the three w_i^2 >= 0 each has its largest
//   W'_i    = |I_j - I_k|/I_i W_j W_k, by Euler's equations
//
// So S(t, n) = h(n + n' t) - h(n) + B t^2/2, which is exact to first order: a ball that rolls, or a box that rocks, is not
// taken for one that is about to hit. And s is convex in t (loads that part the two are left out), so that s(T) < g says
// that nothing happens until T.
#pragma once

#include "mechanics/free_motion.hpp"

namespace cairn {

// What bounds the motion of one shape, from now on.
struct MotionBound {
  Vec3 velocity = Vec3::Zero();      // m/s, of the centre of mass
  Vec3 acceleration = Vec3::Zero();  // m/s^2, by loads
  Vec3 spin = Vec3::Zero();          // rad/s
  double slowing = 0.0;              // m/s^2, by damping, at most
  Mat3 axes = Mat3::Identity();      // columns: the principal axes of inertia, in the body's
  Vec3 mostSpin = Vec3::Zero();      // rad/s about each of these, at most
  Vec3 mostChange = Vec3::Zero();    // rad/s^2 about each of these, at most
};
// By loads: m/s^2; zero if it cannot be pushed.
Vec3 loadAcceleration(const Body& body, const FreeMotion& motion);
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

// A ball about its body's centre of mass: however it turns, it stays where it is.
bool isBall(const Collider& collider);

// How thick a shape is where it is thinnest, halved: m; infinity for a plane.
double halfThickness(const Shape& shape);

// A body that goes on as it does: constant velocity (m/s) and spin (rad/s, world axes).
struct SteadyMotion {
  Pose pose{};  // of its centre of mass
  Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
  Pose at(double time) const;
};
// When two shapes that do not overlap come nearer than `nearness` (m), approaching, by conservative advancement: s; infinity
// if not within `ahead` (s). `surely` becomes false if that could not be found out in kMostMeetingLooks.
inline constexpr int kMostMeetingLooks = 2000;
double firstMeeting(const Collider& a, const SteadyMotion& motionA, const Collider& b, const SteadyMotion& motionB,
                    double ahead, double nearness, bool& surely);

}  // namespace cairn
