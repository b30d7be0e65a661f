// Small files written here: URDF and SDFormat by part, paths, and what is wrong with bad files, each with its line.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>


#include "import/robot/read_robot.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

class RobotFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("cairn_robot_" + std::to_string(::getpid()) + "_" +
                                          testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  }
  // The message without the folder: "robot.urdf:3: ...".
  std::string messageOf(const std::string& name, const std::string& text) const {
    try {
      readRobot(write(name, text));
    } catch (const RobotFileError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.find(folder.string()), 0u);
      return what.substr(folder.string().size() + 1);
    }
    return "no error";
  }
  static std::string all(const std::vector<RobotRemark>& remarks) {
    std::string text;
    for (const RobotRemark& remark : remarks) text += std::to_string(remark.place.line) + ": " + remark.what + "\n";
    return text;
  }

  fs::path folder;
};

TEST_F(RobotFiles, UrdfJointsOfEveryKind) {
  const RobotModel model = readRobot(write("robot.urdf", R"(<robot name="r">
<link name="base"/>
<link name="a"><inertial><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><mass value="2"/><inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0" iyz="0"/></inertial></link>
<link name="b"/><link name="c"/><link name="d"/><link name="e"/><link name="f"/>
<joint name="ja" type="revolute"><parent link="base"/><child link="a"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 0 2"/><limit lower="-1" upper="2" effort="5" velocity="6"/><dynamics damping="0.5" friction="0.25"/></joint>
<joint name="jb" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/><limit effort="inf" velocity="3"/></joint>
<joint name="jc" type="prismatic"><parent link="a"/><child link="c"/><limit lower="0" upper="0.5" effort="1" velocity="1"/><mimic joint="jb" multiplier="-2" offset="0.5"/></joint>
<joint name="jd" type="fixed"><parent link="c"/><child link="d"/></joint>
<joint name="je" type="floating"><parent link="base"/><child link="e"/></joint>
<joint name="jf" type="planar"><parent link="base"/><child link="f"/><axis xyz="0 0 1"/></joint>
<transmission name="t"><type>x</type><joint name="ja"><hardwareInterface>EffortJointInterface</hardwareInterface></joint><actuator name="motor"><mechanicalReduction>10</mechanicalReduction></actuator></transmission>
</robot>)"));
  EXPECT_EQ(all(model.missing), "");
  ASSERT_EQ(model.bodies.size(), 7u);
  ASSERT_EQ(model.joints.size(), 8u);  // the planar one is three
  const RobotJoint& ja = model.joints[0];
  EXPECT_EQ(ja.axis, Vec3::UnitZ());
  EXPECT_EQ(ja.effort->lower, -5.0);
  EXPECT_EQ(*ja.velocityLimit, 6.0);
  EXPECT_EQ(ja.damping, 0.5);
  EXPECT_EQ(ja.frictionLoss, 0.25);
  const RobotBody& a = model.bodies[1];
  EXPECT_EQ(a.pose.position, Vec3(1.0, 2.0, 3.0));
  // Turned by a quarter about z: xx and yy change places, xy changes sign.
  Mat3 wanted;
  wanted << 2.0, -0.1, 0.0, -0.1, 1.0, 0.0, 0.0, 0.0, 2.5;
  EXPECT_LE((a.mass.inertia - wanted).norm(), 1e-14);
  EXPECT_FALSE(model.joints[1].range);
  EXPECT_FALSE(model.joints[1].effort);
  ASSERT_TRUE(model.joints[2].mimic);
  EXPECT_EQ(model.joints[2].mimic->joint, 1);
  EXPECT_EQ(model.joints[2].mimic->multiplier, -2.0);
  EXPECT_EQ(model.joints[2].axis, Vec3::UnitX());  // the format's default
  EXPECT_EQ(model.joints[3].kind, RobotJointKind::Fixed);
  ASSERT_EQ(model.actuators.size(), 1u);
  EXPECT_EQ(model.actuators[0].name, "motor");
  EXPECT_EQ(model.actuators[0].gear[0], 10.0);
  EXPECT_EQ(model.actuators[0].controlRange->upper, 0.5);
  // Massless moving links are named: the mass matrix is singular there.
  EXPECT_NE(all(model.warnings).find("moves nothing that has inertia: the mass matrix is singular"), std::string::npos);
  EXPECT_NE(all(model.warnings).find("5: joint \"ja\": the axis is not of unit length; its direction is used"), std::string::npos);
}

TEST_F(RobotFiles, UrdfBaseFixedOrFloating) {
  const std::string file = write("robot.urdf", R"(<robot name="r"><link name="base"/></robot>)");
  EXPECT_TRUE(readRobot(file).joints.empty());
  const RobotModel model = readRobot(file, {.base = RobotBase::Floating});
  ASSERT_EQ(model.joints.size(), 1u);
  EXPECT_TRUE(model.floating);
  EXPECT_EQ(model.joints[0].kind, RobotJointKind::Free);
}

TEST_F(RobotFiles, UrdfMeshPathsAreFound) {
  write("packages/arm/meshes/Link.STL", "x");
  write("elsewhere/hand/meshes/palm.dae", "x");
  const std::string text = R"(<robot name="r"><link name="base">
<visual><geometry><mesh filename="package://arm/meshes/Link.STL" scale="1 -1 0.001"/></geometry></visual>
<visual><geometry><mesh filename="package:///arm/meshes/link.stl"/></geometry></visual>
<visual><geometry><mesh filename="../meshes/Link.STL"/></geometry></visual>
<visual><geometry><mesh filename="package://hand/meshes/palm.dae"/></geometry></visual>
<visual><geometry><mesh filename="package://nowhere/x.stl"/></geometry></visual>
<visual><geometry><mesh filename="file:///build/machine/arm/meshes/Link.STL"/></geometry></visual>
</link></robot>)";
  const std::string file = write("packages/arm/urdf/robot.urdf", text);
  const RobotModel model = readRobot(file, {.packagePaths = {(folder / "elsewhere").string()}});
  EXPECT_EQ(all(model.missing), "6: mesh file \"package://nowhere/x.stl\" is not found; name its folder as a package path\n");
  ASSERT_EQ(model.geoms.size(), 6u);
  for (const int i : {0, 1, 2, 3, 5})
    EXPECT_TRUE(fs::exists(model.meshes[model.geoms[i].mesh].file)) << i << " " << model.meshes[model.geoms[i].mesh].file;
  EXPECT_EQ(model.meshes[model.geoms[0].mesh].scale, Vec3(1.0, -1.0, 0.001));
  const RobotModel named =
      readRobot(file, {.packagePaths = {"nowhere=" + (folder / "packages").string(), "hand=" + (folder / "elsewhere/hand").string()}});
  EXPECT_EQ(named.missing.size(), 1u);
}

TEST_F(RobotFiles, UrdfNothingIsDroppedInSilence) {
  const RobotModel model = readRobot(write("robot.urdf", R"(<robot name="r" xmlns:xacro="x">
<xacro:property name="n" value="3"/>
<xacro:if value="1"/>
<link name="base"><unknown/></link>
<gazebo reference="base"><mu1>0.3</mu1><sensor/></gazebo>
<loop_joint name="l"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/><safety_controller k_velocity="1"/><mimic joint="no"/></joint>
</robot>)"));
  EXPECT_EQ(all(model.missing),
            "3: <xacro:if>: xacro, not expanded; run `xacro FILE > robot.urdf` first\n"
            "6: <loop_joint>: no element of URDF that is known\n"
            "8: joint \"j\" mimics \"no\", and there is no such joint\n");
  EXPECT_EQ(all(model.warnings),
            "8: revolute joint \"j\" has no limits; read as continuous\n"
            "7: link \"a\": no solid has this inertia (principal moments must be positive, and none above the sum of the others); "
            "kept as written\n");
  const std::string notes = all(model.notes);
  for (const char* said : {"2: <xacro:property>", "4: <unknown> of link", "5: <sensor> in <gazebo>", "8: <safety_controller> of joint"})
    EXPECT_NE(notes.find(said), std::string::npos) << said << " in\n" << notes;
}

TEST_F(RobotFiles, BadFilesAreNamedWithTheirLine) {
  const struct {
    const char *name, *text, *message;
  } kBad[] = {
      {"a.urdf", "", "a.urdf: the file is empty"},
      {"a.urdf", "<robot>\n<link name=\"a\">\n</robot>", "a.urdf:2: not well-formed XML: mismatched element"},
      {"a.urdf", "<robot name=\"r\">\n</robot>", "a.urdf:1: robot: there is no link; allowed: at least one"},
      {"a.urdf", "<robot>\n<xacro:include filename=\"x\"/>\n</robot>",
       "a.urdf:1: robot: there is no link; this is xacro, not expanded: run `xacro FILE > robot.urdf` first"},
      {"a.urdf", "<robot>\n<link/>\n</robot>", "a.urdf:2: link: attribute \"name\" is missing"},
      {"a.urdf", "<robot>\n<link name=\"a\"/>\n<link name=\"a\"/>\n</robot>", "a.urdf:3: link: name: there are two links \"a\""},
      {"a.urdf", "<robot>\n<link name=\"a\"/>\n<link name=\"b\"/>\n</robot>",
       "a.urdf:3: link: two links have no parent, \"a\" and \"b\"; allowed: one root"},
      {"a.urdf",
       "<robot><link name=\"a\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>",
       "a.urdf:2: joint: \"j\": there is no link \"b\""},
      {"a.urdf",
       "<robot><link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"turny\"><parent link=\"a\"/><child "
       "link=\"b\"/></joint></robot>",
       "a.urdf:2: joint: type: found \"turny\"; allowed: revolute, continuous, prismatic, fixed, floating, planar"},
      {"a.urdf",
       "<robot><link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/>\n"
       "<origin xyz=\"1 ${x} 3\"/></joint></robot>",
       "a.urdf:3: origin: xyz: found \"1 ${x} 3\": this is xacro, not expanded; run `xacro FILE > robot.urdf` first"},
      {"a.urdf", "<robot><link name=\"a\"><inertial>\n<mass value=\"nan\"/></inertial></link></robot>",
       "a.urdf:2: mass: value: found \"nan\"; allowed: finite numbers"},
      {"a.urdf", "<robot><link name=\"a\"><visual><geometry>\n<box size=\"1 2\"/></geometry></visual></link></robot>",
       "a.urdf:2: box: size: found 2 numbers; allowed: 3"},
      {"a.xml", "<mujoco>\n<compiler angle=\"grad\"/>\n</mujoco>", "a.xml:2: compiler: angle: found \"grad\"; allowed: radian, degree"},
      {"a.xml", "<mujoco><worldbody>\n<geom type=\"ball\"/></worldbody></mujoco>",
       "a.xml:2: geom: type: found \"ball\"; allowed: plane, sphere, capsule, ellipsoid, cylinder, box, mesh"},
      {"a.xml", "<mujoco><worldbody>\n<geom/></worldbody></mujoco>", "a.xml:2: geom: size: number 1 is not above 0, or is not there"},
      {"a.xml", "<mujoco><worldbody><body>\n<geom class=\"no\" size=\"1\"/></body></worldbody></mujoco>",
       "a.xml:2: geom: there is no default class \"no\""},
      {"a.xml", "<mujoco><worldbody><body name=\"b\"/>\n<body name=\"b\"/></worldbody></mujoco>",
       "a.xml:2: body: name: \"b\" is the name of another body"},
      {"a.xml", "<mujoco>\n<include file=\"a.xml\"/></mujoco>", "a.xml:2: include: file: \"a.xml\" is included twice; allowed: once"},
      {"a.xml", "<mujoco>\n<include file=\"no.xml\"/></mujoco>", "a.xml:2: include: file: \"no.xml\" is not found"},
      {"a.xml", "<mujoco><actuator>\n<motor joint=\"j\"/></actuator></mujoco>", "a.xml:2: motor: joint: there is no joint \"j\""},
      {"a.xml", "<mujoco><worldbody>\n<body quat=\"1 0 0 0\" euler=\"0 0 0\"/></worldbody></mujoco>",
       "a.xml:2: body: found several orientations; allowed: one of quat, axisangle, xyaxes, zaxis, euler"},
      {"a.sdf", "<sdf version=\"1.7\">\n</sdf>", "a.sdf:1: sdf: there is no model; allowed: at least one"},
      {"a.sdf",
       "<sdf version=\"1.7\"><model name=\"m\"><link name=\"a\">\n<pose relative_to=\"b\">0 0 0 0 0 0</pose></link></model></sdf>",
       "a.sdf:1: link: there is no frame \"b\""},
      {"a.sdf", "<sdf version=\"1.7\"><model name=\"m\"><link name=\"a\">\n<pose>1 2</pose></link></model></sdf>",
       "a.sdf:2: pose: found 2 numbers; allowed: 6"},
      {"a.txt", "<scene/>", "a.txt:1: scene: this is the first element; allowed: <robot> (URDF), <mujoco> (MJCF), <sdf> (SDFormat)"},
  };
  for (const auto& bad : kBad) EXPECT_EQ(messageOf(bad.name, bad.text), bad.message);
}

TEST_F(RobotFiles, MjcfIncludesAndWhatIsMissing) {
  write("parts/hand.xml", "<mujoco>\n<body name=\"hand\"><joint name=\"h\"/><geom size=\"0.1\"/></body>\n</mujoco>");
  const RobotModel model = readRobot(write("a.xml", R"(<mujoco model="m">
<worldbody><body name="arm"><joint name="a"/><geom size="0.1"/>
<include file="parts/hand.xml"/>
<composite type="rope"/>
</body></worldbody>
<actuator><muscle name="m" joint="a"/>
<adhesion name="grip" body="arm"/></actuator>
<visual/>
<deformable/>
<option strange="1"/>
</mujoco>)"));
  ASSERT_EQ(model.bodies.size(), 2u);
  EXPECT_EQ(model.bodies[1].place.line, 2);
  EXPECT_EQ(fs::path(model.bodies[1].place.file).filename(), "hand.xml");
  EXPECT_EQ(all(model.missing),
            "4: <composite> in a body: cannot be represented\n"
            "6: actuator \"m\": gaintype=\"muscle\"\n"
            "7: actuator: <adhesion> \"grip\": cannot be represented\n"
            "9: <deformable>: cannot be represented\n"
            "10: option: attribute \"strange\" is not known\n");
  EXPECT_NE(all(model.notes).find("8: <visual>: does not change the motion"), std::string::npos);
}

TEST_F(RobotFiles, MediumBecomesDragOfBodies) {
  const RobotModel model = readRobot(write("a.xml", R"(<mujoco><option density="1.2" viscosity="0.5"/>
<worldbody><body><freejoint/><geom type="box" size="0.1 0.2 0.3"/></body></worldbody></mujoco>)"));
  ASSERT_TRUE(model.bodies[0].drag);
  // The box of a box is itself: 0.2 by 0.4 by 0.6 m, with axes in the order of the shape's.
  const RobotDrag& drag = *model.bodies[0].drag;
  EXPECT_NEAR(drag.linear, 3.0 * 3.14159265358979 * 0.4 * 0.5, 1e-12);
  EXPECT_NEAR(drag.angular, 3.14159265358979 * 0.064 * 0.5, 1e-12);
  EXPECT_NEAR(drag.quadratic.x(), 0.5 * 1.2 * 0.4 * 0.6, 1e-12);
  EXPECT_NEAR(drag.angularQuadratic.z(), 1.2 * 0.6 * (0.2 * 0.2 * 0.2 * 0.2 + 0.4 * 0.4 * 0.4 * 0.4) / 64.0, 1e-12);
}

TEST_F(RobotFiles, SdfPosesAxesAndLoops) {
  const RobotModel model = readRobot(write("a.sdf", R"(<sdf version="1.7"><world name="w"><gravity>0 0 -1.6</gravity><light name="l"/>
<model name="m"><pose>0 0 1 0 0 0</pose>
<link name="base"><inertial><pose>0.1 0 0 0 0 0</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
 <collision name="c"><geometry><box><size>1 2 3</size></box></geometry><surface><friction><ode><mu>0.4</mu></ode></friction></surface></collision>
 <visual name="v"><pose>0 0 0.5 0 0 0</pose><geometry><cylinder><radius>0.1</radius><length>0.4</length></cylinder></geometry><material><diffuse>1 0 0 1</diffuse></material></visual></link>
<link name="a"><pose>1 0 0 0 0 1.5707963267948966</pose></link>
<link name="b"><pose relative_to="a">1 0 0 0 0 0</pose></link>
<frame name="f" attached_to="b"><pose>0 0 0.5 0 0 0</pose></frame>
<joint name="ja" type="revolute"><parent>base</parent><child>a</child><axis><xyz expressed_in="__model__">1 0 0</xyz><limit><lower>-1</lower><upper>1</upper><effort>3</effort></limit><dynamics><damping>0.2</damping><friction>0.1</friction></dynamics></axis></joint>
<joint name="jb" type="universal"><pose>0 0 0.25 0 0 0</pose><parent>a</parent><child>f</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
<joint name="loop" type="ball"><parent>base</parent><child>b</child></joint>
</model></world></sdf>)"));
  EXPECT_EQ(all(model.missing), "");
  EXPECT_EQ(model.options.gravity, Vec3(0.0, 0.0, -1.6));
  ASSERT_EQ(model.bodies.size(), 3u);
  EXPECT_EQ(model.bodies[0].pose.position, Vec3(0.0, 0.0, 1.0));
  EXPECT_EQ(model.bodies[0].mass.center, Vec3(0.1, 0.0, 0.0));
  EXPECT_EQ(model.bodies[2].parent, 1);
  EXPECT_LE((model.bodies[2].pose.position - Vec3(1.0, 0.0, 0.0)).norm(), 1e-15);
  ASSERT_EQ(model.joints.size(), 4u);
  EXPECT_EQ(model.joints[0].kind, RobotJointKind::Free);
  EXPECT_TRUE(model.floating);
  EXPECT_LE((model.joints[1].axis - Vec3(0.0, -1.0, 0.0)).norm(), 1e-15);  // x of the model, seen from the turned link
  EXPECT_EQ(model.joints[1].range->lower, -1.0);
  EXPECT_EQ(model.joints[1].effort->upper, 3.0);
  EXPECT_LE((model.joints[2].anchor - Vec3(0.0, 0.0, 0.75)).norm(), 1e-15);  // 0.25 above the frame, the joint's child
  ASSERT_EQ(model.equalities.size(), 1u);
  EXPECT_EQ(model.equalities[0].kind, RobotEqualityKind::Connect);
  ASSERT_EQ(model.geoms.size(), 2u);
  EXPECT_EQ(model.geoms[0].size, Vec3(0.5, 1.0, 1.5));
  EXPECT_EQ(model.geoms[0].friction[0], 0.4);
  EXPECT_EQ(model.geoms[1].size.y(), 0.2);
  EXPECT_TRUE(model.geoms[1].visual && !model.geoms[1].collision);
}

TEST_F(RobotFiles, SdfBaseOnTheWorld) {
  const RobotModel model = readRobot(write("a.sdf", R"(<sdf version="1.6"><model name="m"><link name="a"/>
<joint name="j" type="prismatic"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>)"));
  ASSERT_EQ(model.joints.size(), 1u);
  EXPECT_EQ(model.joints[0].kind, RobotJointKind::Slide);
  EXPECT_FALSE(model.floating);
}

}  // namespace
}  // namespace cairn
