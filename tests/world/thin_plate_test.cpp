// Nothing passes a thin plate, however fast it comes and however long a step is.
#include "world/building.hpp"

namespace cairn::test {
namespace {

constexpr const char* kSteppers[] = {"velocity", "lcp", "shock", "implicit", "gauss"};

std::vector<Geometry> shapes() {
  const double r = 0.05;
  return {Sphere{r}, Box{Vec3(r, r, r)}, Capsule{0.03, r}, Cylinder{r, 0.04},
          ConvexHull{{{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}}}};
}

struct Throw {
  double thickness;  // m, of the plate
  double height;     // m
  double speed;      // m/s, downwards
  double seconds;    // s
};

TEST(ThinPlate, StopsWhatFalls) {
  for (const char* stepper : kSteppers) {
    for (const Throw& one : {Throw{0.05, 2.0, 0.0, 1.0}, Throw{0.002, 0.5, 5.0, 0.4}, Throw{0.002, 7.0, 900.0, 0.1}}) {
      for (const double dt : {1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0}) {
        int kind = 0;
        for (const Geometry& geometry : shapes()) {
          for (const double restitution : {0.0, 0.5}) {
            WorldSettings settings;
            settings.stepper = stepper;
            Material material;
            material.restitution = restitution;
            if (settings.stepper == "gauss") material.friction = 0.0;
            World world(settings);
            world.addBody(fixedSolid(Box{Vec3(2, 2, 0.5 * one.thickness)}, Vec3::Zero(), material));
            BodyDesc desc = solid(geometry, {0.3, 0.1, one.height}, material);
            desc.linearVelocity = {0, 0, -one.speed};
            const BodyId body = world.addBody(desc);
            double lowest = one.height;
            for (double t = 0.0; t < one.seconds; t += dt) {
              ASSERT_EQ(world.step(dt).status, StepStatus::Ok);
              lowest = std::min(lowest, world.state(body)->center.z());
            }
            EXPECT_GT(lowest, 0.0) << stepper << ", " << one.speed << " m/s, dt " << dt << ", shape " << kind << ", e "
                                   << restitution;
          }
          ++kind;
        }
      }
    }
  }
}

// A plate that is dynamic itself, and struck off its middle, takes the blow: momentum is kept.
TEST(ThinPlate, TakesTheBlowThatStopsABullet) {
  for (const char* stepper : kSteppers) {
    WorldSettings settings;
    settings.stepper = stepper;
    settings.gravity = Vec3::Zero();
    Material smooth;
    smooth.friction = 0.0;
    World world(settings);
    const BodyId plate = world.addBody(solid(Box{Vec3(1, 1, 0.001)}, Vec3::Zero(), smooth));
    BodyDesc desc = solid(Sphere{0.01}, {0.1, 0, 1.3}, smooth);
    desc.linearVelocity = {0, 0, -400};
    const BodyId bullet = world.addBody(desc);
    const double mass = world.massProperties(bullet)->mass;
    for (int i = 0; i < 3; ++i) ASSERT_EQ(world.step(kDt).status, StepStatus::Ok);
    const double momentum = mass * world.state(bullet)->linearVelocity.z() +
                            world.massProperties(plate)->mass * world.state(plate)->linearVelocity.z();
    EXPECT_NEAR(momentum, -400.0 * mass, 1e-6 * 400.0 * mass) << stepper;
    EXPECT_GT(world.state(bullet)->center.z(), world.state(plate)->center.z()) << stepper;
    EXPECT_LT(world.state(plate)->linearVelocity.z(), 0.0) << stepper;
  }
}

// What rows along straight lines cannot see is said.
TEST(ThinPlate, SaysWhenSomethingTurnsTooFastToBeSeen) {
  for (const char* stepper : kSteppers) {
    WorldSettings settings;
    settings.stepper = stepper;
    settings.continuous.enabled = false;  // which follows the turning
    Material smooth;
    smooth.friction = 0.0;
    World world(settings);
    world.addBody(fixedSolid(Box{Vec3(2, 2, 0.001)}, Vec3::Zero(), smooth));
    BodyDesc rod = solid(Box{Vec3(0.5, 0.02, 0.02)}, {0, 0, 0.52}, smooth);
    rod.angularVelocity = {0, 200, 0};
    world.addBody(rod);
    EXPECT_NE(world.step(kDt).method.message.find("turned by 3.3"), std::string::npos) << stepper;
    World still(settings);
    still.addBody(fixedSolid(Plane{}, Vec3::Zero(), smooth));
    BodyDesc top = solid(Cylinder{0.5, 0.02}, {0, 0, 0.02}, smooth);  // round about the axis it spins about
    top.angularVelocity = {0, 0, 200};
    still.addBody(top);
    EXPECT_TRUE(still.step(kDt).method.message.empty()) << stepper;
  }
}

}  // namespace
}  // namespace cairn::test
