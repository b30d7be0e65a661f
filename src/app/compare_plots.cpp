#include "app/compare_plots.hpp"

#include <fmt/format.h>

#include "app/plot.hpp"

namespace cairn {
namespace {

// Smaller values are drawn on the lower edge; zero has no place on a logarithmic axis.
constexpr double kLeastPenetration = 1e-3;  // mm
constexpr double kLeastResidual = 1e-12;
constexpr double kLeastMs = 1e-4;

using CurveOf = std::function<Trace::Points(const MethodRun&)>;

bool isWild(const MethodRun& method) { return method.report->bodiesLost > 0; }

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

// What the curves span. A method whose bodies fly apart would leave no room for the others, so it counts only if all do.
Extent extentOf(const MethodComparison& comparison, const CurveOf& curveOf) {
  Extent calm, all;
  for (const MethodRun& method : comparison.methods) {
    if (!method.report) continue;
    for (const auto& [time, value] : curveOf(method)) {
      const auto widen = [value = value](Extent& extent) {
        extent.low = std::min(extent.low, value);
        extent.high = std::max(extent.high, value);
      };
      widen(all);
      if (!isWild(method)) widen(calm);
    }
  }
  return calm.low <= calm.high ? calm : all;
}

PlotPanel panelOf(const MethodComparison& comparison, const CurveOf& curveOf) {
  PlotPanel panel;
  panel.x.label = "simulated time (s)";
  panel.x.high = comparison.scene.seconds;
  int style = 0;
  for (const MethodRun& method : comparison.methods) {
    if (!method.report) continue;
    PlotCurve curve;
    curve.style = style++;
    curve.points = curveOf(method);
    curve.end = method.done() ? PlotEnd::None : PlotEnd::Cross;
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

PlotPanel linearPanel(const MethodComparison& comparison, const CurveOf& curveOf) {
  PlotPanel panel = panelOf(comparison, curveOf);
  Extent extent = extentOf(comparison, curveOf);
  if (!(extent.low <= extent.high)) extent = {0.0, 0.0};
  // Not less than what rounding makes of the values.
  const double least = std::max(1e-9 * std::max(std::abs(extent.low), std::abs(extent.high)), 1e-12);
  const double margin = std::max(0.04 * (extent.high - extent.low), least);
  panel.y.low = extent.low - margin;
  panel.y.high = extent.high + margin;
  return panel;
}

PlotPanel logPanel(const MethodComparison& comparison, const CurveOf& curveOf, double least) {
  const CurveOf raised = [&](const MethodRun& method) {
    Trace::Points points = curveOf(method);
    for (auto& point : points) point[1] = std::max(point[1], least);
    return points;
  };
  PlotPanel panel = panelOf(comparison, raised);
  Extent extent = extentOf(comparison, raised);
  if (!(extent.low <= extent.high)) extent = {least, least};
  widenToDecades(extent.low, extent.high);
  panel.y.low = extent.low;
  panel.y.high = extent.high;
  panel.y.logarithmic = true;
  return panel;
}

struct EnergyUnit {
  double joules = 1.0;
  const char* name = "J";
};

EnergyUnit unitFor(const Extent& extent) {
  const double most = std::max(std::abs(extent.low), std::abs(extent.high));
  if (!std::isfinite(most)) return {};
  return most >= 1e6    ? EnergyUnit{1e6, "MJ"}
         : most >= 1e3  ? EnergyUnit{1e3, "kJ"}
         : most >= 1.0  ? EnergyUnit{1.0, "J"}
         : most >= 1e-3 ? EnergyUnit{1e-3, "mJ"}
                        : EnergyUnit{1e-6, "\u00b5J"};
}

std::vector<PlotLegendItem> legendOf(const MethodComparison& comparison) {
  std::vector<PlotLegendItem> legend;
  for (const MethodRun& method : comparison.methods) {
    if (!method.report) continue;
    const std::string note = !method.done()  ? fmt::format("ends at {:.3g} s", method.report->seconds)
                             : method.solver ? "with " + method.solver->substr(0, method.solver->find(':'))
                                             : "sweeps itself";
    legend.push_back({method.stepper, note, false});
  }
  return legend;
}

std::string subtitle(const MethodComparison& comparison, const char* text) {
  const auto shown = [](const MethodRun& method) { return method.report.has_value(); };
  const auto wild = [&](const MethodRun& method) { return shown(method) && isWild(method); };
  const auto& methods = comparison.methods;
  const auto count = std::count_if(methods.begin(), methods.end(), wild);
  const bool cut =
      std::any_of(methods.begin(), methods.end(), [](const MethodRun& one) { return !one.done() && one.report; });
  std::string all = text;
  if (cut) all += " A cross: cut short.";
  if (count > 0 && count < std::count_if(methods.begin(), methods.end(), shown))
    all += " Axes fit the methods that lost no body.";
  return all;
}

}  // namespace

std::string motionPlot(const MethodComparison& comparison) {
  // The change shows what the whole would hide: a standing tower has millions of J, and what matters are single ones.
  const CurveOf change = [](const MethodRun& method) {
    Trace::Points points = method.energy.envelope();
    for (auto& point : points) point[1] -= method.report->energy.start;
    points.insert(points.begin(), {0.0, 0.0});
    return points;
  };
  const EnergyUnit unit = unitFor(extentOf(comparison, change));
  const CurveOf scaled = [&](const MethodRun& method) {
    Trace::Points points = change(method);
    for (auto& point : points) point[1] /= unit.joules;
    return points;
  };
  PlotPanel energy = linearPanel(comparison, scaled);
  energy.title = "energy";
  energy.y.label = fmt::format("change since the start ({})", unit.name);
  const CurveOf millimetres = [](const MethodRun& method) {
    Trace::Points points = method.penetration.envelope();
    for (auto& point : points) point[1] *= 1e3;
    return points;
  };
  PlotPanel penetration = logPanel(comparison, millimetres, kLeastPenetration);
  penetration.title = "penetration";
  penetration.y.label = "deepest overlap (mm)";

  Plot plot;
  plot.title = "What the bodies did";
  plot.subtitle = subtitle(comparison, "After every step.");
  plot.panels = {std::move(energy), std::move(penetration)};
  plot.legend = legendOf(comparison);
  return plotSvg(plot);
}

std::string effortPlot(const MethodComparison& comparison) {
  PlotPanel residual = logPanel(
      comparison, [](const MethodRun& method) { return method.residual.envelope(); }, kLeastResidual);
  residual.title = "residual";
  residual.y.label = "residual";
  PlotPanel time = logPanel(
      comparison, [](const MethodRun& method) { return method.stepMs.means(); }, kLeastMs);
  time.title = "time per step";
  time.y.label = "wall-clock time (ms)";

  Plot plot;
  plot.title = "How well it was solved, and what it cost";
  plot.subtitle = subtitle(comparison, "Times are means over a hundredth of the run, without measuring.");
  plot.panels = {std::move(residual), std::move(time)};
  plot.legend = legendOf(comparison);
  return plotSvg(plot);
}

}  // namespace cairn
