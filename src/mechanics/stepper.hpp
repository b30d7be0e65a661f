// The seam of time stepping: a stepper takes bodies, joints and fresh contacts from t to t + dt.
//
// It advances the system that it is given, and writes into that one and the report only. Whose system that is, the caller
// decides: the world's own in a plain step, or that of an island taken out of the world, if one island is to be tried by
// itself or again by another method (gather, advance and commit in island.hpp). docs/decisions/0023 says why whole systems.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/phase_timer.hpp"
#include "base/tasks.hpp"
#include "dynamics/system.hpp"

namespace cairn {

struct StepContext {
  System& system;  // colliders in place, contacts up to date, islands numbered, sleepers asleep
  const WorldSettings& settings;
  const Tasks& tasks;
  StepReport& report;
  PhaseTimer& timer;
  std::vector<StepProblem>& problems;  // filled if the settings' audit asks for it
  std::vector<ImpactRecord>& impacts;  // of the step, in the order of time
  double time;                         // s, when the step begins
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  // Moves every awake body by dt > 0 and writes the impulses back into contacts and joints. Or moves nothing, with
  // StepStatus::Refused in the report.
  virtual void step(StepContext& context, double dt) = 0;
  // Whether drag is among the forces that it integrates. If not, the world slows bodies after the step, which is of first
  // order in dt.
  virtual bool integratesDrag() const { return false; }
};

// Throws std::invalid_argument with the known names if there is no such stepper.
std::unique_ptr<Stepper> makeStepper(std::string_view name);
std::vector<std::string_view> stepperNames();

}  // namespace cairn
