// The robot with every joint at its reference: where bodies are, and how much inertia each degree of freedom moves.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "import/robot/robot_model.hpp"

namespace cairn {

// World poses of all bodies.
std::vector<Pose> referencePoses(const RobotModel& model);
// The diagonal of the mass matrix, armature included, in the order of the joints: one number for a hinge (kg m^2) or a slide
// (kg), three for a ball (body axes), six for a free joint (mass three times, then about the body's axes at its origin).
std::vector<double> referenceInertia(const RobotModel& model);
// The whole matrix.
Eigen::MatrixXd referenceMassMatrix(const RobotModel& model);
// Where each joint begins in it.
std::vector<int> dofOffsets(const RobotModel& model);
// The last step of every reader. Throws RobotFileError if numbers that are in range each have made one that is not finite;
// says in `warnings` which joints move nothing that has inertia: the mass matrix is singular there.
void finishModel(RobotModel& model);

}  // namespace cairn
