// The "stats" message: what the last steps did and how wrong they were, gathered without slowing them down by much.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "lab/session.hpp"
#include "server/pacing.hpp"

namespace cairn {

class LabStats {
 public:
  void restart();
  // Before a step: whether this one should be audited for its residual.
  bool wantsResidual(Clock::time_point now) const;
  // After a step that took `wall` seconds, the audit with it.
  void afterStep(const StepReport& report, double wall, bool wasAudited);
  // A message, at most 30 times a second; none if nothing was stepped since the last.
  std::optional<std::string> message(const LabSession& session, long epoch, Clock::time_point now);

 private:
  static constexpr double kPerSecond = 30.0;
  static constexpr double kShare = 0.1;  // of the time of steps, for each of the two measurements

  RateLimit rate_{kPerSecond};
  MeasureBudget penetrationBudget_{kShare}, residualBudget_{kShare};
  StepReport last_;
  std::optional<double> residual_;
  int steps_ = 0;  // since the last message
  double stepMs_ = 0.0;
  std::array<double, kPhaseCount> phaseMs_{};

  // The speed is measured over half a second at least, or it would jump about.
  Clock::time_point speedStart_{};
  long speedSteps_ = 0;
  double speedTime_ = 0.0;  // s, simulated
  double stepsPerSecond_ = 0.0, realTime_ = 0.0;
};

}  // namespace cairn
