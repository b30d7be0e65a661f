#include "import/robot/robot_summary.hpp"

namespace cairn {

RobotSummary summarise(const RobotModel& model) {
  RobotSummary sum;
  sum.bodies = static_cast<int>(model.bodies.size());
  for (const RobotBody& body : model.bodies) sum.mass += body.mass.mass;
  for (const RobotJoint& joint : model.joints) {
    sum.joints += dofs(joint.kind) > 0;
    sum.dofs += dofs(joint.kind);
  }
  for (const RobotEquality& equality : model.equalities)
    sum.loops +=
        equality.active && (equality.kind == RobotEqualityKind::Connect || equality.kind == RobotEqualityKind::Weld);
  return sum;
}

}  // namespace cairn
