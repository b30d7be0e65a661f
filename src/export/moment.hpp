// The state of a whole scene at one moment, as recordings keep it: taken from a run, or read back from a file.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "cairn/body.hpp"
#include "cairn/report.hpp"
#include "scene/run_report.hpp"
#include "scene/scene_run.hpp"

namespace cairn {

// A contact point of the step before the moment.
struct MomentContact {
  int bodyA = -1, bodyB = -1;   // by their order in the scene; -1: none of the scene's
  Vec3 point = Vec3::Zero();    // m, world
  Vec3 normal = Vec3::Zero();   // from A to B
  Vec3 impulse = Vec3::Zero();  // N s, on B
  double gap = 0.0;             // m, when the step began
  double friction = 0.0;
};

// What the step before the moment said about itself; at the start, where there is none, what can be known without one.
struct MomentFacts {
  double kinetic = 0.0, potential = 0.0;                       // J
  double penetration = 0.0;                                    // m
  double residual = std::numeric_limits<double>::quiet_NaN();  // NaN: not measured
  int iterations = 0, contacts = 0, islands = 0, awake = 0;
  double jointError = 0.0;                    // m
  double ms = 0.0;                            // wall clock of the step
  std::array<double, kPhaseCount> phaseMs{};  // and of its phases
  std::uint64_t stateHash = 0;
};

struct Moment {
  long step = 0;                    // steps before it
  double time = 0.0;                // s
  std::vector<BodyState> bodies{};  // in the scene's order; NaN for one that has not appeared
  MomentFacts facts{};
  std::vector<MomentContact> contacts{};

  static BodyState absent();
  static bool isThere(const BodyState& state) { return state.center.x() == state.center.x(); }
};

// Takes moments out of a run.
class MomentTaker {
 public:
  MomentTaker(const SceneRun& run, bool withContacts) : run_(run), withContacts_(withContacts) {}

  const Moment& start();
  const Moment& afterStep(long step, const StepReport& report, const RunSample& sample);

 private:
  void takeBodies(long step);

  const SceneRun& run_;
  bool withContacts_;
  std::unordered_map<BodyId, int> order_;
  Moment moment_;
};

}  // namespace cairn
