// What happens at an instant: impacts of all that touches, and the impulse that Painleve's contacts need.
#pragma once

#include <map>

#include "cairn/report.hpp"
#include "steppers/acceleration/modes.hpp"

namespace cairn {

// Sums over a step.
struct ContactLoad {
  double normal = 0.0;           // N s
  Vec3 friction = Vec3::Zero();  // N s, on B
};
struct JointLoad {
  std::array<double, kJointRows> rows{};  // N s or N m s
  Vec3 linear = Vec3::Zero();             // N s, on B
  Vec3 angular = Vec3::Zero();            // N m s, on B
};
struct IslandLoads {
  std::map<std::pair<int, PointId>, ContactLoad> contacts;  // by pair and point of it
  std::vector<JointLoad> joints;                            // by joint of the island
};
// Adds impulses of all rows.
void addLoads(const RowSet& rows, const std::vector<ActiveContact>& contacts, const Vector& impulse, IslandLoads& loads);

struct TimedImpact {
  double time = 0.0;  // s since the step began
  ImpactRecord record{};
};
struct ImpactBook {
  std::vector<TimedImpact> impacts;
  ImpactSummary summary{};
  int ended = 0;                                   // series of bounces that were cut short
  std::map<std::pair<int, PointId>, double> last;  // s: when a point last had an impact
};

// Resolves all contacts that touch at once, joints holding, and books it. Empty if that went well, else what went wrong;
// then nothing changed.
std::string impactAll(const SmoothIsland& island, IslandState& state, const std::vector<ActiveContact>& touching,
                      const Tolerances& tolerances, IslandLoads& loads, ImpactBook& book, std::string& note);

// Impact without collision: at fixed positions the normal impulse of one sliding contact grows along Keller's hodograph
// until slip stops and the approach that it caused is over. False if that has no end.
bool impactWithoutCollision(const SmoothIsland& island, IslandState& state, const ActiveContact& contact,
                            const Tolerances& tolerances, IslandLoads& loads, ImpactBook& book);

}  // namespace cairn
