// Lower bounds on impact times against motion in small pieces.
#include <gtest/gtest.h>

#include "geometry/distance.hpp"
#include "geometry/mass.hpp"
#include "steppers/impulse/bounds.hpp"

namespace cairn {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  double operator()(double low, double high) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  Vec3 vector(double size) {
    const double x = (*this)(-size, size), y = (*this)(-size, size);
    return {x, y, (*this)(-size, size)};
  }

 private:
  std::uint64_t state_;
};

struct Flyer {
  Body body;
  Collider collider;
};

Flyer makeFlyer(int kind, const Vec3& at, double speed, double spin, Random& random) {
  const std::vector<Geometry> shapes = {
      Sphere{0.2},
      Box{{0.3, 0.15, 0.05}},
      Capsule{0.1, 0.3},
      Cylinder{0.2, 0.1},
      Ellipsoid{{0.3, 0.15, 0.1}},
      ConvexHull{{{0.2, 0, 0}, {-0.2, 0.1, 0}, {0, 0.2, 0}, {0, -0.2, 0.1}, {0, 0, 0.25}, {0.1, 0, -0.2}}}};
  Flyer flyer;
  Collider& collider = flyer.collider;
  collider.shape = makeShape(shapes[static_cast<std::size_t>(kind)]);
  collider.local.position = random.vector(0.1);
  collider.local.rotation = Quat(random(-1, 1), random(-1, 1), random(-1, 1), random(-1, 1)).normalized();
  collider.radius = collider.local.position.norm() + boundingRadius(collider.shape);
  Body& body = flyer.body;
  body.alive = true;
  body.kind = BodyKind::Dynamic;
  body.center = at;
  body.rotation = Quat(random(-1, 1), random(-1, 1), random(-1, 1), random(-1, 1)).normalized();
  body.velocity = random.vector(speed);
  body.spin = random.vector(spin);
  body.mass = 2.0;
  body.inverseMass = 0.5;
  const Vec3 moments(0.1, 0.13, 0.2);  // kg m^2
  body.inertia = moments.asDiagonal();
  body.inverseInertia = body.inertia.inverse();
  body.anisotropy = 0.5;
  body.force = random.vector(5.0);
  body.torque = random.vector(0.3);
  return flyer;
}

Pose poseOf(const Body& body) { return {body.center, body.rotation}; }

SignedDistance distanceBetween(const Flyer& a, const Flyer& b) {
  return signedDistance(a.collider.shape, poseOf(a.body) * a.collider.local, b.collider.shape,
                        poseOf(b.body) * b.collider.local);
}

TEST(ImpulseBounds, NeverPastAnImpact) {
  Random random(1);
  const FreeMotion motion{{0, 0, -9.81}, Integrator::Momentum};
  const double goal = 1e-5, ahead = 0.1;  // m, s
  int found = 0, never = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const double spin = trial % 3 == 0 ? 0.5 : trial % 3 == 1 ? 5.0 : 40.0;
    const Flyer a = makeFlyer(trial % 6, Vec3::Zero(), 3.0, spin, random);
    const Flyer b = makeFlyer(trial / 6 % 6, random.vector(0.6) + Vec3(0.3, 0, 0), 3.0, spin, random);
    const SignedDistance near = distanceBetween(a, b);
    if (near.distance < 2.0 * goal) continue;
    const FlyingShape flyingA{a.collider, poseOf(a.body), motionBound(a.body, motion, ahead)};
    const FlyingShape flyingB{b.collider, poseOf(b.body), motionBound(b.body, motion, ahead)};
    const double wait = earliestClosing(near.distance - goal, near.normal, flyingA, flyingB, ahead);
    const double until = std::min(wait, ahead);
    (wait <= ahead ? found : never) += 1;
    double nearest = near.distance;
    Flyer laterA = a, laterB = b;
    const int pieces = 60;
    for (int i = 0; i < pieces; ++i) {
      moveFree(laterA.body, motion, until / pieces, 4);
      moveFree(laterB.body, motion, until / pieces, 4);
      nearest = std::min(nearest, distanceBetween(laterA, laterB).distance);
    }
    ASSERT_GT(nearest, goal - 1e-7) << "trial " << trial << ", waits " << wait << " s";
  }
  EXPECT_GT(found, 200);
  EXPECT_GT(never, 200);
}

// A bound of zero would never be past an impact either. Here bodies fly from bound to bound until they touch.
TEST(ImpulseBounds, AFewLooksLeadToTheImpact) {
  Random random(3);
  const FreeMotion motion{{0, 0, -9.81}, Integrator::Momentum};
  const double touching = 1e-5;  // m
  int impacts = 0, looks = 0, most = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    Flyer a = makeFlyer(trial % 6, Vec3::Zero(), 3.0, 5.0, random);
    Flyer b = makeFlyer(trial / 6 % 6, random.vector(0.6) + Vec3(0.3, 0, 0), 3.0, 5.0, random);
    double time = 0.0;
    for (int look = 1; time < 0.2; ++look) {
      ASSERT_LT(look, 100);
      const SignedDistance near = distanceBetween(a, b);
      if (near.distance <= touching) {
        looks += look > 1 ? look : 0;
        impacts += look > 1 ? 1 : 0;
        most = std::max(most, look);
        break;
      }
      const double ahead = 0.2 - time;
      const double wait = earliestClosing(near.distance - 0.5 * touching, near.normal,
                                          {a.collider, poseOf(a.body), motionBound(a.body, motion, ahead)},
                                          {b.collider, poseOf(b.body), motionBound(b.body, motion, ahead)}, ahead);
      if (wait > ahead) break;
      moveFree(a.body, motion, wait, 1);
      moveFree(b.body, motion, wait, 1);
      time += wait;
    }
  }
  EXPECT_GT(impacts, 300);
  EXPECT_LT(looks, 12 * impacts);
  RecordProperty("looks", std::to_string(static_cast<double>(looks) / impacts) + ", at most " + std::to_string(most));
}

TEST(ImpulseBounds, FallingBallIsFoundAtOnce) {
  Random random(2);
  Flyer ball = makeFlyer(0, {0, 0, 2.0}, 0.0, 30.0, random);
  ball.collider.local = Pose{};
  ball.body.force.setZero();
  Flyer ground;
  ground.body.alive = true;
  ground.collider.shape = makeShape(Plane{});
  const FreeMotion motion{{0, 0, -9.81}, Integrator::Momentum};
  const SignedDistance near = distanceBetween(ground, ball);
  const double wait =
      earliestClosing(near.distance, near.normal, {ground.collider, Pose{}, motionBound(ground.body, motion, 1.0)},
                      {ball.collider, poseOf(ball.body), motionBound(ball.body, motion, 1.0)}, 1.0);
  const double exact = std::sqrt(2.0 * 1.8 / 9.81);
  EXPECT_LE(wait, exact);
  EXPECT_GT(wait, 0.998 * exact);
}

}  // namespace
}  // namespace cairn
