// Random worlds run to their end under every stepper. CAIRN_RANDOM_WORLDS=20000 runs so many instead of 200, and
// CAIRN_RANDOM_FIRST=1234 begins with that seed; CONTRIBUTING.md has the command.
#include "world/random_worlds.hpp"

#include <cstdlib>

namespace cairn::test {
namespace {

// Steps of a world, of which the last third is replayed. Steppers that go from event to event take long.
int stepsOf(const std::string& stepper) {
  if (stepper == "acceleration") return 9;
  return stepper == "hybrid" || stepper == "impulse" || stepper == "implicit" ? 30 : 90;
}

std::uint64_t fromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// How fast a stepper may push bodies out of each other, and leave them so, m/s.
double pushOutSpeed(const WorldSettings& settings) {
  if (settings.stepper == "velocity") return settings.velocity.pushOutSpeed;
  if (settings.stepper == "soft") return settings.soft.pushOutSpeed;
  return settings.lcp.pushOutSpeed;
}

double massOf(const World& world) {
  double mass = 0.0;
  for (const BodyId id : world.bodies())
    if (world.kind(id) == BodyKind::Dynamic) mass += world.massProperties(id)->mass;
  return mass;
}

// Kinetic energy after a step is at most four times what there was, what gravity gave, and what pushing out may add.
struct Watch {
  const World& world;
  double mass = massOf(world), push = pushOutSpeed(world.settings());
  Energy before = world.energy();
  double error = world.deepestPenetration().depth + world.jointError();
  double stored = 0.0;  // J at most in the springs of "penalty", since they were last pressed

  std::string afterStep(double dt, const StepReport& report) {
    if (report.status != StepStatus::Ok) return "step not taken: " + std::string(report.refusal());
    if (!report.quarantined.empty()) return "quarantine: " + report.quarantined[0].reason;
    const Energy after = world.energy();
    // "implicit" may cut the step into sixteen, and push out by as much in each.
    const double speed = world.settings().stepper == "implicit" ? push : std::min(push, error / dt);
    const double allowed = before.kinetic + std::max(0.0, before.potential - after.potential) + 0.5 * mass * speed * speed +
                           1e-2 * mass + stored;  // 0.14 m/s
    const double excess = after.kinetic / allowed;
    if (world.settings().stepper == "penalty")
      stored = report.contacts == 0
                   ? 0.0
                   : std::max(0.0, stored + before.kinetic + before.potential - after.kinetic - after.potential);
    before = after;
    error = world.deepestPenetration().depth + world.jointError();
    if (!(excess <= 4.0)) return "kinetic energy is " + std::to_string(excess) + " times what may be there";
    return {};
  }
};

// Into a world that knows nothing but the snapshot. Empty if all steps came out the same.
std::string replay(const Snapshot& snapshot, const std::vector<double>& dts, const std::vector<std::uint64_t>& hashes) {
  World world;
  world.restore(snapshot);
  for (std::size_t i = 0; i < dts.size(); ++i) {
    world.step(dts[i]);
    if (world.stateHash() != hashes[i]) return "replayed step " + std::to_string(i) + " differs";
  }
  return {};
}

// Empty if all went well.
std::string live(std::uint64_t seed, const std::string& stepper, const RandomWorld::Limits& limits) {
  RandomWorld random(seed, stepper, limits);
  World& world = random.world();
  Watch watch{world};
  Snapshot snapshot;
  std::vector<double> dts;
  std::vector<std::uint64_t> hashes;
  const int steps = stepsOf(stepper), replayed = steps / 3;
  for (int i = 0; i < steps; ++i) {
    if (i == steps - replayed) snapshot = world.snapshot();
    const double dt = random.nextDt();
    const std::string wrong = watch.afterStep(dt, world.step(dt));
    if (!wrong.empty()) return "step " + std::to_string(i) + ": " + wrong;
    if (i < steps - replayed) continue;
    dts.push_back(dt);
    hashes.push_back(world.stateHash());
  }
  return replay(snapshot, dts, hashes);
}

class RandomWorlds : public testing::TestWithParam<std::string_view> {};

TEST_P(RandomWorlds, DoNotExplodeAndReplayToTheBit) {
  const std::string stepper(GetParam());
  const RandomWorld::Limits limits{stepper == "gauss", stepper == "impulse" || stepper == "penalty"};
  const std::uint64_t first = fromEnvironment("CAIRN_RANDOM_FIRST", 1), count = fromEnvironment("CAIRN_RANDOM_WORLDS", 200);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string wrong = live(seed, stepper, limits);
    EXPECT_TRUE(wrong.empty()) << stepper << ", seed " << seed << ": " << wrong;
  }
}

// Worlds that once gained too much: joints that do not fit threw an island at rest, and ten sweeps did not hold loops.
TEST(RandomWorldsFoundBefore, DoNotExplode) {
  const auto expectWell = [](const char* stepper, std::initializer_list<std::uint64_t> seeds) {
    for (const std::uint64_t seed : seeds) EXPECT_EQ(live(seed, stepper, {}), "") << stepper << ", seed " << seed;
  };
  expectWell("soft", {470, 2044, 14755});
  expectWell("shock", {288, 493, 1089, 1776, 1952});
}

// Heavy on light, in many small stacks that come and go: islands are solved directly, swept, and change batches.
TEST(RandomStacks, ReplayToTheBitWithChangingStepLengths) {
  int direct = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    RandomNumbers random(seed);
    World world;
    const Material material{.friction = random.uniform(0.2, 1.0)};
    world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
    Vec3 place = Vec3::Zero();
    for (int i = 0; i < 100; ++i) {
      if (i % 5 == 0) place = {random.uniform(-4, 4), random.uniform(-4, 4), 0.0};
      const double half = random.uniform(0.1, 0.5);
      place.z() += half;
      BodyDesc desc = solid(Box{Vec3(random.uniform(0.3, 1.0), random.uniform(0.3, 1.0), half)}, place, material);
      desc.mass = std::exp(random.uniform(0.0, 9.0));
      desc.linearVelocity = random.vector(1.0);
      world.addBody(desc);
      place.z() += half;
    }
    Snapshot snapshot;
    std::vector<double> dts;
    std::vector<std::uint64_t> hashes;
    for (int i = 0; i < 60; ++i) {
      if (i == 20) snapshot = world.snapshot();
      const double dt = random.chance(0.5) ? kDt : std::exp(random.uniform(std::log(1e-4), std::log(0.1)));
      direct += world.step(dt).directIslands;
      (void)world.castRay({.origin = Vec3(9, 0, 0.3), .direction = Vec3(-1, 0, 0)});  // questions change nothing
      if (i < 20) continue;
      dts.push_back(dt);
      hashes.push_back(world.stateHash());
    }
    EXPECT_EQ(replay(snapshot, dts, hashes), "") << "seed " << seed;
  }
  EXPECT_GT(direct, 200);
}

INSTANTIATE_TEST_SUITE_P(Under, RandomWorlds, testing::ValuesIn(stepperNames()),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace cairn::test
