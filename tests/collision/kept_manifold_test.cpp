// A manifold that is kept must say what a new one would.
#include "collision/kept_manifold.hpp"

#include <gtest/gtest.h>

#include <random>

#include "geometry/shape.hpp"

namespace cairn {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()(double least, double most) { return std::uniform_real_distribution<double>(least, most)(engine_); }
  Vec3 vector(double size) { return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)}; }
  Quat turn(double angle) { return Quat(Eigen::AngleAxisd((*this)(-angle, angle), vector(1.0).normalized())); }

 private:
  std::mt19937 engine_;
};

Collider colliderOf(const Geometry& geometry) {
  Collider collider;
  collider.shape = makeShape(geometry);
  collider.radius = 1.0;
  return collider;
}

// Boxes on boxes, turned and shifted at random: after a small motion of both together and against each other, points,
// separations and normal are those of a manifold made anew.
TEST(KeptManifold, SaysWhatANewOneWould) {
  Random random(7);
  int kept = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Collider a = colliderOf(Box{Vec3(0.5, 0.5, 0.5)}), b = colliderOf(Box{Vec3(0.3, 0.3, 0.3)});
    const Placement placeA{random.vector(10.0), random.turn(3.0)};
    const Placement placeB{
        placeA.center + placeA.rotation * Vec3(random(-0.3, 0.3), random(-0.3, 0.3), 0.8 + random(-2e-3, 5e-3)),
        placeA.rotation * Quat(Eigen::AngleAxisd(random(-1.0, 1.0), Vec3::UnitZ()))};
    Manifold first;
    collide(a.shape, {placeA.center, placeA.rotation}, b.shape, {placeB.center, placeB.rotation}, 0.02, first);
    ASSERT_GT(first.count, 0);
    KeptManifold manifold;
    rememberManifold(placeA, placeB, 0.02, first, manifold);

    const Quat turn = random.turn(0.5);
    const Vec3 shift = random.vector(1.0);
    const Placement nowA{turn * placeA.center + shift, turn * placeA.rotation};
    const Placement nowB{turn * placeB.center + shift + random.vector(1e-4), random.turn(1e-4) * turn * placeB.rotation};
    MovedManifold moved;
    if (!moveManifold(manifold, first.count, b.radius, nowA, nowB, moved)) continue;
    ++kept;
    Manifold fresh;
    collide(a.shape, {nowA.center, nowA.rotation}, b.shape, {nowB.center, nowB.rotation}, 0.02, fresh);
    EXPECT_LT((fresh.normal - moved.normal.cast<double>()).norm(), 3e-4);
    double deepestFresh = 1.0, deepestKept = 1.0;
    for (int i = 0; i < fresh.count; ++i) deepestFresh = std::min(deepestFresh, fresh.points[i].separation);
    for (int i = 0; i < first.count; ++i) deepestKept = std::min(deepestKept, static_cast<double>(moved.separations[i]));
    // A corner that was left out may be the deepest now: by the turn (1e-4) times how far it is from one that was not.
    EXPECT_NEAR(deepestKept, deepestFresh, 1e-4 * 0.3);
    for (int i = 0; i < first.count; ++i) {
      // Each point is still on the surface of both.
      const Vec3 onA = nowA.center + moved.anchorsA[i].cast<double>();
      const Vec3 onB = onA + (moved.separations[i] * moved.normal).cast<double>();
      const auto beyond = [](const Placement& place, double half, const Vec3& point) {
        return ((place.rotation.conjugate() * (point - place.center)).cwiseAbs() - Vec3::Constant(half)).maxCoeff();
      };
      EXPECT_NEAR(beyond(nowA, 0.5, onA), 0.0, 1e-3);
      EXPECT_NEAR(beyond(nowB, 0.3, onB), 0.0, 1e-3);
      EXPECT_LT((moved.between.cast<double>() - (nowA.center - nowB.center)).norm(), 1e-5);
    }
  }
  EXPECT_GT(kept, 1500);
}

TEST(KeptManifold, IsMadeAnewWhenItMustBe) {
  const Collider box = colliderOf(Box{}), ball = colliderOf(Sphere{0.5});
  const Placement low{Vec3::Zero(), Quat::Identity()}, high{Vec3(0, 0, 1), Quat::Identity()};
  Manifold manifold;
  MovedManifold moved;
  KeptManifold kept;
  collide(box.shape, {low.center, low.rotation}, box.shape, {high.center, high.rotation}, 0.02, manifold);
  rememberManifold(low, high, 0.02, manifold, kept);
  EXPECT_TRUE(moveManifold(kept, manifold.count, box.radius, low, high, moved));
  EXPECT_TRUE(kept.isGoodFor(0.02));
  EXPECT_FALSE(kept.isGoodFor(0.05));  // faster now: more may be near
  const Placement slid{high.center + Vec3(1e-3, 0, 0), high.rotation};
  EXPECT_FALSE(moveManifold(kept, manifold.count, box.radius, low, slid, moved));
  const Placement turned{high.center, Quat(Eigen::AngleAxisd(2e-3, Vec3::UnitZ()))};
  EXPECT_FALSE(moveManifold(kept, manifold.count, box.radius, low, turned, moved));
  const Placement lost{Vec3::Constant(NAN), high.rotation};
  EXPECT_FALSE(moveManifold(kept, manifold.count, box.radius, low, lost, moved));

  EXPECT_TRUE(isFlat(box.shape));
  EXPECT_FALSE(isFlat(ball.shape));  // what is round rolls
}

// However a shape is moved, no corner of it goes farther than its travel says.
TEST(Travel, BoundsEveryPoint) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    Collider collider = colliderOf(Box{Vec3(0.5, 0.5, 0.5)});
    collider.local = {random.vector(0.3), random.turn(3.0)};
    Pose body{random.vector(1.0), random.turn(3.0)};
    placeCollider(collider, body);
    const Pose start = collider.pose;
    const double before = collider.travel;
    const Vec3 corner(0.5, -0.5, 0.5);
    const auto at = [&](const Pose& pose) { return Vec3(pose.position + pose.rotation * corner); };
    double way = 0.0;
    for (int step = 0; step < 20; ++step) {
      const Pose last = collider.pose;
      body.position += random.vector(0.01);
      body.rotation = random.turn(step % 5 == 0 ? 3.0 : 0.02) * body.rotation;
      placeCollider(collider, body);
      way += (at(collider.pose) - at(last)).norm();
    }
    EXPECT_GE(collider.travel - before, way);
    EXPECT_GE(collider.travel - before, (at(collider.pose) - at(start)).norm());
  }
}

}  // namespace
}  // namespace cairn
