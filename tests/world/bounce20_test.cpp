// An elastic ball for twenty bounces: no method may lift it above where it started. What each loses is in docs/steppers.md.
#include "world/building.hpp"

namespace cairn::test {
namespace {

struct Bouncer {
  const char* name;
  const char* stepper;
  double lost;  // of the height, in each bounce, at most
  void (*set)(WorldSettings&);
};

const std::vector<Bouncer> kBouncers = {
    {"impulse mirtich", "impulse", 1e-6, [](WorldSettings&) {}},
    {"impulse guendelman", "impulse", 3e-3, [](WorldSettings& settings) { settings.impulse.method = "guendelman"; }},
    {"hybrid", "hybrid", 1e-6, [](WorldSettings&) {}},
    {"gauss", "gauss", 8e-3, [](WorldSettings& settings) { settings.friction.law = "none"; }},
    {"acceleration", "acceleration", 1e-6, [](WorldSettings&) {}},
    {"penalty implicit", "penalty", 1e-6, [](WorldSettings&) {}},
    {"penalty explicit", "penalty", 1e-6, [](WorldSettings& settings) { settings.penalty.implicit = false; }}};

TEST(Bounce20, NoApexIsAboveTheStart) {
  for (const Bouncer& one : kBouncers) {
    SCOPED_TRACE(one.name);
    WorldSettings settings;
    settings.stepper = one.stepper;
    one.set(settings);
    World world(settings);
    const Material material{.friction = 0.0, .restitution = 1.0};
    world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
    const BodyId ball = world.addBody(solid(Sphere{0.1}, {0, 0, 1.1}, material));
    int bounces = 0;
    double before = 0.0, last = 1.0;
    while (bounces < 20 && world.time() < 25.0) {
      ASSERT_EQ(world.step(kDt).status, StepStatus::Ok);
      const double z = world.state(ball)->center.z() - 0.1, v = world.state(ball)->linearVelocity.z();
      if (before > 0.0 && v <= 0.0) {
        const double apex = z + 0.5 * v * v / kGravity;
        EXPECT_LT(apex, 1.0 + 1e-6) << bounces;
        EXPECT_GT(apex, last * (1.0 - one.lost) - 1e-6) << bounces;
        last = apex;
        ++bounces;
      }
      before = v;
    }
    EXPECT_EQ(bounces, 20);
  }
}

}  // namespace
}  // namespace cairn::test
