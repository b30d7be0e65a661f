// A robot in a few numbers, as `cairn import --report` writes them.
#pragma once

#include "import/robot/robot_model.hpp"

namespace cairn {

struct RobotSummary {
  int bodies = 0;
  int joints = 0;     // that move
  int dofs = 0;       // of the tree, before loops and mimics take any away
  int loops = 0;      // active constraints between bodies
  double mass = 0.0;  // kg
};

RobotSummary summarise(const RobotModel& model);

}  // namespace cairn
