#include "import/robot/read_robot.hpp"
#include "import/robot/xml_node.hpp"
namespace cairn {
RobotModel readSdf(const std::string& file, const RobotReadOptions&) { throw RobotFileError({file, 0}, "not yet"); }
}
