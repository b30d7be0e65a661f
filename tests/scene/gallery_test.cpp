#include "scene/gallery.hpp"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <valijson/adapters/rapidjson_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "scene/embedded_scenes.hpp"
#include "scene/format.hpp"
#include "scene/helpers.hpp"
#include "scene/scene_run.hpp"

namespace cairn {
namespace {

std::string fileText(const std::string& path) {
  std::ifstream file(std::string(CAIRN_SOURCE_DIR) + "/" + path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The published schema, applied by a validator that knows nothing of ours.
class Schema {
 public:
  Schema() {
    document_.Parse(sceneSchema().c_str());
    if (document_.HasParseError()) throw std::runtime_error("the schema is not JSON");
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::RapidJsonAdapter(document_), schema_);
  }
  bool accepts(const std::string& text) {
    rapidjson::Document scene;
    scene.Parse<rapidjson::kParseCommentsFlag | rapidjson::kParseTrailingCommasFlag>(text.c_str());
    if (scene.HasParseError()) return false;
    valijson::Validator validator;
    return validator.validate(schema_, valijson::adapters::RapidJsonAdapter(scene), nullptr);
  }

 private:
  rapidjson::Document document_;
  valijson::Schema schema_;
};

int dynamicBodies(const SceneModel& model) {
  int count = 0;
  for (const SceneBody& body : model.bodies) count += body.desc.kind == BodyKind::Dynamic ? 1 : 0;
  return count;
}

TEST(Gallery, HasTheScenesItPromises) {
  for (const char* name :
       {"tower",       "stack25",   "wall",         "pyramid",         "ball_grid",     "pile",       "dominoes",
        "incline",     "bounce",    "mass_ratio",   "spinning_bodies", "pendulum",      "shapes",     "tippe_top",
        "rattleback",  "heavy_top", "dzhanibekov",  "slide_to_roll",   "newton_cradle", "stone_arch", "overhang",
        "wall_impact", "disks66",   "painleve_rod", "spinning_disc",   "silo",          "engraved",   "falling_roof",
        "car",         "spheres",   "pyramids",     "ball_and_chain",  "card_house"}) {
    EXPECT_TRUE(isGalleryName(name)) << name;
  }
}

TEST(Gallery, EverySceneBuildsAndSaysWhatItIs) {
  for (const std::string_view name : galleryNames()) {
    SCOPED_TRACE(name);
    const SceneModel model = openScene(std::string(name));
    EXPECT_EQ(model.name, name);
    EXPECT_FALSE(model.title.empty());
    EXPECT_FALSE(model.description.empty());
    if (model.settings.stepper == "soft") {
      EXPECT_EQ(model.dt, 1.0 / 60.0);  // others follow their papers
    }
    EXPECT_GT(dynamicBodies(model), 0);
    EXPECT_NO_THROW(checkModel(model));
  }
}

TEST(Gallery, SizesAreThoseOfTheDescriptions) {
  EXPECT_EQ(dynamicBodies(openScene("tower")), 802);
  EXPECT_EQ(dynamicBodies(openScene("wall")), 820);
  EXPECT_EQ(dynamicBodies(openScene("pyramid")), 820);
  EXPECT_EQ(dynamicBodies(openScene("ball_grid")), 125);
  EXPECT_EQ(dynamicBodies(openScene("pile")), 2000);
  EXPECT_EQ(dynamicBodies(openScene("dominoes")), 40);
  EXPECT_EQ(dynamicBodies(openScene("stack25")), 25);
  EXPECT_EQ(dynamicBodies(openScene("disks66")), 66);
  EXPECT_EQ(dynamicBodies(openScene("silo")), 3000);
  EXPECT_EQ(dynamicBodies(openScene("engraved")), 1000);
  EXPECT_EQ(dynamicBodies(openScene("falling_roof")), 640);
  EXPECT_EQ(dynamicBodies(openScene("spheres")), 4000);
  EXPECT_EQ(dynamicBodies(openScene("pyramids")), 5500);
  EXPECT_EQ(dynamicBodies(openScene("ball_and_chain")), 21);
  EXPECT_EQ(dynamicBodies(openScene("card_house")), 26);
  EXPECT_EQ(openScene("tower").seconds, 15.0);
}

TEST(Gallery, TheTowerIsErlebens) {
  const SceneModel model = openScene("tower");
  const auto find = [&](const std::string& name) -> const SceneBody& {
    for (const SceneBody& body : model.bodies) {
      if (body.desc.name == name) return body;
    }
    throw std::runtime_error(name);
  };
  const double brick = 0.25 * 0.5 * 0.2 * 2000.0;  // kg
  const SceneBody& block = find("block");
  EXPECT_EQ(block.appear, 5.0);
  EXPECT_NEAR(*block.desc.mass, 100.0 * brick, 1e-9);
  const Vec3 half = std::get<Box>(block.desc.shapes[0].geometry).halfExtents;
  EXPECT_NEAR(block.desc.pose.position.z() - half.z(), 40 * 0.2 + 2.0, 1e-12);
  const SceneBody& ball = find("cannonball");
  EXPECT_NEAR(*ball.desc.mass, 50.0 * brick, 1e-9);
  EXPECT_EQ(ball.desc.linearVelocity.x(), 30.0);
  // Each layer is turned by half a brick: 9 degrees of 18.
  const Vec3 first = find("brick.0.0").desc.pose.position;
  const Vec3 second = find("brick.1.0").desc.pose.position;
  EXPECT_NEAR(std::atan2(second.y(), second.x()) - std::atan2(first.y(), first.x()), M_PI / 20, 1e-12);
  EXPECT_NEAR(second.z() - first.z(), 0.2, 1e-12);
}

TEST(Gallery, ThePileIsTheSameEveryTimeAndDependsOnItsSeed) {
  const SceneModel one = openScene("pile", {{"count", "50"}});
  const SceneModel same = openScene("pile", {{"count", "50"}});
  const SceneModel other = openScene("pile", {{"count", "50"}, {"seed", "2"}});
  const auto size = [](const SceneModel& model) {
    return std::get<Box>(model.bodies.back().desc.shapes[0].geometry).halfExtents;
  };
  EXPECT_EQ(size(one), size(same));
  EXPECT_NE(size(one), size(other));
  EXPECT_GE(size(one).minCoeff(), 0.25);
  EXPECT_LE(size(one).maxCoeff(), 0.5);
}

TEST(Gallery, BuildersTakeParametersAndSettingsAndRefuseTheRest) {
  EXPECT_EQ(dynamicBodies(openScene("tower", {{"layers", "3"}, {"block", "0"}, {"cannonball", "0"}})), 60);
  EXPECT_EQ(openScene("tower", {{"settings.gravity", "[0, 0, -1.62]"}}).settings.gravity.z(), -1.62);
  const auto message = [](const Override& given) -> std::string {
    try {
      openScene("tower", {given});
    } catch (const SceneError& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_NE(message({"layer", "3"}).find("did you mean \"layers\"?"), std::string::npos);
  EXPECT_NE(message({"layers", "2.5"}).find("whole number from 1 to 1000"), std::string::npos);
  EXPECT_NE(message({"layers", "0"}).find("found \"0\""), std::string::npos);
}

TEST(Gallery, AMisspeltNameIsPutRight) {
  try {
    openScene("towre");
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"tower\"?"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("pyramid"), std::string::npos);
  }
}

TEST(Gallery, WhatTheProgramCarriesIsWhatTheFolderHas) {
  for (const EmbeddedScene& scene : embeddedScenes()) {
    EXPECT_EQ(std::string(scene.text), fileText("scenes/" + std::string(scene.path))) << scene.path;
  }
  EXPECT_EQ(loadSceneFile(std::string(CAIRN_SOURCE_DIR) + "/scenes/dominoes.json").bodies.size(),
            openScene("dominoes").bodies.size());
}

TEST(SceneSchema, ThePublishedFileIsTheGeneratedOne) {
  EXPECT_TRUE(fileText("docs/scene.schema.json") == sceneSchema()) << "out of date: build the target cairn_docs";
}

TEST(SceneSchema, AcceptsEveryGalleryFile) {
  Schema schema;
  for (const EmbeddedScene& scene : embeddedScenes()) EXPECT_TRUE(schema.accepts(std::string(scene.text))) << scene.path;
}

TEST(SceneSchema, RefusesWhatTheReaderRefuses) {
  Schema schema;
  const auto ball = [](const std::string& radius) {
    return sceneWith("\"bodies\": [{\"shape\": {\"type\": \"sphere\", \"radius\": " + radius + "}}]");
  };
  EXPECT_TRUE(schema.accepts(ball("1")));
  EXPECT_TRUE(schema.accepts(ball("\"$r\"")));
  EXPECT_FALSE(schema.accepts(ball("0")));
  EXPECT_FALSE(schema.accepts(ball("\"r\"")));
  EXPECT_FALSE(schema.accepts(ball("1, \"height\": 2")));
  EXPECT_FALSE(schema.accepts(sceneWith("\"bodeis\": []")));
  EXPECT_FALSE(schema.accepts("{\"bodies\": []}"));
  EXPECT_FALSE(schema.accepts(sceneWith("\"settings\": {\"threads\": 0}")));
  EXPECT_FALSE(schema.accepts(sceneWith("\"bodies\": [{\"shape\": {\"type\": \"cube\"}}]")));
}

// The examples of the documentation are scenes, every one of them.
TEST(SceneDocumentation, EveryExampleLoads) {
  Schema schema;
  const std::string text = fileText("docs/scene-format.md");
  const std::string fence = "```jsonc\n";
  int examples = 0;
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
    at += fence.size();
    const std::size_t end = text.find("```", at);
    ASSERT_NE(end, std::string::npos);
    const std::string example = text.substr(at, end - at);
    SCOPED_TRACE(example);
    EXPECT_TRUE(schema.accepts(example));
    // Includes are relative to the gallery's folder.
    EXPECT_NO_THROW(checkModel(loadSceneText(std::string(CAIRN_SOURCE_DIR) + "/scenes/example.json", example)));
    ++examples;
    at = end;
  }
  EXPECT_GE(examples, 5);
}

TEST(SceneDocumentation, TheReferenceIsTheGeneratedOne) {
  EXPECT_TRUE(fileText("docs/scene-reference.md") == sceneReference()) << "out of date: build the target cairn_docs";
}

}  // namespace
}  // namespace cairn
