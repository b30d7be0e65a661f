// Trees of joints in the default stepper, as a world has them: chains, branches, loops, trees in contact.
#include "world/building.hpp"

namespace cairn::test {
namespace {

constexpr double kLink = 0.5;  // m

// A rod along x from `from`, without a shape.
BodyDesc rod(double mass, const Vec3& from, double thickness = 0.05) {
  const double across = mass * (kLink * kLink / 12.0 + thickness * thickness / 4.0);
  BodyDesc desc;
  desc.massProperties =
      MassProperties{mass, Vec3::Zero(), Vec3(mass * thickness * thickness / 2.0, across, across).asDiagonal()};
  desc.pose.position = from + Vec3(0.5 * kLink, 0, 0);
  return desc;
}

struct Chain {
  World world;
  std::vector<BodyId> bodies;
  std::vector<JointId> joints;
  std::vector<MassProperties> masses;  // like bodies
};

BodyId add(Chain& chain, const BodyDesc& desc) {
  chain.bodies.push_back(chain.world.addBody(desc));
  chain.masses.push_back(*desc.massProperties);
  return chain.bodies.back();
}

void hang(Chain& chain, BodyId from, const Vec3& anchor, const BodyDesc& desc, const JointKind& kind = BallJoint{}) {
  add(chain, desc);
  chain.joints.push_back(chain.world.addJoint(
      {.a = from, .b = chain.bodies.back(), .anchorA = anchor, .anchorB = Vec3(-0.5 * kLink, 0, 0), .kind = kind}));
}

WorldSettings settingsWith(int substeps, int threads = 1) {
  WorldSettings settings;
  settings.soft.substeps = settings.soft.leastSubsteps = substeps;
  settings.threads = threads;
  settings.sleep.enabled = false;
  return settings;
}

// `links` rods of 1 kg with a load at the end, level at the start; `sideways` m/s throws the load out of the plane.
Chain loadedChain(int links, double load, const WorldSettings& settings, double sideways = 0.0) {
  Chain chain{World(settings), {}, {}, {}};
  BodyId from = addAnchor(chain.world);
  Vec3 anchor = Vec3::Zero();
  for (int i = 0; i < links; ++i) {
    hang(chain, from, anchor, rod(1.0, Vec3(i * kLink, 0, 0)));
    from = chain.bodies.back();
    anchor = Vec3(0.5 * kLink, 0, 0);
  }
  BodyDesc last = rod(load, Vec3(links * kLink, 0, 0), 0.5);
  last.linearVelocity = {0, sideways, 0};
  hang(chain, from, anchor, last);
  return chain;
}

struct Swing {
  double gap = 0.0;      // m, worst
  double highest = 0.0;  // J, against the start
  double end = 0.0;      // J, against the start
  double kinetic = 0.0;  // J, most
};

Swing swing(World& world, double seconds) {
  Swing result;
  const double start = world.energy().total();
  for (int i = 0; i < std::lround(seconds / kDt); ++i) {
    result.gap = std::max(result.gap, world.step(kDt).jointError);
    const Energy energy = world.energy();
    result.highest = std::max(result.highest, energy.total() - start);
    result.end = energy.total() - start;
    result.kinetic = std::max(result.kinetic, energy.kinetic);
  }
  return result;
}

// Velocities are those of the middle of a substep and places those of its end: energies are off by up to what the weight
// does in half a substep, now in one direction and now in the other.
double halfSubstepOfWork(const Swing& swing, double mass, int substeps) {
  return 0.5 * kDt / substeps * kGravity * std::sqrt(2.0 * mass * swing.kinetic);
}

TEST(JointTrees, ATonOnTwentyLinksKeepsTheJointsClosed) {
  for (const int substeps : {4, 20}) {
    Chain chain = loadedChain(20, 1000.0, settingsWith(substeps));
    const Swing result = swing(chain.world, 10.0);
    EXPECT_LT(result.gap, 1e-3) << substeps;
    EXPECT_LT(result.highest, halfSubstepOfWork(result, 1020.0, substeps)) << substeps;
    EXPECT_GT(result.end, -0.02 * result.kinetic) << substeps;
  }
}

TEST(JointTrees, ThrownOutOfThePlaneNothingSpinsUpAboutItsAxis) {
  // Pulls at the ends of a link's axis cannot turn it about the axis.
  Chain chain = loadedChain(20, 1000.0, settingsWith(4), 3.0);
  const Swing result = swing(chain.world, 10.0);
  EXPECT_LT(result.gap, 1e-3);
  EXPECT_LT(result.highest, halfSubstepOfWork(result, 1020.0, 4));
  for (const BodyId id : chain.bodies) {
    const BodyState state = *chain.world.state(id);
    EXPECT_LT(std::abs((state.pose.rotation.conjugate() * state.angularVelocity).x()), 0.05);
  }
}

TEST(JointTrees, NeverGainsEnergyWhenAChainSnapsTight) {
  // A minute with slack and snaps: whatever it loses, it must not gain, nor come apart for good.
  for (const int substeps : {3, 4, 6}) {
    for (const double sideways : {0.0, 3.0}) {
      Chain chain = loadedChain(20, 1000.0, settingsWith(substeps), sideways);
      const Swing result = swing(chain.world, 60.0);
      EXPECT_LT(result.highest, halfSubstepOfWork(result, 1020.0, substeps)) << substeps << ' ' << sideways;
      EXPECT_LT(result.gap, 0.1 * kLink) << substeps << ' ' << sideways;
      EXPECT_LT(chain.world.jointError(), 1e-3) << substeps << ' ' << sideways;
    }
  }
}

TEST(JointTrees, EqualRodsKeepTheirEnergy) {
  Chain chain = loadedChain(4, 1.0, settingsWith(20));
  const Swing result = swing(chain.world, 10.0);
  EXPECT_LT(result.gap, 1e-4);
  EXPECT_LT(result.highest, halfSubstepOfWork(result, 5.0, 20));
  EXPECT_GT(result.end, -0.005 * result.kinetic);
}

Chain branchingTree(const WorldSettings& settings, bool floats) {
  Chain chain{World(settings), {}, {}, {}};
  std::vector<BodyId> from = {floats ? add(chain, rod(2.0, Vec3::Zero())) : addAnchor(chain.world)};
  std::vector<Vec3> ends = {floats ? Vec3(kLink, 0, 0) : Vec3(Vec3::Zero())};
  for (int i = 0; i < 14; ++i) {
    const std::size_t parent = i == 0 ? 0 : 1 + (i - 1) / 2;
    BodyDesc desc = rod(0.5 + 0.25 * (i % 5), ends[parent]);
    desc.linearVelocity = Vec3(0.3 * (i % 3), 0.5 - 0.2 * (i % 4), 0.4 - 0.3 * (i % 2));
    desc.angularVelocity = Vec3(0.1 * i, 1.0 - 0.3 * (i % 5), 0.5 * (i % 3));
    const bool hinge = i % 4 == 3;
    const bool root = parent == 0 && !floats;
    hang(chain, from[parent], root ? Vec3(Vec3::Zero()) : Vec3(0.5 * kLink, 0, 0), desc,
         hinge ? JointKind(HingeJoint{Vec3::UnitY(), Vec3::UnitY()}) : JointKind(BallJoint{}));
    from.push_back(chain.bodies.back());
    ends.push_back(ends[parent] + Vec3(kLink, 0, 0));
  }
  return chain;
}

struct Momentum {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // kg m/s, kg m^2/s about the origin
};

Momentum momentumOf(const Chain& chain) {
  Momentum sum;
  for (std::size_t i = 0; i < chain.bodies.size(); ++i) {
    const BodyState state = *chain.world.state(chain.bodies[i]);
    const Vec3 linear = chain.masses[i].mass * state.linearVelocity;
    const Quat& q = state.pose.rotation;
    sum.linear += linear;
    sum.angular += state.center.cross(linear) + q * (chain.masses[i].inertia * (q.conjugate() * state.angularVelocity));
  }
  return sum;
}

TEST(JointTrees, FloatingTreeKeepsItsMomentum) {
  WorldSettings settings = settingsWith(20);
  settings.gravity = Vec3::Zero();
  Chain chain = branchingTree(settings, true);
  const Momentum before = momentumOf(chain);
  const Swing result = swing(chain.world, 5.0);
  const Momentum after = momentumOf(chain);
  EXPECT_LT(result.gap, 1e-4);
  EXPECT_LT((after.linear - before.linear).norm(), 1e-4 * before.linear.norm());
  EXPECT_LT((after.angular - before.angular).norm(), 2e-3 * before.angular.norm());
}

TEST(JointTrees, BitsAreTheSameForAnyNumberOfThreads) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 5}) {
    World world(settingsWith(8, threads));
    for (int tree = 0; tree < 12; ++tree) {
      Vec3 anchor = Vec3(0, tree, 0);
      BodyId from = addAnchor(world);
      for (int i = 0; i < 6; ++i) {
        const BodyId id = world.addBody(rod(1.0 + tree + i, Vec3(i * kLink, tree, 0)));
        world.addJoint({.a = from, .b = id, .anchorA = anchor, .anchorB = Vec3(-0.5 * kLink, 0, 0)});
        from = id;
        anchor = Vec3(0.5 * kLink, 0, 0);
      }
    }
    run(world, 2.0);
    hashes.push_back(world.stateHash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(JointTrees, RopeBridgeHangsBetweenItsPins) {
  // Both ends held: the second pin closures the tree. Ten links of 0.5 m between pins 4.5 m apart hang in a curve; each pin
  // carries half of the weight.
  Chain chain{World(settingsWith(20)), {}, {}, {}};
  const BodyId anchor = addAnchor(chain.world);
  BodyId from = anchor;
  Vec3 at = Vec3::Zero();
  for (int i = 0; i < 10; ++i) {
    hang(chain, from, at, rod(1.0, Vec3(i * kLink, 0, 0)));
    from = chain.bodies.back();
    at = Vec3(0.5 * kLink, 0, 0);
  }
  const JointId pin = chain.world.addJoint({.a = from, .b = anchor, .anchorA = at, .anchorB = Vec3(4.5, 0, 0)});
  for (int i = 0; i < 1200; ++i) {
    chain.world.step(kDt);
    for (const BodyId id : chain.bodies) {  // so that it comes to rest
      const BodyState state = *chain.world.state(id);
      chain.world.setVelocity(id, 0.97 * state.linearVelocity, 0.97 * state.angularVelocity);
    }
  }
  EXPECT_LT(chain.world.jointError(), 1e-4);
  EXPECT_NEAR(std::abs(chain.world.reaction(pin)->force.z()), 5.0 * kGravity, 0.02 * 5.0 * kGravity);
  EXPECT_NEAR(chain.world.reaction(chain.joints[0])->force.z(), 5.0 * kGravity, 0.02 * 5.0 * kGravity);
}

TEST(JointTrees, AChainTooShortForItsPinsDoesNotBlowUp) {
  Chain chain = loadedChain(8, 1.0, settingsWith(20));
  const BodyId anchor = addAnchor(chain.world);
  chain.world.addJoint(
      {.a = chain.bodies.back(), .b = anchor, .anchorA = Vec3(0.5 * kLink, 0, 0), .anchorB = Vec3(7, 0, 0)});
  for (int i = 0; i < 600; ++i) ASSERT_TRUE(chain.world.step(kDt).quarantined.empty());
  for (const BodyId id : chain.bodies) {
    const BodyState state = *chain.world.state(id);
    EXPECT_LT(state.center.norm(), 8.0);
    EXPECT_LT(state.linearVelocity.norm(), 5.0);
  }
}

TEST(JointTrees, MoreSubstepsWhereJointsAreOff) {
  for (const bool tooShort : {false, true}) {
    Chain chain = loadedChain(4, 1.0, WorldSettings{});
    const double reach = 5.0 * kLink + (tooShort ? 0.1 : 0.0);
    chain.world.addJoint({.a = addAnchor(chain.world),
                          .b = chain.bodies.back(),
                          .anchorA = Vec3(reach, 0, 0),
                          .anchorB = Vec3(0.5 * kLink, 0, 0)});
    int substeps = 0;
    for (int i = 0; i < 10; ++i) substeps = chain.world.step(kDt).substeps;
    EXPECT_EQ(substeps, tooShort ? 20 : 3);
  }
}

// Nearly straight, every joint open by 3 cm. Light links could turn by a radian; it is the load that has to move.
TEST(JointTrees, ATautChainPullsItsHeavyLoadIn) {
  WorldSettings settings;
  settings.gravity = Vec3::Zero();
  Chain chain = loadedChain(10, 1e5, settings);
  for (std::size_t i = 0; i < chain.bodies.size(); ++i) {
    Pose pose = chain.world.state(chain.bodies[i])->pose;
    pose.position.x() += 0.03 * static_cast<double>(i + 1);
    pose.rotation = turn(i % 2 == 0 ? 0.02 : -0.02, Vec3::UnitY());
    chain.world.setPose(chain.bodies[i], pose);
  }
  run(chain.world, 0.25);
  EXPECT_LT(chain.world.jointError(), 1e-3);
}

TEST(JointTrees, ARingOfLinksFallsAsOnePiece) {
  // Six rods in a closed ring: one joint closes the loop.
  Chain chain{World(settingsWith(20)), {}, {}, {}};
  const int count = 6;
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * M_PI * i / count;
    BodyDesc desc = rod(1.0, Vec3::Zero());
    desc.pose.rotation = turn(angle + M_PI / 2 + M_PI / count, Vec3::UnitZ());
    const double middle = 0.5 * kLink / std::tan(M_PI / count);
    desc.pose.position = middle * Vec3(std::cos(angle + M_PI / count), std::sin(angle + M_PI / count), 0);
    desc.angularVelocity = {0, 0, 2};
    desc.linearVelocity = Vec3(0, 0, 2).cross(desc.pose.position);
    add(chain, desc);
  }
  for (int i = 0; i < count; ++i)
    chain.world.addJoint({.a = chain.bodies[i],
                          .b = chain.bodies[(i + 1) % count],
                          .anchorA = Vec3(0.5 * kLink, 0, 0),
                          .anchorB = Vec3(-0.5 * kLink, 0, 0)});
  const Swing result = swing(chain.world, 3.0);
  EXPECT_LT(result.gap, 2e-3);
  EXPECT_LT(result.highest, 1e-3 * result.kinetic);
}

TEST(JointTrees, ATreeInAPileStaysQuiet) {
  // A ragdoll's worth of boxes on ball joints and hinges, dropped on a floor with loose boxes on top.
  World world(settingsWith(20));
  world.addBody(fixedSolid(Plane{}));
  const Material material{.friction = 0.6};
  std::vector<BodyId> boxes;
  BodyId from{};
  for (int i = 0; i < 6; ++i) {
    BodyDesc desc = solid(Box{Vec3(0.2, 0.1, 0.1)}, Vec3(0.5 * i, 0, 0.3 + 0.1 * i), material);
    desc.mass = i % 2 == 0 ? 1.0 : 8.0;
    const BodyId id = world.addBody(desc);
    if (i > 0)
      world.addJoint({.a = from,
                      .b = id,
                      .anchorA = Vec3(0.25, 0, 0.05),
                      .anchorB = Vec3(-0.25, 0, -0.05),
                      .kind = i % 2 == 0 ? JointKind(HingeJoint{Vec3::UnitY(), Vec3::UnitY()}) : JointKind(BallJoint{})});
    from = id;
    boxes.push_back(id);
  }
  for (int i = 0; i < 10; ++i) {
    BodyDesc desc = solid(Box{Vec3(0.15, 0.15, 0.15)}, Vec3(0.25 * i, 0.02 * (i % 3), 1.5 + 0.35 * (i % 4)), material);
    desc.mass = 5.0;
    boxes.push_back(world.addBody(desc));
  }
  const double start = world.energy().total();
  for (int i = 0; i < 600; ++i) {
    const StepReport report = world.step(kDt);
    ASSERT_TRUE(report.quarantined.empty());
    ASSERT_LT(world.energy().total(), start + 1.0);
    ASSERT_LT(report.jointError, 0.02);
  }
  for (const BodyId id : boxes) EXPECT_LT(world.state(id)->linearVelocity.norm(), 0.05);
  EXPECT_LT(world.jointError(), 1e-3);
}

TEST(JointTrees, AnchorsMadeFarApartComeTogether) {
  Chain chain = loadedChain(5, 20.0, settingsWith(20));
  for (const BodyId id : chain.bodies) {
    Pose pose = chain.world.state(id)->pose;
    pose.position.y() += 0.4 * static_cast<double>(id.index % 3);
    chain.world.setPose(id, pose);
  }
  const double start = chain.world.energy().total();
  run(chain.world, 1.0);
  EXPECT_LT(chain.world.jointError(), 1e-4);
  EXPECT_LT(chain.world.energy().total(), start + 20.0);  // putting 1 m of gaps right lifts the load a little
}

}  // namespace
}  // namespace cairn::test
