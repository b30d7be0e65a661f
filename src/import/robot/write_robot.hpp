// A RobotModel as a file that other programs read.
#pragma once

#include <string>

#include "import/robot/robot_model.hpp"

namespace cairn {

// MJCF with everything resolved: radians, no default classes, all masses written. Reading it gives the same model, but for
// names of fixed joints, limits of velocity, restitution, and mimics, which become equality constraints. What MJCF cannot
// hold is added to `lost`.
std::string writeMjcf(const RobotModel& model, std::vector<RobotRemark>& lost);

}  // namespace cairn
