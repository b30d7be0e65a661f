#include "import/robot/robot_error.hpp"

namespace cairn {
namespace {

std::string at(const RobotPlace& place) {
  return place.line > 0 ? place.file + ":" + std::to_string(place.line) + ": " : place.file + ": ";
}

}  // namespace

RobotFileError::RobotFileError(RobotPlace place, const std::string& message)
    : std::runtime_error(at(place) + message), place_(std::move(place)), message_(message) {}

std::string format(const RobotRemark& remark) { return at(remark.place) + remark.what; }

int dofs(RobotJointKind kind) {
  switch (kind) {
    case RobotJointKind::Fixed:
      return 0;
    case RobotJointKind::Ball:
      return 3;
    case RobotJointKind::Free:
      return 6;
    default:
      return 1;
  }
}

int coordinates(RobotJointKind kind) {
  const int free = dofs(kind);
  return free == 3 || free == 6 ? free + 1 : free;  // a quaternion has four
}

}  // namespace cairn
