// Erleben's claims for velocity-based shock propagation (§4-5), with his budget: 10 sweeps for velocities, 5 for positions,
// steps of 0.01 s.
#include "papers/truth.hpp"

namespace cairn {
namespace {

SceneModel shocked(const std::string& scene, const std::vector<Override>& overrides = {}) {
  SceneModel model = openScene(scene, overrides);
  model.settings.stepper = "shock";
  model.dt = 0.01;
  return model;
}

// How far (m) any body is from where it started.
double farthest(const SceneRun& run) {
  double moved = 0.0;
  for (std::size_t i = 0; i < run.bodies().size(); ++i) {
    const auto state = run.world().state(run.bodies()[i]);
    if (state) moved = std::max(moved, (state->pose.position - run.model().bodies[i].desc.pose.position).norm());
  }
  return moved;
}

void runFor(SceneRun& run, double seconds) {
  while (run.world().time() < seconds - 1e-9) ASSERT_EQ(run.step().status, StepStatus::Ok);
}

// t_stacks.json: drift below 1 mm in 60 s, mean penetration below 1 % of a box. (Here 20 s; the drift grows linearly, 1e-6
// m/s.)
TEST(Erleben, StackOf25StandsWithTenAndFiveSweeps) {
  SceneRun run(shocked("stack25"));
  runFor(run, 20.0);
  EXPECT_LT(farthest(run), 1e-3 / 3.0);
  EXPECT_LT(run.world().deepestPenetration().depth, 1e-3);
}

TEST(Erleben, StackOf25FallsWithTenPlainSweeps) {
  SceneModel model = shocked("stack25");
  model.settings.stepper = "velocity";
  model.settings.solver.name = "pgs";
  model.settings.solver.iterations = 10;
  SceneRun run(std::move(model));
  runFor(run, 10.0);
  EXPECT_GT(farthest(run), 1.0);
}

// Figure 13: balls that start 5 cm deep in each other. With shock propagation 5 sweeps put them apart within 6 frames; the
// same correction of everything at once does not.
TEST(Erleben, BallGridIsPutApartWithinSixFrames) {
  const auto depthAfterSixFrames = [](double share) {
    SceneModel model = shocked("ball_grid");
    for (SceneBody& body : model.bodies) body.desc.pose.position.z() *= 0.95;
    model.settings.shock.iterations = model.settings.shock.correctionIterations = 5;
    model.settings.shock.share = share;
    SceneRun run(std::move(model));
    for (int i = 0; i < 6; ++i) EXPECT_EQ(run.step().status, StepStatus::Ok);
    return run.world().deepestPenetration().depth;
  };
  EXPECT_LT(depthAfterSixFrames(0.01), 1e-3);
  EXPECT_GT(depthAfterSixFrames(1.0), 3e-3);  // share 1: one layer
}

TEST(Erleben, TowerStandsStillAndHoldsTheBlock) {
  SceneModel model = shocked("tower", {with("layers", 12)});
  double appear = 0.0;
  for (const SceneBody& body : model.bodies)
    if (body.desc.name == "block") appear = body.appear;
  ASSERT_GT(appear, 1.0);
  SceneRun run(std::move(model));
  runFor(run, 2.0);
  EXPECT_LT(farthest(run), 1e-4);
  double fastest = 0.0;
  for (const BodyId body : run.world().bodies()) fastest = std::max(fastest, run.world().state(body)->linearVelocity.norm());
  EXPECT_LT(fastest, 1e-3);  // no jitter
}

// Block and cannonball: whatever falls, no step adds energy, and the ball's momentum goes into the bricks, not into the
// ground.
TEST(Erleben, HitTowerGainsNoEnergy) {
  SceneModel model = shocked("tower", {with("layers", 8)});
  for (SceneBody& body : model.bodies) {
    if (body.desc.name == "block") body.appear = 0.2;
    if (body.desc.name == "cannonball") body.appear = 1.0;
  }
  SceneRun run(std::move(model));
  double hit = 0.0;  // N s, of everything that moves
  double gained = 0.0;
  while (run.world().time() < 3.0) {
    run.admit();
    const double before = run.world().energy().total();
    ASSERT_EQ(run.step().status, StepStatus::Ok);
    gained += std::max(0.0, run.world().energy().total() - before) / before;
    if (std::abs(run.world().time() - 1.15) > 0.006) continue;
    Vec3 momentum = Vec3::Zero();
    for (const BodyId body : run.world().bodies())
      if (run.world().kind(body) == BodyKind::Dynamic)
        momentum += run.world().massProperties(body)->mass * run.world().state(body)->linearVelocity;
    hit = momentum.norm();
  }
  EXPECT_LT(gained, 1e-3);
  EXPECT_GT(hit, 0.5 * 50 * 50.0 * 30.0);  // of a ball of 50 brick masses (50 kg each) at 30 m/s
  EXPECT_GT(farthest(run), 5.0);           // and the tower is broken
}

// A stack in a lift that goes up and down does not lose its parts: layers are held at the lift's speed, not at rest.
TEST(Erleben, StackRidesALift) {
  SceneModel model;
  model.settings.stepper = "shock";
  model.dt = 0.01;
  SceneBody lift;
  lift.desc.name = "lift";
  lift.desc.kind = BodyKind::Kinematic;
  lift.desc.shapes = {{.geometry = Box{Vec3(1, 1, 0.1)}}};
  lift.desc.trajectory = Trajectory{};
  lift.desc.trajectory->keys = {{0.5, {}}, {3.0, {Vec3(0, 0, 5), Quat::Identity()}}};
  model.bodies.push_back(lift);
  for (int i = 0; i < 10; ++i) {
    SceneBody box;
    box.desc.name = "box" + std::to_string(i);
    box.desc.pose.position = {0, 0, 0.35 + 0.5 * i};
    box.desc.shapes = {{.geometry = Box{Vec3::Constant(0.25)}}};
    model.bodies.push_back(box);
  }
  SceneRun run(std::move(model));
  runFor(run, 4.0);
  const Vec3 base = stateOf(run, "lift").center;
  EXPECT_NEAR(base.z(), 5.0, 1e-9);
  for (int i = 0; i < 10; ++i)
    EXPECT_LT((stateOf(run, "box" + std::to_string(i)).center - base - Vec3(0, 0, 0.35 + 0.5 * i)).norm(), 0.02) << i;
}

// Layer forces of a resting stack are the weight above (t_stacks.json), also though layers are solved one by one: the share
// of the step in which the stack feels its weight is small, so only the bodies' rest is asked for, and what they swallow is
// said.
TEST(Erleben, SaysWhatTheHeldLayersSwallowed) {
  SceneRun run(shocked("stack25"));
  StepReport report;
  for (int i = 0; i < 50; ++i) report = run.step();
  EXPECT_EQ(report.method.layers, 25);
  EXPECT_GT(report.method.swallowed, 0.0);
}

}  // namespace
}  // namespace cairn
