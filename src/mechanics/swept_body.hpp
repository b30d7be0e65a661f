// The path of a body through a step, as continuous collision sees it: from where the step began to where it ended.
#pragma once

#include "collision/time_of_impact.hpp"
#include "dynamics/system.hpp"

namespace cairn {

struct BodyVelocity {
  Vec3 linear, angular;  // m/s, rad/s
};

// What decides whether a body is fast. Made once for each body.
struct BodyExtent {
  float inner = 0.0f;  // m: the least innerRadius of its shapes
  float reach = 0.0f;  // m: how far from the centre of mass turning moves any point
  std::uint32_t generation = kNone;  // of the body that it was made for
};
BodyExtent extentOf(const System& system, const Body& body);

// Whether a body that moves so for dt (s) could pass through something: it goes by more than half its inner radius, or it
// turns so far that contacts with fixed normals do not hold it.
inline bool isFast(const BodyExtent& extent, const Vec3& velocity, const Vec3& spin, double dt) {
  constexpr double kShare = 0.5;    // of the inner radius
  constexpr double kTurnSlop = 5e-4;  // m: (|w| dt)^2 reach/2, how far a point leaves its tangent
  const double most = kShare * extent.inner;
  if (dt * dt * velocity.squaredNorm() > most * most) return true;
  const double turn2 = dt * dt * spin.squaredNorm();
  const double reach = extent.reach;
  return turn2 * reach * reach > most * most && 0.5 * turn2 * reach > kTurnSlop;
}

// Times are s since the step began.
class SweptBody {
 public:
  SweptBody() = default;
  // It stays where it is.
  explicit SweptBody(const Pose& pose) : pose_(pose), pivot_(pose.position) {}
  // From `before` to `after` within dt, both of the centre of mass. `spin` (rad/s): how it turned, about; it tells how many
  // whole turns there were.
  SweptBody(const Pose& before, const Pose& after, const Vec3& spin, double dt, bool alongScrew);

  Pose at(double time) const;
  void advanceTo(double time);  // from here on
  double from() const { return from_; }
  const Pose& pose() const { return pose_; }
  // Of the centre of mass, now.
  Vec3 velocity() const { return velocity_ + spin_.cross(pose_.position - pivot_); }
  const Vec3& spin() const { return spin_; }
  // From here on it goes so: steadily.
  void setMotion(const Vec3& velocity, const Vec3& spin);

  MovingShape moving(const Collider& collider, double time) const;
  // What a shape passes through between a time and `until`.
  Aabb sweptBox(const Collider& collider, double time, double until) const;

 private:
  Pose pose_{};
  Vec3 pivot_ = Vec3::Zero();     // m, world
  Vec3 velocity_ = Vec3::Zero();  // m/s, of the pivot
  Vec3 spin_ = Vec3::Zero();      // rad/s
  double from_ = 0.0;
};

}  // namespace cairn
