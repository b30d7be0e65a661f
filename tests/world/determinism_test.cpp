// The same bits: for any number of threads, after restoring a snapshot, and on every run.
#include "world/building.hpp"

namespace cairn::test {
namespace {

// A little of everything: many shapes falling on each other, joints, a kinematic paddle.
World mixedWorld(int threads, std::uint64_t seed = 1) {
  WorldSettings settings;
  settings.threads = threads;
  World world(settings);
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), {.friction = 0.6, .restitution = 0.3}));
  const auto random = [&seed] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(seed >> 11) * 0x1p-53;
  };
  const std::vector<Geometry> shapes = {
      Sphere{0.3},
      Box{Vec3(0.3, 0.2, 0.25)},
      Capsule{0.15, 0.25},
      Cylinder{0.25, 0.2},
      Ellipsoid{Vec3(0.3, 0.2, 0.15)},
      ConvexHull{{{0.3, 0, 0}, {-0.3, 0.1, 0}, {0, 0.3, 0}, {0, -0.3, 0.1}, {0, 0, 0.35}, {0.1, 0, -0.3}}}};
  std::vector<BodyId> ids;
  for (int i = 0; i < 250; ++i) {
    BodyDesc desc =
        solid(shapes[static_cast<std::size_t>(i) % shapes.size()],
              {(i % 6 - 2.5) * 0.6 + 0.1 * random(), (i / 6 % 6 - 2.5) * 0.6, 0.5 + 0.65 * (i / 36)}, {.friction = 0.4});
    desc.pose.rotation = Quat(random(), random() - 0.5, random() - 0.5, random() - 0.5).normalized();
    desc.angularVelocity = {random(), random(), random()};
    ids.push_back(world.addBody(desc));
  }
  for (int i = 0; i < 10; ++i) world.addJoint({.a = ids[i * 7], .b = ids[i * 7 + 1], .kind = DistanceJoint{}});
  BodyDesc paddle = solid(Box{Vec3(0.1, 1.5, 0.4)}, {-2.5, 0, 0.4});
  paddle.kind = BodyKind::Kinematic;
  paddle.linearVelocity = {0.7, 0, 0};
  world.addBody(paddle);
  return world;
}

TEST(Determinism, OneTwoAndFourThreadsGiveTheSameBits) {
  World one = mixedWorld(1), two = mixedWorld(2), four = mixedWorld(4);
  for (int i = 0; i < 180; ++i) {
    one.step(kDt);
    two.step(kDt);
    four.step(kDt);
    ASSERT_EQ(one.stateHash(), two.stateHash()) << "step " << i;
    ASSERT_EQ(one.stateHash(), four.stateHash()) << "step " << i;
  }
}

TEST(Determinism, ReplayFromASnapshotGivesTheSameBits) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    World world = mixedWorld(1, seed);
    for (std::uint64_t i = 0; i < 20 * seed; ++i) world.step(kDt);
    const Snapshot snapshot = world.snapshot();
    const std::uint64_t before = world.stateHash();
    std::vector<std::uint64_t> hashes;
    for (int i = 0; i < 60; ++i) {
      world.step(kDt);
      hashes.push_back(world.stateHash());
    }
    world.restore(snapshot);
    EXPECT_EQ(world.stateHash(), before);
    World other;  // another world altogether, which also measures on the way
    other.restore(snapshot);
    for (int i = 0; i < 60; ++i) {
      world.step(kDt);
      ASSERT_EQ(world.stateHash(), hashes[i]) << "seed " << seed << " step " << i;
      other.step(kDt);
      other.deepestPenetration();
      (void)other.castRay({.origin = {-5, 0, 0.5}, .direction = {1, 0, 0}});
      ASSERT_EQ(other.stateHash(), hashes[i]) << "measuring must not change anything";
    }
  }
}

TEST(Determinism, SnapshotKeepsIdsNamesAndTime) {
  World world = mixedWorld(1);
  const std::vector<BodyId> bodies = world.bodies();
  world.removeBody(bodies[10]);
  world.step(kDt);
  const Snapshot snapshot = world.snapshot();
  const BodyId added = world.addBody(solid(Sphere{0.1}, {0, 0, 9}));
  world.step(kDt);
  world.restore(snapshot);
  EXPECT_FALSE(world.isValid(added) && world.name(added) != "");
  EXPECT_FALSE(world.isValid(bodies[10]));
  EXPECT_TRUE(world.isValid(bodies[11]));
  EXPECT_DOUBLE_EQ(world.time(), kDt);
  EXPECT_EQ(world.addBody(solid(Sphere{0.1}, {0, 0, 9})), added);  // the same future
}

TEST(Determinism, EveryBitOfTheStateReachesTheHash) {
  World world;
  const BodyId id = world.addBody(solid(Sphere{0.1}, {0, 0, 9}));
  const std::uint64_t start = world.stateHash();
  world.setVelocity(id, {0, 0, 5e-324}, Vec3::Zero());
  EXPECT_NE(world.stateHash(), start);
}

}  // namespace
}  // namespace cairn::test
