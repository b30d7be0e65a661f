// Real robots against references that were computed by MuJoCo and by an independent program (shared/truth/robots).
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "import/mesh_files.hpp"
#include "import/robot/read_robot.hpp"
#include "import/robot/reference_state.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

// The references have 12 significant digits.
constexpr double kTolerance = 1e-9;
constexpr double kMeshTolerance = 1e-6;  // relative: files hold single precision, and other programs sum in another order

const fs::path kShared = fs::path(CAIRN_SOURCE_DIR) / ".." / "shared";

struct Robot {
  const char* name;
  const char* file;  // below shared/robots
};

const Robot kRobots[] = {
    {"kuka_iiwa_14", "mjcf/kuka_iiwa_14/iiwa14.xml"},
    {"google_barkour_vb", "mjcf/google_barkour_vb/barkour_vb.xml"},
    {"shadow_hand", "mjcf/shadow_hand/right_hand.xml"},
    {"agility_cassie", "mjcf/agility_cassie/cassie.xml"},
    {"robotiq_2f85", "mjcf/robotiq_2f85/2f85.xml"},
    {"skydio_x2", "mjcf/skydio_x2/x2.xml"},
    {"trossen_wx250s", "mjcf/trossen_wx250s/wx250s.xml"},
    {"double_pendulum_description", "urdf/double_pendulum_description/urdf/double_pendulum.urdf"},
    {"simple_humanoid_description", "urdf/simple_humanoid_description/urdf/simple_humanoid.urdf"},
    {"hyq_description", "urdf/hyq_description/robots/hyq_no_sensors.urdf"},
    {"allegro_hand_description", "urdf/allegro_hand_description/urdf/allegro_right_hand.urdf"},
    {"pr2_description", "urdf/pr2_description/urdf/pr2.urdf"},
    {"go2_description", "urdf/go2_description/urdf/go2.urdf"},
    {"solo_description", "urdf/solo_description/robots/solo12.urdf"},
};

Vec3 vec(const rapidjson::Value& v) { return {v[0].GetDouble(), v[1].GetDouble(), v[2].GetDouble()}; }
Quat quat(const rapidjson::Value& v) {
  return Quat(v[0].GetDouble(), v[1].GetDouble(), v[2].GetDouble(), v[3].GetDouble()).normalized();
}
double difference(const Quat& a, const Quat& b) {
  return (a.toRotationMatrix() - b.toRotationMatrix()).cwiseAbs().maxCoeff();
}

class RobotTruth : public testing::TestWithParam<Robot> {
 protected:
  void SetUp() override {
    const fs::path path = kShared / "truth" / "robots" / (std::string(GetParam().name) + ".json");
    if (!fs::exists(path)) GTEST_SKIP() << "no reference: " << path;
    std::ifstream stream(path);
    std::ostringstream text;
    text << stream.rdbuf();
    truth.Parse(text.str().c_str());
    ASSERT_FALSE(truth.HasParseError());
    RobotReadOptions options;
    options.meshes = &meshes;
    if (truth.HasMember("base")) options.base = truth["base"] == "free" ? RobotBase::Floating : RobotBase::Fixed;
    model = readRobot((kShared / "robots" / GetParam().file).string(), options);
    for (std::size_t i = 0; i < model.bodies.size(); ++i) bodies[model.bodies[i].name] = static_cast<int>(i);
    for (std::size_t i = 0; i < model.joints.size(); ++i) joints[model.joints[i].name] = static_cast<int>(i);
  }

  TestMeshes meshes;
  rapidjson::Document truth;
  RobotModel model;
  std::map<std::string, int> bodies, joints;
};

TEST_P(RobotTruth, NothingIsMissing) {
  for (const RobotRemark& remark : model.missing) ADD_FAILURE() << format(remark);
}

TEST_P(RobotTruth, BodiesAreThoseOfTheReference) {
  const auto& list = truth["bodies"];
  ASSERT_EQ(model.bodies.size(), list.Size());
  double total = 0.0;
  for (rapidjson::SizeType i = 0; i < list.Size(); ++i) {
    const auto& wanted = list[i];
    const std::string name = wanted["name"].GetString();
    SCOPED_TRACE(name);
    // The reference calls a body without a name "emsc".
    const int index = name == "emsc" ? static_cast<int>(i) : bodies.contains(name) ? bodies[name] : -1;
    ASSERT_GE(index, 0);
    const RobotBody& body = model.bodies[index];
    const std::string parent = wanted["parent"].GetString();
    EXPECT_EQ(body.parent < 0 ? "world" : model.bodies[body.parent].name, parent);
    EXPECT_LE((body.pose.position - vec(wanted["pos"])).norm(), kTolerance);
    EXPECT_LE(difference(body.pose.rotation, quat(wanted["quat"])), kTolerance);
    bool fromMesh = false;  // its mass comes from a mesh
    for (const RobotGeom& geom : model.geoms)
      fromMesh = fromMesh || (geom.body == index && geom.kind == RobotGeomKind::Mesh && geom.mass.mass > 0.0);
    const double tolerance = fromMesh ? kMeshTolerance : kTolerance;
    const double mass = wanted["mass"].GetDouble();
    EXPECT_NEAR(body.mass.mass, mass, tolerance * std::max(1.0, mass));
    if (mass > 0.0) {
      EXPECT_LE((body.mass.center - vec(wanted["com"])).norm(), tolerance);
    }
    const auto& t = wanted["inertia"];
    Mat3 inertia;
    inertia << t[0].GetDouble(), t[3].GetDouble(), t[4].GetDouble(), t[3].GetDouble(), t[1].GetDouble(), t[5].GetDouble(),
        t[4].GetDouble(), t[5].GetDouble(), t[2].GetDouble();
    // Small robots have small inertias: relative to the largest entry, and to the digits of the reference.
    EXPECT_LE((body.mass.inertia - inertia).cwiseAbs().maxCoeff(), tolerance * inertia.cwiseAbs().maxCoeff() + 1e-18);
    if (wanted.HasMember("has_inertial")) {
      EXPECT_EQ(body.hasInertial, wanted["has_inertial"].GetBool());
    }
    total += body.mass.mass;
  }
  EXPECT_NEAR(total, truth["total_mass"].GetDouble(), kMeshTolerance * total);
}

TEST_P(RobotTruth, JointsAreThoseOfTheReference) {
  const auto& list = truth["joints"];
  ASSERT_EQ(model.joints.size(), list.Size());
  const bool urdf = model.format == "URDF";
  int positions = 0, velocities = 0;
  for (rapidjson::SizeType i = 0; i < list.Size(); ++i) {
    const auto& wanted = list[i];
    const std::string name = wanted["name"].GetString();
    SCOPED_TRACE(name);
    const int index = name == "emsc" || name == "base_free (added)" ? 0 : joints.contains(name) ? joints[name] : -1;
    ASSERT_GE(index, 0);
    const RobotJoint& joint = model.joints[index];
    positions += coordinates(joint.kind), velocities += dofs(joint.kind);
    static const std::map<std::string, RobotJointKind> kKinds{
        {"free", RobotJointKind::Free},     {"ball", RobotJointKind::Ball},          {"hinge", RobotJointKind::Hinge},
        {"slide", RobotJointKind::Slide},   {"revolute", RobotJointKind::Hinge},     {"continuous", RobotJointKind::Hinge},
        {"prismatic", RobotJointKind::Slide}, {"fixed", RobotJointKind::Fixed}};
    EXPECT_EQ(joint.kind, kKinds.at(wanted["type"].GetString()));
    const char* child = urdf ? "child" : "body";
    if (std::string(wanted[child].GetString()) != "emsc") {
      EXPECT_EQ(model.bodies[joint.body].name, wanted[child].GetString());
    }
    if (dofs(joint.kind) != 1) continue;
    EXPECT_LE((joint.axis - vec(wanted["axis"])).norm(), kTolerance);
    EXPECT_NEAR(joint.damping, wanted["damping"].GetDouble(), kTolerance);
    EXPECT_NEAR(joint.armature, wanted["armature"].GetDouble(), kTolerance);
    EXPECT_NEAR(joint.frictionLoss, wanted["frictionloss"].GetDouble(), kTolerance);
    if (urdf) {
      const auto& limit = wanted["limit"];
      EXPECT_EQ(joint.range.has_value(), std::string(wanted["type"].GetString()) != "continuous");
      if (joint.range) {
        EXPECT_NEAR(joint.range->lower, limit["lower"].GetDouble(), kTolerance);
        EXPECT_NEAR(joint.range->upper, limit["upper"].GetDouble(), kTolerance);
      }
      if (joint.effort) {
        EXPECT_NEAR(joint.effort->upper, limit["effort"].GetDouble(), kTolerance);
      }
      if (joint.velocityLimit) {
        EXPECT_NEAR(*joint.velocityLimit, limit["velocity"].GetDouble(), kTolerance);
      }
      const bool follows = wanted.HasMember("mimic") && wanted["mimic"].IsObject();
      ASSERT_EQ(joint.mimic.has_value(), follows);
      if (follows) {
        EXPECT_EQ(model.joints[joint.mimic->joint].name, wanted["mimic"]["joint"].GetString());
        EXPECT_EQ(joint.mimic->multiplier, wanted["mimic"]["multiplier"].GetDouble());
        EXPECT_EQ(joint.mimic->offset, wanted["mimic"]["offset"].GetDouble());
      }
      continue;
    }
    EXPECT_LE((joint.anchor - vec(wanted["pos"])).norm(), kTolerance);
    ASSERT_EQ(joint.range.has_value(), wanted["range"].IsArray());
    if (joint.range) {
      EXPECT_NEAR(joint.range->lower, wanted["range"][0].GetDouble(), kTolerance);
      EXPECT_NEAR(joint.range->upper, wanted["range"][1].GetDouble(), kTolerance);
    }
    EXPECT_NEAR(joint.stiffness, wanted["stiffness"].GetDouble(), kTolerance);
    if (wanted["springref"].IsNumber()) {
      EXPECT_NEAR(joint.springReference, wanted["springref"].GetDouble(), kTolerance);
    }
    if (wanted["qpos0"].IsNumber()) {
      EXPECT_NEAR(joint.reference, wanted["qpos0"].GetDouble(), kTolerance);
    }
  }
  EXPECT_EQ(positions, truth["nq"].GetInt());
  EXPECT_EQ(velocities, truth["nv"].GetInt());
}

// MJCF: what else the compiled model holds.
TEST_P(RobotTruth, CountsActuatorsAndLoopsAreThoseOfTheReference) {
  if (model.format == "URDF") {
    // A transmission of several joints or of none is not an actuator here, and is named.
    const auto named = std::count_if(model.notes.begin(), model.notes.end(), [](const RobotRemark& remark) {
      return remark.what.find("<transmission>") != std::string::npos && remark.place.line > 0;
    });
    EXPECT_EQ(static_cast<int>(model.actuators.size()) + named, truth["actuators"]["count"].GetInt());
    return;
  }
  EXPECT_EQ(static_cast<int>(model.actuators.size()), truth["actuators"]["count"].GetInt());
  const auto& counts = truth["counts"];
  EXPECT_EQ(static_cast<int>(model.geoms.size()), counts["ngeom"].GetInt());
  EXPECT_EQ(static_cast<int>(model.sites.size()), counts["nsite"].GetInt());
  EXPECT_EQ(static_cast<int>(model.meshes.size()), counts["nmesh"].GetInt());
  EXPECT_EQ(static_cast<int>(model.sensors.size()), counts["nsensor"].GetInt());
  EXPECT_EQ(static_cast<int>(model.excludes.size()), counts["nexclude"].GetInt());
  EXPECT_EQ(static_cast<int>(model.pairs.size()), counts["npair"].GetInt());
  EXPECT_EQ(static_cast<int>(model.materials.size()), counts["nmat"].GetInt());
  EXPECT_NEAR(model.options.timestep.value_or(0.002), truth["options"]["timestep"].GetDouble(), 1e-12);
  for (rapidjson::SizeType i = 0; i < truth["actuators"]["list"].Size(); ++i) {
    const auto& wanted = truth["actuators"]["list"][i];
    const RobotActuator& actuator = model.actuators[i];
    SCOPED_TRACE(actuator.name);
    EXPECT_EQ(actuator.name, wanted["name"].GetString());
    const bool affine = std::string(wanted["bias"].GetString()) == "affine";
    const double factor = actuator.kind == RobotActuatorKind::Position   ? actuator.stiffness
                          : actuator.kind == RobotActuatorKind::Velocity ? actuator.damping
                                                                         : 1.0;
    EXPECT_NEAR(factor * actuator.scale, wanted["gainprm"][0].GetDouble(), kTolerance * std::max(1.0, factor));
    EXPECT_NEAR(factor * actuator.offset, affine ? wanted["biasprm"][0].GetDouble() : 0.0, kTolerance);
    EXPECT_NEAR(-actuator.stiffness, affine ? wanted["biasprm"][1].GetDouble() : 0.0, kTolerance);
    EXPECT_NEAR(-actuator.damping, affine ? wanted["biasprm"][2].GetDouble() : 0.0, kTolerance);
    for (int k = 0; k < 6; ++k) EXPECT_EQ(actuator.gear[k], wanted["gear"][k].GetDouble());
    ASSERT_EQ(actuator.controlRange.has_value(), wanted["ctrlrange"].IsArray());
    if (actuator.controlRange) {
      EXPECT_NEAR(actuator.controlRange->upper, wanted["ctrlrange"][1].GetDouble(), kTolerance);
    }
    ASSERT_EQ(actuator.forceRange.has_value(), wanted["forcerange"].IsArray());
    if (actuator.forceRange) {
      EXPECT_NEAR(actuator.forceRange->upper, wanted["forcerange"][1].GetDouble(), kTolerance);
    }
  }
  ASSERT_EQ(model.equalities.size(), truth["equality"].Size());
  for (rapidjson::SizeType i = 0; i < truth["equality"].Size(); ++i) {
    const auto& wanted = truth["equality"][i];
    const RobotEquality& equality = model.equalities[i];
    SCOPED_TRACE(i);
    const std::string type = wanted["type"].GetString();
    EXPECT_EQ(equality.active, wanted["active"].GetBool());
    if (type == "connect") {
      EXPECT_EQ(equality.kind, RobotEqualityKind::Connect);
      EXPECT_EQ(model.bodies[equality.first].name, wanted["obj1"].GetString());
      EXPECT_EQ(model.bodies[equality.second].name, wanted["obj2"].GetString());
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(equality.firstFrame.position[k], wanted["data"][k].GetDouble(), kTolerance);
        EXPECT_NEAR(equality.secondFrame.position[k], wanted["data"][3 + k].GetDouble(), kTolerance);
      }
    } else {
      ASSERT_EQ(type, "joint");
      EXPECT_EQ(model.joints[equality.first].name, wanted["obj1"].GetString());
      for (int k = 0; k < 5; ++k) EXPECT_NEAR(equality.polynomial[k], wanted["data"][k].GetDouble(), kTolerance);
    }
  }
  ASSERT_EQ(model.keyframes.size(), truth["keyframes"].Size());
  ASSERT_EQ(model.tendons.size(), truth["tendons"].Size());
}


TEST_P(RobotTruth, LinksThatNoSolidCanBeAreNamed) {
  if (!truth.HasMember("non_physical_inertia")) return;
  for (const auto& name : truth["non_physical_inertia"].GetArray()) {
    const std::string wanted = "link \"" + std::string(name.GetString()) + "\": no solid has this inertia";
    const bool named = std::any_of(model.warnings.begin(), model.warnings.end(), [&](const RobotRemark& remark) {
      return remark.what.find(wanted) == 0 && remark.place.line > 0;
    });
    EXPECT_TRUE(named) << name.GetString();
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, RobotTruth, testing::ValuesIn(kRobots),
                         [](const auto& robot) { return std::string(robot.param.name); });

}  // namespace
}  // namespace cairn
