// Questions between steps: right after any edit, the same from several threads, and without a trace in the future.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "geometry/distance.hpp"
#include "geometry/ray.hpp"
#include "geometry/shape.hpp"
#include "world/building.hpp"

namespace cairn {
namespace {

class Yard {
 public:
  explicit Yard(std::uint64_t seed, const std::string& stepper = "soft") : random_(seed) {
    WorldSettings settings;
    settings.stepper = stepper;
    world.setSettings(settings);
    world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Plane{}}}});
  }
  double uniform(double least, double most) { return std::uniform_real_distribution<double>(least, most)(random_); }
  Vec3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Quat turn() { return Quat(Eigen::AngleAxisd(uniform(-3.0, 3.0), (vector(1.0) + Vec3(0, 0, 1e-3)).normalized())); }
  BodyId add() {
    BodyDesc desc;
    desc.pose = {vector(4.0) + Vec3(0, 0, 4.5), turn()};
    desc.linearVelocity = vector(3.0);
    const Pose local{vector(0.3), turn()};
    switch (random_() % 4) {
      case 0:
        desc.shapes = {{.geometry = Sphere{0.3}}};
        break;
      case 1:
        desc.shapes = {{.geometry = Box{Vec3(0.3, 0.2, 0.4)}, .local = local}};
        break;
      case 2:
        desc.shapes = {{.geometry = Capsule{0.15, 0.3}}, {.geometry = Sphere{0.2}, .local = local}};
        break;
      default:
        desc.shapes = {{.geometry = Cylinder{0.2, 0.3}, .local = local}};
    }
    return bodies.emplace_back(world.addBody(desc));
  }
  BodyId& any() { return bodies[random_() % bodies.size()]; }
  void edit() {
    switch (random_() % 4) {
      case 0:
        add();
        break;
      case 1:
        std::swap(any(), bodies.back());
        world.removeBody(bodies.back());
        bodies.pop_back();
        break;
      default:
        world.setPose(any(), {vector(4.0) + Vec3(0, 0, 4.5), turn()});
    }
  }
  Ray ray() { return {.origin = vector(8.0) + Vec3(0, 0, 5), .direction = vector(1.0) + Vec3(0, 0, 1e-3), .length = 30.0}; }

  World world;
  std::vector<BodyId> bodies;

 private:
  std::mt19937_64 random_;
};

struct Placed {
  ShapeId id;
  BodyId body;
  Shape shape;
  Pose pose;
};

std::vector<Placed> shapesOf(const World& world) {
  std::vector<Placed> all;
  for (const BodyId body : world.bodies())
    for (const ShapeId id : world.shapes(body)) {
      const ShapeDesc desc = *world.shape(id);
      all.push_back({id, body, makeShape(desc.geometry), world.state(body)->pose * desc.local});
    }
  return all;
}

// How far the nearest of all shapes is along the ray; negative: nothing is hit.
double nearest(const std::vector<Placed>& shapes, const Ray& ray) {
  double best = -1.0;
  for (const Placed& one : shapes) {
    const auto hit = cairn::castRay(one.shape, one.pose, ray.origin, ray.direction.normalized(), ray.length);
    if (hit && (best < 0.0 || hit->distance < best)) best = hit->distance;
  }
  return best;
}

double deepest(const std::vector<Placed>& shapes, const World& world) {
  double depth = 0.0;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (std::size_t j = i + 1; j < shapes.size(); ++j) {
      const bool fixed = world.kind(shapes[i].body) != BodyKind::Dynamic && world.kind(shapes[j].body) != BodyKind::Dynamic;
      if (shapes[i].body == shapes[j].body || fixed) continue;
      depth = std::max(depth, -signedDistance(shapes[i].shape, shapes[i].pose, shapes[j].shape, shapes[j].pose).distance);
    }
  return depth;
}

// Poses of shapes come out of a product that rounds in another order here: 1e-9 m is far more than that may do.
constexpr double kRounding = 1e-9;

void expectRight(Yard& yard, int rays) {
  const std::vector<Placed> shapes = shapesOf(yard.world);
  for (int i = 0; i < rays; ++i) {
    const Ray ray = yard.ray();
    const double expected = nearest(shapes, ray);
    const std::optional<RayHit> hit = yard.world.castRay(ray);
    ASSERT_NEAR(hit ? hit->distance : -1.0, expected, kRounding);
  }
}

TEST(Queries, RaysAreRightAfterStepsAndAfterEditsWithoutAStep) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Yard yard(seed);
    for (int i = 0; i < 60; ++i) yard.add();
    expectRight(yard, 50);
    Snapshot snapshot;
    for (int round = 0; round < 20; ++round) {
      yard.world.step(round % 3 == 0 ? 1.0 / 30 : 1.0 / 120);
      if (round % 2 == 0) expectRight(yard, 20);
      if (round == 10) snapshot = yard.world.snapshot();
      for (int edit = 0; edit < 4; ++edit) {
        yard.edit();
        if (edit % 2 == 0) expectRight(yard, 10);
      }
      expectRight(yard, 20);
    }
    yard.world.restore(snapshot);
    expectRight(yard, 50);
  }
}

TEST(Queries, DeepestPenetrationIsRightAfterEditsWithoutAStep) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Yard yard(seed);
    for (int i = 0; i < 40; ++i) yard.add();
    for (int round = 0; round < 10; ++round) {
      EXPECT_NEAR(yard.world.deepestPenetration().depth, deepest(shapesOf(yard.world), yard.world), kRounding);
      for (int edit = 0; edit < 3; ++edit) yard.edit();
      EXPECT_NEAR(yard.world.deepestPenetration().depth, deepest(shapesOf(yard.world), yard.world), kRounding);
      yard.world.step(1.0 / 60);
    }
  }
}

TEST(Queries, SeveralThreadsMayAskAtOnce) {
  Yard yard(5);
  for (int i = 0; i < 100; ++i) yard.add();
  for (int round = 0; round < 10; ++round) {
    yard.world.step(1.0 / 60);
    yard.edit();
    const std::vector<Placed> shapes = shapesOf(yard.world);
    const double depth = deepest(shapes, yard.world);
    std::vector<Ray> rays;
    std::vector<double> expected;
    for (int i = 0; i < 100; ++i) {
      rays.push_back(yard.ray());
      expected.push_back(nearest(shapes, rays.back()));
    }
    const World& world = yard.world;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        for (std::size_t i = 0; i < rays.size(); ++i) {
          const std::size_t k = (i + 25 * thread) % rays.size();
          const std::optional<RayHit> hit = world.castRay(rays[k]);
          if (!(std::abs((hit ? hit->distance : -1.0) - expected[k]) <= kRounding)) ++wrong;
          if (i % 50 == 0 && !(std::abs(world.deepestPenetration().depth - depth) <= kRounding)) ++wrong;
          if (i % 50 == 0 && world.contactEvents().data() != world.contactEvents().data()) ++wrong;
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong.load(), 0);
  }
}

// With step lengths that change, boxes of the broad phase would be others if a question made them anew.
TEST(Queries, LeaveNoTraceInTheFuture) {
  for (const char* stepper : {"soft", "impulse"}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Yard quiet(seed, stepper), asked(seed, stepper);
      std::mt19937 random(static_cast<unsigned>(seed));
      for (int i = 0; i < 30; ++i) quiet.add(), asked.add();
      for (int round = 0; round < 40; ++round) {
        const double dt = std::uniform_real_distribution<double>(1.0 / 240, 1.0 / 20)(random);
        (void)asked.world.deepestPenetration();
        (void)asked.world.castRay({.origin = Vec3(-9, 0, 1), .direction = Vec3(1, 0, 0)});
        quiet.world.step(dt);
        asked.world.step(dt);
        ASSERT_EQ(quiet.world.stateHash(), asked.world.stateHash()) << stepper << ", seed " << seed << ", step " << round;
        if (round % 5 != 0) continue;
        quiet.edit();
        (void)asked.world.castRay({.origin = Vec3(-9, 0, 1), .direction = Vec3(1, 0, 0)});
        asked.edit();
      }
    }
  }
}

// A slot that is used again inherits nothing, and whoever lost a neighbour is told so by its right name.
TEST(Queries, RemovedBodiesLeaveNothingToWhoeverGetsTheirSlots) {
  WorldSettings settings;
  settings.sleep.enabled = true;
  World world(settings);
  world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Plane{}}}});
  const auto boxAt = [&](const Vec3& place) {
    return world.addBody({.pose = {place, Quat::Identity()}, .shapes = {{.geometry = Box{Vec3::Constant(0.5)}}}});
  };
  const BodyId low = boxAt({0, 0, 0.5}), high = boxAt({0, 0, 1.5});
  const JointId joint = world.addJoint({.a = low, .b = boxAt({5, 0, 0.5}), .anchorA = {2.5, 0, 0}, .anchorB = {-2.5, 0, 0}});
  for (int i = 0; i < 240; ++i) world.step(1.0 / 60);
  EXPECT_FALSE(world.isAwake(high));
  ASSERT_TRUE(world.removeBody(low));
  EXPECT_TRUE(world.isAwake(high));
  EXPECT_FALSE(world.isValid(joint));
  const BodyId next = boxAt({0, 0, 9.5});
  EXPECT_EQ(next.index, low.index);
  EXPECT_NEAR(world.castRay({.origin = {0, 0, 20}, .direction = {0, 0, -1}})->distance, 10.0, 1e-9);
  world.step(1.0 / 60);
  int ends = 0;
  for (const ContactEvent& event : world.contactEvents()) {
    EXPECT_NE(event.bodyA, next);
    EXPECT_NE(event.bodyB, next);
    ends += event.phase == ContactPhase::End && (event.bodyA == low || event.bodyB == low) ? 1 : 0;
  }
  EXPECT_EQ(ends, 2);  // with the plane and with the box above
  for (int i = 0; i < 240; ++i) world.step(1.0 / 60);
  EXPECT_NEAR(world.state(high)->center.z(), 0.5, 0.01);
}

}  // namespace
}  // namespace cairn
