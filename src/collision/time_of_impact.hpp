// When two moving convex shapes first touch: conservative advancement (Mirtich 1996).
//
// Both move as constant twists: a pivot goes with velocity v, and the shape turns about it with spin w. That is the motion
// of a rigid body in a short time; interpolated quaternions would take the short way round beyond half a turn. Motion along
// a screw (Redon, Kheddar and Coquillart 2002) is the same thing with a pivot on the screw's axis and v along it.
//
// At a distance s, with the unit normal n from A to B, the two lie on two sides of a slab of width s. While they move for a
// time t, it closes by no more than
//
//   n.(v_A - v_B) t + S_A(t, n) + S_B(t, -n)
//
// where S is what turning adds to how far a shape reaches along n from its pivot. With p its points, from the pivot, and
// h(m) = max m.p, there are three bounds of S:
//
//   |n x w| r t                            every point moves along n at most so fast; r: its distance from the axis
//   R - h(n)                               no point is farther from the pivot than R
//   h(n + (n x w) t) - h(n) + |w|^2 r t^2/2  seen from the shape it is n that turns, and h is sublinear
//
// The first two hold for long times. The third is exact to first order: what slides or rolls along is not taken for what is
// about to hit. It is convex in t, so that its root is found from below. Signed distances below zero obey the same bounds.
#pragma once

#include <limits>

#include "geometry/distance.hpp"

namespace cairn {

// A shape and how it moves, from time 0 on.
struct MovingShape {
  const Shape& shape;
  Pose start;                    // of the shape's frame
  Vec3 pivot = Vec3::Zero();     // m, world, at time 0
  Vec3 velocity = Vec3::Zero();  // m/s, of the pivot
  Vec3 spin = Vec3::Zero();      // rad/s, world axes

  Pose at(double time) const;
  Vec3 velocityOf(const Vec3& point, double time) const;  // m/s, of a point (world) that moves along, at that time
  bool turns() const;                                     // whether turning moves it at all
};

// What to look for.
struct ImpactSearch {
  double from = 0.0, until = 1.0;  // s
  double target = 0.0;             // m: the signed distance that counts as touching; below zero, a depth
  double tolerance = 1e-9;         // m: above the target, to which the time is found
  int mostAdvances = 500;
};

enum class ImpactFound : std::uint8_t {
  Never,
  Touch,       // they reach the target, approaching
  BeginBelow,  // at the beginning they are nearer than the target
  GaveUp,      // after mostAdvances; until `time` they do not touch
};

struct TimeOfImpact {
  ImpactFound found = ImpactFound::Never;
  double time = std::numeric_limits<double>::infinity();  // s
  SignedDistance distance{};                              // then; not known if Never
};

TimeOfImpact timeOfImpact(const MovingShape& a, const MovingShape& b, const ImpactSearch& search);

// m: how far from the origin of its frame a shape has points that turning moves. Roundness does not turn: 0 for a ball.
double turningRadius(const Shape& shape);
// m, of a ball that fits into the shape, about its middle; infinity for a plane. What moves by less than this does not get
// to the other side of anything.
double innerRadius(const Shape& shape);
// A tolerance (m) that is well above rounding for shapes of this size at this place.
double impactTolerance(const MovingShape& a, const MovingShape& b);

}  // namespace cairn
