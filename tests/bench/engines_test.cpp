// Every engine simulates the same bodies, and all of them obey gravity.
#include <gtest/gtest.h>

#include <numbers>

#include "engine.hpp"
#include "scene/gallery.hpp"

namespace cairn::bench {
namespace {

// Single precision, which Bullet has, carries seven digits.
double digitsOf(const EngineKind& kind) { return kind.name == "bullet" ? 2e-6 : 1e-11; }

// All that engines have in common: shapes off their centre and turned, several on one body, velocities, joints, and masses
// whose principal axes are not the body's.
constexpr const char* kEverything = R"({
  "cairn": 1,
  "bodies": [
    {"name": "ground", "kind": "static", "position": [0, 0, -2], "rotation": {"axis": [1, 0, 0], "angle_deg": 10}, "shape": {"type": "plane"}},
    {"name": "step", "kind": "static", "position": [9, 0, 0], "rotation": {"axis": [1, 2, 3], "angle_deg": 50}, "shape": {"type": "box", "size": [1, 2, 3]}},
    {"name": "ball", "mass": 3, "position": [1, 2, 3], "velocity": [1, -2, 0.5], "shape": {"type": "sphere", "radius": 0.3}},
    {"name": "brick", "position": [3, 2, 3], "rotation": {"axis": [1, 1, 0], "angle_deg": 40}, "angular_velocity": [1, 2, 3], "shape": {"type": "box", "size": [0.2, 0.5, 0.7], "position": [0.1, 0, 0.2]}},
    {"name": "pill", "position": [5, 2, 3], "shape": {"type": "capsule", "radius": 0.1, "height": 0.5, "rotation": {"axis": [0, 1, 0], "angle_deg": 90}}},
    {"name": "can", "position": [1, 5, 3], "velocity": [0, 1, 0], "angular_velocity": [0, 0, 4], "shape": {"type": "cylinder", "radius": 0.2, "height": 0.3}},
    {"name": "hammer", "position": [3, 5, 3], "velocity": [0.5, 0, 0], "angular_velocity": [3, 1, 2], "rotation": {"axis": [0, 0, 1], "angle_deg": 30}, "shapes": [
      {"type": "cylinder", "radius": 0.05, "height": 0.8},
      {"type": "box", "size": [0.3, 0.2, 0.15], "position": [0.1, 0.05, 0.4], "rotation": {"axis": [1, 0, 0], "angle_deg": 25}}]},
    {"name": "rod", "position": [6.25, 5, 3], "shape": {"type": "box", "size": [0.5, 0.1, 0.1]}, "pattern": {"type": "row", "count": 3, "step": [0.5, 0, 0]}},
  ],
  "joints": [
    {"name": "hook", "type": "ball", "a": "world", "b": "rod.0", "anchor": [6, 5, 3]},
    {"name": "link", "type": "hinge", "a": "rod.0", "b": "rod.1", "anchor": [6.5, 5, 3], "axis": [0, 1, 0]},
    {"name": "end", "type": "ball", "a": "rod.2", "b": "rod.1", "anchor": [7, 5, 3]},
  ],
})";

TEST(BenchEngines, HoldTheSameBodiesBeforeTheFirstStep) {
  const BenchScene scene(loadSceneText("everything", kEverything));
  for (const EngineKind& kind : engineKinds()) {
    SCOPED_TRACE(kind.name);
    ASSERT_EQ(kind.refusal(scene, 1), "");
    const auto engine = kind.make(scene, 1);
    const double digits = digitsOf(kind);
    int compared = 0;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      const BenchBody& body = scene.bodies[i];
      if (!body.isDynamic()) continue;
      SCOPED_TRACE(body.desc().name);
      const BodyState state = engine->state(i);
      const Pose& pose = body.desc().pose;
      EXPECT_LT((state.pose.position - pose.position).norm(), 10.0 * digits);
      EXPECT_LT(state.pose.rotation.angularDistance(pose.rotation), 10.0 * digits);
      EXPECT_LT((state.center - pose.point(body.mass.center)).norm(), 10.0 * digits);
      EXPECT_LT((state.linearVelocity - body.desc().linearVelocity).norm(), 10.0 * digits);
      EXPECT_LT((state.angularVelocity - body.desc().angularVelocity).norm(), 10.0 * digits);
      const MassProperties mass = engine->massProperties(i);
      EXPECT_NEAR(mass.mass / body.mass.mass, 1.0, digits);
      EXPECT_LT((mass.center - body.mass.center).norm(), digits);
      EXPECT_LT((mass.inertia - body.mass.inertia).norm(), 10.0 * digits * body.mass.inertia.norm());
      ++compared;
    }
    EXPECT_EQ(compared, 8);
  }
}

// Velocities are exact; places are off by at most half a step's gravity times the time, since engines differ in where within
// a step they let gravity act.
TEST(BenchEngines, FallFreelyByTheClosedForm) {
  const BenchScene scene(loadSceneText("fall", R"({"cairn": 1, "bodies": [
    {"name": "ball", "position": [1, 2, 300], "velocity": [3, -2, 5], "angular_velocity": [0, 0, 2], "shape": {"type": "sphere", "radius": 0.5}}]})"));
  constexpr int kSteps = 120;
  constexpr double kGravity = 9.81, kSeconds = kSteps * kTimeStep;
  for (const EngineKind& kind : engineKinds()) {
    SCOPED_TRACE(kind.name);
    const auto engine = kind.make(scene, 1);
    for (int i = 0; i < kSteps; ++i) engine->step();
    const BodyState state = engine->state(0);
    const double digits = kind.name == "bullet" ? 1e-3 : 1e-8;  // of 300 m, summed over 120 steps
    EXPECT_NEAR(state.linearVelocity.x(), 3.0, digits);
    EXPECT_NEAR(state.linearVelocity.z(), 5.0 - kGravity * kSeconds, digits);
    EXPECT_NEAR(state.center.x(), 1.0 + 3.0 * kSeconds, digits);
    EXPECT_NEAR(state.center.y(), 2.0 - 2.0 * kSeconds, digits);
    const double height = 300.0 + 5.0 * kSeconds - 0.5 * kGravity * kSeconds * kSeconds;
    EXPECT_NEAR(state.center.z(), height, 0.5 * kGravity * kTimeStep * kSeconds + digits);
    const Quat turned(Eigen::AngleAxisd(2.0 * kSeconds, Vec3::UnitZ()));
    EXPECT_LT(state.pose.rotation.angularDistance(turned), 1e-3);
  }
}

TEST(BenchEngines, RestOnTheGroundWithTheSameFriction) {
  // On a slope of 20 degrees a box sticks at 0.5 and slides at 0.2 (tan 20 = 0.36): the pair's coefficient is what counts.
  for (const double friction : {0.5, 0.2}) {
    SceneModel model = openScene("incline", {{"angle_deg", "20"}, {"mu", friction == 0.5 ? "0.5" : "0.2"}});
    const BenchScene scene(std::move(model));
    for (const EngineKind& kind : engineKinds()) {
      SCOPED_TRACE(kind.name);
      ASSERT_EQ(kind.refusal(scene, 1), "");
      const auto engine = kind.make(scene, 1);
      std::size_t box = 0;
      while (!scene.bodies[box].isDynamic()) ++box;
      const Vec3 start = engine->state(box).center;
      for (int i = 0; i < 60; ++i) engine->step();
      const double moved = (engine->state(box).center - start).norm();
      const double angle = 20.0 * std::numbers::pi / 180.0;
      const double slide = 0.5 * 9.81 * (std::sin(angle) - 0.2 * std::cos(angle));  // m in 1 s
      EXPECT_NEAR(moved, friction == 0.5 ? 0.0 : slide, 0.1 * slide);
    }
  }
}

TEST(BenchEngines, TakeBodiesThatAppearLater) {
  const BenchScene scene(loadSceneText("later", R"({"cairn": 1, "bodies": [
    {"name": "early", "position": [0, 0, 5], "velocity": [1, 0, 0], "shape": {"type": "box", "size": [1, 1, 1]}},
    {"name": "late", "appear": 0.5, "position": [0, 5, 5], "velocity": [0, 2, 0], "shape": {"type": "sphere", "radius": 1}}]})"));
  for (const EngineKind& kind : engineKinds()) {
    SCOPED_TRACE(kind.name);
    const auto engine = kind.make(scene, 1);
    for (int i = 0; i < 30; ++i) engine->step();
    engine->add(1);
    EXPECT_LT((engine->state(1).center - Vec3(0, 5, 5)).norm(), 1e-5);
    EXPECT_NEAR(engine->state(0).center.x(), 0.5, 1e-5);
    for (int i = 0; i < 30; ++i) engine->step();
    EXPECT_NEAR(engine->state(0).center.x(), 1.0, 1e-5);
    EXPECT_NEAR(engine->state(1).center.y(), 6.0, 1e-5);
    EXPECT_NEAR(engine->state(1).linearVelocity.z(), -0.5 * 9.81, 1e-4);
    EXPECT_NEAR(engine->state(0).linearVelocity.z(), -9.81, 1e-4);
  }
}

TEST(BenchEngines, RefuseByNameWhatTheyDoNotTake) {
  for (const std::string_view name : galleryNames()) {
    SCOPED_TRACE(name);
    const BenchScene scene(openScene(std::string(name)));
    for (const EngineKind& kind : engineKinds()) {
      const std::string reason = kind.refusal(scene, 1);
      EXPECT_TRUE(reason.empty() || (kind.name != "cairn" && reason.size() > 20)) << kind.name << ": " << reason;
    }
  }
  const BenchScene tower(openScene("tower"));
  for (const EngineKind& kind : engineKinds()) {
    EXPECT_EQ(kind.refusal(tower, 1).empty(), kind.name != "mujoco");
    EXPECT_EQ(kind.refusal(tower, 2).empty(), kind.name == "cairn" || kind.name == "ode") << kind.name;
  }
}

// MuJoCo's joints are coordinates: they cannot open, which also says that the tree was built right.
TEST(BenchEngines, MujocoSwingsAChainWithoutGaps) {
  const BenchScene scene(openScene("pendulum"));
  const EngineKind kind = mujocoEngine();
  const auto engine = kind.make(scene, 1);
  for (int i = 0; i < 120; ++i) engine->step();
  for (const BenchScene::Joint& joint : scene.joints) {
    const auto anchor = [&](std::size_t body, const Vec3& local) {
      return scene.bodies[body].isDynamic() ? engine->state(body).pose.point(local)
                                            : scene.bodies[body].desc().pose.point(local);
    };
    EXPECT_LT((anchor(joint.a, joint.desc->anchorA) - anchor(joint.b, joint.desc->anchorB)).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace cairn::bench
