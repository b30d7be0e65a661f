#include "solvers/monitor.hpp"

#include "base/stop.hpp"

namespace cairn {

namespace {
constexpr int kMostPatience = 64;  // iterations between two looks of the judge, while the estimate says "not yet"

double milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}
}  // namespace

Monitor::Monitor(const ContactProblem& problem, const SolveLimits& limits, int iterationLimit, IterationLog* log)
    : problem_(problem), limits_(limits), iterationLimit_(iterationLimit), log_(log) {}

double Monitor::milliseconds() const { return cairn::milliseconds(Clock::now() - start_) - judgingMs_; }

bool Monitor::stop() {
  pollStop();
  if (iterations_ >= iterationLimit_) {
    exit_ = Exit::IterationLimit;
    return true;
  }
  if (limits_.milliseconds > 0.0 && milliseconds() >= limits_.milliseconds) {
    exit_ = Exit::TimeLimit;
    return true;
  }
  return false;
}

SolveLimits Monitor::remaining() const {
  SolveLimits left = limits_;
  if (limits_.milliseconds > 0.0) left.milliseconds = std::max(limits_.milliseconds - milliseconds(), 1e-3);
  return left;
}

bool Monitor::judgeNow(const Vector& impulse) {
  const double ms = milliseconds();
  const auto start = Clock::now();
  residual_ = judge(problem_, impulse);
  sinceJudged_ = 0;
  if (keepBest_ && residual_.forTolerance() < bestValue_) {
    bestValue_ = residual_.forTolerance();
    best_ = impulse;
  }
  if (log_ != nullptr) {
    log_->entries.push_back({iterations_, ms, residual_});
    judgingMs_ += cairn::milliseconds(Clock::now() - start);
  }
  return residual_.forTolerance() <= limits_.tolerance;
}

void Monitor::record(const Vector& impulse) {
  if (log_ != nullptr) judgeNow(impulse);
}

bool Monitor::solved(const Vector& impulse) {
  ++iterations_;
  return judgeNow(impulse);
}

bool Monitor::solved(const Vector& impulse, double estimate) {
  ++iterations_;
  ++sinceJudged_;
  const bool near = estimate <= limits_.tolerance;
  if (!near && log_ == nullptr && sinceJudged_ < patience_) return false;
  patience_ = near ? 1 : std::min(patience_ * 2, kMostPatience);
  return judgeNow(impulse);
}

bool Monitor::restoreBest(Vector& impulse) const {
  if (best_.size() == 0) return false;
  impulse = best_;
  return true;
}

}  // namespace cairn
