// Where a kinematic body with a prescribed trajectory is.
#pragma once

#include "dynamics/body.hpp"

namespace cairn {

// Pose of the body's frame at a time (s). The extras must have a trajectory.
Pose poseAt(const BodyExtras& extras, double time);

}  // namespace cairn
