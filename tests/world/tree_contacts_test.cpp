// Contacts of trees of joints in the default stepper (soft/joint_tree/joint_tree_contacts.hpp), against closed forms and
// what is conserved.
#include <numbers>
#include <random>

#include "world/building.hpp"

namespace cairn::test {
namespace {

WorldSettings awake(const Vec3& gravity = Vec3(0, 0, -kGravity), int threads = 1) {
  WorldSettings settings;
  settings.gravity = gravity;
  settings.sleep.enabled = false;
  settings.threads = threads;
  return settings;
}

// The mean force of all that touches a body, N.
Vec3 touchOn(const World& world, BodyId body) {
  Vec3 sum = Vec3::Zero();
  for (const TouchPoint& point : world.touchPoints()) {
    if (point.bodyB == body) sum += point.impulse;
    if (point.bodyA == body) sum -= point.impulse;
  }
  return sum / kDt;
}

// An arm of 1 kg on a pin, with a ton at its end that rests on the floor: about the pin N L = M g L + m g L/2.
TEST(TreeContacts, AnArmWithATonAtItsEndRestsOnTheFloor) {
  for (const JointKind& kind : {JointKind(FixedJoint{}), JointKind(BallJoint{})}) {
    World world(awake());
    const Material smooth{.friction = 0.0};  // or what the floor bears would be a matter of how it came to rest
    world.addBody(fixedSolid(Plane{}, Vec3::Zero(), smooth));
    const BodyId anchor = addAnchor(world);
    BodyDesc arm = solid(Box{Vec3(1.0, 0.05, 0.05)}, Vec3(1.0, 0, 0.5), smooth);
    arm.mass = 1.0;
    BodyDesc load = solid(Sphere{0.5}, Vec3(2.0, 0, 0.5), smooth);
    load.mass = 1000.0;
    const BodyId armId = world.addBody(arm), loadId = world.addBody(load);
    const JointId pin = world.addJoint({.a = anchor, .b = armId, .anchorA = Vec3(0, 0, 0.5), .anchorB = Vec3(-1, 0, 0)});
    world.addJoint({.a = armId, .b = loadId, .anchorA = Vec3(1, 0, 0), .anchorB = Vec3::Zero(), .kind = kind});
    double gap = 0.0;
    for (int i = 0; i < 180; ++i) gap = std::max(gap, world.step(kDt).jointError);
    EXPECT_NEAR(touchOn(world, loadId).z(), 1000.5 * kGravity, 1e-3 * 1000.5 * kGravity);
    EXPECT_NEAR(world.reaction(pin)->force.z(), 0.5 * kGravity, 0.02 * kGravity);
    EXPECT_LT(gap, 1e-4);
    EXPECT_LT(world.deepestPenetration().depth, 0.01);
    EXPECT_LT(world.state(loadId)->linearVelocity.norm(), 1e-3);
  }
}

// A foot on a post, both welded to the floor that the foot reaches into: nothing can move, so the contact carries nothing.
// Dividing by the mobility that rounding leaves there once gave 8.8e7 J in a step.
TEST(TreeContacts, AFootThatIsWeldedToTheFloorItReachesIntoStaysWhereItIs) {
  for (const double overlap : {0.01, 0.02, 0.03, 0.05}) {
    World world(awake());
    const BodyId floor = world.addBody(fixedSolid(Box{Vec3(2.0, 2.0, 0.1)}, Vec3(0, 0, -0.1)));
    const BodyId post = world.addBody(solid(Box{Vec3(0.05, 0.05, 0.5)}, Vec3(0, 0, 0.5)));
    const BodyId foot = world.addBody(solid(Box{Vec3(0.2, 0.2, 0.05)}, Vec3(0.3, 0, 0.05 - overlap)));
    world.addJoint({.a = floor, .b = post, .anchorA = Vec3(0, 0, 0.1), .anchorB = Vec3(0, 0, -0.5), .kind = FixedJoint{}});
    world.addJoint({.a = post,
                    .b = foot,
                    .anchorA = Vec3(0.05, 0, -0.45 - overlap),
                    .anchorB = Vec3(-0.25, 0, 0),
                    .kind = FixedJoint{}});
    double gap = 0.0, kinetic = 0.0;
    for (int i = 0; i < 120; ++i) {
      gap = std::max(gap, world.step(kDt).jointError);
      kinetic = std::max(kinetic, world.energy().kinetic);
    }
    EXPECT_LT(gap, 1e-6) << overlap;
    EXPECT_LT(kinetic, 1e-6) << overlap;
  }
}

// Light and heavy wagons on ball joints slide to a stop as one: v^2 / (2 mu g).
TEST(TreeContacts, ATrainSlidesAsFarAsABox) {
  World world(awake());
  const Material material{.friction = 0.4};
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
  std::vector<BodyId> wagons;
  constexpr double kSpeed = 3.0;
  for (int i = 0; i < 5; ++i) {
    BodyDesc wagon = solid(Box{Vec3(0.4, 0.3, 0.1)}, Vec3(i, 0, 0.1), material);
    wagon.mass = i % 2 == 0 ? 1.0 : 200.0;
    wagon.linearVelocity = Vec3(kSpeed, 0, 0);
    wagons.push_back(world.addBody(wagon));
    if (i == 0) continue;
    world.addJoint({.a = wagons[i - 1], .b = wagons[i], .anchorA = Vec3(0.5, 0, -0.1), .anchorB = Vec3(-0.5, 0, -0.1)});
  }
  double gap = 0.0;
  for (int i = 0; i < 90; ++i) gap = std::max(gap, world.step(kDt).jointError);
  const double far = kSpeed * kSpeed / (2.0 * 0.4 * kGravity);
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(world.state(wagons[i])->center.x() - i, far, 0.01 * far);
    EXPECT_LT(world.state(wagons[i])->linearVelocity.norm(), 1e-3);
  }
  EXPECT_LT(gap, 1e-4);
}

// A slab that turns on its four corners, with a weightless mast on a ball joint: torque mu m g r, moment m a^2/6 about its
// axis, r = a/sqrt(2) for sides a.
TEST(TreeContacts, ASlabWithAMastTurnsToAStop) {
  World world(awake());
  const Material material{.friction = 0.3};
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
  constexpr double kSide = 1.0, kSpin = 4.0;
  BodyDesc slab = solid(Box{Vec3(0.5 * kSide, 0.5 * kSide, 0.1)}, Vec3(0, 0, 0.1), material);
  slab.mass = 10.0;
  slab.angularVelocity = Vec3(0, 0, kSpin);
  BodyDesc mast = solid(Sphere{0.02}, Vec3(0, 0, 0.25), material);
  mast.mass = 0.01;
  const BodyId slabId = world.addBody(slab), mastId = world.addBody(mast);
  world.addJoint({.a = slabId, .b = mastId, .anchorA = Vec3(0, 0, 0.15), .anchorB = Vec3::Zero()});
  run(world, 1.0);
  const double slowing = 0.3 * kGravity * (kSide / std::numbers::sqrt2) * 6.0 / (kSide * kSide);
  const Quat turned = world.state(slabId)->pose.rotation;
  const double angle = kSpin * kSpin / (2.0 * slowing);
  EXPECT_NEAR(2.0 * std::atan2(turned.z(), turned.w()), angle, 0.03 * angle);
  EXPECT_LT(world.state(slabId)->angularVelocity.norm(), 1e-3);
}

// An arm on a hinge that strikes a wall with its end turns back e times as fast.
TEST(TreeContacts, AnArmBouncesOffAWall) {
  for (const double restitution : {0.3, 0.8}) {
    World world(awake(Vec3::Zero()));
    const Material material{.friction = 0.0, .restitution = restitution};
    world.addBody(fixedSolid(Box{Vec3(0.5, 0.5, 0.5)}, Vec3(1.0, 1.2, 0), material));
    BodyDesc arm = solid(Capsule{0.05, 0.95}, Vec3(1.0, 0, 0), material);
    arm.shapes[0].local.rotation = turn(0.5 * std::numbers::pi, Vec3::UnitY());
    arm.mass = 1.0;
    arm.linearVelocity = Vec3(0, 2.0, 0);
    arm.angularVelocity = Vec3(0, 0, 2.0);
    const BodyId id = world.addBody(arm);
    world.addJoint({.a = addAnchor(world),
                    .b = id,
                    .anchorA = Vec3::Zero(),
                    .anchorB = Vec3(-1, 0, 0),
                    .kind = HingeJoint{Vec3::UnitZ(), Vec3::UnitZ()}});
    run(world, 0.6);
    EXPECT_NEAR(world.state(id)->angularVelocity.z(), -2.0 * restitution, 0.02);
    EXPECT_LT(world.jointError(), 1e-4);
  }
}

struct Momentum {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
};
struct Ball {
  BodyId id;
  double mass, radius;
};
Momentum momentumOf(const World& world, const std::vector<Ball>& balls) {
  Momentum sum;
  for (const Ball& ball : balls) {
    const BodyState state = *world.state(ball.id);
    sum.linear += ball.mass * state.linearVelocity;
    sum.angular += ball.mass * state.center.cross(state.linearVelocity) +
                   0.4 * ball.mass * ball.radius * ball.radius * state.angularVelocity;
  }
  return sum;
}

// Trees of balls with masses from 1 to 1,000 kg drift in the void and are struck by others, some of which are struck by
// further ones.
TEST(TreeContacts, WhatStrikesATreeAndTheTreeKeepTheirMomentum) {
  std::mt19937 random(7);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  constexpr double kShort = 1.0 / 480.0;  // s: where bodies touch is that of a step's beginning, and they move on within it
  int struck = 0;
  for (int trial = 0; trial < 40; ++trial) {
    World world(awake(Vec3::Zero()));
    const Material material{.friction = uniform(0.0, 1.0)};
    std::vector<Ball> balls;
    const auto addBall = [&](const Vec3& place, const Vec3& velocity) {
      const Ball ball{{}, std::pow(10.0, uniform(0.0, 3.0)), 0.2};
      BodyDesc desc = solid(Sphere{ball.radius}, place, material);
      desc.mass = ball.mass;
      desc.linearVelocity = velocity;
      balls.push_back({world.addBody(desc), ball.mass, ball.radius});
      return balls.back().id;
    };
    const int links = 2 + trial % 6;
    for (int i = 0; i < links; ++i) {
      addBall(Vec3(0.5 * i, 0, 0), Vec3::Zero());
      if (i > 0)
        world.addJoint({.a = balls[static_cast<std::size_t>(i - 1)].id,
                        .b = balls.back().id,
                        .anchorA = Vec3(0.25, 0, 0),
                        .anchorB = Vec3(-0.25, 0, 0)});
    }
    for (int i = 0; i < 2; ++i)
      addBall(Vec3(uniform(0.0, 0.5 * (links - 1)), uniform(-0.2, 0.2), 0.7 + 0.5 * i), Vec3(0, 0, -2.0 - i));
    const Momentum before = momentumOf(world, balls);
    const double start = world.energy().total();
    for (int i = 0; i < 400; ++i) {
      const StepReport report = world.step(kShort);
      struck += report.contacts;
      ASSERT_LT(report.jointError, 1e-3) << trial;
      ASSERT_LT(world.energy().total(), 1.002 * start) << trial;
    }
    const Momentum after = momentumOf(world, balls);
    EXPECT_LT((after.linear - before.linear).norm(), 1e-4 * before.linear.norm()) << trial;
    EXPECT_LT((after.angular - before.angular).norm(), 5e-3 * before.linear.norm()) << trial;
  }
  EXPECT_GT(struck, 100);
}

// A ball with a pin fixed in it slides throughout its bounce: friction takes mu (1 + e) v_n of its speed.
TEST(TreeContacts, FrictionHasItsShareOfABounce) {
  for (const double restitution : {0.0, 0.5, 0.9}) {
    for (int phase = 0; phase < 10; ++phase) {
      World world(awake(Vec3::Zero()));
      const Material material{.friction = 0.1, .restitution = restitution};
      world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
      BodyDesc ball = solid(Sphere{0.1}, Vec3(0, 0, 0.15 + 0.002 * phase), material);
      BodyDesc pin;
      pin.massProperties = MassProperties{0.01, Vec3::Zero(), 1e-5 * Mat3::Identity()};
      pin.pose.position = ball.pose.position;
      ball.linearVelocity = pin.linearVelocity = Vec3(3, 1, -2);
      const BodyId id = world.addBody(ball), other = world.addBody(pin);
      world.addJoint({.a = id, .b = other, .kind = FixedJoint{}});
      run(world, 0.1);
      const Vec3 after = world.state(id)->linearVelocity;
      const Vec3 along = Vec3(3, 1, 0).normalized();
      EXPECT_NEAR(after.z(), 2.0 * restitution, 0.01) << restitution << " " << phase;
      EXPECT_NEAR(along.dot(after), std::sqrt(10.0) - 0.1 * (1.0 + restitution) * 2.0, 0.01) << restitution << " " << phase;
    }
  }
}

// Two chains of balls with masses from 1 to 1,000 kg meet in the void, across each other: a contact has a part in both.
TEST(TreeContacts, TreesThatStrikeEachOtherKeepTheirMomentum) {
  std::mt19937 random(9);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  int struck = 0;
  for (int trial = 0; trial < 20; ++trial) {
    World world(awake(Vec3::Zero()));
    const Material material{.friction = uniform(0.0, 1.0)};
    std::vector<Ball> balls;
    for (int tree = 0; tree < 2; ++tree) {
      const Vec3 along = tree == 0 ? Vec3::UnitX() : Vec3::UnitY();
      for (int i = 0; i < 4; ++i) {
        const Ball ball{{}, std::pow(10.0, uniform(0.0, 3.0)), 0.2};
        const Vec3 place = 0.5 * (i - 1.5 + uniform(-0.1, 0.1)) * along + 0.5 * tree * Vec3::UnitZ();
        BodyDesc desc = solid(Sphere{ball.radius}, place, material);
        desc.mass = ball.mass;
        desc.linearVelocity = Vec3(0, 0, tree == 0 ? 0.0 : -2.0);
        balls.push_back({world.addBody(desc), ball.mass, ball.radius});
        if (i == 0) continue;
        const Ball& other = balls[balls.size() - 2];
        const Vec3 half = 0.5 * (place - world.state(other.id)->center);
        world.addJoint({.a = other.id, .b = balls.back().id, .anchorA = half, .anchorB = -half});
      }
    }
    const Momentum before = momentumOf(world, balls);
    const double start = world.energy().total();
    for (int i = 0; i < 300; ++i) {
      const StepReport report = world.step(1.0 / 480.0);
      struck += report.contacts;
      ASSERT_LT(report.jointError, 1e-3) << trial;
      ASSERT_LT(world.energy().total(), 1.002 * start) << trial;
    }
    const Momentum after = momentumOf(world, balls);
    EXPECT_LT((after.linear - before.linear).norm(), 1e-4 * before.linear.norm()) << trial;
    EXPECT_LT((after.angular - before.angular).norm(), 5e-3 * before.linear.norm()) << trial;
  }
  EXPECT_GT(struck, 100);
}

// Sleds of two boxes each, on ball joints, lie across each other three deep: every floor bears what is above it.
TEST(TreeContacts, TreesLieOnEachOther) {
  World world(awake());
  const Material material{.friction = 0.6};
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
  std::vector<BodyId> lowest;
  for (int k = 0; k < 3; ++k) {
    const Vec3 along = k % 2 == 0 ? Vec3::UnitX() : Vec3::UnitY();
    BodyId from{};
    for (int i = 0; i < 2; ++i) {
      BodyDesc desc = solid(Box{Vec3(0.45, 0.45, 0.1)}, (i - 0.5) * along + Vec3(0, 0, 0.1 + 0.2 * k), material);
      desc.mass = 10.0;
      const BodyId id = world.addBody(desc);
      if (k == 0) lowest.push_back(id);
      if (i > 0) world.addJoint({.a = from, .b = id, .anchorA = 0.5 * along, .anchorB = -0.5 * along});
      from = id;
    }
  }
  double gap = 0.0;
  for (int i = 0; i < 240; ++i) gap = std::max(gap, world.step(kDt).jointError);
  double weight = 0.0;
  for (const TouchPoint& point : world.touchPoints())
    if (std::min(point.bodyA.index, point.bodyB.index) == 0) weight += std::abs(point.impulse.z()) / kDt;
  EXPECT_NEAR(weight, 60.0 * kGravity, 0.01 * 60.0 * kGravity);
  EXPECT_LT(gap, 1e-3);
  EXPECT_LT(world.energy().kinetic, 1e-3);
}

// A stated stiffness is that of a spring: what a ball with a pin fixed in it weighs, over the stiffness.
TEST(TreeContacts, ATreeSinksIntoAStatedStiffnessByItsWeight) {
  constexpr double kStiffness = 5000.0, kMass = 11.0;
  World world(awake());
  const Material soft{.friction = 0.5, .stiffness = kStiffness, .damping = 300.0};
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), soft));
  BodyDesc ball = solid(Sphere{0.2}, Vec3(0, 0, 0.2), soft);
  ball.mass = 10.0;
  BodyDesc pin;
  pin.massProperties = MassProperties{kMass - 10.0, Vec3::Zero(), 0.01 * Mat3::Identity()};
  pin.pose.position = ball.pose.position;
  const BodyId id = world.addBody(ball), other = world.addBody(pin);
  world.addJoint({.a = id, .b = other, .kind = FixedJoint{}});
  run(world, 3.0);
  const double sunk = 0.2 - world.state(id)->center.z();
  const double expected = kMass * kGravity / (0.5 * kStiffness);  // two in series
  EXPECT_NEAR(sunk, expected, 1e-3 * expected);
}

TEST(TreeContacts, BitsAreTheSameForAnyNumberOfThreads) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    World world(awake(Vec3(0, 0, -kGravity), threads));
    world.addBody(fixedSolid(Plane{}));
    for (int k = 0; k < 6; ++k) {
      BodyId from{};
      for (int i = 0; i < 4; ++i) {
        BodyDesc desc = solid(Box{Vec3(0.2, 0.1, 0.1)}, Vec3(0.5 * i, 1.0 * k, 0.3 + 0.05 * k));
        desc.mass = i == 2 ? 500.0 : 1.0;  // so unlike that the tree keeps its contacts
        const BodyId id = world.addBody(desc);
        if (i > 0) world.addJoint({.a = from, .b = id, .anchorA = Vec3(0.25, 0, 0), .anchorB = Vec3(-0.25, 0, 0)});
        from = id;
      }
      // A beam across two of them.
      world.addBody(solid(Box{Vec3(0.1, 0.9, 0.1)}, Vec3(0.5, 1.0 * k + 0.5, 0.9)));
    }
    run(world, 0.75);
    hashes.push_back(world.stateHash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

}  // namespace
}  // namespace cairn::test
