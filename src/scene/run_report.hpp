// What a run says about itself: how long its steps took and how wrong they were. docs/report.md defines every field.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cairn/report.hpp"
#include "scene/energy_meter.hpp"
#include "scene/scene_run.hpp"

namespace cairn {

struct RunReport {
  std::string scene;
  std::string stepper;
  std::optional<std::string> solver;  // none: the stepper has no exchangeable solver
  double dt = 0.0;                    // s
  long steps = 0;
  double seconds = 0.0;  // s, simulated
  int threads = 1;
  int bodies = 0;  // dynamic, at the end
  struct {
    double mean = 0.0;
    int max = 0;
  } contacts;
  int directIslandsMax = 0;  // StepReport::directIslands, the most of any step
  struct {
    double mean = 0.0, median = 0.0, p95 = 0.0, max = 0.0;
    double variance = 0.0;                     // ms^2
    std::array<double, kPhaseCount> phases{};  // mean
  } timeMs;
  struct {
    double max = 0.0, end = 0.0;  // m
  } penetration;
  std::optional<double> driftMax;       // m; none: nothing rested at the start
  std::optional<double> movedMax;       // m, as driftMax but along gravity too
  std::optional<double> jointErrorMax;  // m; none: there are no joints
  struct {
    double start = 0.0, end = 0.0, maxGain = 0.0;  // J
    double maxRise = 0.0;                          // J, above the lowest before: EnergyMeter::largestRise
    double scale = 0.0;                            // J, what a rise is compared with; see docs/report.md
  } energy;
  std::vector<std::string> drivenBy;                  // why the energy may rise though the method is right: drivesOf
  std::optional<double> residualMedian, residualMax;  // none: not measured
  struct {
    long problems = 0, iterations = 0;
    std::array<long, kExitCount> exits{};  // by Exit; all zero if the stepper has no exchangeable solver
    std::string message;                   // of the first problem that was not solved
  } solves;
  ImpactSummary impacts;  // sums; restitutionFactor: the least
  MethodSummary method;   // passes, halvings, layers, lasting and brief contacts: the most of any step; the rest: sums
  int bodiesLost = 0;
  int quarantined = 0;
  std::uint64_t stateHash = 0;
};

// What a meter saw after one step.
struct RunSample {
  double time = 0.0;               // s
  double energy = 0.0;             // J
  double penetration = 0.0;        // m, deepest
  std::optional<double> residual;  // none: not measured
  double stepMs = 0.0;
};

// Watches a run. Call afterStep() after each step, with beforeStep() after the bodies that appear have been admitted;
// nothing here is part of the time that a step is charged with.
class RunMeter {
 public:
  explicit RunMeter(SceneRun& run);

  void beforeStep();
  void afterStep(const StepReport& step);
  void noteFailure(const StepReport& step);        // instead, of a step that was not made: the run's message says why
  const RunSample& last() const { return last_; }  // of the last step
  RunReport report() const;

  struct Quarantined {
    std::string name, reason;
    double time;  // s
  };
  const std::vector<Quarantined>& quarantined() const { return quarantined_; }

 private:
  struct Resting {
    BodyId body;
    Vec3 start;     // m, centre of mass
    double radius;  // m, of the bounding sphere about it
  };
  bool isLost(BodyId body) const;
  double energyScale() const;

  SceneRun& run_;
  Vec3 up_ = Vec3::Zero();  // against gravity; zero without gravity
  std::vector<Resting> resting_;
  std::unordered_map<BodyId, std::size_t> restingByBody_;
  std::vector<Plane> floors_;            // static planes, in the world
  std::optional<double> lowestSupport_;  // m along up_, of everything else that is not dynamic
  std::vector<double> stepMs_;
  std::vector<double> residuals_;
  decltype(RunReport::solves) solves_;
  ImpactSummary impacts_;
  MethodSummary method_;
  std::array<double, kPhaseCount> phaseSum_{};
  double contactSum_ = 0.0;
  int contactMax_ = 0, directMax_ = 0;
  double penetrationMax_ = 0.0;
  double driftMax_ = 0.0, movedMax_ = 0.0;
  double jointErrorMax_ = 0.0;
  EnergyMeter energy_;
  RunSample last_;
  std::vector<Quarantined> quarantined_;
  std::unordered_set<BodyId> quarantinedBodies_;
};

// The whole run, for callers that need no more than its report. `onStep`, if given, ends the run by returning false.
RunReport runScene(SceneModel model, const std::function<bool(const SceneRun&, const StepReport&)>& onStep = {});

// Why the energy of a scene may rise though its method is right. Empty: it may not.
std::vector<std::string> drivesOf(const SceneModel& model);

// Radius of a sphere about `center` that holds all shapes of the body, in the body's frame; infinite with a plane.
double boundingRadius(const std::vector<ShapeDesc>& shapes, const Vec3& center);

}  // namespace cairn
