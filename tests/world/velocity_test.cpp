// The plain velocity formulation, with every solver that there is.
#include <gtest/gtest.h>

#include "cairn/cairn.hpp"
#include "cairn/contact_problem.hpp"

namespace cairn {
namespace {

WorldSettings velocityWith(const std::string& solver) {
  WorldSettings settings;
  settings.stepper = "velocity";
  settings.solver = {.name = solver, .tolerance = 1e-8, .iterations = 0, .milliseconds = 0.0};
  return settings;
}

void addGround(World& world, double friction = 0.5) {
  world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Plane{}, .material = {.friction = friction}}}});
}

BodyId addBox(World& world, const Vec3& at, double friction = 0.5) {
  return world.addBody({.pose = {.position = at}, .shapes = {{.geometry = Box{}, .material = {.friction = friction}}}});
}

// What a solver can do for this world: none if it is frictionless or takes only tiny problems.
bool suits(const std::string& name, int rows) {
  const Capabilities can = makeSolver(name)->capabilities();
  const bool friction = can.has(Law::Box) || can.has(Law::Pyramid) || can.has(Law::Cone);
  return friction && name != "exhaustive" && (can.mostRows == 0 || can.mostRows >= rows);
}

TEST(Velocity, BodiesRestWithEverySolver) {
  int tried = 0;
  for (const std::string_view name : solverNames()) {
    if (!suits(std::string(name), 24)) continue;
    SCOPED_TRACE(name);
    ++tried;
    World world(velocityWith(std::string(name)));
    addGround(world);
    const BodyId low = addBox(world, {0, 0, 0.5}), high = addBox(world, {0.1, 0, 1.5});
    StepReport report;
    for (int i = 0; i < 60; ++i) report = world.step(1.0 / 60);
    ASSERT_TRUE(report.solve);
    EXPECT_EQ(report.solve->exits[static_cast<int>(Exit::Converged)], 1) << report.solve->message;
    EXPECT_LT(report.solve->residual, 1e-8);
    EXPECT_NEAR(world.state(low)->center.z(), 0.5, 1e-3);
    EXPECT_NEAR(world.state(high)->center.z(), 1.5, 1e-3);
    EXPECT_LT(world.state(high)->center.head<2>().norm(), 0.1 + 1e-4);
    EXPECT_LT(world.state(high)->linearVelocity.norm(), 1e-5);
  }
  EXPECT_GE(tried, 10);
}

// A block on a slope: g (sin a - mu cos a) if tan a > mu (closed form), in one step and in many.
TEST(Velocity, SlidesDownASlopeAsCoulombSays) {
  for (const double mu : {0.2, 0.4}) {
    WorldSettings settings = velocityWith("auto");
    const double angle = 0.5, g = 9.81;
    settings.gravity = {g * std::sin(angle), 0, -g * std::cos(angle)};
    World world(settings);
    addGround(world, mu);
    const BodyId box = addBox(world, {0, 0, 0.5}, mu);
    for (int i = 0; i < 60; ++i) world.step(1.0 / 60);
    EXPECT_NEAR(world.state(box)->linearVelocity.x(), g * (std::sin(angle) - mu * std::cos(angle)), 1e-4);
  }
}

TEST(Velocity, GivesItsProblemsAway) {
  WorldSettings settings = velocityWith("auto");
  settings.audit = Audit::Problems;
  World world(settings);
  addGround(world);
  const BodyId box = addBox(world, {0, 0, 0.5});
  addBox(world, {5, 0, 0.5});
  for (int i = 0; i < 10; ++i) world.step(1.0 / 60);
  ASSERT_EQ(world.contactProblems().size(), 2u);  // two islands
  const StepProblem& one = world.contactProblems()[0];
  EXPECT_EQ(one.problem->blocks().size(), 4u);
  EXPECT_LT(judge(*one.problem, one.impulse).relative, 1e-8);
  double normal = 0.0;
  for (const Block& block : one.problem->blocks()) normal += one.impulse[block.first];
  EXPECT_NEAR(normal, world.massProperties(box)->mass * 9.81 / 60, 1e-6 * normal);  // the weight, over a step
}

TEST(Velocity, RefusesSolversThatCannotDoFriction) {
  try {
    World world(velocityWith("nnls"));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("friction.law"), std::string::npos) << error.what();
  }
  WorldSettings settings = velocityWith("nnls");
  settings.friction.law = "none";
  World world(settings);
  addGround(world);
  const BodyId box = addBox(world, {0, 0, 0.5});
  for (int i = 0; i < 30; ++i) world.step(1.0 / 60);
  EXPECT_NEAR(world.state(box)->center.z(), 0.5, 1e-3);
}

// A solver that cannot take the problem moves nothing, and says so.
TEST(Velocity, StopsWhereTheSolverDoesNotApply) {
  World world(velocityWith("exhaustive"));
  addGround(world);
  const BodyId box = addBox(world, {0, 0, 0.5});
  const std::uint64_t before = world.stateHash();
  const StepReport report = world.step(1.0 / 60);
  EXPECT_EQ(report.status, StepStatus::Refused);
  EXPECT_NE(report.solve->message.find("exhaustive"), std::string::npos) << report.solve->message;
  EXPECT_EQ(world.stateHash(), before);
  EXPECT_EQ(world.time(), 0.0);
  WorldSettings settings = world.settings();
  settings.solver.name = "bgs";
  world.setSettings(settings);
  EXPECT_EQ(world.step(1.0 / 60).status, StepStatus::Ok);
  EXPECT_NEAR(world.state(box)->center.z(), 0.5, 1e-4);
}

TEST(Velocity, DoesNotDependOnThreads) {
  std::uint64_t hash = 0;
  for (const int threads : {1, 2, 4}) {
    WorldSettings settings = velocityWith("auto");
    settings.threads = threads;
    World world(settings);
    addGround(world);
    for (int i = 0; i < 12; ++i) addBox(world, {2.0 * (i % 4), 2.0 * (i / 4), 1.0 + 0.1 * i});
    for (int i = 0; i < 60; ++i) world.step(1.0 / 60);
    if (threads == 1) hash = world.stateHash();
    EXPECT_EQ(world.stateHash(), hash);
  }
}

TEST(Velocity, HoldsJointsAndBounces) {
  World world(velocityWith("auto"));
  addGround(world);
  const BodyId ball = world.addBody({.pose = {.position = {0, 0, 1}},
                                     .linearVelocity = {0, 0, -3},
                                     .shapes = {{.geometry = Sphere{0.5}, .material = {.restitution = 0.5}}}});
  const BodyId anchor = world.addBody({.kind = BodyKind::Static, .pose = {.position = {5, 0, 5}}});
  const BodyId bob = world.addBody({.pose = {.position = {6, 0, 5}}, .shapes = {{.geometry = Sphere{0.1}}}});
  world.addJoint({.a = anchor, .b = bob, .anchorB = {-1, 0, 0}});
  double fastest = 0.0;
  for (int i = 0; i < 60; ++i) {
    const StepReport report = world.step(1.0 / 60);
    fastest = std::max(fastest, world.state(ball)->linearVelocity.z());
    // A step along the tangent of the circle is off by (v h)^2/(2 L); the stabilisation takes a fifth of what there is.
    EXPECT_LT(report.jointError, 2 * 9.81 / (60.0 * 60.0) / 2 / 0.2);
  }
  const double impact = std::sqrt(9.0 + 2 * 9.81 * 0.5);  // m/s, closed form
  EXPECT_NEAR(fastest, 0.5 * impact, 0.2);                // a step of 1/60 s: 9.81/60 m/s
}

// What the soft stepper left open is measured, and measuring changes nothing.
TEST(Audit, JudgesTheSoftStepperWithoutTouchingIt) {
  std::uint64_t hash = 0;
  for (const Audit audit : {Audit::None, Audit::Residual}) {
    WorldSettings settings;
    settings.audit = audit;
    World world(settings);
    addGround(world);
    for (int i = 0; i < 4; ++i) addBox(world, {0, 0, 0.5 + i});
    StepReport report;
    for (int i = 0; i < 60; ++i) report = world.step(1.0 / 60);
    EXPECT_EQ(report.solve.has_value(), audit != Audit::None);
    if (audit == Audit::None) hash = world.stateHash();
    EXPECT_EQ(world.stateHash(), hash);
    if (report.solve) {
      EXPECT_LT(report.solve->residual, 0.05);  // a stack at rest: a few per cent of g dt
    }
  }
}

}  // namespace
}  // namespace cairn
