// Inverse kinematics by damped least squares (Levenberg-Marquardt): dq = J^T (J J^T + l I)^-1 e, where l falls while the
// error does and rises when a step makes it worse. Degrees at a limit that the step would leave are taken out of J.
#pragma once

#include "articulation/data.hpp"

namespace cairn {

// Changes data.q; ends with the best that was found, nodes computed for it.
InverseKinematicsResult solveInverseKinematics(const ArticulationModel& model, ArticulationData& data, int link,
                                               const Vec3& point, const Pose& target,
                                               const InverseKinematicsOptions& options);

}  // namespace cairn
