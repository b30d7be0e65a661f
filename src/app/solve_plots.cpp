#include "app/solve_plots.hpp"

#include <fmt/format.h>

#include "app/plot.hpp"

namespace cairn {
namespace {

constexpr double kLeastResidual = 1e-17;  // below is rounding, and zero has no place on a logarithmic axis
constexpr double kMostResidual = 1e4;     // above is divergence
constexpr double kLeastMs = 1e-4;         // what a clock can tell
constexpr int kLinearIterations = 60;     // up to here iterations are drawn evenly
constexpr double kFarthestBelow = 1e-4;   // of the tolerance: what is better is drawn on the edge
constexpr double kMostRatio = 1e4;

struct DrawnPoint {
  double iteration, ms, residual;
};

// A log as a curve. An iteration that was judged several times counts with its best. Time never goes back, though a clock
// that is stopped while the judge works may seem to.
std::vector<DrawnPoint> drawnPoints(const IterationLog& log) {
  std::vector<DrawnPoint> points;
  for (const IterationLog::Entry& entry : log.entries) {
    // Before the first iteration there may be no impulse yet, which Siconos' measure divides by.
    const double value = entry.iteration == 0 ? entry.residual.relative : entry.residual.forTolerance();
    if (!std::isfinite(value)) continue;
    if (points.empty() || points.back().iteration != entry.iteration)
      points.push_back({static_cast<double>(entry.iteration), entry.iteration == 0 ? 0.0 : entry.ms, kMostResidual});
    points.back().residual = std::clamp(value, kLeastResidual, points.back().residual);
  }
  for (std::size_t i = points.size(); i-- > 1;) points[i - 1].ms = std::min(points[i - 1].ms, points[i].ms);
  return points;
}

// What all panels of convergence span.
struct Extent {
  double lowest, highest;                                    // residual
  double soonest = std::numeric_limits<double>::infinity();  // ms
  double latest = kLeastMs, iterations = 1.0;

  Extent(const std::vector<std::vector<DrawnPoint>>& curves, double tolerance) : lowest(tolerance), highest(tolerance) {
    for (const auto& curve : curves) {
      for (const DrawnPoint& point : curve) {
        lowest = std::min(lowest, point.residual);
        highest = std::max(highest, point.residual);
        iterations = std::max(iterations, point.iteration);
        latest = std::max(latest, point.ms);
        if (point.ms > 0.0) soonest = std::min(soonest, point.ms);
      }
    }
    lowest = std::max(lowest, kFarthestBelow * tolerance);
    soonest = std::clamp(soonest, kLeastMs, latest);
    widenToDecades(lowest, highest);
    widenToDecades(soonest, latest);
  }
};

PlotAxis axis(const char* label, double low, double high, bool logarithmic) {
  PlotAxis made;
  made.label = label;
  made.low = low;
  made.high = high;
  made.logarithmic = logarithmic;
  return made;
}

std::string inWords(Exit exit) {
  std::string name(nameOf(exit));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

}  // namespace

std::string convergencePlot(const SolveComparison& comparison) {
  std::vector<std::vector<DrawnPoint>> logs;
  for (const SolveRow& row : comparison.rows) logs.push_back(drawnPoints(row.log));
  const Extent extent(logs, comparison.tolerance);

  PlotPanel byIteration;
  const bool many = extent.iterations > kLinearIterations;
  byIteration.title = "by iterations";
  byIteration.x = axis("iterations", many ? 1.0 : 0.0, extent.iterations, many);
  byIteration.x.whole = true;
  byIteration.y = axis("residual", extent.lowest, extent.highest, true);
  byIteration.level = comparison.tolerance;
  byIteration.levelLabel = fmt::format("tolerance {:g}", comparison.tolerance);
  PlotPanel byTime = byIteration;
  byTime.title = "by time";
  byTime.x = axis("time (ms)", extent.soonest, extent.latest, true);

  Plot plot;
  std::vector<std::string> refusing;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const SolveRow& row = comparison.rows[i];
    if (!row.taken()) {
      refusing.push_back(row.solver);
      continue;
    }
    PlotCurve curve;
    curve.style = static_cast<int>(plot.legend.size());
    curve.end = row.solved() ? PlotEnd::Dot : PlotEnd::Cross;
    PlotCurve timed = curve;
    for (const DrawnPoint& point : logs[i]) {
      curve.points.push_back({point.iteration, point.residual});
      timed.points.push_back({point.ms, point.residual});
    }
    byIteration.curves.push_back(std::move(curve));
    byTime.curves.push_back(std::move(timed));
    plot.legend.push_back({row.solver,
                           row.solved() ? fmt::format("{} iteration{}, {:.3g} ms", row.report.iterations,
                                                      row.report.iterations == 1 ? "" : "s", row.report.ms)
                                        : inWords(row.report.exit),
                           false});
  }
  if (!refusing.empty())
    plot.legend.push_back({refusing.size() == 1 ? refusing.front() : fmt::format("{} more", refusing.size()),
                           refusing.size() == 1 ? "does not take it" : "do not take it", true});
  plot.title = fmt::format("Convergence on {}", comparison.problems.front());
  if (!comparison.rows.empty())
    plot.subtitle = fmt::format("{} rows in {} blocks. ", comparison.rows.front().rows, comparison.rows.front().blocks);
  plot.subtitle +=
      "The larger of the relative residual and the natural map. Dots reach the tolerance, crosses do not. Times are without "
      "judging.";
  plot.panels = {std::move(byIteration), std::move(byTime)};
  return plotSvg(plot);
}

std::string performancePlot(const SolveComparison& comparison) {
  const std::map<std::string, double> best = comparison.bestTimes();
  const double all = static_cast<double>(comparison.problems.size());
  double soonest = std::numeric_limits<double>::infinity(), latest = kLeastMs, worstRatio = 10.0;
  const auto time = [](const SolveRow& row) { return std::max(row.report.ms, kLeastMs); };
  const auto ratio = [&](const SolveRow& row) { return time(row) / std::max(best.at(row.problem), kLeastMs); };
  for (const SolveRow& row : comparison.rows) {
    if (!row.solved()) continue;
    soonest = std::min(soonest, time(row));
    latest = std::max(latest, time(row));
    worstRatio = std::max(worstRatio, ratio(row));
  }
  soonest = std::min(soonest, latest);
  widenToDecades(soonest, latest);
  PlotPanel profile;
  profile.title = "within a factor of the fastest";
  profile.x = axis("factor \u03c4", 1.0, std::min(worstRatio * 1.2, kMostRatio), true);
  profile.y = axis("problems solved", 0.0, 1.0, false);
  profile.y.percent = true;
  PlotPanel byTime = profile;
  byTime.title = "within a time";
  byTime.x = axis("time (ms)", soonest, latest, true);

  Plot plot;
  for (const std::string& solver : comparison.solvers) {
    std::vector<double> ratios, times;
    for (const SolveRow& row : comparison.rows) {
      if (row.solver != solver || !row.solved()) continue;
      ratios.push_back(ratio(row));
      times.push_back(time(row));
    }
    plot.legend.push_back(
        {solver, fmt::format("{} of {} solved", ratios.size(), comparison.problems.size()), ratios.empty()});
    const auto steps = [&](std::vector<double> values, double high) {
      PlotCurve curve;
      curve.style = static_cast<int>(plot.legend.size()) - 1;
      curve.steps = true;
      if (values.empty()) return curve;
      std::sort(values.begin(), values.end());
      // From the foot of the axis up through each value, and on to the right edge.
      curve.points.push_back({values.front(), 0.0});
      for (std::size_t i = 0; i < values.size() && values[i] <= high; ++i)
        curve.points.push_back({values[i], static_cast<double>(i + 1) / all});
      curve.points.push_back({high, curve.points.back()[1]});
      return curve;
    };
    profile.curves.push_back(steps(ratios, profile.x.high));
    byTime.curves.push_back(steps(times, byTime.x.high));
  }
  plot.title = "Performance profile";
  plot.subtitle = fmt::format("{} problems, tolerance {:g}. The share that each solver solves, out of all of them.",
                              comparison.problems.size(), comparison.tolerance);
  plot.panels = {std::move(profile), std::move(byTime)};
  return plotSvg(plot);
}

}  // namespace cairn
