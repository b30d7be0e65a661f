// A robot written as MJCF and read again is the same robot.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "import/mesh_files.hpp"
#include "import/robot/read_robot.hpp"
#include "import/robot/reference_state.hpp"
#include "import/robot/write_robot.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

constexpr double kTolerance = 1e-12;  // relative to 1 or the value: 17 digits are written

const fs::path kData = fs::path(CAIRN_SOURCE_DIR) / "tests" / "data" / "robots";
const fs::path kShared = fs::path(CAIRN_SOURCE_DIR) / ".." / "shared" / "robots";

class WriteMjcf : public testing::TestWithParam<const char*> {};

void same(double a, double b) { EXPECT_NEAR(a, b, kTolerance * std::max(1.0, std::abs(a))); }
template <typename A>
void sameMatrix(const A& a, const A& b) {
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), kTolerance * std::max(1.0, a.cwiseAbs().maxCoeff()));
}
void samePose(const Pose& a, const Pose& b) {
  sameMatrix(a.position, b.position);
  sameMatrix(a.rotation.toRotationMatrix(), b.rotation.toRotationMatrix());
}
void sameRange(const std::optional<RobotRange>& a, const std::optional<RobotRange>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  same(a->lower, b->lower);
  same(a->upper, b->upper);
}
void sameSoftness(const std::optional<RobotSoftness>& a, const std::optional<RobotSoftness>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  same(a->stiffness, b->stiffness);
  same(a->damping, b->damping);
}

TEST_P(WriteMjcf, ReadingGivesTheSameModel) {
  const std::string name = GetParam();
  const fs::path path = name.find('/') == std::string::npos ? kData / name : kShared / name;
  if (!fs::exists(path)) GTEST_SKIP() << "no such robot here: " << path;
  const TestMeshes meshes;
  RobotModel model = readRobot(path.string(), {.meshes = &meshes});
  std::vector<RobotRemark> lost;
  const fs::path file = fs::temp_directory_path() / ("cairn_write_" + std::to_string(::getpid()) + ".xml");
  std::ofstream(file) << writeMjcf(model, lost);
  const RobotModel again = readRobot(file.string());
  fs::remove(file);
  if (model.format == "MJCF") {
    EXPECT_TRUE(lost.empty());
  }
  for (const RobotRemark& remark : again.missing) ADD_FAILURE() << format(remark);
  std::erase_if(model.joints, [](const RobotJoint& joint) { return joint.kind == RobotJointKind::Fixed; });

  ASSERT_EQ(again.bodies.size(), model.bodies.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const RobotBody &a = model.bodies[i], &b = again.bodies[i];
    SCOPED_TRACE(a.name);
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.parent, b.parent);
    samePose(a.pose, b.pose);
    same(a.mass.mass, b.mass.mass);
    if (a.mass.mass > 0.0) sameMatrix(a.mass.center, b.mass.center);
    EXPECT_LE((a.mass.inertia - b.mass.inertia).cwiseAbs().maxCoeff(), kTolerance * a.mass.inertia.cwiseAbs().maxCoeff());
    same(a.gravityCompensation, b.gravityCompensation);
    EXPECT_EQ(a.drag.has_value(), b.drag.has_value());
  }
  ASSERT_EQ(again.joints.size(), model.joints.size());
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const RobotJoint &a = model.joints[i], &b = again.joints[i];
    SCOPED_TRACE(a.name);
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.body, b.body);
    sameMatrix(a.anchor, b.anchor);
    if (dofs(a.kind) == 1) sameMatrix(a.axis, b.axis);
    if (!a.range || a.range->lower < a.range->upper) sameRange(a.range, b.range);
    sameRange(a.effort, b.effort);
    for (const auto member : {&RobotJoint::reference, &RobotJoint::springReference, &RobotJoint::stiffness, &RobotJoint::damping,
                              &RobotJoint::frictionLoss, &RobotJoint::armature, &RobotJoint::limitMargin})
      same(a.*member, b.*member);
    sameSoftness(a.limitSoftness, b.limitSoftness);
    EXPECT_EQ(a.compensatesByActuator, b.compensatesByActuator);
  }
  ASSERT_EQ(again.geoms.size(), model.geoms.size());
  for (std::size_t i = 0; i < model.geoms.size(); ++i) {
    const RobotGeom &a = model.geoms[i], &b = again.geoms[i];
    SCOPED_TRACE(i);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.body, b.body);
    EXPECT_EQ(a.mesh, b.mesh);
    samePose(a.pose, b.pose);
    if (a.kind != RobotGeomKind::Mesh) sameMatrix(a.size, b.size);
    EXPECT_EQ(a.contactType, b.contactType);
    EXPECT_EQ(a.contactAffinity, b.contactAffinity);
    EXPECT_EQ(a.friction, b.friction);
    EXPECT_EQ(a.colour, b.colour);
    EXPECT_EQ(a.group, b.group);
    EXPECT_EQ(a.priority, b.priority);
    sameSoftness(a.softness, b.softness);
  }
  ASSERT_EQ(again.meshes.size(), model.meshes.size());
  for (std::size_t i = 0; i < model.meshes.size(); ++i) {
    EXPECT_EQ(again.meshes[i].file, model.meshes[i].file);
    sameMatrix(again.meshes[i].scale, model.meshes[i].scale);
  }
  const auto follows = std::count_if(model.joints.begin(), model.joints.end(), [](const RobotJoint& j) { return j.mimic.has_value(); });
  ASSERT_EQ(again.equalities.size(), model.equalities.size() + follows);
  for (std::size_t i = 0; i < model.equalities.size(); ++i) {
    const RobotEquality &a = model.equalities[i], &b = again.equalities[i];
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.first, b.first);
    EXPECT_EQ(a.second, b.second);
    EXPECT_EQ(a.active, b.active);
    EXPECT_EQ(a.polynomial, b.polynomial);
    sameMatrix(a.firstFrame.position, b.firstFrame.position);
    sameMatrix(a.secondFrame.position, b.secondFrame.position);
    if (a.kind == RobotEqualityKind::Weld) samePose(a.firstFrame, b.firstFrame);
    sameSoftness(a.softness, b.softness);
  }
  ASSERT_EQ(again.actuators.size(), model.actuators.size());
  for (std::size_t i = 0; i < model.actuators.size(); ++i) {
    const RobotActuator &a = model.actuators[i], &b = again.actuators[i];
    SCOPED_TRACE(a.name);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.target, b.target);
    EXPECT_EQ(a.gear, b.gear);
    for (const auto member : {&RobotActuator::scale, &RobotActuator::offset, &RobotActuator::stiffness, &RobotActuator::damping,
                              &RobotActuator::filterTime})
      same(a.*member, b.*member);
    sameRange(a.controlRange, b.controlRange);
    sameRange(a.forceRange, b.forceRange);
  }
  ASSERT_EQ(again.tendons.size(), model.tendons.size());
  for (std::size_t i = 0; i < model.tendons.size(); ++i) {
    EXPECT_EQ(again.tendons[i].joints, model.tendons[i].joints);
    EXPECT_EQ(again.tendons[i].path.size(), model.tendons[i].path.size());
    sameRange(again.tendons[i].range, model.tendons[i].range);
    sameRange(again.tendons[i].restLength, model.tendons[i].restLength);
  }
  EXPECT_EQ(again.sites.size(), model.sites.size());
  EXPECT_EQ(again.sensors.size(), model.sensors.size());
  EXPECT_EQ(again.excludes.size(), model.excludes.size());
  EXPECT_EQ(again.pairs.size(), model.pairs.size());
  ASSERT_EQ(again.keyframes.size(), model.keyframes.size());
  for (std::size_t i = 0; i < model.keyframes.size(); ++i)
    EXPECT_EQ(again.keyframes[i].positions, model.keyframes[i].positions);
  sameMatrix(again.options.gravity, model.options.gravity);
  // The same dynamics: the mass matrix at the reference.
  sameMatrix(referenceMassMatrix(model), referenceMassMatrix(again));
}

INSTANTIATE_TEST_SUITE_P(
    Files, WriteMjcf,
    testing::Values("orientation.xml", "masses.xml", "compiler.xml", "from_geoms.xml", "classes.xml", "frames.xml", "actuators.xml",
                    "constraints.xml", "arm.urdf", "gripper.urdf", "mjcf/kuka_iiwa_14/iiwa14.xml",
                    "mjcf/google_barkour_vb/barkour_vb.xml", "mjcf/shadow_hand/right_hand.xml", "mjcf/agility_cassie/cassie.xml",
                    "mjcf/robotiq_2f85/2f85.xml", "mjcf/skydio_x2/x2.xml", "mjcf/trossen_wx250s/wx250s.xml",
                    "urdf/pr2_description/urdf/pr2.urdf", "urdf/hyq_description/robots/hyq_no_sensors.urdf",
                    "urdf/allegro_hand_description/urdf/allegro_right_hand.urdf"),
    [](const auto& robot) {
      std::string name = fs::path(robot.param).filename().string();
      for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
      return name;
    });

}  // namespace
}  // namespace cairn
