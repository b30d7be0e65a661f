#include "measure.hpp"

#include <fmt/format.h>

#include <chrono>

#include "round_trip.hpp"

namespace cairn::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kTimeTolerance = 1e-9;  // s: steps end at multiples of dt, up to rounding
constexpr int kSmallScene = 200;         // bodies: up to here a run is over at once, and is looked at and repeated more
constexpr int kRuns = 3;                 // of each engine, at least
constexpr int kMostRuns = 12;            // of scenes that are soon over: a minute may be a bad one for some of the engines
constexpr double kSceneSeconds = 90.0;   // s: what is not over by then is not run more often than it must
constexpr int kQuickRuns = 1;            // of scenes that are not small
constexpr long kTurn = 20;               // steps that an engine makes before the next one has its turn
constexpr long kQuickEvery = 10;         // steps: how often a quick run looks closely

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// What a run of a scene is: how many steps, and when to look.
struct Schedule {
  long steps, standing, lost;
  long every;  // steps between close looks
  int runs, mostRuns;

  Schedule(const BenchEntry& entry, const BenchScene& scene, bool quick) {
    const auto stepsOf = [](double time) { return std::max(1L, static_cast<long>(std::ceil(time / kTimeStep - 1e-6))); };
    const bool hurried = quick && scene.dynamicCount() > kSmallScene;
    steps = stepsOf(quick ? std::min(entry.quick, entry.seconds) : entry.seconds);
    standing = std::min(steps, stepsOf(entry.standing));
    lost = std::min(steps, stepsOf(entry.lost));
    every = hurried ? kQuickEvery : 1;
    runs = hurried ? kQuickRuns : kRuns;
    mostRuns = quick ? runs : kMostRuns;
  }
};

// One engine with its number of threads, over all its runs.
struct Contender {
  const EngineKind* kind = nullptr;
  int threads = 1;
  std::vector<double> stepMs{};  // least of the runs so far
  Quality quality{};
  std::string settings{};
  std::string failure{};
  Waiting waiting{};

  void keepLeast(const std::vector<double>& run) {
    if (stepMs.empty()) stepMs = run;
    stepMs.resize(std::min(stepMs.size(), run.size()));
    for (std::size_t i = 0; i < stepMs.size(); ++i) stepMs[i] = std::min(stepMs[i], run[i]);
  }
};

// One of its runs, which goes on a few steps at a time.
class Run {
 public:
  Run(Contender& contender, const BenchScene& scene, const Schedule& schedule, double limitSeconds, bool judged)
      : contender_(contender),
        scene_(scene),
        schedule_(schedule),
        limitSeconds_(limitSeconds),
        engine_(contender.kind->make(scene, contender.threads)) {
    contender.settings = engine_->settings();
    if (judged) judge_.emplace(scene);
  }
  bool isOver() const { return over_; }
  int threads() const { return contender_.threads; }
  long done() const { return static_cast<long>(stepMs_.size()); }

  void advance(long steps) {
    for (long i = 0; i < steps && !over_; ++i) step();
    if (!over_) return;
    if (judge_) contender_.quality = judge_->quality();
    contender_.keepLeast(stepMs_);
    if (contender_.threads == 1) contender_.waiting.add(clock_);
  }

 private:
  void step() {
    const Clock::time_point start = Clock::now();
    if (admit(static_cast<double>(done()) * kTimeStep) && judge_) judge_->beforeStep(*engine_);
    clock_.start();
    engine_->step();
    stepMs_.push_back(clock_.stopMs());
    contender_.failure = engine_->failure();
    over_ = done() == schedule_.steps || !contender_.failure.empty() || (limitSeconds_ > 0.0 && spent_ > limitSeconds_);
    if (judge_) {
      judge_->afterStep(*engine_, over_ || done() % schedule_.every == 0);
      if (done() == schedule_.standing) judge_->noteStanding();
      if (done() == schedule_.lost || (over_ && done() < schedule_.lost)) judge_->noteLost();
    }
    spent_ += secondsSince(start);
  }
  bool admit(double time) {
    bool any = false;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const double appear = scene_.bodies[i].scene->appear;
      // Those that came before the last step are in already.
      if (appear <= 0.0 || appear > time + kTimeTolerance || appear <= time - kTimeStep + kTimeTolerance) continue;
      engine_->add(i);
      if (judge_ && scene_.bodies[i].isDynamic()) judge_->add(i);
      any = true;
    }
    return any;
  }

  Contender& contender_;
  const BenchScene& scene_;
  const Schedule& schedule_;
  double limitSeconds_;
  std::unique_ptr<Engine> engine_;
  std::optional<Judge> judge_;
  std::vector<double> stepMs_;
  StepClock clock_;
  double spent_ = 0.0;  // s of wall clock
  bool over_ = false;
};

// All contenders through one run each, in turns. False if progress said so.
bool runInTurns(std::vector<Contender>& contenders, const BenchScene& scene, const Schedule& schedule, double limitSeconds,
                bool judged, const BenchProgress& progress, std::vector<double>& roundTripsNs) {
  std::vector<std::unique_ptr<Run>> runs;
  for (Contender& contender : contenders)
    if (contender.failure.empty()) runs.push_back(std::make_unique<Run>(contender, scene, schedule, limitSeconds, judged));
  for (bool going = true; going;) {
    going = false;
    long done = 0;
    for (const auto& run : runs) {
      if (run->threads() > 1 && !run->isOver()) roundTripsNs.push_back(roundTripNs());
      run->advance(kTurn);
      going |= !run->isOver();
      done += run->isOver() ? schedule.steps : run->done();
      const double all = static_cast<double>(schedule.steps) * static_cast<double>(runs.size());
      if (!progress(static_cast<double>(done) / all, scene.model.name)) return false;
    }
  }
  return true;
}

BenchRow rowOf(const Contender& contender, const BenchScene& scene, const Schedule& schedule) {
  BenchRow row;
  row.scene = scene.model.name;
  row.engine = contender.kind->name;
  row.version = contender.kind->version;
  row.settings = contender.settings;
  row.threads = contender.threads;
  for (const BenchBody& body : scene.bodies)
    row.bodies += body.isDynamic() && body.scene->appear < static_cast<double>(schedule.steps) * kTimeStep ? 1 : 0;
  row.steps = static_cast<long>(contender.stepMs.size());
  row.msMedian = medianOf(contender.stepMs);
  row.msP95 = percentile95(contender.stepMs);
  row.quality = contender.quality;
  return row;
}

}  // namespace

double medianOf(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

double percentile95(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

bool measureScene(const BenchEntry& entry, SceneModel model, const BenchPlan& plan, const BenchProgress& progress,
                  BenchResults& results) {
  const BenchScene scene(std::move(model));
  const Schedule schedule(entry, scene, plan.quick);
  std::vector<Contender> contenders;
  for (const EngineKind& kind : engineKinds()) {
    if (std::find(plan.engines.begin(), plan.engines.end(), kind.name) == plan.engines.end()) continue;
    for (const int threads : plan.threads) {
      if (const std::string reason = kind.refusal(scene, threads); !reason.empty()) {
        results.refusals.push_back({scene.model.name, std::string(kind.name), threads, reason});
      } else {
        contenders.push_back({.kind = &kind, .threads = threads});
      }
    }
  }
  const Clock::time_point start = Clock::now();
  for (int run = 0; run < schedule.mostRuns; ++run) {
    const double spent = secondsSince(start);
    if (run >= schedule.runs && spent > kSceneSeconds) break;
    const auto partly = [&](double share, const std::string& now) {
      const double byRuns = (run + share) / schedule.mostRuns, byTime = secondsSince(start) / kSceneSeconds;
      const double least = (run + share) / schedule.runs;  // of those that must be
      return progress(std::min({1.0, least, std::max(byRuns, byTime)}), fmt::format("{}, run {}", now, run + 1));
    };
    if (!runInTurns(contenders, scene, schedule, plan.limitSeconds, run == 0, partly, results.roundTripsNs)) return false;
  }
  for (const Contender& contender : contenders) {
    results.waiting.wall += contender.waiting.wall;
    results.waiting.processor += contender.waiting.processor;
    if (contender.failure.empty()) {
      results.rows.push_back(rowOf(contender, scene, schedule));
    } else {
      results.refusals.push_back(
          {scene.model.name, std::string(contender.kind->name), contender.threads, contender.failure});
    }
  }
  return true;
}

}  // namespace cairn::bench
