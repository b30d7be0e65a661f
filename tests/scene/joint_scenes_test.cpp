// Joints in scene files: every kind, what acts along axes, and what a wrong one is told.
#include <numbers>

#include "scene/helpers.hpp"

namespace cairn {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

std::string withJoint(const std::string& joint) {
  return sceneWith(
      "\"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}},"
      "{\"name\": \"b\", \"position\": [3, 0, 0], \"shape\": {\"type\": \"sphere\", \"radius\": 1}}],\n\"joints\": [{\"a\": \"a\", "
      "\"b\": \"b\", " +
      joint + "}]");
}

TEST(JointScenes, EveryKindLoads) {
  for (const char* joint :
       {"\"type\": \"slider\", \"axis\": [1, 0, 0]", "\"type\": \"cylindrical\", \"axis\": [1, 0, 0]",
        "\"type\": \"universal\", \"anchor\": [1, 0, 0], \"axis_a\": [1, 0, 0], \"axis_b\": [0, 1, 0]",
        "\"type\": \"cone_twist\", \"anchor\": [1, 0, 0], \"axis\": [1, 0, 0], \"cone_deg\": [20, 40]",
        "\"type\": \"suspension\", \"axle\": [0, 1, 0]", "\"type\": \"planar\"",
        "\"type\": \"gear\", \"axis_a\": [0, 0, 1], \"ratio\": 2",
        "\"type\": \"rack_and_pinion\", \"axis\": [1, 0, 0], \"axle\": [0, 0, 1], \"radius\": 0.1",
        "\"type\": \"screw\", \"axis\": [0, 0, 1], \"pitch\": 0.01",
        "\"type\": \"pulley\", \"ground_a\": [0, 0, 3], \"ground_b\": [3, 0, 3], \"slack\": true",
        "\"type\": \"curve\", \"points\": [[3, 0, 0], [4, 0, 0], [5, 1, 0]]",
        "\"type\": \"six_dof\", \"free\": [\"x\", \"turn_z\"]", "\"type\": \"distance\", \"longest\": 4"})
    EXPECT_EQ(load(withJoint(joint)).joints.size(), 1u) << joint;
}

TEST(JointScenes, AxesAreInDegreesAndMetres) {
  const SceneModel model = load(withJoint(
      "\"type\": \"cylindrical\", \"axis\": [1, 0, 0], \"break_force\": 100, \"axes\": {"
      "\"travel\": {\"limits\": [-0.5, 2], \"friction\": 3},"
      "\"angle\": {\"motor\": {\"kind\": \"position\", \"target\": 90, \"stiffness\": 10, \"keys\": [[0, 0], [1, 45]]}}}"));
  const JointDesc& joint = model.joints[0].desc;
  ASSERT_EQ(joint.axes.size(), 2u);
  EXPECT_EQ(joint.axes[0].limits->lower, -0.5);
  EXPECT_EQ(joint.axes[0].friction, 3.0);
  EXPECT_NEAR(joint.axes[1].motor->target, 90.0 * kDegree, 1e-12);
  EXPECT_NEAR(joint.axes[1].motor->keys[1][1], 45.0 * kDegree, 1e-12);
  EXPECT_EQ(*joint.breakForce, 100.0);
}

TEST(JointScenes, WrongOnesAreToldWhere) {
  struct Wrong {
    const char* joint;
    const char* field;
    const char* says;
  };
  for (const Wrong& wrong :
       {Wrong{"\"type\": \"slider\", \"axis\": [1, 0, 0], \"axes\": {\"angle\": {}}", "joints[0].axes.angle", "travel"},
        Wrong{"\"type\": \"fixed\", \"axes\": {\"angle\": {}}", "joints[0].axes.angle", "no free axes"},
        Wrong{"\"type\": \"slider\", \"axis\": [1, 0, 0], \"axes\": {\"travel\": {\"limits\": [1, 0]}}",
              "joints[0].axes.travel.limits", "lower is above upper"},
        Wrong{"\"type\": \"slider\", \"axis\": [1, 0, 0], \"axes\": {\"travel\": {\"motor\": {\"kind\": \"position\"}}}",
              "joints[0].axes.travel.motor.stiffness", "missing"},
        Wrong{"\"type\": \"gear\", \"axis_a\": [0, 0, 1], \"ratio\": 0", "joints[0].ratio", "too near to 0"},
        Wrong{"\"type\": \"gear\", \"axis_a\": [0, 0, 1], \"ratio\": 1, \"anchor\": [0, 0, 0]", "joints[0].anchor", "has none"},
        Wrong{"\"type\": \"distance\", \"longest\": 1, \"length\": 2", "joints[0].length", "one or the other"}}) {
    const std::vector<SceneProblem> problems = problemsOf(withJoint(wrong.joint));
    EXPECT_EQ(problems[0].field, wrong.field);
    EXPECT_EQ(problems[0].line, 2);
    EXPECT_NE(problems[0].message.find(wrong.says), std::string::npos) << problems[0].message;
  }
}

}  // namespace
}  // namespace cairn
