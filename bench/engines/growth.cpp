#include "growth.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include "app/json_out.hpp"
#include "app/plot.hpp"
#include "bench_scene.hpp"
#include "measure.hpp"
#include "rows.hpp"
#include "scene/gallery.hpp"
#include "scene/scene_run.hpp"

namespace cairn::bench {
namespace {

constexpr const char* kScenes[] = {"pile", "spheres"};
constexpr double kLayers = 10.0;     // of bodies at the start: the bin grows sideways, so that it is always as full
constexpr int kSettlingSteps = 240;  // the last body lands after 1.7 s and comes to rest
constexpr int kTurns = 6, kTurnSteps = 10;
constexpr double kMemoryGoal = 4096.0;  // bytes for each body, at most

// Held by the whole program now, in blocks of its own and in those of the system.
double liveHeap() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

SceneModel growthModel(const std::string& scene, int bodies, const GrowthPlan& plan) {
  const double cell = scene == "pile" ? 1.42 : 1.05;  // m, of a body at the start: see the scenes
  const double width = cell * std::ceil(std::sqrt(bodies / kLayers)) + 1e-6;
  std::vector<Override> overrides = plan.settings;
  overrides.push_back({"count", fmt::format("{}", bodies)});
  overrides.push_back({"width", fmt::format("{}", width)});
  SceneModel model = openScene(scene, overrides);
  model.dt = kTimeStep;
  model.settings.threads = plan.threads;
  model.settings.sleep.enabled = false;
  return model;
}

// A world of some size.
struct Contender {
  GrowthPoint point;
  std::unique_ptr<World> world;
  std::vector<double> stepMs;
  StepClock clock;

  void step() {
    clock.start();
    point.contacts = world->step(kTimeStep).contacts;
    stepMs.push_back(clock.stopMs());
  }
};

// Worlds come to rest one after another. Then they take turns, so that whatever else the machine does disturbs all of them
// alike. False if it was ended.
bool measureScene(const std::string& scene, const GrowthPlan& plan, Waiting& waiting,
                  const std::function<bool(int steps, int bodies)>& goOn, std::vector<GrowthPoint>& points) {
  std::vector<Contender> contenders;
  for (const int bodies : plan.sizes) {
    const SceneModel model = growthModel(scene, bodies, plan);
    malloc_trim(0);
    const double before = liveHeap();
    Contender& one = contenders.emplace_back();
    one.point.scene = scene;
    one.point.bodies = bodies;
    one.world = std::make_unique<World>(model.settings);
    instantiate(model, *one.world);
    for (int i = 0; i < kSettlingSteps; ++i) {
      if (!goOn(1, bodies)) return false;
      one.world->step(kTimeStep);
    }
    one.point.bytesPerBody = (liveHeap() - before) / bodies;
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    for (Contender& one : contenders) {
      if (!goOn(kTurnSteps, one.point.bodies)) return false;
      for (int i = 0; i < kTurnSteps; ++i) one.step();
    }
  }
  for (Contender& one : contenders) {
    if (plan.threads == 1) waiting.add(one.clock);
    one.point.msMedian = medianOf(one.stepMs);
    points.push_back(one.point);
  }
  return true;
}

PlotPanel panel(const std::vector<GrowthPoint>& points, const std::string& title, const std::string& label, bool logarithmic,
                const std::function<double(const GrowthPoint&)>& value) {
  PlotPanel panel;
  panel.title = title;
  panel.x = {.label = "bodies", .low = 1e3, .high = 1e5, .logarithmic = true};
  panel.y = {.label = label,
             .low = logarithmic ? std::numeric_limits<double>::infinity() : 0.0,
             .high = 0.0,
             .logarithmic = logarithmic};
  for (const GrowthPoint& point : points) {
    panel.x.low = std::min(panel.x.low, static_cast<double>(point.bodies));
    panel.y.low = std::min(panel.y.low, value(point));
    panel.y.high = std::max(panel.y.high, value(point));
  }
  if (logarithmic) widenToDecades(panel.y.low, panel.y.high);
  if (!logarithmic) panel.y.high *= 1.2;
  int style = 0;
  for (const char* scene : kScenes) {
    PlotCurve curve;
    curve.style = style++;
    curve.end = PlotEnd::Dot;
    for (const GrowthPoint& point : points)
      if (point.scene == scene) curve.points.push_back({static_cast<double>(point.bodies), value(point)});
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

}  // namespace

std::vector<int> growthSizes(bool quick) {
  std::vector<int> sizes;
  for (int size = 1000; size <= (quick ? 8000 : 64000); size *= 2) sizes.push_back(size);
  return sizes;
}

std::vector<GrowthPoint> measureGrowth(const GrowthPlan& plan, Waiting& waiting,
                                       const std::function<bool(double, const std::string&)>& progress) {
  std::vector<GrowthPoint> points;
  constexpr int kSteps = kSettlingSteps + kTurns * kTurnSteps;
  double all = 0.0, done = 0.0;
  for (const int size : plan.sizes) all += 2.0 * kSteps * size;
  for (const char* scene : kScenes) {
    const auto goOn = [&](int steps, int bodies) {
      const bool on = progress(done / all, fmt::format("{} bodies of {}", bodies, scene));
      done += static_cast<double>(steps) * bodies;
      return on;
    };
    if (!measureScene(scene, plan, waiting, goOn, points)) return points;
  }
  return points;
}

double growthExponent(const std::vector<GrowthPoint>& points, const std::string& scene) {
  double n = 0.0, sumX = 0.0, sumY = 0.0, sumXX = 0.0, sumXY = 0.0;
  for (const GrowthPoint& point : points) {
    if (point.scene != scene) continue;
    const double x = std::log(static_cast<double>(point.bodies)), y = std::log(point.msMedian);
    n += 1.0;
    sumX += x;
    sumY += y;
    sumXX += x * x;
    sumXY += x * y;
  }
  return (n * sumXY - sumX * sumY) / (n * sumXX - sumX * sumX);
}

std::string growthSvg(const std::vector<GrowthPoint>& points) {
  Plot plot;
  plot.title = "What a body costs as their number grows";
  plot.subtitle = "Cairn, one step of 1/60 s at rest, nothing asleep; a bin ten layers deep that grows sideways";
  plot.panels.push_back(panel(points, "time of a step", "ms", true, [](const GrowthPoint& p) { return p.msMedian; }));
  plot.panels.push_back(
      panel(points, "for each body", "us", false, [](const GrowthPoint& p) { return 1e3 * p.msMedian / p.bodies; }));
  plot.panels.push_back(
      panel(points, "memory for each body", "bytes", false, [](const GrowthPoint& p) { return p.bytesPerBody; }));
  PlotPanel& memory = plot.panels.back();
  memory.level = kMemoryGoal;
  memory.levelLabel = "4 KiB";
  memory.y.high = std::max(memory.y.high, 1.2 * kMemoryGoal);
  for (const char* scene : kScenes) {
    const double exponent = growthExponent(points, scene);
    plot.legend.push_back({.name = std::string(scene) == "pile" ? "boxes" : "balls",
                           .note = std::isfinite(exponent) ? fmt::format("cost ~ bodies^{:.2f}", exponent) : "",
                           .faded = false});
  }
  return plotSvg(plot);
}

std::string growthJson(const std::string& machine, int threads, const std::vector<GrowthPoint>& points) {
  JsonOut json;
  json.object("", [&] {
    json.value("machine", machine);
    json.value("processor", processorName());
    json.value("threads", threads);
    json.value("dt_s", kTimeStep);
    json.list("points", [&] {
      for (const GrowthPoint& point : points) {
        json.object("", [&] {
          json.value("scene", point.scene);
          json.value("bodies", point.bodies);
          json.value("contacts", point.contacts);
          json.value("ms_median", point.msMedian);
          json.value("us_per_body", 1e3 * point.msMedian / point.bodies);
          json.value("bytes_per_body", point.bytesPerBody);
        });
      }
    });
  });
  return json.text();
}

std::string growthTable(const std::vector<GrowthPoint>& points) {
  std::string text = fmt::format("  {:<8} {:>7} {:>9} {:>9} {:>12} {:>14}\n", "scene", "bodies", "contacts", "ms",
                                 "us per body", "bytes per body");
  for (const GrowthPoint& point : points)
    text += fmt::format("  {:<8} {:>7} {:>9.0f} {:>9.3g} {:>12.3g} {:>14.0f}\n", point.scene, point.bodies, point.contacts,
                        point.msMedian, 1e3 * point.msMedian / point.bodies, point.bytesPerBody);
  for (const char* scene : kScenes) {
    if (const double exponent = growthExponent(points, scene); std::isfinite(exponent))
      text += fmt::format("  {}: cost grows as bodies^{:.2f}\n", scene, exponent);
  }
  return text;
}

}  // namespace cairn::bench
