// Coulomb's friction under the default stepper: which way it points, and how much of it there is in a bounce.
#include "world/building.hpp"

namespace cairn {
namespace {

using test::fixedSolid;
using test::kGravity;
using test::run;
using test::solid;

// A ball whose mass is off its middle answers a push at its foot more readily one way than another. Friction points against
// the velocity of the foot all the same.
TEST(SoftFriction, PointsAgainstTheVelocityOfTheContact) {
  constexpr double kRadius = 0.1, kMu = 0.5, kSpeed = 2.0, kTime = 5e-4;
  Material material;
  material.friction = kMu;
  for (int heading = 0; heading < 12; ++heading) {
    const double angle = heading * 0.5236 + 0.1;
    const Vec3 direction(std::cos(angle), std::sin(angle), 0.0);
    World world;
    world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
    BodyDesc desc = solid(Sphere{kRadius}, {0.0, 0.0, kRadius}, material);
    desc.massProperties = MassProperties{1.0, Vec3(0.06, 0.0, 0.0), 1e-3 * Mat3::Identity()};
    desc.linearVelocity = kSpeed * direction;
    const BodyId ball = world.addBody(desc);
    run(world, kTime, kTime / 20.0);
    const Vec3 gained = world.state(ball)->linearVelocity - desc.linearVelocity;
    const double along = -gained.dot(direction), across = gained.dot(Vec3::UnitZ().cross(direction));
    EXPECT_GT(along, 0.0) << heading;
    // It spins up meanwhile, and the foot's velocity turns a little with that: 0.0025 rad at most.
    EXPECT_LT(std::abs(std::atan2(across, along)), 7.5e-3) << heading;
  }
}

// A ball without spin falls on the ground while it flies along it: what it lost of its way and what spin it got when it is
// up again, for impacts everywhere in the step.
struct Glance {
  double lost;   // m/s along the ground
  double spin;   // rad/s
  double after;  // m/s up
};

Glance glance(double restitution, double friction, double speed, double fall, double phase, const Geometry& geometry,
              double height) {
  Material material;
  material.friction = friction;
  material.restitution = restitution;
  WorldSettings settings;
  settings.gravity = Vec3::Zero();
  World world(settings);
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
  BodyDesc desc = solid(geometry, {0.0, 0.0, height + fall * test::kDt * (1.0 + phase)}, material);
  desc.linearVelocity = {speed, 0.0, -fall};
  const BodyId body = world.addBody(desc);
  run(world, 5.0 * test::kDt);
  const BodyState state = *world.state(body);
  return {speed - state.linearVelocity.x(), state.angularVelocity.y(), state.linearVelocity.z()};
}

TEST(SoftFriction, ABounceHasAllOfCoulombsImpulse) {
  constexpr double kRadius = 0.1, kMu = 0.1, kFall = 2.0, kSpeed = 5.0;
  for (const double restitution : {0.0, 0.5, 0.9}) {
    const double impulse = kMu * (1.0 + restitution) * kFall;  // for a unit mass, as long as it slides
    for (int i = 0; i < 40; ++i) {
      const Glance found = glance(restitution, kMu, kSpeed, kFall, i / 40.0, Sphere{kRadius}, kRadius);
      EXPECT_NEAR(found.lost, impulse, 1e-3 * impulse) << restitution << " " << i;
      EXPECT_NEAR(found.spin, 2.5 * impulse / kRadius, 1e-3 * 2.5 * impulse / kRadius) << restitution << " " << i;
      EXPECT_NEAR(found.after, restitution * kFall, 1e-3 * kFall) << restitution << " " << i;
    }
  }
}

// With more friction than it takes it rolls when it leaves: two sevenths of its speed are gone.
TEST(SoftFriction, ABounceEndsRollingIfFrictionIsHigh) {
  constexpr double kRadius = 0.1, kFall = 2.0, kSpeed = 1.0;
  for (int i = 0; i < 40; ++i) {
    const Glance found = glance(0.5, 2.0, kSpeed, kFall, i / 40.0, Sphere{kRadius}, kRadius);
    EXPECT_NEAR(found.lost, 2.0 / 7.0 * kSpeed, 1e-3) << i;
    EXPECT_NEAR(found.spin * kRadius, kSpeed - found.lost, 1e-3) << i;
  }
}

// Four points at once, which all have to part with what they came with: a plate, and a cube that friction sets spinning.
TEST(SoftFriction, ABoxThatBouncesOnItsFaceHasItToo) {
  constexpr double kMu = 0.1, kRestitution = 0.5, kFall = 2.0, kSpeed = 5.0;
  const double impulse = kMu * (1.0 + kRestitution) * kFall;
  for (const Vec3& half : {Vec3(1.0, 1.0, 0.002), Vec3(0.1, 0.1, 0.1)}) {
    for (int i = 0; i < 20; ++i) {
      const Glance found = glance(kRestitution, kMu, kSpeed, kFall, i / 20.0, Box{half}, half.z());
      EXPECT_NEAR(found.lost, impulse, 1e-3 * impulse) << half.z() << " " << i;
      EXPECT_NEAR(found.after, kRestitution * kFall, 1e-3 * kFall) << half.z() << " " << i;
    }
  }
}

}  // namespace
}  // namespace cairn
