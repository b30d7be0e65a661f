#include "dynamics/joint.hpp"

#include <cmath>
#include <numbers>

namespace cairn {

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
