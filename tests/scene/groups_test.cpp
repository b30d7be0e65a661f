// Groups of bodies and joints, placed many times.
#include <cmath>

#include "scene/helpers.hpp"
#include "scene/patterns.hpp"

namespace cairn {
namespace {

const std::string kCart = R"~("parameters": {"gap": 2}, "groups": {
  "wheel": {"parameters": {"r": 0.2}, "bodies": [{"name": "rim", "shape": {"type": "cylinder", "radius": "$r", "height": 0.1}}]},
  "cart": {"parameters": {"half": {"default": 0.5, "min": 0.1}},
    "bodies": [{"name": "deck", "velocity": [1, 0, 0], "shape": {"type": "box", "size": ["2*$half", 0.5, 0.1]}}],
    "place": [{"group": "wheel", "name": "front", "position": ["$half", 0, 0]},
              {"group": "wheel", "name": "rear", "position": ["-$half", 0, 0], "set": {"r": "$half/2"}}],
    "joints": [{"name": "axle", "type": "hinge", "a": "deck", "b": "front.rim", "axis": [0, 1, 0], "anchor_b": [0, 0, 0]},
               {"name": "moor", "type": "ball", "a": "world", "b": "deck", "anchor": [0, 0, 1]}]}},
)~";

const SceneBody& named(const SceneModel& model, const std::string& name) {
  for (const SceneBody& body : model.bodies)
    if (body.desc.name == name) return body;
  throw std::out_of_range("no body " + name);
}

TEST(SceneGroups, ArePlacedWithTheirJoints) {
  const SceneModel model = load(sceneWith(kCart + R"~("bodies": [], "place": [
    {"group": "cart", "name": "train", "position": [0, 0, 3], "rotation": {"axis": [0, 0, 1], "angle_deg": 90},
     "pattern": {"type": "row", "count": 3, "step": ["$gap", 0, 0]}},
    {"group": "cart", "set": {"half": 1}}],
    "joints": [{"name": "coupling", "type": "distance", "a": "train.#.rear.rim", "b": "train.#+1.front.rim", "repeat": 2}])~"));
  // A deck, two wheels and the anchor of its mooring, four times.
  ASSERT_EQ(model.bodies.size(), 16u);
  ASSERT_EQ(model.joints.size(), 10u);
  const BodyDesc& deck = named(model, "train.2.deck").desc;
  EXPECT_LT((deck.pose.position - Vec3(0, 4, 3)).norm(), 1e-12);
  EXPECT_LT((deck.linearVelocity - Vec3(0, 1, 0)).norm(), 1e-12);
  EXPECT_LT((named(model, "train.1.front.rim").desc.pose.position - Vec3(0, 2.5, 3)).norm(), 1e-12);
  EXPECT_EQ(std::get<Cylinder>(named(model, "cart.rear.rim").desc.shapes[0].geometry).radius, 0.5);
  EXPECT_EQ(std::get<Cylinder>(named(model, "cart.front.rim").desc.shapes[0].geometry).radius, 0.2);
  // What holds in the group holds where it is placed: anchors meet in the world.
  for (const SceneJoint& joint : model.joints) {
    if (std::holds_alternative<DistanceJoint>(joint.desc.kind)) continue;
    const Vec3 a = named(model, joint.a).desc.pose.point(joint.desc.anchorA);
    const Vec3 b = named(model, joint.b).desc.pose.point(joint.desc.anchorB);
    EXPECT_LT((a - b).norm(), 1e-12) << joint.desc.name;
  }
  EXPECT_EQ(named(model, "train.0.world").desc.kind, BodyKind::Static);
}

TEST(SceneGroups, ErrorsNameTheLineInsideTheGroup) {
  const auto message = [](const std::string& fields) { return problemsOf(sceneWith(fields)).front().format(); };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(message(kCart + R"~("place": [{"group": "crat"}])~"), "place[0].group: found \"crat\", which is no group; did you mean \"cart\"?");
  expect(message(kCart + R"~("place": [{"group": "cart", "set": {"hlaf": 1}}])~"), "did you mean \"half\"?");
  expect(message(kCart + R"~("place": [{"group": "cart", "set": {"half": 0}}])~"), "place[0].set.half: found 0; allowed: at least 0.1");
  expect(message(R"~("groups": {"g": {"bodies": [{"shape": {"type": "sphere",
    "radius": "$r"}}]}}, "place": [{"group": "g"}])~"), "test.json:2");
  expect(message(R"~("groups": {"g": {"place": [{"group": "g"}]}}, "place": [{"group": "g"}])~"), "would hold itself");
  // A group that nobody places is checked too.
  expect(message(R"~("groups": {"g": {"bodies": [{"shape": {"type": "sphere", "radius": -1}}]}})~"), "groups.g.bodies[0].shape.radius: found -1");
  expect(message(R"~("groups": {"g": {"bodies": [{"name": "x", "shape": {"type": "sphere", "radius": 1}}]}},
    "place": [{"group": "g"}, {"group": "g"}])~"), "place[1].name");
  expect(message(R"~("groups": {"g": {"bodies": [{"name": "x", "shape": {"type": "sphere", "radius": 1}}]}},
    "place": [{"group": "g", "pattern": {"type": "grid", "count": [1000, 1000, 10], "step": [1, 1, 1]}}])~"), "at most 1000000");
}

TEST(ScenePatterns, ACurveHasEvenDistances) {
  const std::vector<PatternCopy> copies = expandPatterns({CurvePattern{5, {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}}, true}});
  ASSERT_EQ(copies.size(), 5u);
  EXPECT_LT((copies[1].pose.position - Vec3(1, 0, 0)).norm(), 1e-12);
  EXPECT_LT((copies[3].pose.position - Vec3(2, 1, 0)).norm(), 1e-12);
  EXPECT_LT((copies[4].pose.position - Vec3(2, 2, 0)).norm(), 1e-12);
  EXPECT_LT((copies[3].pose.rotation * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-12);
  EXPECT_LT((copies[3].pose.rotation * Vec3::UnitZ() - Vec3::UnitZ()).norm(), 1e-12);
}

}  // namespace
}  // namespace cairn
