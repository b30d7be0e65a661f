// Frames and descriptions, read back by a reader of the test's own.
#include "lab/frame.hpp"

#include <rapidjson/document.h>

#include <cstring>

#include "lab/describe.hpp"
#include "lab/lab_scenes.hpp"
#include "picture/picture_scene.hpp"

namespace cairn {
namespace {

class Bytes {
 public:
  explicit Bytes(const std::string& data) : data_(data) {}
  template <class T>
  T take() {
    T value{};
    EXPECT_LE(at_ + sizeof value, data_.size());
    if (at_ + sizeof value <= data_.size()) std::memcpy(&value, data_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::size_t left() const { return data_.size() - at_; }

 private:
  const std::string& data_;
  std::size_t at_ = 0;
};

TEST(Frame, SaysWhatTheWorldIs) {
  LabSession session(playground());
  session.apply(PinEdit{"ball"});
  for (int i = 0; i < 30; ++i) session.step();
  const SceneView view = sceneView(session.world());
  Frame frame = encodeFrame(session, view, kAllParts);
  frame.epoch = 5;
  frame.number = 77;
  const World& world = session.world();
  for (unsigned wanted = 0; wanted <= kAllParts; ++wanted) {
    const std::string data = frame.bytes(wanted);
    EXPECT_EQ(data.size() % 4, 0u);
    Bytes bytes(data);
    EXPECT_EQ(bytes.take<std::uint32_t>(), 0x4e524143u);
    EXPECT_EQ(bytes.take<std::uint32_t>(), wanted);
    EXPECT_EQ(bytes.take<std::uint32_t>(), 5u);
    EXPECT_EQ(bytes.take<std::uint32_t>(), 77u);
    EXPECT_EQ(bytes.take<double>(), world.time());
    EXPECT_EQ(bytes.take<std::uint32_t>(), 30u);
    std::vector<BodyId> moving;
    for (const BodyId body : world.bodies()) {
      if (world.kind(body) != BodyKind::Static) moving.push_back(body);
    }
    ASSERT_EQ(bytes.take<std::uint32_t>(), moving.size());
    for (const BodyId body : moving) EXPECT_EQ(bytes.take<std::uint32_t>(), body.index);
    for (const BodyId body : moving) {
      for (int k = 0; k < 3; ++k) {
        EXPECT_FLOAT_EQ(bytes.take<float>(), static_cast<float>(world.state(body)->pose.position[k] - view.origin[k]));
      }
    }
    for (const BodyId body : moving) {
      const Quat q = world.state(body)->pose.rotation;
      for (const double part : {q.x(), q.y(), q.z(), q.w()}) EXPECT_FLOAT_EQ(bytes.take<float>(), static_cast<float>(part));
    }
    for (const BodyId body : moving) {
      const int expected = world.name(body) == "slab" ? 4 : world.name(body) == "ball" ? 8 : 0;
      EXPECT_EQ(bytes.take<std::uint8_t>(), expected) << world.name(body);
    }
    for (std::size_t k = moving.size(); k % 4 != 0; ++k) bytes.take<std::uint8_t>();
    if ((wanted & 1) != 0) {
      const auto points = world.touchPoints();
      ASSERT_EQ(bytes.take<std::uint32_t>(), points.size());
      ASSERT_GT(points.size(), 0u);
      for (const TouchPoint& point : points) {
        for (int k = 0; k < 3; ++k)
          EXPECT_FLOAT_EQ(bytes.take<float>(), static_cast<float>(point.point[k] - view.origin[k]));
        for (int k = 0; k < 3; ++k) EXPECT_FLOAT_EQ(bytes.take<float>(), static_cast<float>(point.normal[k]));
        for (int k = 0; k < 3; ++k) EXPECT_FLOAT_EQ(bytes.take<float>(), static_cast<float>(point.impulse[k]));
        EXPECT_FLOAT_EQ(bytes.take<float>(), static_cast<float>(point.gap));
        EXPECT_FLOAT_EQ(bytes.take<float>(), static_cast<float>(point.friction));
      }
    }
    const auto inspections = world.inspectBodies();
    const auto forMoving = [&](auto use) {
      for (std::size_t i = 0; i < inspections.size(); ++i) {
        if (world.kind(world.bodies()[i]) != BodyKind::Static) use(inspections[i]);
      }
    };
    if ((wanted & 2) != 0) {
      forMoving([&](const BodyInspection& one) { EXPECT_EQ(bytes.take<std::int32_t>(), one.island); });
      forMoving([&](const BodyInspection& one) { EXPECT_EQ(bytes.take<std::int32_t>(), one.layer); });
    }
    if ((wanted & 4) != 0) {
      forMoving([&](const BodyInspection& one) {
        for (int k = 0; k < 3; ++k) EXPECT_FLOAT_EQ(bytes.take<float>(), static_cast<float>(one.lower[k] - view.origin[k]));
        for (int k = 0; k < 3; ++k) EXPECT_FLOAT_EQ(bytes.take<float>(), static_cast<float>(one.upper[k] - view.origin[k]));
      });
    }
    EXPECT_EQ(bytes.left(), 0u);
  }
}

TEST(Describe, ASceneHasWhatAPageNeeds) {
  LabSession session(playground());
  const SceneView view = sceneView(session.world());
  BodyDescriber describer(view);
  const std::string text = sceneMessage(3, session.model(), view, session.settings(), session.world(), describer);
  rapidjson::Document scene;
  scene.Parse(text.c_str());
  ASSERT_FALSE(scene.HasParseError());
  EXPECT_STREQ(scene["say"].GetString(), "scene");
  EXPECT_EQ(scene["epoch"].GetInt(), 3);
  EXPECT_STREQ(scene["settings"]["stepper"].GetString(), "soft");
  EXPECT_TRUE(scene["settings"]["friction"].IsNull());
  EXPECT_GT(scene["radius"].GetDouble(), 1.0);
  ASSERT_EQ(scene["bodies"].Size(), session.world().bodies().size());
  // The pictures and the page agree about colours: light, heavy and so on in the order of the world.
  const PictureScene picture = gatherScene(session.world());
  std::size_t part = 0;
  for (const auto& body : scene["bodies"].GetArray()) {
    if (std::string(body["name"].GetString()) == "floor") {
      EXPECT_STREQ(body["shapes"][0]["type"].GetString(), "plane");
      EXPECT_EQ(body["shapes"][0]["offset"].GetDouble(), 0.0);
      continue;
    }
    EXPECT_EQ(body["colour"].GetString(), hexFromLinear(picture.parts[part++].albedo)) << body["name"].GetString();
    const auto state = session.world().state(*session.world().findBody(body["name"].GetString()));
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(body["position"][k].GetDouble(), state->pose.position[k] - view.origin[k]);
    }
  }
}

TEST(Describe, EqualHullsAreWrittenOnce) {
  LabSession session(playground());
  for (int i = 0; i < 3; ++i) session.apply(AddEdit{"hull", {0, 0, 5.0 + i}, 0.5});
  session.apply(AddEdit{"hull", {0, 0, 9}, 0.75});
  const SceneView view = sceneView(session.world());
  BodyDescriber describer(view);
  rapidjson::Document scene;
  scene.Parse(sceneMessage(1, session.model(), view, session.settings(), session.world(), describer).c_str());
  int whole = 0, same = 0;
  for (const auto& body : scene["bodies"].GetArray()) {
    for (const auto& shape : body["shapes"].GetArray()) {
      if (std::string(shape["type"].GetString()) != "hull") continue;
      if (shape.HasMember("same")) {
        ++same;
        EXPECT_EQ(shape["same"].GetUint(), session.world().findBody("dropped.1")->index);
        continue;
      }
      ++whole;
      // Every edge of a closed surface is passed once in each direction.
      std::map<std::pair<int, int>, int> edges;
      for (const auto& triangle : shape["triangles"].GetArray()) {
        for (int k = 0; k < 3; ++k) ++edges[{triangle[k].GetInt(), triangle[(k + 1) % 3].GetInt()}];
      }
      for (const auto& [edge, count] : edges) {
        EXPECT_EQ(count, 1);
        EXPECT_EQ(edges.count({edge.second, edge.first}), 1u);
      }
    }
  }
  EXPECT_EQ(whole, 2);
  EXPECT_EQ(same, 2);
}

}  // namespace
}  // namespace cairn
