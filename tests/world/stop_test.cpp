// Steps that are stopped: soon, and as if they had never begun.
#include "base/stop.hpp"

#include <chrono>
#include <thread>

#include "world/building.hpp"

namespace cairn::test {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

WorldSettings with(std::string_view stepper, int threads = 1) {
  WorldSettings settings;
  settings.stepper = stepper;
  settings.threads = threads;
  if (stepper == "gauss") settings.friction.law = "none";
  return settings;
}

// A wall of boxes that a ball is about to hit, and a chain of three beside it.
World wall(const WorldSettings& settings, int rows, bool joints = true) {
  World world(settings);
  const Material material{.friction = settings.stepper == "gauss" ? 0.0 : 0.6};
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < rows - row; ++i)
      world.addBody(solid(Box{Vec3::Constant(0.25)}, {0.55 * i + 0.275 * row, 0.0, 0.25 + 0.5 * row}, material));
  BodyDesc ball = solid(Sphere{0.3}, {0.275 * rows, -0.7, 0.3}, material);
  ball.linearVelocity = {0.0, 8.0, 0.0};
  world.addBody(ball);
  BodyId last = addAnchor(world);
  for (int i = 0; joints && i < 3; ++i) {
    const BodyId link = world.addBody(solid(Sphere{0.1}, {-3.0 - 0.3 * i, 0.0, 3.0}, material));
    JointDesc joint;
    joint.a = last;
    joint.b = link;
    joint.anchorA = i == 0 ? Vec3(-2.7, 0.0, 3.0) : Vec3::Zero();
    joint.anchorB = Vec3(0.3, 0.0, 0.0);
    world.addJoint(joint);
    last = link;
  }
  return world;
}

bool takesJoints(std::string_view stepper) {
  World world = wall(with(stepper), 1);
  return world.step(kDt).status == StepStatus::Ok;
}

TEST(Stop, AStepThatIsStoppedAtOnceChangesNothing) {
  for (const std::string_view stepper : stepperNames()) {
    const bool joints = takesJoints(stepper);
    World disturbed = wall(with(stepper), 2, joints), quiet = wall(with(stepper), 2, joints);
    StopFlag flag{false};
    disturbed.setStopFlag(&flag);
    for (int i = 0; i < (stepper == "acceleration" ? 2 : 8); ++i) {
      if (i % 3 == 1) {
        const auto events = disturbed.contactEvents().size();
        // What a copy costs would be too much for steps as short as these: a new method is what makes one sure.
        disturbed.setSettings(disturbed.settings());
        flag = true;
        const StepReport report = disturbed.step(kDt);
        EXPECT_EQ(report.status, StepStatus::Stopped) << stepper;
        EXPECT_FALSE(report.refusal().empty()) << stepper;
        EXPECT_EQ(report.time, quiet.time()) << stepper;
        EXPECT_EQ(disturbed.time(), quiet.time()) << stepper;
        EXPECT_EQ(disturbed.stateHash(), quiet.stateHash()) << stepper;
        EXPECT_EQ(disturbed.contactEvents().size(), events) << stepper;
        flag = false;
      }
      ASSERT_EQ(disturbed.step(kDt).status, StepStatus::Ok) << stepper;
      ASSERT_EQ(quiet.step(kDt).status, StepStatus::Ok) << stepper;
      ASSERT_EQ(disturbed.stateHash(), quiet.stateHash()) << stepper << " step " << i;
    }
  }
}

// The flag goes up somewhere in the middle, wherever that is.
TEST(Stop, AStepThatIsStoppedInItsMiddleChangesNothing) {
  int stopped = 0;
  for (const std::string_view stepper : stepperNames()) {
    const bool joints = takesJoints(stepper) && stepper != "acceleration";
    const int rows = stepper == "soft" ? 25 : stepper == "acceleration" ? 1 : 3;  // for steps of about a millisecond
    for (const int threads : {1, 2}) {
      World disturbed = wall(with(stepper, threads), rows, joints), quiet = wall(with(stepper), rows, joints);
      StopFlag flag{false};
      disturbed.setStopFlag(&flag);
      for (int i = 0; i < 3; ++i) {
        const Clock::time_point start = Clock::now();
        ASSERT_EQ(quiet.step(kDt).status, StepStatus::Ok) << stepper;
        const double takes = secondsSince(start);
        for (const double share : {0.2, 0.5, 0.8}) {
          disturbed.setSettings(disturbed.settings());
          const std::uint64_t before = disturbed.stateHash();
          std::thread raise([&] {
            std::this_thread::sleep_for(std::chrono::duration<double>(share * takes));
            flag = true;
          });
          const StepStatus status = disturbed.step(kDt).status;
          raise.join();
          flag = false;
          if (status == StepStatus::Ok) break;
          ++stopped;
          ASSERT_EQ(status, StepStatus::Stopped) << stepper;
          ASSERT_EQ(disturbed.stateHash(), before) << stepper;
        }
        while (disturbed.time() < quiet.time()) ASSERT_EQ(disturbed.step(kDt).status, StepStatus::Ok) << stepper;
        ASSERT_EQ(disturbed.stateHash(), quiet.stateHash()) << stepper << ", " << threads << " threads, step " << i;
      }
    }
  }
  EXPECT_GT(stopped, 10);
}

// Solves to 1e-15 take for ever.
TEST(Stop, AStepThatWouldTakeForEverEndsSoon) {
  for (const char* stepper : {"velocity", "lcp", "shock", "implicit", "penalty", "hybrid"}) {
    WorldSettings settings = with(stepper);
    settings.solver = {.name = "jacobi", .tolerance = 1e-15, .iterations = 1000000000, .milliseconds = 0.0};
    settings.shock.iterations = settings.shock.correctionIterations = 1000000;
    World world = wall(settings, 12, false);
    StopFlag flag{false};
    world.setStopFlag(&flag);
    Clock::time_point raised;
    std::thread raise([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      raised = Clock::now();
      flag = true;
    });
    StepStatus status = StepStatus::Ok;
    for (int i = 0; i < 1000 && status == StepStatus::Ok; ++i) status = world.step(kDt).status;
    raise.join();
    EXPECT_EQ(status, StepStatus::Stopped) << stepper;
    EXPECT_LT(secondsSince(raised), 0.3) << stepper;
  }
}

// A thousand boxes at one point are half a million pairs.
TEST(Stop, ALongStepOfTheDefaultStepperEndsSoonToo) {
  World world(with("soft", 2));
  for (int i = 0; i < 1000; ++i) world.addBody(solid(Box{}, {0.001 * (i % 10), 0.0, 0.001 * i}));
  StopFlag flag{false};
  world.setStopFlag(&flag);
  Clock::time_point raised;
  std::thread raise([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    raised = Clock::now();
    flag = true;
  });
  const StepStatus status = world.step(kDt).status;
  raise.join();
  EXPECT_EQ(status, StepStatus::Stopped);
  EXPECT_LT(secondsSince(raised), 0.5);
  EXPECT_EQ(world.time(), 0.0);
}

TEST(Stop, WithoutAFlagNothingIsStopped) {
  StopFlag flag{true};
  World world = wall(with("soft"), 3);
  world.setStopFlag(&flag);
  EXPECT_EQ(world.step(kDt).status, StepStatus::Stopped);
  world.setStopFlag(nullptr);
  EXPECT_EQ(world.step(kDt).status, StepStatus::Ok);
}

}  // namespace
}  // namespace cairn::test
