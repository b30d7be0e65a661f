#include "dynamics/joint.hpp"

#include <cmath>
#include <numbers>

namespace cairn {

namespace {

struct KindNames {
  std::string_view kind;
  std::vector<std::string_view> axes;
};

// In the order of JointKind.
const KindNames& namesOf(const JointKind& kind) {
  static const std::vector<KindNames> kNames = {{"ball", {"turn_x", "turn_y", "turn_z"}},
                                                {"hinge", {"angle"}},
                                                {"fixed", {}},
                                                {"distance", {"length"}},
                                                {"wheel", {}},
                                                {"skate", {}},
                                                {"slider", {"travel"}},
                                                {"cylindrical", {"travel", "angle"}},
                                                {"universal", {"angle_a", "angle_b"}},
                                                {"cone_twist", {"twist", "swing_1", "swing_2", "cone"}},
                                                {"suspension", {"travel", "steering", "spin"}},
                                                {"planar", {"x", "y", "angle"}},
                                                {"gear", {"angle_a", "angle_b"}},
                                                {"rack_and_pinion", {"travel", "angle"}},
                                                {"screw", {"travel", "angle"}},
                                                {"pulley", {"length_a", "length_b", "rope"}},
                                                {"curve", {"arc"}},
                                                {"six_dof", {"x", "y", "z", "turn_x", "turn_y", "turn_z"}}};
  return kNames[kind.index()];
}

}  // namespace

std::string_view jointKindName(const JointKind& kind) { return namesOf(kind).kind; }
std::vector<std::string_view> jointAxisNames(const JointKind& kind) { return namesOf(kind).axes; }

double valueAt(const std::vector<std::array<double, 2>>& keys, double time) {
  if (keys.empty()) return 0.0;
  if (time <= keys.front()[0]) return keys.front()[1];
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (time >= keys[i][0]) continue;
    const double share = (time - keys[i - 1][0]) / (keys[i][0] - keys[i - 1][0]);
    return keys[i - 1][1] + share * (keys[i][1] - keys[i - 1][1]);
  }
  return keys.back()[1];
}

double driveAt(const JointDrive& drive, double time) {
  double value = drive.start + drive.rate * time +
                 drive.amplitude * std::sin(2.0 * std::numbers::pi * drive.frequency * time + drive.phase);
  const auto& keys = drive.keys;
  if (keys.empty()) return value;
  if (time <= keys.front()[0]) return value + keys.front()[1];
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (time >= keys[i][0]) continue;
    const double share = (time - keys[i - 1][0]) / (keys[i][0] - keys[i - 1][0]);
    return value + keys[i - 1][1] + share * (keys[i][1] - keys[i - 1][1]);
  }
  return value + keys.back()[1];
}

}  // namespace cairn
