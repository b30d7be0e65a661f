// Impulses at single contact points: applied to the bodies at once, booked in the contacts, audited as impacts.
#pragma once

#include <span>

#include "collision/touch.hpp"
#include "mechanics/stepper.hpp"

namespace cairn {

// Two shapes that may push each other.
struct ImpulsePair {
  std::uint32_t colliderA = kNone, colliderB = kNone;
  std::uint32_t bodyA = kNone, bodyB = kNone;
  std::uint32_t contact =
      kNone;  // first of the slots that impulses are added up in, if the two were near when the step began
};

// A place where they touch, for the bodies' poses of the moment.
struct ImpulsePoint {
  Mat3 axes = Mat3::Identity();  // columns n (from A to B), t1, t2
  Vec3 position = Vec3::Zero();  // m, world
  Vec3 armA = Vec3::Zero();      // m, from A's centre of mass
  Vec3 armB = Vec3::Zero();
  double gap = 0.0;  // m
  PointId id{};      // feature kWholePatch: it stands for several points of the contact
};
inline constexpr std::uint32_t kWholePatch = UINT32_MAX;  // no feature of two shapes has this name
using PatchPoints = std::array<ImpulsePoint, kManifoldPoints>;

// How fast (m/s) bodies that overlap (gap < 0, m) are to part, so that a share of the overlap is gone after h (s).
inline double partingSpeed(double gap, double h) {
  constexpr double kShare = 0.2, kMost = 1.0;  // m/s
  return std::min(-kShare * gap / h, kMost);
}

// The point in the middle of several. A face that lands flat gets one impact there before its corners get theirs: taken
// corner by corner, the order would make it spin.
ImpulsePoint middleOf(std::span<const ImpulsePoint> points);

class PointImpulses {
 public:
  // Forgets the impulses that contacts hold from the last step.
  explicit PointImpulses(StepContext& context);

  // Pairs of the broad phase that have a body to push, in their order.
  std::vector<ImpulsePair> livePairs() const;
  // Calls use(PatchPoints&, count) for each manifold of the two shapes at these poses (of the bodies' centres of mass): the
  // points that are nearer than `margin` (m).
  template <class Use>
  void touch(const ImpulsePair& pair, const Pose& a, const Pose& b, double margin, Use&& use) const;

  // Relative velocity of B against A at the point (m/s), in its axes. Below 0 in the first: approaching.
  Vec3 velocity(const ImpulsePair& pair, const ImpulsePoint& point) const;

  // One impact by the pair's law, if the point approaches. Never gains energy: where the law would (Newton's with friction),
  // restitution is lowered, which the report says.
  bool applyImpacts(const ImpulsePair& pair, const ImpulsePoint& point);

  // Brings a point to the velocity `target` (its axes) as far as Coulomb's cone allows: sticking if it can, else sliding
  // with exactly that normal velocity. `total` (N s) is what earlier visits gave the point: friction may use all of it, and
  // it may become less, but never a pull. No impact: nothing is recorded.
  void settle(const ImpulsePair& pair, const ImpulsePoint& point, const Vec3& target, Vec3& total);

  // The same for a whole patch at once, by sweeps over its points, as one recorded micro-collision.
  void settlePatch(const ImpulsePair& pair, std::span<const ImpulsePoint> points, std::span<const Vec3> targets);

  bool canPush(std::uint32_t body) const;
  // Gives a body infinite mass; it goes on moving as it does.
  void hold(std::uint32_t body, bool held) { held_[body] = held ? 1 : 0; }
  double swallowed() const { return swallowed_; }  // N s, of normal impulses on bodies that are held
  bool wasPushed(std::uint32_t body) const { return pushed_[body] != 0; }

  const Material& surface(const ImpulsePair& pair);

 private:
  Mat3 mobility(const ImpulsePair& pair, const ImpulsePoint& point) const;  // W = J M^-1 J^T, 1/kg
  void push(const ImpulsePair& pair, const ImpulsePoint& point, const Vec3& impulse);
  void pushBody(std::uint32_t body, const Vec3& impulse, const Vec3& arm);
  void book(const ImpulsePair& pair, const ImpulsePoint& point, const Vec3& impulse);
  ImpactRecord begin(const ImpulsePair& pair, const ImpulsePoint& point) const;
  void finish(ImpactRecord& record);
  double energy(std::uint32_t body) const;  // J, kinetic
  double frictionOf(const ImpulsePair& pair);

  StepContext& context_;
  System& system_;
  bool rubs_;
  std::vector<char> held_, pushed_;  // by body
  double swallowed_ = 0.0;
  // Mixed materials of the pair that was asked for last: events of a pair come in runs.
  std::uint64_t surfaceOf_ = ~std::uint64_t{0};
  Material surface_;
};

template <class Use>
void PointImpulses::touch(const ImpulsePair& pair, const Pose& a, const Pose& b, double margin, Use&& use) const {
  const Collider& shapeA = system_.colliders[pair.colliderA];
  const Collider& shapeB = system_.colliders[pair.colliderB];
  const Pose poseA = a * shapeA.local, poseB = b * shapeB.local;
  if (!boundingBox(shapeA.shape, poseA).grown(margin).overlaps(boundingBox(shapeB.shape, poseB))) return;
  Manifold room;
  cairn::touch(shapeA.shape, poseA, shapeB.shape, poseB, margin, room, [&](Children children, const Manifold& manifold) {
    const Vec3& n = manifold.normal;
    const Vec3 t = n.unitOrthogonal();
    PatchPoints points;
    for (int i = 0; i < manifold.count; ++i) {
      const ManifoldPoint& from = manifold.points[i];
      const Vec3 half = 0.5 * from.separation * n;
      points[i].axes << n, t, n.cross(t);
      points[i].position = from.position;
      points[i].armA = from.position - half - a.position;
      points[i].armB = from.position + half - b.position;
      points[i].gap = from.separation;
      points[i].id = {children, from.feature};
    }
    use(points, manifold.count);
  });
}

}  // namespace cairn
