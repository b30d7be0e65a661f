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

}  // namespace
}  // namespace cairn
