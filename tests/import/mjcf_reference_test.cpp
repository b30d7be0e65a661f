// Small MJCF files, one for each part of the format, against what MuJoCo 3.14 compiles them to (tests/data/robots/*.xml and
// *.mujoco.json; 12 digits).
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "import/robot/read_robot.hpp"
#include "import/robot/reference_state.hpp"

namespace cairn {
namespace {

constexpr double kExact = 1e-11;  // relative to 1 or to the value
constexpr double kMesh = 1e-8;    // MuJoCo finds principal axes of meshes by iteration, to about 4e-9
double tolerance = kExact;
const std::filesystem::path kFolder = std::filesystem::path(CAIRN_SOURCE_DIR) / "tests" / "data" / "robots";

using Json = rapidjson::Value;

Vec3 vec(const Json& v) { return {v[0].GetDouble(), v[1].GetDouble(), v[2].GetDouble()}; }
Mat3 turn(const Json& q) {
  return Quat(q[0].GetDouble(), q[1].GetDouble(), q[2].GetDouble(), q[3].GetDouble()).normalized().toRotationMatrix();
}
Mat3 axes(const Json& a) {
  Mat3 m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = a[i].GetDouble();
  return m;
}
template <typename A, typename B>
void near(const A& a, const B& b) {
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance * std::max(1.0, b.cwiseAbs().maxCoeff())) << a << "\nnot\n" << b;
}
void near(double a, const Json& b) { EXPECT_NEAR(a, b.GetDouble(), tolerance * std::max(1.0, std::abs(b.GetDouble()))); }
void sameRange(const std::optional<RobotRange>& range, const Json& wanted) {
  if (!range) return;  // MuJoCo keeps the numbers of ranges that do not hold
  near(range->lower, wanted[0]);
  near(range->upper, wanted[1]);
}

class MjcfReference : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string name = GetParam();
    tolerance = name == "masses" || name == "from_geoms" ? kMesh : kExact;
    model = readMjcf((kFolder / (std::string(GetParam()) + ".xml")).string());
    std::ifstream stream(kFolder / (std::string(GetParam()) + ".mujoco.json"));
    std::ostringstream text;
    text << stream.rdbuf();
    truth.Parse(text.str().c_str());
    ASSERT_FALSE(truth.HasParseError());
  }
  RobotModel model;
  rapidjson::Document truth;
};

TEST_P(MjcfReference, NothingIsMissing) {
  for (const RobotRemark& remark : model.missing) ADD_FAILURE() << format(remark);
}

TEST_P(MjcfReference, Bodies) {
  ASSERT_EQ(model.bodies.size(), truth["bodies"].Size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const RobotBody& body = model.bodies[i];
    const Json& wanted = truth["bodies"][static_cast<unsigned>(i)];
    SCOPED_TRACE(body.name);
    EXPECT_EQ(body.name, wanted["name"].GetString());
    EXPECT_EQ(body.parent, wanted["parent"].GetInt());
    near(body.pose.position, vec(wanted["pos"]));
    near(body.pose.rotation.toRotationMatrix(), turn(wanted["quat"]));
    near(body.mass.mass, wanted["mass"]);
    near(body.mass.center, vec(wanted["com"]));
    const Json& t = wanted["inertia"];
    Mat3 inertia;
    inertia << t[0].GetDouble(), t[3].GetDouble(), t[4].GetDouble(), t[3].GetDouble(), t[1].GetDouble(), t[5].GetDouble(),
        t[4].GetDouble(), t[5].GetDouble(), t[2].GetDouble();
    EXPECT_LE((body.mass.inertia - inertia).cwiseAbs().maxCoeff(), tolerance * inertia.cwiseAbs().maxCoeff());
    near(body.gravityCompensation, wanted["gravcomp"]);
  }
}

TEST_P(MjcfReference, Joints) {
  ASSERT_EQ(model.joints.size(), truth["joints"].Size());
  const std::vector<double> inertia = referenceInertia(model);
  const std::vector<int> offsets = dofOffsets(model);
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const RobotJoint& joint = model.joints[i];
    const Json& wanted = truth["joints"][static_cast<unsigned>(i)];
    SCOPED_TRACE(joint.name);
    EXPECT_EQ(joint.name, wanted["name"].GetString());
    EXPECT_EQ(joint.body, wanted["body"].GetInt());
    const std::string type = wanted["type"].GetString();
    EXPECT_EQ(dofs(joint.kind), type == "free" ? 6 : type == "ball" ? 3 : 1);
    EXPECT_EQ(joint.kind == RobotJointKind::Slide, type == "slide");
    near(joint.anchor, vec(wanted["pos"]));
    if (dofs(joint.kind) == 1) near(joint.axis, vec(wanted["axis"]));
    sameRange(joint.range, wanted["range"]);
    sameRange(joint.effort, wanted["effort"]);
    near(joint.stiffness, wanted["stiffness"]);
    near(joint.damping, wanted["damping"]);
    near(joint.armature, wanted["armature"]);
    near(joint.frictionLoss, wanted["frictionloss"]);
    near(joint.reference, wanted["ref"]);
    near(joint.springReference, wanted["springref"]);
    near(inertia[offsets[i]], wanted["inertia"]);
  }
}

TEST_P(MjcfReference, Shapes) {
  ASSERT_EQ(model.geoms.size(), truth["geoms"].Size());
  static const char* kNames[] = {"plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"};
  for (std::size_t i = 0; i < model.geoms.size(); ++i) {
    const RobotGeom& geom = model.geoms[i];
    const Json& wanted = truth["geoms"][static_cast<unsigned>(i)];
    SCOPED_TRACE(std::to_string(i) + " " + geom.name);
    EXPECT_EQ(geom.name, wanted["name"].GetString());
    EXPECT_EQ(geom.body, wanted["body"].GetInt());
    ASSERT_STREQ(kNames[static_cast<int>(geom.kind)], wanted["type"].GetString());
    near(geom.pose.position, vec(wanted["pos"]));
    EXPECT_EQ(geom.contactType, wanted["contype"].GetUint());
    EXPECT_EQ(geom.contactAffinity, wanted["conaffinity"].GetUint());
    EXPECT_EQ(geom.contactDimension, wanted["condim"].GetInt());
    EXPECT_EQ(geom.group, wanted["group"].GetInt());
    near(geom.margin, wanted["margin"]);
    for (int k = 0; k < 3; ++k) near(geom.friction[k], wanted["friction"][k]);
    const Mat3 mine = geom.pose.rotation.toRotationMatrix(), theirs = axes(wanted["axes"]);
    if (geom.kind == RobotGeomKind::Mesh || geom.kind == RobotGeomKind::Plane) {
      near(mine, theirs);
      continue;
    }
    const Vec3 size = vec(wanted["size"]);
    const int sizes = geom.kind == RobotGeomKind::Sphere ? 1
                      : geom.kind == RobotGeomKind::Capsule || geom.kind == RobotGeomKind::Cylinder ? 2
                                                                                                      : 3;
    for (int k = 0; k < sizes; ++k) EXPECT_NEAR(geom.size[k], size[k], tolerance);
    // A box turned by half a turn is the same box.
    if (sizes == 3) near(mine * size.asDiagonal() * mine.transpose(), theirs * size.asDiagonal() * theirs.transpose());
    if (sizes == 2) near(mine.col(2) * mine.col(2).transpose(), theirs.col(2) * theirs.col(2).transpose());
  }
}

TEST_P(MjcfReference, SitesAndActuators) {
  ASSERT_EQ(model.sites.size(), truth["sites"].Size());
  for (std::size_t i = 0; i < model.sites.size(); ++i) {
    const Json& wanted = truth["sites"][static_cast<unsigned>(i)];
    EXPECT_EQ(model.sites[i].name, wanted["name"].GetString());
    EXPECT_EQ(model.sites[i].body, wanted["body"].GetInt());
    near(model.sites[i].pose.position, vec(wanted["pos"]));
    near(model.sites[i].pose.rotation.toRotationMatrix(), turn(wanted["quat"]));
  }
  ASSERT_EQ(model.actuators.size(), truth["actuators"].Size());
  for (std::size_t i = 0; i < model.actuators.size(); ++i) {
    const RobotActuator& a = model.actuators[i];
    const Json& wanted = truth["actuators"][static_cast<unsigned>(i)];
    SCOPED_TRACE(a.name);
    EXPECT_EQ(a.name, wanted["name"].GetString());
    EXPECT_EQ(a.index, wanted["target"].GetInt());
    const double factor = a.kind == RobotActuatorKind::Position   ? a.stiffness
                          : a.kind == RobotActuatorKind::Velocity ? a.damping
                                                                  : 1.0;
    near(factor * a.scale, wanted["gain"]);
    near(factor * a.offset, wanted["bias"][0]);
    near(-a.stiffness, wanted["bias"][1]);
    near(-a.damping, wanted["bias"][2]);
    for (int k = 0; k < 6; ++k) near(a.gear[k], wanted["gear"][k]);
    near(a.filterTime, wanted["filter"]);
    const auto both = [](const Json& range) { return range[0].GetDouble() != 0.0 || range[1].GetDouble() != 0.0; };
    EXPECT_EQ(a.controlRange.has_value(), both(wanted["ctrlrange"]));
    EXPECT_EQ(a.forceRange.has_value(), both(wanted["forcerange"]));
    sameRange(a.controlRange, wanted["ctrlrange"]);
    sameRange(a.forceRange, wanted["forcerange"]);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, MjcfReference,
                         testing::Values("orientation", "masses", "compiler", "from_geoms", "classes", "frames", "actuators",
                                         "constraints"),
                         [](const auto& file) { return std::string(file.param); });

RobotModel readData(const char* name) { return readMjcf((kFolder / name).string()); }

TEST(Mjcf, LimitsHoldAsTheFileSays) {
  const RobotModel model = readData("compiler.xml");
  EXPECT_FALSE(model.joints[0].range);
  ASSERT_TRUE(model.joints[1].range);
  EXPECT_EQ(model.joints[1].range->upper, 1.0);
  EXPECT_EQ(model.options.gravity, Vec3(0.0, 0.0, -3.7));
}

// The numbers of MuJoCo's eq_data, and by hand.
TEST(Mjcf, EqualityConstraintsHoldFramesTogether) {
  const RobotModel model = readData("constraints.xml");
  ASSERT_EQ(model.equalities.size(), 9u);
  const std::vector<Pose> poses = referencePoses(model);
  const RobotEquality& connect = model.equalities[0];
  EXPECT_EQ(connect.firstFrame.position, Vec3(0.1, 0.2, 0.3));
  // Both points are one at the reference.
  EXPECT_LE((poses[connect.first].point(connect.firstFrame.position) - poses[connect.second].point(connect.secondFrame.position)).norm(),
            1e-14);
  ASSERT_TRUE(connect.softness);
  EXPECT_NEAR(connect.softness->stiffness, 1.0 / (0.02 * 0.02 * 0.5 * 0.5), 1e-9);
  EXPECT_NEAR(connect.softness->damping, 100.0, 1e-12);
  EXPECT_EQ(model.equalities[1].second, -1);
  EXPECT_NEAR(model.equalities[1].softness->damping, 400.0, 1e-9);  // of the default
  EXPECT_EQ(model.equalities[2].firstFrame.position, Vec3(0.1, 0.0, 0.0));
  EXPECT_FALSE(model.equalities[2].active);
  const RobotEquality& weld = model.equalities[3];
  EXPECT_EQ(weld.kind, RobotEqualityKind::Weld);
  const Pose left = poses[weld.first] * weld.firstFrame, right = poses[weld.second] * weld.secondFrame;
  EXPECT_LE((left.position - right.position).norm(), 1e-14);
  EXPECT_LE(left.rotation.angularDistance(right.rotation), 1e-7);
  const RobotEquality& posed = model.equalities[4];
  EXPECT_EQ(posed.secondFrame.position, Vec3(0.1, 0.0, 0.0));
  EXPECT_LE((posed.firstFrame.position - Vec3(0.2, 0.2, 0.3)).norm(), 1e-14);  // turned by half a turn about x
  EXPECT_EQ(posed.torqueScale, 2.0);
  EXPECT_EQ(model.equalities[6].polynomial, (std::array<double, 5>{0.1, 2.0, 0.3, 0.0, 0.0}));
  EXPECT_EQ(model.equalities[7].second, -1);
  EXPECT_EQ(model.equalities[8].kind, RobotEqualityKind::Tendon);
}

TEST(Mjcf, PairsAndExcludesAreRead) {
  const RobotModel model = readData("constraints.xml");
  ASSERT_EQ(model.excludes.size(), 2u);
  EXPECT_EQ(model.excludes[1].second, -1);
  ASSERT_EQ(model.pairs.size(), 2u);
  EXPECT_EQ(model.pairs[0].friction[0], 0.3);  // of the shape with the higher priority
  EXPECT_EQ(model.pairs[0].contactDimension, 3);
  EXPECT_EQ(model.pairs[1].friction[0], 0.2);
  EXPECT_EQ(model.pairs[1].contactDimension, 6);
  EXPECT_EQ(model.pairs[1].margin, 0.02);
  EXPECT_EQ(model.pairs[1].softness->stiffness, 1000.0);
  EXPECT_EQ(model.pairs[1].softness->damping, 50.0);
  EXPECT_EQ(model.options.gravity, Vec3::Zero());
  EXPECT_TRUE(model.options.parentsTouchChildren);
}

TEST(Mjcf, TendonsSensorsAndKeyframesAreRead) {
  const RobotModel model = readData("actuators.xml");
  ASSERT_EQ(model.tendons.size(), 2u);
  EXPECT_EQ(model.tendons[0].joints, (std::vector<std::pair<int, double>>{{0, 0.5}, {1, -2.0}}));
  EXPECT_EQ(model.tendons[0].range->upper, 1.0);
  EXPECT_FALSE(model.tendons[1].range);
  ASSERT_EQ(model.tendons[1].path.size(), 6u);
  EXPECT_EQ(model.tendons[1].path[1].kind, RobotTendonPoint::Kind::Wrap);
  EXPECT_EQ(model.sites[model.tendons[1].path[1].sideSite].name, "side");
  EXPECT_EQ(model.tendons[1].path[3].divisor, 2.0);
  EXPECT_EQ(model.tendons[1].restLength->upper, 0.4);
  ASSERT_EQ(model.sensors.size(), 7u);
  EXPECT_EQ(model.sensors[3].referenceKind, "site");
  EXPECT_EQ(model.sensors[3].cutoff, 3.0);
  ASSERT_EQ(model.keyframes.size(), 2u);
  EXPECT_EQ(model.keyframes[0].positions.size(), 10u);
  EXPECT_EQ(model.keyframes[0].controls[11], 11.0);
  EXPECT_EQ(model.keyframes[1].velocities.size(), 9u);
}

// "solref becomes stiffness and damping, and the message says which."
TEST(Mjcf, SolverParametersAreNamedInUnits) {
  const RobotModel model = readData("classes.xml");
  ASSERT_TRUE(model.geoms[0].softness);
  EXPECT_NEAR(model.geoms[0].softness->stiffness, 1e4, 1e-9);
  const auto said = std::find_if(model.notes.begin(), model.notes.end(),
                                 [](const RobotRemark& note) { return note.what.find("solref") != std::string::npos; });
  ASSERT_NE(said, model.notes.end());
  EXPECT_EQ(said->place.line, 4);
  EXPECT_EQ(said->what, "geom: solref becomes a spring of stiffness 1e+04 N/m and damping 200 N s/m for each kg of effective mass "
                        "(15.92 Hz)");
}

}  // namespace
}  // namespace cairn
