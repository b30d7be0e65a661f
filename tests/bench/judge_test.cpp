// The judge measures poses: given places that are known, its figures are known.
#include "judge.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "scene/gallery.hpp"

namespace cairn::bench {
namespace {

// An engine that does as it is told.
class Puppet : public Engine {
 public:
  explicit Puppet(const BenchScene& scene) {
    for (const BenchBody& body : scene.bodies) {
      const BodyDesc& desc = body.desc();
      states.push_back({desc.pose, desc.pose.point(body.mass.center), desc.linearVelocity, desc.angularVelocity});
    }
  }
  std::string settings() const override { return "none"; }
  void add(std::size_t) override {}
  void step() override {}
  BodyState state(std::size_t body) const override { return states[body]; }
  MassProperties massProperties(std::size_t) const override { return {}; }
  void move(std::size_t body, const Vec3& by) {
    states[body].pose.position += by;
    states[body].center += by;
  }
  std::vector<BodyState> states;
};

// Body 0 is the ground, 1 to 3 a stack of unit boxes of 1000 kg.
constexpr const char* kStack = R"({"cairn": 1, "stands": true, "bodies": [
  {"name": "ground", "kind": "static", "shape": {"type": "plane"}},
  {"name": "box", "position": [0, 0, 0.5], "shape": {"type": "box", "size": [1, 1, 1]}, "pattern": {"type": "row", "count": 3, "step": [0, 0, 1]}}]})";

TEST(BenchJudge, SeesOverlapDriftAndSagAsTheyAre) {
  const BenchScene scene(loadSceneText("stack", kStack));
  Judge judge(scene);
  Puppet engine(scene);
  judge.afterStep(engine, true);
  judge.noteStanding();
  EXPECT_EQ(judge.quality().penetrationMax, 0.0);
  EXPECT_EQ(*judge.quality().drift, 0.0);
  EXPECT_TRUE(*judge.quality().stands);

  engine.move(2, {0.03, 0.04, -0.1});  // 10 cm into the lowest box
  engine.move(3, {0.0, 0.0, -0.12});   // and the uppermost 2 cm into that
  judge.afterStep(engine, true);
  judge.noteStanding();
  judge.noteLost();
  EXPECT_NEAR(judge.quality().penetrationMax, 0.1, 1e-12);
  EXPECT_NEAR(*judge.quality().drift, 0.05, 1e-12);
  EXPECT_NEAR(*judge.quality().sag, 0.12, 1e-12);  // of the top, not of the middle
  EXPECT_EQ(judge.quality().lost, 0);

  engine.move(2, {0.0, 0.0, 0.1});
  engine.move(3, {0.0, 0.0, 0.07});  // now 5 cm
  judge.afterStep(engine, true);
  EXPECT_NEAR(judge.quality().penetrationMax, 0.1, 1e-12);
  EXPECT_NEAR(judge.quality().penetrationEnd, 0.05, 1e-12);
  EXPECT_FALSE(judge.quality().jointGap);
}

TEST(BenchJudge, CountsWhatFellSankOrIsNowhere) {
  const BenchScene scene(loadSceneText("stack", kStack));
  Judge judge(scene);
  Puppet engine(scene);
  engine.move(1, {0.0, 0.0, -1.6});                   // its centre is more than 1 m under the ground
  engine.move(2, {0.87, 0.0, 0.0});                   // farther than the radius of its bounding sphere, sqrt(3)/2
  engine.states[3].center.setConstant(std::nan(""));  // gone
  judge.afterStep(engine, true);
  judge.noteStanding();
  judge.noteLost();
  EXPECT_EQ(judge.quality().lost, 3);
  EXPECT_FALSE(*judge.quality().stands);
  EXPECT_FALSE(std::isfinite(*judge.quality().drift));
  EXPECT_FALSE(judge.quality().energyDrift);
  judge.afterStep(engine, true);  // nor does it fall over bodies that are gone
  EXPECT_GT(judge.quality().penetrationEnd, 0.5);
}

TEST(BenchJudge, MeasuresHowMuchEnergyRisesOfWhatIsInPlay) {
  const BenchScene scene(loadSceneText("fall", R"({"cairn": 1, "bodies": [
    {"name": "ball", "mass": 2, "position": [0, 0, 10], "shape": {"type": "sphere", "radius": 0.5}}]})"));
  Judge judge(scene);
  Puppet engine(scene);
  // Falls 1 m and is as fast as that makes it: nothing rose.
  engine.move(0, {0.0, 0.0, -1.0});
  engine.states[0].linearVelocity = {0.0, 0.0, -std::sqrt(2.0 * 9.81)};
  judge.afterStep(engine, true);
  EXPECT_NEAR(*judge.quality().energyDrift, 0.0, 1e-12);
  // Then it is half a metre higher at that speed. In play are 2 kg x 9.81 x 1 m of motion and as much of height.
  engine.move(0, {0.0, 0.0, 0.5});
  judge.afterStep(engine, true);
  EXPECT_NEAR(*judge.quality().energyDrift, 0.5 / 2.0, 1e-9);
  EXPECT_FALSE(judge.quality().stands);
  EXPECT_FALSE(judge.quality().drift);
}

TEST(BenchJudge, MeasuresTheGapOfJoints) {
  const BenchScene scene(openScene("pendulum"));
  Judge judge(scene);
  Puppet engine(scene);
  judge.afterStep(engine, true);
  EXPECT_NEAR(*judge.quality().jointGap, 0.0, 1e-12);
  const std::size_t last = scene.bodyNamed("rod.4");
  engine.move(last, {0.03, 0.0, 0.04});
  judge.afterStep(engine, true);
  EXPECT_NEAR(*judge.quality().jointGap, 0.05, 1e-12);
}

// What starts with an overlap would be pushed apart before it could stand.
TEST(BenchScenes, ThatStandStartWithoutOverlap) {
  for (const char* name : {"tower", "pyramid", "wall", "pyramids", "mass_ratio", "card_house", "ball_and_chain"}) {
    const BenchScene scene(openScene(name));
    Judge judge(scene);
    Puppet engine(scene);
    judge.afterStep(engine, true);
    EXPECT_LT(judge.quality().penetrationMax, 1e-12) << name;
  }
}

}  // namespace
}  // namespace cairn::bench
