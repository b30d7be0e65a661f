// Bodies that touch nothing.
#include "world/building.hpp"

namespace cairn::test {
namespace {

TEST(FreeMotion, FlightIsTheParabola) {
  World world;
  BodyDesc ball = solid(Sphere{0.1}, {1.0, 2.0, 3.0});
  ball.linearVelocity = {4.0, -5.0, 6.0};
  const BodyId id = world.addBody(ball);
  run(world, 3.0);
  const double t = world.time();
  const Vec3 expected = ball.pose.position + t * ball.linearVelocity - Vec3(0, 0, 0.5 * kGravity * t * t);
  // A constant acceleration is integrated without error; what is left is rounding.
  EXPECT_LT((world.state(id)->center - expected).norm(), 1e-10);
  EXPECT_NEAR(world.state(id)->linearVelocity.z(), 6.0 - kGravity * t, 1e-10);
}

TEST(FreeMotion, ForcesLastForOneStepAndImpulsesActAtOnce) {
  WorldSettings settings;
  settings.gravity.setZero();
  World world(settings);
  const BodyId id = world.addBody(solid(Box{Vec3(0.5, 0.5, 0.5)}, Vec3::Zero()));  // 1000 kg
  world.applyImpulse(id, {0, 0, 3000.0});
  EXPECT_DOUBLE_EQ(world.state(id)->linearVelocity.z(), 3.0);
  world.addForceAt(id, {6000.0, 0, 0}, {0, 0.5, 0});
  world.step(0.1);
  EXPECT_NEAR(world.state(id)->linearVelocity.x(), 0.6, 1e-12);
  // torque 0.5 * 6000 about -z on I = m/6
  EXPECT_NEAR(world.state(id)->angularVelocity.z(), -3000.0 * 0.1 / (1000.0 / 6.0), 1e-9);
  world.step(0.1);
  EXPECT_NEAR(world.state(id)->linearVelocity.x(), 0.6, 1e-12);
}

TEST(FreeMotion, DampingSlowsAsStated) {
  WorldSettings settings;
  settings.gravity.setZero();
  World world(settings);
  BodyDesc desc = solid(Sphere{0.5}, Vec3::Zero());
  desc.linearVelocity = {1, 0, 0};
  desc.linearDamping = 2.0;  // 1/s: v = exp(-2 t)
  const BodyId id = world.addBody(desc);
  run(world, 1.0);
  EXPECT_NEAR(world.state(id)->linearVelocity.x(), std::exp(-2.0), 1e-3);
}

// Moments 1, 2, 3 kg m^2 turning about the middle axis at 5 rad/s, disturbed by 0.01 rad/s. Reference: Jacobi elliptic
// functions, cross-checked by an 8th-order Runge-Kutta integration to 6e-10.
TEST(FreeMotion, BodySpunAboutItsMiddleAxisFlipsOnTime) {
  WorldSettings settings;
  settings.gravity.setZero();
  World world(settings);
  const Vec3 moments(1.0, 2.0, 3.0);
  const BodyId id = world.addBody(spinningBody(moments, {0.01, 5.0, 0.01}));
  double flip = -1.0;
  double before = 5.0;
  for (int i = 0; i < 600; ++i) {
    world.step(kDt);
    const BodyState s = *world.state(id);
    const double now = (s.pose.rotation.conjugate() * s.angularVelocity).y();
    if (flip < 0.0 && before > 0.0 && now <= 0.0) flip = world.time() - kDt * now / (now - before);
    before = now;
  }
  EXPECT_NEAR(flip, 2.74106805556, 2e-3);
  const BodyState s = *world.state(id);
  const Vec3 w = s.pose.rotation.conjugate() * s.angularVelocity;
  // After 10 s and two flips; the second-order midpoint rule at 1/960 s has drifted by a few milliradians in phase.
  EXPECT_NEAR(w.y(), 4.9999938332, 1e-4);
  const Quat reference(0.381075598319, -0.00110604625092, -0.924538802963, -0.00285776890438);
  EXPECT_LT(s.pose.rotation.angularDistance(reference), 0.02);
}

TEST(FreeMotion, TorqueFreeBodiesKeepEnergyAndAngularMomentum) {
  const std::array<Vec3, 3> moments = {Vec3(1, 2, 3), Vec3(0.0012, 0.0164, 0.0175), Vec3(2, 2, 0.1)};
  const std::array<Vec3, 3> spins = {Vec3(0.01, 5, 0.01), Vec3(0.05, 10, 0.02), Vec3(30, 1, 20)};
  for (std::size_t k = 0; k < moments.size(); ++k) {
    WorldSettings settings;
    settings.gravity.setZero();
    World world(settings);
    const BodyId id = world.addBody(spinningBody(moments[k], spins[k]));
    const auto momentum = [&] {
      const BodyState s = *world.state(id);
      return Vec3(s.pose.rotation * (moments[k].asDiagonal() * (s.pose.rotation.conjugate() * s.angularVelocity)));
    };
    const Vec3 l0 = momentum();
    const double e0 = world.energy().kinetic;
    run(world, 10.0);
    EXPECT_NEAR(world.energy().kinetic / e0, 1.0, 1e-10) << k;
    EXPECT_LT((momentum() - l0).norm() / l0.norm(), 1e-10) << k;
  }
}

TEST(FreeMotion, KinematicBodiesMoveExactlyAsTold) {
  World world;
  BodyDesc desc = solid(Box{Vec3(1, 1, 0.1)}, Vec3::Zero());
  desc.kind = BodyKind::Kinematic;
  desc.linearVelocity = {0.5, 0, 0.25};
  desc.angularVelocity = {0, 0, 1.0};
  const BodyId id = world.addBody(desc);
  world.addBody(solid(Sphere{0.2}, {0, 0, 0.3}));  // rides on it
  run(world, 2.0);
  EXPECT_LT((world.state(id)->center - Vec3(1.0, 0, 0.5)).norm(), 1e-12);
  EXPECT_LT(world.state(id)->pose.rotation.angularDistance(turn(2.0, Vec3::UnitZ())), 1e-9);
}

}  // namespace
}  // namespace cairn::test
