// Bodies that touch: rest, friction, bounce, stiffness. References are closed forms.
#include <map>

#include "world/building.hpp"

namespace cairn::test {
namespace {

void addGround(World& world, const Material& material = {}) { world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material)); }

// The force through interface k of a stack at rest is the weight of everything above it.
TEST(Contact, ForcesInAStackOf25AreTheWeightsAbove) {
  World world;
  addGround(world);
  std::vector<BodyId> boxes;
  for (int i = 0; i < 25; ++i) {
    BodyDesc box = solid(Box{}, {0, 0, i + 0.5});
    box.mass = 1.0;
    boxes.push_back(world.addBody(box));
  }
  run(world, 5.0);
  std::map<std::uint32_t, double> forceOn;  // by the upper body
  for (int i = 0; i < 60; ++i) {
    world.step(kDt);
    for (const ContactEvent& event : world.contactEvents()) {
      forceOn[std::max(event.bodyA.index, event.bodyB.index)] += event.normalImpulse / kDt / 60.0;
    }
  }
  for (int i = 0; i < 25; ++i) EXPECT_NEAR(forceOn[boxes[i].index], kGravity * (25 - i), 0.01 * kGravity * (25 - i)) << i;
}

struct Slope {
  World world;
  BodyId block;
  Vec3 down;
};

Slope makeSlope(double angle, double mu, double heading) {
  Slope slope;
  const Material material{.friction = mu};
  // The plane tilts about y after turning by the heading about z.
  const Quat tilt = turn(heading, Vec3::UnitZ()) * turn(angle, Vec3::UnitY());
  slope.down = tilt * Vec3::UnitX();
  slope.world.addBody(fixedSolid(Plane{tilt * Vec3::UnitZ(), 0.0}, Vec3::Zero(), material));
  BodyDesc block = solid(Box{Vec3(0.5, 0.5, 0.25)}, tilt * Vec3(0, 0, 0.25), material);
  block.pose.rotation = tilt;
  slope.block = slope.world.addBody(block);
  return slope;
}

TEST(Friction, BlockSticksBelowTheFrictionAngleAndSlidesAbove) {
  for (const double mu : {0.3, 0.5, 0.8}) {
    for (const double heading : {0.0, 30.0 * M_PI / 180, 45.0 * M_PI / 180}) {
      Slope below = makeSlope(std::atan(0.999 * mu), mu, heading);
      const Vec3 start = below.world.state(below.block)->center;
      run(below.world, 10.0);
      EXPECT_LT(std::abs((below.world.state(below.block)->center - start).dot(below.down)), 1e-4) << mu << " " << heading;

      const double angle = std::atan(1.01 * mu);
      Slope above = makeSlope(angle, mu, heading);
      run(above.world, 2.0);
      const double a = kGravity * (std::sin(angle) - mu * std::cos(angle));
      const double speed = above.world.state(above.block)->linearVelocity.dot(above.down);
      EXPECT_NEAR(speed, 2.0 * a, 0.05 * 2.0 * a) << mu << " " << heading;
    }
  }
}

TEST(Friction, SlidingAccelerationIsCoulombs) {
  const double mu = 0.5, angle = std::atan(1.5 * mu);
  Slope slope = makeSlope(angle, mu, 0.3);
  const Vec3 start = slope.world.state(slope.block)->center;
  run(slope.world, 2.0);
  const double a = 1.962;  // g (sin - mu cos)
  EXPECT_NEAR((slope.world.state(slope.block)->center - start).dot(slope.down), 0.5 * a * 4.0, 0.01 * 0.5 * a * 4.0);
}

// A thrown ball slides, then rolls from t = 2 v0 / (7 mu g) on with 5/7 of its speed.
TEST(Friction, ThrownSphereStartsToRollOnTime) {
  World world;
  const Material material{.friction = 0.3};
  addGround(world, material);
  BodyDesc ball = solid(Sphere{0.5}, {0, 0, 0.5}, material);
  ball.linearVelocity = {2.0, 0, 0};
  const BodyId id = world.addBody(ball);
  double rolling = -1.0;
  for (int i = 0; i < 60 && rolling < 0.0; ++i) {
    world.step(kDt);
    const BodyState s = *world.state(id);
    if (s.linearVelocity.x() - 0.5 * s.angularVelocity.y() < 1e-3) rolling = world.time();
  }
  EXPECT_NEAR(rolling, 0.19416533178, kDt);
  run(world, 2.0);
  EXPECT_NEAR(world.state(id)->linearVelocity.x(), 1.42857142857, 2e-3);
  EXPECT_NEAR(world.state(id)->angularVelocity.y(), 2.85714285714, 4e-3);
  EXPECT_NEAR(world.state(id)->linearVelocity.z(), 0.0, 1e-4);
}

// Curved surfaces are curved: on a face nothing is felt of a tessellation, so a rolling body keeps its height and speed.
TEST(Rolling, RoundBodiesRollWithoutBumps) {
  const std::vector<std::pair<const char*, Geometry>> grounds = {{"plane", Plane{}}, {"box", Box{Vec3(50, 50, 1)}}};
  const std::vector<std::pair<const char*, Geometry>> bodies = {{"sphere", Sphere{0.5}},
                                                                {"cylinder", Cylinder{0.5, 0.4}},
                                                                {"capsule", Capsule{0.5, 0.4}},
                                                                {"ellipsoid", Ellipsoid{Vec3(0.5, 0.5, 0.8)}}};
  for (const auto& [groundName, ground] : grounds) {
    for (const auto& [bodyName, geometry] : bodies) {
      World world;
      world.addBody(fixedSolid(ground, {0, 0, std::holds_alternative<Box>(ground) ? -1.0 : 0.0}));
      BodyDesc desc = solid(geometry, {0, 0, 0.5});
      desc.pose.rotation = turn(M_PI / 2, Vec3::UnitX());  // axis along y
      desc.linearVelocity = {2.0, 0, 0};
      desc.angularVelocity = {0, 4.0, 0};
      const BodyId id = world.addBody(desc);
      run(world, 0.5);
      const double height = world.state(id)->center.z();
      double lowest = height, highest = height;
      for (int i = 0; i < 300; ++i) {
        world.step(kDt);
        lowest = std::min(lowest, world.state(id)->center.z());
        highest = std::max(highest, world.state(id)->center.z());
      }
      EXPECT_LT(highest - lowest, 1e-5) << bodyName << " on " << groundName;
      EXPECT_NEAR(world.state(id)->linearVelocity.x(), 2.0, 2e-3) << bodyName << " on " << groundName;
      EXPECT_NEAR(world.state(id)->linearVelocity.y(), 0.0, 1e-3) << bodyName << " on " << groundName;
    }
  }
}

// Dropped from 1 m: bounce times and apex heights of the ideal law. The bounce is placed at the substep's end, so a time is
// late by at most one substep each.
TEST(Restitution, BallBouncesAtTheRightTimesAndHeights) {
  struct Case {
    double e;
    std::vector<double> times, apexes;
  };
  const std::vector<Case> cases = {{0.5, {0.451523640986, 0.903047281971, 1.12880910246}, {0.25, 0.0625, 0.015625}},
                                   {0.8, {0.451523640986, 1.17396146656, 1.75191172703}, {0.64, 0.4096, 0.262144}},
                                   {1.0, {0.451523640986, 1.35457092296, 2.25761820493}, {1.0, 1.0, 1.0}}};
  for (const Case& c : cases) {
    World world;
    addGround(world, {.restitution = c.e});
    const BodyId id = world.addBody(solid(Sphere{0.5}, {0, 0, 1.5}));
    std::vector<double> times, apexes;
    double vBefore = 0.0, apex = 0.0;
    const double dt = 1.0 / 240.0;
    for (int i = 0; i < 240 * 3 && times.size() < 4; ++i) {
      world.step(dt);
      const BodyState s = *world.state(id);
      if (vBefore < 0.0 && s.linearVelocity.z() > 0.0) {
        if (!times.empty()) apexes.push_back(apex);
        times.push_back(world.time());
        apex = 0.0;
      }
      apex = std::max(apex, s.center.z() - 0.5);
      vBefore = s.linearVelocity.z();
    }
    for (std::size_t i = 0; i < 3 && i < times.size(); ++i) EXPECT_NEAR(times[i], c.times[i], 1.5 * dt * (i + 1)) << c.e;
    for (std::size_t i = 0; i < 2 && i < apexes.size(); ++i) EXPECT_NEAR(apexes[i], c.apexes[i], 0.01 * c.apexes[i]) << c.e;
    ASSERT_GE(apexes.size(), 2u) << c.e;
  }
}

TEST(Stiffness, BoxSinksByItsWeightOverTheStatedStiffness) {
  World world;
  addGround(world, {.friction = 0.5, .restitution = 0.0, .stiffness = 1e5, .damping = 2e3});
  BodyDesc desc = solid(Box{}, {0, 0, 0.5});
  desc.mass = 100.0;
  const BodyId id = world.addBody(desc);
  run(world, 5.0);
  EXPECT_NEAR(0.5 - world.state(id)->center.z(), 100.0 * kGravity / 1e5, 1e-5);
}

TEST(Stiffness, LightlyDampedContactRingsAtItsOwnFrequency) {
  World world;
  addGround(world, {.friction = 0.5, .restitution = 0.0, .stiffness = 1e5, .damping = 50.0});
  BodyDesc desc = solid(Box{}, {0, 0, 0.5});
  desc.mass = 100.0;
  const BodyId id = world.addBody(desc);
  // Let go at the surface it swings between 0 and 2 m g / k below it with omega = sqrt(k/m) = 31.6 rad/s.
  const double dt = 1.0 / 480.0;
  double firstRise = -1.0;
  for (int i = 0; i < 480 && firstRise < 0.0; ++i) {
    world.step(dt);
    if (world.state(id)->linearVelocity.z() > 0.0) firstRise = world.time();
  }
  EXPECT_NEAR(firstRise, M_PI / std::sqrt(1e5 / 100.0), 0.005);
}

TEST(Contact, BrickAtTheEdgeFallsOnlyWhenItsCentreIsOver) {
  for (const double overhang : {0.48, 0.52}) {  // of its length
    World world;
    world.addBody(fixedSolid(Box{Vec3(1, 1, 1)}, {-1, 0, -1}));
    const BodyId id = world.addBody(solid(Box{Vec3(0.5, 0.25, 0.125)}, {overhang - 0.5, 0, 0.125}));
    run(world, 5.0);
    EXPECT_EQ(world.state(id)->center.z() > 0.0, overhang < 0.5) << overhang;
  }
}

TEST(Contact, ConveyorCarriesABox) {
  World world;
  BodyDesc belt = solid(Box{Vec3(20, 1, 0.5)}, {0, 0, -0.5});
  belt.kind = BodyKind::Kinematic;
  belt.linearVelocity = {1.0, 0, 0};
  world.addBody(belt);
  const BodyId id = world.addBody(solid(Box{Vec3(0.2, 0.2, 0.2)}, {0, 0, 0.2}));
  run(world, 2.0);
  EXPECT_NEAR(world.state(id)->linearVelocity.x(), 1.0, 1e-3);
}

TEST(Contact, CompoundBodyRestsOnAllItsShapes) {
  World world;
  addGround(world);
  BodyDesc table;
  table.pose.position = {0, 0, 0.01};
  ShapeDesc top{.geometry = Box{Vec3(1, 0.6, 0.05)}, .local = {.position = {0, 0, 0.75}}};
  table.shapes = {top};
  for (const double x : {-0.9, 0.9}) {
    for (const double y : {-0.5, 0.5})
      table.shapes.push_back({.geometry = Cylinder{0.05, 0.35}, .local = {.position = {x, y, 0.35}}});
  }
  const BodyId id = world.addBody(table);
  run(world, 3.0);
  EXPECT_NEAR(world.state(id)->pose.position.z(), 0.0, 1e-3);
  EXPECT_LT(world.state(id)->pose.rotation.angularDistance(Quat::Identity()), 1e-3);
  EXPECT_LT(world.state(id)->linearVelocity.norm(), 1e-3);
  EXPECT_LT(world.deepestPenetration().depth, 1e-3);
}

TEST(Contact, FilteredShapesPassThroughEachOther) {
  World world;
  addGround(world);
  BodyDesc ghost = solid(Sphere{0.5}, {0, 0, 2});
  ghost.shapes[0].collidesWith = 2;
  const BodyId id = world.addBody(ghost);
  run(world, 2.0);
  EXPECT_LT(world.state(id)->center.z(), -5.0);
}

TEST(Contact, FastBallDoesNotPassThroughAThinWall) {
  World world;
  world.addBody(fixedSolid(Box{Vec3(0.01, 5, 5)}));
  BodyDesc ball = solid(Sphere{0.05}, {-3, 0, 0});
  ball.linearVelocity = {100, 0, 0};
  const BodyId id = world.addBody(ball);
  run(world, 1.0);
  EXPECT_LT(world.state(id)->center.x(), 0.0);
}

// The narrow phase skips pairs that cannot have met. Whatever overlaps must have been seen, also after bodies were put
// somewhere else by hand.
TEST(Contact, NoOverlapGoesUnseen) {
  World world;
  addGround(world);
  std::vector<BodyId> bodies;
  for (int i = 0; i < 60; ++i) {
    BodyDesc desc = i % 3 == 0   ? solid(Sphere{0.3}, Vec3::Zero())
                    : i % 3 == 1 ? solid(Box{Vec3(0.4, 0.2, 0.3)}, Vec3::Zero())
                                 : solid(Capsule{0.2, 0.3}, Vec3::Zero());
    desc.pose.position = {(i % 4) * 0.9, (i / 4 % 4) * 0.9, 0.6 + 0.9 * (i / 16)};
    desc.pose.rotation = turn(0.7 * i, Vec3(1, i % 3, 1).normalized());
    desc.linearVelocity = {std::sin(i), std::cos(3 * i), 0.0};
    bodies.push_back(world.addBody(desc));
  }
  int overlaps = 0;
  for (int step = 0; step < 300; ++step) {
    if (step % 20 == 19) world.setPose(bodies[step % 60], {Vec3(std::sin(step), std::cos(step), 0.5), Quat::Identity()});
    const Penetration before = world.deepestPenetration();
    world.step(kDt);
    if (before.depth < 1e-6) continue;
    ++overlaps;
    bool seen = false;
    for (const ContactEvent& event : world.contactEvents())
      seen |=
          (event.shapeA == before.a && event.shapeB == before.b) || (event.shapeA == before.b && event.shapeB == before.a);
    EXPECT_TRUE(seen) << "step " << step << ", depth " << before.depth;
  }
  EXPECT_GT(overlaps, 100);
}

}  // namespace
}  // namespace cairn::test
