#include <gtest/gtest.h>

#include "world/building.hpp"

namespace cairn {
namespace {

// Two boxes of 1 m on each other: what is seen must be what statics says.
TEST(Inspect, AStackOfTwoIsSeenAsItIs) {
  World world;
  world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Plane{}}}});
  const BodyId low = world.addBody({.pose = {.position = {0, 0, 0.5}}, .shapes = {{.geometry = Box{}}}, .mass = 10.0});
  world.addBody({.pose = {.position = {0, 0, 1.5}}, .shapes = {{.geometry = Box{}}}, .mass = 10.0});
  const BodyId away = world.addBody({.pose = {.position = {9, 0, 20}}, .shapes = {{.geometry = Sphere{0.5}}}});
  for (int i = 0; i < 120; ++i) world.step(1.0 / 120.0);

  double onLow = 0.0;
  Vec3 lowest = Vec3::Constant(1e9);
  const std::vector<TouchPoint> points = world.touchPoints();
  EXPECT_EQ(points.size(), 8u);
  for (const TouchPoint& point : points) {
    if (point.bodyB == low) onLow += point.impulse.z();
    if (point.bodyA == low) onLow -= point.impulse.z();
    lowest = lowest.cwiseMin(point.point);
    EXPECT_NEAR(std::abs(point.normal.z()), 1.0, 1e-6);
    EXPECT_DOUBLE_EQ(point.friction, 0.5);
  }
  EXPECT_NEAR(onLow * 120.0, 10.0 * 9.81, 0.1);  // N: its own weight is left after what stands on it
  EXPECT_NEAR(lowest.z(), 0.0, 1e-3);

  const std::vector<BodyInspection> bodies = world.inspectBodies();
  ASSERT_EQ(bodies.size(), world.bodies().size());
  EXPECT_EQ(bodies[0].layer, 0);
  EXPECT_EQ(bodies[0].island, -1);
  EXPECT_EQ(bodies[1].layer, 1);
  EXPECT_EQ(bodies[2].layer, 2);
  EXPECT_EQ(bodies[1].island, bodies[2].island);
  EXPECT_NE(bodies[1].island, bodies[3].island);
  EXPECT_NEAR(bodies[2].upper.z() - bodies[2].lower.z(), 1.0, 1e-3);
  EXPECT_NEAR(bodies[3].lower.x(), 8.5, 1e-9);
  EXPECT_TRUE(world.isValid(away));
}

TEST(Inspect, AnEmptyOrUnsteppedWorldHasNothingToShow) {
  World world;
  EXPECT_TRUE(world.touchPoints().empty());
  EXPECT_TRUE(world.inspectBodies().empty());
  world.addBody({.shapes = {{.geometry = Box{}}}});
  EXPECT_EQ(world.inspectBodies().at(0).island, -1);
}

// A box on a slope of 0.3 (tan) stays with friction 0.5 and leaves when the friction is taken away.
TEST(Edits, MaterialsChangeBetweenSteps) {
  World world({.gravity = {9.81 * 0.3, 0, -9.81}});
  const BodyId ground = world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Plane{}}}});
  const BodyId box = world.addBody({.pose = {.position = {0, 0, 0.5}}, .shapes = {{.geometry = Box{}}}});
  for (int i = 0; i < 60; ++i) world.step(1.0 / 60.0);
  EXPECT_NEAR(world.state(box)->center.x(), 0.0, 1e-3);
  Material ice = world.shape(world.shapes(ground)[0])->material;
  ice.friction = 0.0;
  EXPECT_TRUE(world.setMaterial(world.shapes(ground)[0], ice));
  EXPECT_EQ(world.shape(world.shapes(ground)[0])->material, ice);
  for (int i = 0; i < 60; ++i) world.step(1.0 / 60.0);
  EXPECT_NEAR(world.state(box)->linearVelocity.x(), 9.81 * 0.3, 0.02);
  ice.friction = -1.0;
  EXPECT_THROW(world.setMaterial(world.shapes(ground)[0], ice), std::invalid_argument);
  EXPECT_FALSE(world.setMaterial(ShapeId{77, 1}, Material{}));
}

// A ball that spins on top of another one leaves it sideways as soon as there is friction.
TEST(Edits, MaterialsOfBallsThatTouchChangeBetweenSteps) {
  Material ice;
  ice.friction = 0.0;
  World world;
  const BodyId below =
      world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Sphere{.radius = 2.0}, .material = ice}}});
  const BodyId above = world.addBody(
      {.pose = {.position = {0, 0, 3.0}}, .angularVelocity = {0, 5.0, 0}, .shapes = {{.geometry = Sphere{.radius = 1.0}}}});
  for (int i = 0; i < 10; ++i) world.step(1.0 / 60.0);
  ASSERT_EQ(world.state(above)->linearVelocity.x(), 0.0);
  Material rough = ice;
  rough.friction = 0.5;
  ASSERT_TRUE(world.setMaterial(world.shapes(below)[0], rough));
  world.step(1.0 / 60.0);
  // The pair's coefficient is the root of 0.5 times the default; while it slides the ball gains mu g dt.
  const double mu = std::sqrt(0.5 * Material{}.friction);
  EXPECT_NEAR(world.state(above)->linearVelocity.x(), mu * 9.81 / 60.0, 0.02 * mu * 9.81 / 60.0);
}

}  // namespace
}  // namespace cairn
