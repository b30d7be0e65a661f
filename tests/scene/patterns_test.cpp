#include "scene/patterns.hpp"

#include <numbers>

#include "scene/helpers.hpp"

namespace cairn {
namespace {

std::string boxes(const std::string& pattern, const std::string& fields = "") {
  return sceneWith("\"bodies\": [{\"name\": \"b\", " + fields +
                   " \"shape\": {\"type\": \"box\", \"size\": [0.5, 0.3, 0.2]}, \"pattern\": " + pattern + "}]");
}

const BodyDesc& bodyNamed(const SceneModel& model, const std::string& name) {
  for (const SceneBody& body : model.bodies) {
    if (body.desc.name == name) return body.desc;
  }
  throw std::runtime_error("no body " + name);
}

void expectAt(const BodyDesc& body, double x, double y, double z) {
  EXPECT_NEAR((body.pose.position - Vec3(x, y, z)).norm(), 0.0, 1e-12)
      << body.name << ": " << body.pose.position.transpose();
}

TEST(Patterns, ARowGoesStepByStepAndTurns) {
  const SceneModel model =
      load(boxes(R"({"type": "row", "count": 3, "step": [1, 0, 2], "turn_deg": 30})", "\"position\": [5, 0, 0],"));
  ASSERT_EQ(model.bodies.size(), 3u);
  expectAt(bodyNamed(model, "b.0"), 5, 0, 0);
  expectAt(bodyNamed(model, "b.2"), 7, 0, 4);
  const Vec3 x = bodyNamed(model, "b.2").pose.rotation * Vec3::UnitX();
  EXPECT_NEAR(std::atan2(x.y(), x.x()), std::numbers::pi / 3, 1e-12);
}

TEST(Patterns, AGridIsNamedByItsThreeIndices) {
  const SceneModel model = load(boxes(R"({"type": "grid", "count": [2, 3, 4], "step": [1, 10, 100]})"));
  EXPECT_EQ(model.bodies.size(), 24u);
  expectAt(bodyNamed(model, "b.1.2.3"), 1, 20, 300);
}

TEST(Patterns, ARingFacesOutwardUnlessToldOtherwise) {
  const SceneModel outward = load(boxes(R"({"type": "ring", "count": 4, "radius": 2, "start_deg": 90})"));
  expectAt(bodyNamed(outward, "b.0"), 0, 2, 0);
  expectAt(bodyNamed(outward, "b.1"), -2, 0, 0);
  EXPECT_NEAR((bodyNamed(outward, "b.1").pose.rotation * Vec3::UnitX() + Vec3::UnitX()).norm(), 0.0, 1e-12);
  const SceneModel same = load(boxes(R"({"type": "ring", "count": 4, "radius": 2, "facing": "same"})"));
  EXPECT_NEAR(bodyNamed(same, "b.3").pose.rotation.angularDistance(Quat::Identity()), 0.0, 1e-12);
}

TEST(Patterns, AWallClosesItsOddRowsWithHalfBricks) {
  const SceneModel model = load(boxes(R"({"type": "wall", "columns": 3, "rows": 2, "gap": 0.1})", "\"mass\": 10,"));
  ASSERT_EQ(model.bodies.size(), 7u);
  expectAt(bodyNamed(model, "b.0.0"), -0.6, 0, 0.1);
  expectAt(bodyNamed(model, "b.0.1"), 0, 0, 0.1);
  expectAt(bodyNamed(model, "b.1.1"), -0.3, 0, 0.3);
  // The wall is 3 * 0.5 + 2 * 0.1 = 1.7 m long, and a half brick (0.5 - 0.1) / 2 = 0.2 m.
  const BodyDesc& half = bodyNamed(model, "b.1.0");
  expectAt(half, -0.75, 0, 0.3);
  expectAt(bodyNamed(model, "b.1.3"), 0.75, 0, 0.3);
  EXPECT_NEAR(std::get<Box>(half.shapes[0].geometry).halfExtents.x(), 0.1, 1e-15);
  EXPECT_NEAR(*half.mass, 4.0, 1e-12);
  EXPECT_EQ(*bodyNamed(model, "b.0.0").mass, 10.0);
}

TEST(Patterns, APyramidShrinksByOneEachRow) {
  const SceneModel model =
      load(boxes(R"({"type": "pyramid", "base": 3, "step": [1, 0, 0.2]})", "\"position\": [0, 0, 0.1],"));
  ASSERT_EQ(model.bodies.size(), 6u);
  expectAt(bodyNamed(model, "b.0.0"), -1, 0, 0.1);
  expectAt(bodyNamed(model, "b.1.0"), -0.5, 0, 0.3);
  expectAt(bodyNamed(model, "b.2.0"), 0, 0, 0.5);
}

TEST(Patterns, EachRepeatsWhatTheOnesBeforeMade) {
  const SceneModel model = load(boxes(
      R"([{"type": "ring", "count": 4, "radius": 1}, {"type": "row", "count": 3, "step": [0, 0, 0.2], "turn_deg": 45}])",
      "\"rotation\": {\"axis\": [0, 0, 1], \"angle_deg\": 90}, \"position\": [10, 0, 0],"));
  ASSERT_EQ(model.bodies.size(), 12u);
  expectAt(bodyNamed(model, "b.0.0"), 10, 1, 0);  // layer 0, first of the ring, the whole turned by 90 degrees
  const double half = std::sqrt(0.5);
  expectAt(bodyNamed(model, "b.1.0"), 10 - half, half, 0.2);
}

TEST(Patterns, CountingAgreesWithMaking) {
  const std::vector<Pattern> patterns{WallPattern{.columns = 5, .rows = 7, .brick = {0.5, 0.2, 0.2}},
                                      GridPattern{.count = {2, 3, 1}}, PyramidPattern{.base = 4}, RingPattern{.count = 3}};
  EXPECT_EQ(countCopies(patterns), static_cast<double>(expandPatterns(patterns).size()));
  EXPECT_EQ(countCopies({}), 1.0);
}

}  // namespace
}  // namespace cairn
