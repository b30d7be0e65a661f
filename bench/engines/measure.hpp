// Runs scenes with engines, takes the time of every step, and has the motion judged.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench_list.hpp"
#include "judge.hpp"
#include "step_clock.hpp"

namespace cairn::bench {

// One line of the results; docs and names of the JSON fields in rows.cpp.
struct BenchRow {
  std::string scene, engine, version, settings;
  int threads = 1;
  int bodies = 0;  // dynamic, those that appear during the run included
  long steps = 0;
  double msMedian = 0.0, msP95 = 0.0;
  Quality quality;
};

// Why there is no row.
struct BenchRefusal {
  std::string scene, engine;
  int threads = 1;
  std::string reason;
};

struct BenchPlan {
  std::vector<std::string> engines;
  std::vector<int> threads;
  bool quick = false;
  double limitSeconds = 0.0;  // s of wall clock for one run of one engine; 0: none
};

struct BenchResults {
  std::vector<BenchRow> rows;
  std::vector<BenchRefusal> refusals;
  Waiting waiting;                   // of the rows with one thread
  std::vector<double> roundTripsNs;  // between two cores, before each turn with several threads
};

// Told how far a scene is, from 0 to 1, and what is being done; false ends it, and the scene has no rows.
using BenchProgress = std::function<bool(double share, const std::string& now)>;

// One scene with all engines and numbers of threads. Engines take turns of 20 steps, so that whatever else the machine does
// disturbs all of them alike; when all are through, they start over: three times or more, until a minute and a half has
// passed. The first run of each is judged. Every simulation repeats itself, so that step n does the same work in each run:
// its time is the least of the runs. Median and 95th percentile are over the steps. Throws SceneError. Returns false if it
// was ended.
bool measureScene(const BenchEntry& entry, SceneModel model, const BenchPlan& plan, const BenchProgress& progress,
                  BenchResults& results);

double medianOf(std::vector<double> values);
double percentile95(std::vector<double> values);  // by nearest rank

}  // namespace cairn::bench
