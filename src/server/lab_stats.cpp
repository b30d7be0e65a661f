#include "server/lab_stats.hpp"

namespace cairn {

void LabStats::restart() {
  last_ = {};
  residual_.reset();
  steps_ = 0;
  stepMs_ = 0.0;
  phaseMs_ = {};
  speedSteps_ = 0;
  speedTime_ = 0.0;
  speedStart_ = Clock::now();
}

bool LabStats::wantsResidual(Clock::time_point now) const { return now >= rate_.due() && residualBudget_.allows(); }

void LabStats::afterStep(const StepReport& report, double wall, bool wasAudited) {
  const double stepped = 1e-3 * report.totalMs;  // s
  penetrationBudget_.earn(stepped);
  residualBudget_.earn(stepped);
  if (wasAudited) residualBudget_.spend(std::max(0.0, wall - stepped));
  if (report.solve && report.solve->problems > 0) residual_ = report.solve->residual;
  ++steps_;
  stepMs_ += report.totalMs;
  for (int k = 0; k < kPhaseCount; ++k) phaseMs_[k] += report.phaseMs[k];
  ++speedSteps_;
  speedTime_ += report.dt;
  last_ = report;
}

std::optional<std::string> LabStats::message(const LabSession& session, long epoch, Clock::time_point now) {
  if (steps_ == 0 || !rate_.isDue(now)) return std::nullopt;
  std::optional<double> penetration;
  if (penetrationBudget_.allows()) {
    penetration = session.world().deepestPenetration().depth;
    penetrationBudget_.spend(Seconds(Clock::now() - now).count());
  }
  constexpr double kSpeedSeconds = 0.5;  // s, between two measurements of the speed
  if (const double passed = Seconds(now - speedStart_).count(); passed >= kSpeedSeconds || stepsPerSecond_ == 0.0) {
    stepsPerSecond_ = passed > 0.0 ? speedSteps_ / passed : 0.0;
    realTime_ = passed > 0.0 ? speedTime_ / passed : 0.0;
    speedStart_ = now;
    speedSteps_ = 0;
    speedTime_ = 0.0;
  }
  const Energy energy = session.world().energy();
  CompactJson out;
  out.object("", [&] {
    out.value("say", "stats");
    out.value("epoch", epoch);
    out.value("step", session.steps());
    out.value("time", last_.time);
    out.value("kinetic", energy.kinetic);
    out.value("potential", energy.potential);
    out.value("penetration", penetration);
    out.value("residual", residual_);
    out.value("iterations", last_.solve ? last_.solve->iterations : 0);
    out.value("contacts", last_.contacts);
    out.value("islands", last_.islands);
    out.value("awake", last_.awake);
    out.value("bodies", last_.bodies);
    out.value("joint_error", last_.jointError);
    out.list("phases", [&] {
      for (const double ms : phaseMs_) out.value("", ms / steps_);
    });
    out.value("ms", stepMs_ / steps_);
    out.value("steps_per_second", stepsPerSecond_);
    out.value("real_time", realTime_);
  });
  residual_.reset();
  steps_ = 0;
  stepMs_ = 0.0;
  phaseMs_ = {};
  return out.text();
}

}  // namespace cairn
