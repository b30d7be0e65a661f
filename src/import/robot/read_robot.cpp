#include "import/robot/read_robot.hpp"

#include "import/robot/xml_node.hpp"

namespace cairn {

RobotModel readRobot(const std::string& file, const RobotReadOptions& options) {
  const XmlNode root = readXml(file);
  if (root.name == "robot") return readUrdf(file, options);
  if (root.name == "mujoco") return readMjcf(file, options);
  if (root.name == "sdf") return readSdf(file, options);
  root.fail("this is the first element; allowed: <robot> (URDF), <mujoco> (MJCF), <sdf> (SDFormat)");
}

}  // namespace cairn
