// Drag is among the forces that "acceleration" integrates: the order is that of its rule, not that of a splitting.
#include "world/building.hpp"

namespace cairn {
namespace {

using test::fixedSolid;
using test::kGravity;
using test::solid;

WorldSettings acceleration() {
  WorldSettings settings;
  settings.stepper = "acceleration";
  return settings;
}

// m v' = -m g + k v^2 and I w' = -c w: v = -v_t tanh(g t/v_t), v_t^2 = m g/k, z = z0 - v_t^2/g ln cosh(g t/v_t).
// With drag split off, the error in v was 0.38, 0.19, 0.096 m/s for these steps: of first order.
TEST(AccelerationDrag, AFallWithDragIsThatOfTheClosedFormWhateverTheStep) {
  for (const double dt : {0.1, 0.05, 0.025}) {
    World world(acceleration());
    BodyDesc ball = solid(Sphere{0.1}, {0, 0, 100});
    ball.mass = 2.0;
    ball.angularVelocity = {0, 0, 5};
    ball.drag.quadratic = 0.4;
    ball.drag.angularLinear = 0.003;
    const BodyId id = world.addBody(ball);
    test::run(world, 1.0, dt);
    const double terminal = std::sqrt(2.0 * kGravity / 0.4), inertia = 0.4 * 2.0 * 0.01;
    const BodyState state = *world.state(id);
    EXPECT_NEAR(state.linearVelocity.z(), -terminal * std::tanh(kGravity / terminal), 1e-10) << dt;
    EXPECT_NEAR(state.center.z(), 100.0 - terminal * terminal / kGravity * std::log(std::cosh(kGravity / terminal)), 3e-10);
    EXPECT_NEAR(state.angularVelocity.z(), 5.0 * std::exp(-0.003 / inertia), 1e-12) << dt;
  }
}

// m v' = -mu m g - c v until it stops, at t = m/c ln(1 + c v0/(mu m g)); then it rests.
TEST(AccelerationDrag, ASlidingBlockStopsWhenDragAndFrictionSay) {
  World world(acceleration());
  Material rough;
  rough.friction = 0.3;
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), rough));
  BodyDesc block = solid(Box{Vec3(0.5, 0.5, 0.05)}, {0, 0, 0.05}, rough);
  block.mass = 2.0;
  block.linearVelocity = {3, 0, 0};
  block.drag.linear = 1.5;
  const BodyId id = world.addBody(block);
  const double grip = 0.3 * kGravity, rate = 1.5 / 2.0, stop = std::log(1.0 + rate * 3.0 / grip) / rate;
  test::run(world, 0.99 * stop, 0.99 * stop / 20);
  const double left = (3.0 + grip / rate) * std::exp(-rate * 0.99 * stop) - grip / rate;
  EXPECT_NEAR(world.state(id)->linearVelocity.x(), left, 1e-8);
  test::run(world, 0.02 * stop, 0.01 * stop);
  EXPECT_LT(world.state(id)->linearVelocity.norm(), 1e-12);
}

// What decays within a step is not worth a thousand steps of an explicit rule: such a step is one of lcp, and drag implicit.
TEST(AccelerationDrag, StiffDragIsLeftToAnotherRuleWithAWord) {
  World world(acceleration());
  BodyDesc ball = solid(Sphere{0.1}, {0, 0, 1});
  ball.linearVelocity = {10, 0, 0};
  ball.drag = {1e12, 1e12, 1e12, 1e12};
  const BodyId id = world.addBody(ball);
  const StepReport report = world.step(0.1);
  EXPECT_EQ(report.status, StepStatus::Ok);
  EXPECT_NE(report.method.message.find("drag"), std::string::npos) << report.method.message;
  EXPECT_LT(world.state(id)->linearVelocity.norm(), 1e-6);
}

}  // namespace
}  // namespace cairn
