#include "app/comparison.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

namespace cairn {
namespace {

constexpr long kTracePlaces = 300;  // a plot is 400 px wide
constexpr double kGrace = 1.0;      // s
constexpr long kTimePlaces = 100;   // fewer: single steps are disturbed by whatever else the machine does

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void noteStep(const RunSample& sample, MethodRun& method) {
  method.energy.add(sample.time, sample.energy);
  method.penetration.add(sample.time, sample.penetration);
  if (sample.residual) method.residual.add(sample.time, *sample.residual);
  method.stepMs.add(sample.time, sample.stepMs);
}

void end(MethodRun& method, MethodOutcome outcome, std::string message) {
  method.outcome = outcome;
  method.message = std::move(message);
}

// A solve that never ends would never come back to look at the clock.
void limitSolver(SolverSettings& solver, double limitSeconds) {
  if (limitSeconds <= 0.0) return;
  const double most = 1e3 * limitSeconds;  // ms
  solver.milliseconds = solver.milliseconds > 0.0 ? std::min(solver.milliseconds, most) : most;
}

// Of a step that was not made.
MethodOutcome outcomeOf(StepStatus status) {
  if (status == StepStatus::OutOfMemory) return MethodOutcome::OutOfMemory;
  return status == StepStatus::Failed ? MethodOutcome::Failed : MethodOutcome::Refused;
}

// Whatever else takes long in a step is stopped from outside, after a little grace for solvers to end it well.
class Watch {
 public:
  Watch(double limitSeconds, const std::atomic<bool>* interrupt)
      : thread_([this, limitSeconds, interrupt] { look(limitSeconds, interrupt); }) {}
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      isOver_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  const std::atomic<bool>* flag() const { return &flag_; }

 private:
  void look(double limitSeconds, const std::atomic<bool>* interrupt) {
    const Clock::time_point start = Clock::now();
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::milliseconds(20), [&] { return isOver_; })) {
      const bool timeIsUp = limitSeconds > 0.0 && secondsSince(start) >= limitSeconds + std::min(kGrace, limitSeconds);
      if (timeIsUp || (interrupt != nullptr && interrupt->load())) flag_ = true;
    }
  }

  std::atomic<bool> flag_{false};
  bool isOver_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;
};

void stepToTheEnd(SceneRun& run, RunMeter& meter, MethodRun& method, const std::function<bool(double)>& goOn,
                  const std::function<bool()>& timeIsUp) {
  const long steps = run.stepCount();
  for (long i = 0; i < steps; ++i) {
    if (!goOn(static_cast<double>(i) / static_cast<double>(steps)))
      return end(method, MethodOutcome::Interrupted, "interrupted");
    run.admit();
    meter.beforeStep();
    const StepReport step = run.step();
    if (step.status == StepStatus::Stopped) {
      const bool wanted = goOn(static_cast<double>(i) / static_cast<double>(steps));
      return wanted ? end(method, MethodOutcome::TimeLimit, {}) : end(method, MethodOutcome::Interrupted, "interrupted");
    }
    if (step.status != StepStatus::Ok) return end(method, outcomeOf(step.status), std::string(step.refusal()));
    meter.afterStep(step);
    noteStep(meter.last(), method);
    if (i + 1 < steps && timeIsUp()) return end(method, MethodOutcome::TimeLimit, {});
  }
}

}  // namespace

std::string_view nameOf(MethodOutcome outcome) {
  constexpr std::array<std::string_view, 6> names{"done", "time_limit", "refused", "out_of_memory", "interrupted", "failed"};
  return names[static_cast<std::size_t>(outcome)];
}

double MethodRun::stepSeconds() const {
  return report ? 1e-3 * report->timeMs.mean * static_cast<double>(report->steps) : 0.0;
}

double MethodRun::relativeRise() const {
  return report && report->energy.maxRise > 0.0 ? report->energy.maxRise / report->energy.scale : 0.0;
}

BodyCount countBodies(const SceneModel& model) {
  BodyCount count;
  for (const SceneBody& body : model.bodies) {
    if (body.desc.kind != BodyKind::Dynamic || body.appear >= model.seconds) continue;
    ++count.all;
    if (body.appear > 0.0) ++count.later;
  }
  return count;
}

MethodRun runMethod(SceneModel model, double limitSeconds, const std::function<bool(double)>& goOn,
                    const std::atomic<bool>* interrupt) {
  const Clock::time_point start = Clock::now();
  model.settings.audit = Audit::Residual;
  limitSolver(model.settings.solver, limitSeconds);
  const long steps = stepCount(model);
  MethodRun method;
  method.stepper = model.settings.stepper;
  if (stepperTakesSolver(method.stepper)) method.solver = model.settings.solver.name;
  method.energy = method.penetration = method.residual = Trace(steps, kTracePlaces);
  method.stepMs = Trace(steps, kTimePlaces);

  try {
    // Settings that this method refuses may be good for others; a body that cannot be built is bad for all (SceneError).
    World trial(model.settings);
    const Watch watch(limitSeconds, interrupt);
    SceneRun run(std::move(model));
    run.world().setStopFlag(watch.flag());
    RunMeter meter(run);
    stepToTheEnd(run, meter, method, goOn, [&] { return limitSeconds > 0.0 && secondsSince(start) >= limitSeconds; });
    if (meter.last().time > 0.0) method.report = meter.report();
  } catch (const std::invalid_argument& error) {
    end(method, MethodOutcome::Refused, error.what());
  } catch (const std::bad_alloc&) {
    end(method, MethodOutcome::OutOfMemory, "this machine has too little memory for it");
  }
  method.wallSeconds = secondsSince(start);
  if (method.outcome == MethodOutcome::TimeLimit)
    method.message = fmt::format("its {:g} s of wall-clock time were over", limitSeconds);
  return method;
}

}  // namespace cairn
