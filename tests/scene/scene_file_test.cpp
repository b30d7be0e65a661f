#include "scene/scene_file.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <numbers>

#include "scene/helpers.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

class SceneFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("cairn-scenes-" + std::to_string(::getpid()) + "-" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_ / "parts");
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string messageOf(const std::string& path) const {
    try {
      loadSceneFile(path);
    } catch (const SceneError& error) {
      return error.what();
    }
    return "loaded";
  }
  fs::path folder_;
};

constexpr const char* kBall = R"("shape": {"type": "sphere", "radius": 1})";

TEST_F(SceneFiles, IncludedFilesComeFirstAndTheIncluderWins) {
  write("parts/base.json",
        R"({"cairn": 1, "settings": {"dt": 0.01, "seconds": 3}, "materials": {"m": {"friction": 0.1}},
            "bodies": [{"name": "base", "shape": {"type": "sphere", "radius": 1, "material": "m"}}]})");
  const std::string main = write("main.json", std::string(R"({"cairn": 1, "include": ["parts/base.json"],
            "settings": {"dt": 0.02}, "materials": {"m": {"friction": 0.9}}, "bodies": [{"name": "top", )") +
                                                  kBall + "}]}");
  const SceneModel model = loadSceneFile(main);
  EXPECT_EQ(model.name, "main");
  EXPECT_EQ(model.dt, 0.02);
  EXPECT_EQ(model.seconds, 3.0);
  ASSERT_EQ(model.bodies.size(), 2u);
  EXPECT_EQ(model.bodies[0].desc.name, "base");
  EXPECT_EQ(model.bodies[0].desc.shapes[0].material.friction, 0.9);
}

TEST_F(SceneFiles, AFileReachedTwiceIsReadOnce) {
  write("c.json", std::string(R"({"cairn": 1, "bodies": [{"name": "c", )") + kBall + "}]}");
  write("a.json", R"({"cairn": 1, "include": ["c.json"]})");
  write("b.json", R"({"cairn": 1, "include": ["./parts/../c.json"]})");
  EXPECT_EQ(loadSceneFile(write("main.json", R"({"cairn": 1, "include": ["a.json", "b.json"]})")).bodies.size(), 1u);
}

TEST_F(SceneFiles, CirclesAndMissingIncludesAreNamedWhereTheyStand) {
  write("a.json", "{\"cairn\": 1,\n \"include\": [\"b.json\"]}");
  const std::string b = write("b.json", "{\"cairn\": 1,\n\n \"include\": [\"a.json\"]}");
  const std::string circle = messageOf(b);
  EXPECT_NE(circle.find("a.json:2:14: include[0]"), std::string::npos) << circle;
  EXPECT_NE(circle.find("circle"), std::string::npos) << circle;
  const std::string missing = messageOf(write("main.json", "{\"cairn\": 1,\n \"include\": [\"nowhere.json\"]}"));
  EXPECT_NE(missing.find("main.json:2:14: include[0]"), std::string::npos) << missing;
  EXPECT_NE(missing.find("no such file"), std::string::npos) << missing;
}

TEST_F(SceneFiles, AnErrorInAnIncludedFileNamesThatFile) {
  write("bad.json", "{\"cairn\": 1,\n\"bodies\": [{\"mass\": -1}]}");
  const std::string message = messageOf(write("main.json", R"({"cairn": 1, "include": ["bad.json"]})"));
  EXPECT_NE(message.find("bad.json:2:21: bodies[0].mass"), std::string::npos) << message;
}

TEST_F(SceneFiles, AnIncludeThatIsNoSceneIsNotQuoted) {
  for (const char* secret : {"root:x:secret\n", "[\"secret\"]", "{\"auth\": \"secret\"}", "\"secret\"", "{\"a\": secret}"}) {
    write("other", secret);
    const std::string message = messageOf(write("main.json", "{\"cairn\": 1,\n \"include\": [\"other\"]}"));
    EXPECT_NE(message.find("main.json:2:14: include[0]"), std::string::npos) << message;
    EXPECT_NE(message.find("it is no scene"), std::string::npos) << message;
    EXPECT_EQ(message.find("secret"), std::string::npos) << message;
    EXPECT_EQ(message.find("auth"), std::string::npos) << message;
  }
}

TEST_F(SceneFiles, APipeIsNotWaitedFor) {
  const std::string pipe = (folder_ / "pipe.json").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const char* included : {"pipe.json", "/dev/zero", "/dev/tty"}) {
    const std::string message =
        messageOf(write("main.json", std::string("{\"cairn\": 1,\n \"include\": [\"") + included + "\"]}"));
    EXPECT_NE(message.find("main.json:2:14: include[0]"), std::string::npos) << message;
    EXPECT_NE(message.find("no ordinary file"), std::string::npos) << message;
  }
}

TEST_F(SceneFiles, ANameIsNoPath) {
  for (const char* name : {"../x/y", "a/b", "/etc/x", "a\\\\b", "..", "."}) {
    const std::string message = messageOf(write("main.json", std::string("{\"cairn\": 1,\n \"name\": \"") + name + "\"}"));
    EXPECT_NE(message.find("main.json:2:10: name: found"), std::string::npos) << name << message;
  }
  EXPECT_EQ(loadSceneFile(write("main.json", R"({"cairn": 1, "name": "a.b (c), d-2"})")).name, "a.b (c), d-2");
}

TEST_F(SceneFiles, DepthIsLimited) {
  for (int i = 0; i < 30; ++i) {
    write("f" + std::to_string(i) + ".json", R"({"cairn": 1, "include": ["f)" + std::to_string(i + 1) + R"(.json"]})");
  }
  EXPECT_NE(messageOf((folder_ / "f0.json").string()).find("more than 16 deep"), std::string::npos);
}

TEST_F(SceneFiles, WhatIsNoSceneFileIsSaidToBeNone) {
  EXPECT_NE(messageOf((folder_ / "none.json").string()).find("no such file"), std::string::npos);
  EXPECT_NE(messageOf(folder_.string()).find("directory"), std::string::npos);
  EXPECT_NE(messageOf(write("empty.json", "")).find("empty"), std::string::npos);
  EXPECT_NE(messageOf("/dev/null").find("empty"), std::string::npos);
  EXPECT_NE(messageOf("/dev/zero").find("16 MiB"), std::string::npos);
}

TEST(SceneFile, ReadsEverythingABodyCanSay) {
  const SceneModel model = load(R"({
    "cairn": 1, "name": "n", "title": "t", "description": "d", "stands": true,
    "settings": {"gravity": [0, 0, -1], "dt": 0.005, "seconds": 2, "threads": 2, "speculative_distance": 0.1,
      "restitution_speed": 0.2, "maximum_coordinate": 100, "maximum_speed": 50,
      "soft": {"substeps": 3, "least_substeps": 2, "direct": false, "contact_frequency": 11, "contact_damping_ratio": 2, "push_out_speed": 4,
               "joint_frequency": 22, "joint_damping_ratio": 5},
      "sleep": {"enabled": true, "linear_speed": 0.3, "angular_speed": 0.4, "seconds": 0.6}},
    "materials": {"steel": {"friction": 0.3, "restitution": 0.4, "stiffness": 1e6, "damping": 100, "density": 7800}},
    "bodies": [
      {"name": "k", "kind": "kinematic", "position": [1, 2, 3], "rotation": [0, 0, 0, 2], "velocity": [1, 0, 0],
       "angular_velocity": [0, 0, 1], "gravity_scale": 0.5, "linear_damping": 0.1, "angular_damping": 0.2, "can_sleep": false,
       "appear": 1.5,
       "shapes": [{"type": "capsule", "radius": 0.5, "height": 2, "material": "steel", "position": [0, 0, 1],
                   "group": [2, 3], "collides_with": []},
                  {"type": "cylinder", "radius": 0.5, "height": 2, "density": 5, "material": "steel"},
                  {"type": "ellipsoid", "radii": [1, 2, 3], "group": 32}]},
      {"mass_properties": {"mass": 2, "center": [0, 0, 1], "inertia": [1, 2, 2.5]}, "shape": {"type": "sphere", "radius": 1}},
    ]})");
  EXPECT_EQ(model.name, "n");
  EXPECT_TRUE(model.stands);
  EXPECT_EQ(model.settings.gravity.z(), -1.0);
  EXPECT_EQ(model.settings.threads, 2);
  EXPECT_EQ(model.settings.speculativeDistance, 0.1);
  EXPECT_EQ(model.settings.restitutionSpeed, 0.2);
  EXPECT_EQ(model.settings.maximumCoordinate, 100.0);
  EXPECT_EQ(model.settings.maximumSpeed, 50.0);
  EXPECT_EQ(model.settings.soft.substeps, 3);
  EXPECT_EQ(model.settings.soft.leastSubsteps, 2);
  EXPECT_FALSE(model.settings.soft.direct);
  EXPECT_EQ(model.settings.soft.contactFrequency, 11.0);
  EXPECT_EQ(model.settings.soft.contactDampingRatio, 2.0);
  EXPECT_EQ(model.settings.soft.pushOutSpeed, 4.0);
  EXPECT_EQ(model.settings.soft.jointFrequency, 22.0);
  EXPECT_EQ(model.settings.soft.jointDampingRatio, 5.0);
  EXPECT_TRUE(model.settings.sleep.enabled);
  EXPECT_EQ(model.settings.sleep.linearSpeed, 0.3);
  EXPECT_EQ(model.settings.sleep.angularSpeed, 0.4);
  EXPECT_EQ(model.settings.sleep.seconds, 0.6);
  const BodyDesc& body = model.bodies[0].desc;
  EXPECT_EQ(model.bodies[0].appear, 1.5);
  EXPECT_EQ(body.kind, BodyKind::Kinematic);
  EXPECT_EQ(body.pose.rotation.z(), 1.0);
  EXPECT_FALSE(body.canSleep);
  EXPECT_EQ(body.shapes[0].collidesWith, 0u);
  EXPECT_EQ(body.shapes[0].group, 6u);
  EXPECT_EQ(body.shapes[2].group, 1u << 31);
  EXPECT_EQ(body.shapes[0].density, 7800.0);
  EXPECT_EQ(body.shapes[1].density, 5.0);
  EXPECT_EQ(*body.shapes[0].material.stiffness, 1e6);
  EXPECT_EQ(std::get<Capsule>(body.shapes[0].geometry).halfHeight, 1.0);
  EXPECT_EQ(model.bodies[1].desc.massProperties->inertia(2, 2), 2.5);
  EXPECT_EQ(model.bodies[1].desc.name, "body 1");
}

TEST(SceneFile, RotationsCanBeWrittenInThreeWays) {
  const SceneModel model = load(R"({"cairn": 1, "bodies": [
    {"rotation": [0.5, 0.5, 0.5, 0.5], "shape": {"type": "sphere", "radius": 1}},
    {"rotation": {"axis": [1, 1, 1], "angle_deg": 120}, "shape": {"type": "sphere", "radius": 1}},
    {"rotation": {"euler_deg": [90, 0, 90]}, "shape": {"type": "sphere", "radius": 1}}]})");
  for (const SceneBody& body : model.bodies) {
    EXPECT_NEAR((body.desc.pose.rotation * Vec3::UnitX() - Vec3::UnitY()).norm(), 0.0, 1e-12) << body.desc.name;
    EXPECT_NEAR((body.desc.pose.rotation * Vec3::UnitY() - Vec3::UnitZ()).norm(), 0.0, 1e-12) << body.desc.name;
  }
}

TEST(SceneFile, JointsFindTheirAnchorsInBothBodies) {
  const SceneModel model = load(R"({"cairn": 1, "bodies": [
    {"name": "a", "position": [1, 0, 0], "rotation": {"axis": [0, 0, 1], "angle_deg": 90}, "shape": {"type": "sphere", "radius": 1}},
    {"name": "b", "position": [4, 0, 0], "shape": {"type": "sphere", "radius": 1}}],
    "joints": [
      {"type": "hinge", "a": "a", "b": "b", "anchor": [2, 0, 0], "axis": [0, 2, 0]},
      {"type": "distance", "a": "a", "b": "b", "anchor_b": [0, 4, 0]},
      {"type": "fixed", "a": "world", "b": "a"},
      {"type": "ball", "a": "a", "b": "b", "anchor_b": [-1, 0, 0], "spring": {"stiffness": 100}, "bodies_collide": true}]})");
  ASSERT_EQ(model.joints.size(), 4u);
  EXPECT_NEAR((model.joints[0].desc.anchorA - Vec3(0, -1, 0)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((model.joints[0].desc.anchorB - Vec3(-2, 0, 0)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((std::get<HingeJoint>(model.joints[0].desc.kind).axisA - Vec3::UnitX()).norm(), 0.0, 1e-12);
  EXPECT_NEAR(*std::get<DistanceJoint>(model.joints[1].desc.kind).length, 5.0, 1e-12);
  EXPECT_EQ(model.joints[2].a, "world");
  EXPECT_NEAR((model.joints[2].desc.anchorA - Vec3(1, 0, 0)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((model.joints[3].desc.anchorA - Vec3(0, -2, 0)).norm(), 0.0, 1e-12);
  EXPECT_EQ(model.joints[3].desc.spring->stiffness, 100.0);
  EXPECT_TRUE(model.joints[3].desc.bodiesCollide);
  // The immovable anchor is a body of its own, without shapes.
  ASSERT_EQ(model.bodies.size(), 3u);
  EXPECT_EQ(model.bodies[2].desc.name, "world");
  EXPECT_EQ(model.bodies[2].desc.kind, BodyKind::Static);
}

TEST(SceneFile, ARepeatedJointMakesAChain) {
  const SceneModel model = load(R"({"cairn": 1, "bodies": [{"name": "link", "shape": {"type": "sphere", "radius": 0.5},
    "pattern": {"type": "row", "count": 4, "step": [1, 0, 0]}}],
    "joints": [{"name": "j", "type": "ball", "a": "link.#", "b": "link.#+1", "anchor_a": [0.5, 0, 0], "repeat": 3}]})");
  ASSERT_EQ(model.joints.size(), 3u);
  EXPECT_EQ(model.joints[2].a, "link.2");
  EXPECT_EQ(model.joints[2].b, "link.3");
  EXPECT_EQ(model.joints[2].desc.name, "j.2");
  EXPECT_NEAR((model.joints[2].desc.anchorB - Vec3(-0.5, 0, 0)).norm(), 0.0, 1e-12);
}

constexpr const char* kParametric = R"({"cairn": 1,
  "parameters": {"n": {"default": 3, "min": 1, "max": 9, "what": "balls"}, "r": 0.5},
  "bodies": [{"name": "ball", "shape": {"type": "sphere", "radius": "$r"},
              "pattern": {"type": "row", "count": "$n", "step": ["$r", 0, 0]}}]})";

TEST(SceneFile, ParametersStandWhereverANumberMay) {
  EXPECT_EQ(load(kParametric).bodies.size(), 3u);
  const SceneModel model =
      load(kParametric, {{"n", "5"}, {"r", "0.25"}, {"settings.soft.substeps", "7"}, {"settings.stepper", "soft"}});
  EXPECT_EQ(model.bodies.size(), 5u);
  EXPECT_EQ(model.bodies[1].desc.pose.position.x(), 0.25);
  EXPECT_EQ(model.settings.soft.substeps, 7);
  EXPECT_EQ(model.parameters[0].value, 5.0);
}

TEST(SceneFile, WrongOverridesAreRefusedByName) {
  const auto message = [](const Override& given) { return problemsOf(kParametric, {given}).front().format(); };
  EXPECT_NE(message({"n", "10"}).find("--set n=10: found \"10\"; allowed: a number from 1 to 9"), std::string::npos);
  EXPECT_NE(message({"n", "nan"}).find("found \"nan\""), std::string::npos);
  EXPECT_NE(message({"n", "abc"}).find("found \"abc\""), std::string::npos);
  EXPECT_NE(message({"n", "1e999"}).find("1e999"), std::string::npos);
  EXPECT_NE(message({"settings.sfot.substeps", "3"}).find("did you mean \"soft\"?"), std::string::npos)
      << message({"settings.sfot.substeps", "3"});
  EXPECT_NE(message({"settings.dt", "-1"}).find("settings.dt: found -1; allowed: a number above 0"), std::string::npos);
  EXPECT_NE(message({"radius", "1"}).find("unknown key \"radius\""), std::string::npos);
  EXPECT_NE(message({"setings.dt", "1"}).find("did you mean \"settings.dt\"?"), std::string::npos);
  // Fits the parameter, but not the place where it stands: the place is named.
  const std::string half = message({"n", "2.5"});
  EXPECT_NE(half.find("bodies[0].pattern.count: found 2.5 ($n); allowed: a whole number"), std::string::npos) << half;
}

}  // namespace
}  // namespace cairn
