// Islands as values: each of them advanced alone, and written back, is what the whole world makes of it, to the bit.
#include "mechanics/island.hpp"

#include <gtest/gtest.h>

#include "mechanics/island_problem.hpp"

namespace cairn {
namespace {

constexpr double kDt = 1.0 / 60.0, kRadius = 0.1;

// Balls on a plane: a stack of two, one by itself that rolls, and one that is also hinged to the stack's neighbour. Islands
// are numbered by hand.
class Balls : public testing::TestWithParam<std::string_view> {
 protected:
  Balls() {
    system_.materials.push_back({.friction = 0.4, .restitution = 0.3});
    addBody(BodyKind::Static, Vec3::Zero(), kNone, Plane{});
    lower_ = addBall({0, 0, kRadius - 1e-3}, 0);
    upper_ = addBall({0.01, 0, 3 * kRadius - 2e-3}, 0);
    roller_ = addBall({1, 0, kRadius}, 1);
    system_.bodies[roller_].velocity = {2, 0.5, -0.3};
    hung_ = addBall({2, 0, 1}, 2);
    system_.bodies[hung_].spin = {1, 2, 3};
    touchEachOther(0, lower_);
    touchEachOther(0, roller_);
    touchEachOther(lower_, upper_);
    Joint& joint = system_.joints.emplace_back();
    joint.kind = BallJoint{};
    joint.a = 0;
    joint.b = hung_;
    joint.anchorA = {2, 0, 1.5};
    joint.anchorB = {0, 0, 0.5};
    joint.alive = true;
    settings_.stepper = GetParam();
  }
  std::uint32_t addBody(BodyKind kind, const Vec3& center, std::uint32_t island, const Geometry& geometry) {
    const auto index = static_cast<std::uint32_t>(system_.bodies.size());
    Body& body = system_.bodies.emplace_back();
    body.kind = kind;
    body.alive = true;
    body.center = center;
    body.island = island;
    body.firstCollider = index;
    Collider& collider = system_.colliders.emplace_back();
    collider.shape = makeShape(geometry);
    collider.body = index;
    collider.alive = collider.enabled = collider.active = true;
    collider.dynamic = kind == BodyKind::Dynamic;
    collider.radius = kind == BodyKind::Dynamic ? kRadius : 1e30;
    placeCollider(collider, {center, Quat::Identity()});
    return index;
  }
  std::uint32_t addBall(const Vec3& center, std::uint32_t island) {
    const std::uint32_t index = addBody(BodyKind::Dynamic, center, island, Sphere{kRadius});
    Body& body = system_.bodies[index];
    body.mass = 2.0 + index;
    body.inverseMass = 1.0 / body.mass;
    body.inertia = 0.4 * body.mass * kRadius * kRadius * Mat3::Identity();
    body.inverseInertia = body.inertia.inverse();
    return index;
  }
  void touchEachOther(std::uint32_t a, std::uint32_t b) {
    Pair& pair = system_.broad.pairs.emplace_back(Pair{a, b});
    Contact& contact = system_.contacts.slots[system_.contacts.acquire(pair, {}, a, b)];
    contact.colliderA = contact.bodyA = a;
    contact.colliderB = contact.bodyB = b;
    contact.count = 1;
    contact.points[0].normalImpulse = 0.1f * static_cast<float>(b);
  }
  static void expectSame(const System& one, const System& other) {
    for (std::size_t i = 0; i < one.bodies.size(); ++i) {
      EXPECT_EQ(one.bodies[i].center, other.bodies[i].center) << i;
      EXPECT_EQ(one.bodies[i].rotation.coeffs(), other.bodies[i].rotation.coeffs()) << i;
      EXPECT_EQ(one.bodies[i].velocity, other.bodies[i].velocity) << i;
      EXPECT_EQ(one.bodies[i].spin, other.bodies[i].spin) << i;
    }
    for (std::size_t i = 0; i < one.contacts.slots.size(); ++i) {
      EXPECT_EQ(one.contacts.slots[i].points[0].normalImpulse, other.contacts.slots[i].points[0].normalImpulse) << i;
      EXPECT_EQ(one.contacts.slots[i].totalFriction, other.contacts.slots[i].totalFriction) << i;
      EXPECT_EQ(one.contacts.slots[i].bodyB, other.contacts.slots[i].bodyB) << i;
    }
    EXPECT_EQ(one.joints[0].impulse, other.joints[0].impulse);
    EXPECT_EQ(one.joints[0].totalImpulse, other.joints[0].totalImpulse);
  }

  System system_;
  WorldSettings settings_;
  Tasks tasks_;
  std::uint32_t lower_, upper_, roller_, hung_;
};

TEST_P(Balls, EachIslandAloneIsWhatItIsInTheWorld) {
  System whole = system_, parts = system_;
  {
    StepReport report;
    PhaseTimer timer(report.phaseMs);
    std::vector<StepProblem> problems;
    std::vector<ImpactRecord> impacts;
    StepContext context{whole, settings_, tasks_, report, timer, problems, impacts, 0.0};
    makeStepper(settings_.stepper)->step(context, kDt);
    ASSERT_EQ(report.status, StepStatus::Ok);
  }
  EXPECT_FALSE(whole.bodies[upper_].center == system_.bodies[upper_].center);
  const std::vector<std::vector<std::uint32_t>> islands = {{hung_}, {lower_, upper_}, {roller_}};  // in any order
  for (const std::vector<std::uint32_t>& bodies : islands) {
    const Outcome outcome = advance(gather(system_, bodies), *makeStepper(settings_.stepper), settings_, tasks_, 0.0, kDt);
    ASSERT_EQ(outcome.report.status, StepStatus::Ok);
    commit(outcome.island, parts);
  }
  expectSame(whole, parts);
}

// "implicit" ends when all of its world has settled: alone, an island may take fewer passes (ImplicitOptions::tolerance).
// Others than these three look for pairs of their own, beyond islands.
TEST_P(Balls, AdvancingAnIslandChangesNothingElse) {
  const System before = system_;
  const std::vector<std::uint32_t> stack = {lower_, upper_};
  const Outcome outcome = advance(gather(system_, stack), *makeStepper(settings_.stepper), settings_, tasks_, 0.0, kDt);
  expectSame(before, system_);
  EXPECT_EQ(outcome.island.bodies, (std::vector<std::uint32_t>{0, lower_, upper_}));
  EXPECT_EQ(outcome.island.contacts.size(), 2u);
  EXPECT_TRUE(outcome.island.joints.empty());
}

INSTANTIATE_TEST_SUITE_P(Under, Balls, testing::Values("velocity", "lcp", "shock"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace cairn
