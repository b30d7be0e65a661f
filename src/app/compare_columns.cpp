#include "app/compare_columns.hpp"

#include <fmt/format.h>

#include "app/quantity.hpp"

namespace cairn {
namespace {

std::string whole(double value) { return fmt::format("{:.0f}", value); }

std::vector<CompareColumn> costColumns() {
  return {{.group = "cost",
           .head = "time",
           .what = "Wall-clock time of all steps together, without measuring.",
           .value = [](const MethodRun& method) { return method.stepSeconds(); },
           .text = wallTime,
           .smallerIsBetter = true},
          {.group = "cost",
           .head = "per step",
           .what = "Mean wall-clock time of a step, without measuring.",
           .value = [](const MethodRun& method) { return method.report->timeMs.mean; },
           .text = milliseconds,
           .smallerIsBetter = true}};
}

std::vector<CompareColumn> placeColumns(const SceneModel& scene) {
  std::vector<CompareColumn> columns{{.group = "where the bodies are",
                                      .head = "penetration",
                                      .what = "Deepest overlap of any two shapes after any step, from exact geometry.",
                                      .value = [](const MethodRun& method) { return method.report->penetration.max; },
                                      .text = metres,
                                      .smallerIsBetter = true}};
  if (!scene.joints.empty())
    columns.push_back({.group = "where the bodies are",
                       .head = "joint drift",
                       .what = "Largest gap of any joint after any step.",
                       .value = [](const MethodRun& method) { return method.report->jointErrorMax; },
                       .text = metres,
                       .smallerIsBetter = true});
  if (scene.stands) {
    columns.push_back({.group = "where the bodies are",
                       .head = "drift",
                       .what = "This scene should stand: the farthest sideways that the centre of any body which rested at "
                               "the start ever was from where it started. Sinking by its own weight does not count.",
                       .value = [](const MethodRun& method) { return method.report->driftMax; },
                       .text = metres,
                       .smallerIsBetter = true});
    columns.push_back({.group = "where the bodies are",
                       .head = "moved",
                       .what = "As drift, but in any direction: sinking counts too.",
                       .value = [](const MethodRun& method) { return method.report->movedMax; },
                       .text = metres,
                       .smallerIsBetter = true});
  }
  columns.push_back({.group = "where the bodies are",
                     .head = "lost",
                     .what =
                         "Bodies that were quarantined, fell through the ground, or, in a scene that should stand, ended "
                         "farther from their start than their own radius.",
                     .value = [](const MethodRun& method) { return static_cast<double>(method.report->bodiesLost); },
                     .text = whole,
                     .smallerIsBetter = true});
  return columns;
}

std::vector<CompareColumn> energyColumns(const std::vector<std::string>& drivenBy) {
  const bool driven = !drivenBy.empty();
  const std::string but =
      driven ? fmt::format(" Driven: {}, so a rise need not be an error.", fmt::join(drivenBy, " and ")) : "";
  const auto text = [](double value) { return joules(value, 5); };
  return {{.group = driven ? "energy (driven)" : "energy",
           .head = "start",
           .what = "Kinetic plus potential energy of all dynamic bodies before the first step. Potential energy is m g h "
                   "against the world's origin.",
           .value = [](const MethodRun& method) { return method.report->energy.start; },
           .text = text,
           .onTerminal = false},
          {.group = driven ? "energy (driven)" : "energy",
           .head = "end",
           .what = "The same after the last step.",
           .value = [](const MethodRun& method) { return method.report->energy.end; },
           .text = text,
           .onTerminal = false},
          {.group = driven ? "energy (driven)" : "energy",
           .head = driven ? "rise (driven)" : "rise",
           .what = "Largest increase of the total energy over the lowest value that it had before. What bodies that appear "
                   "bring with them is taken off. Where nothing drives the bodies, every rise is an error." +
                   but,
           .value = [](const MethodRun& method) { return method.report->energy.maxRise; },
           .text = [](double value) { return joules(value); },
           .smallerIsBetter = !driven},
          {.group = driven ? "energy (driven)" : "energy",
           .head = "rise %",
           .what = "That rise over the energy scale of the run: the most kinetic energy plus the range of the potential "
                   "energy, and at least the kinetic energy that gravity gives to all bodies in one step." +
                   but,
           .value = [](const MethodRun& method) { return method.relativeRise(); },
           .text = percent,
           .smallerIsBetter = !driven}};
}

std::vector<CompareColumn> residualColumns() {
  const std::string what =
      "How far the impulses of a step are from solving its contact problems: the largest natural map of any contact or "
      "joint, "
      "over the largest velocity that had to be cancelled. Steppers with a solver are judged on their own problems, others "
      "on "
      "the rigid problem of the whole step, which is harder. ";
  return {{.group = "residual",
           .head = "median",
           .what = what + "Median over the steps.",
           .value = [](const MethodRun& method) { return method.report->residualMedian; },
           .text = residualText,
           .smallerIsBetter = true},
          {.group = "residual",
           .head = "worst",
           .what = what + "Largest over the steps.",
           .value = [](const MethodRun& method) { return method.report->residualMax; },
           .text = residualText,
           .smallerIsBetter = true}};
}

}  // namespace

std::vector<CompareColumn> compareColumns(const MethodComparison& comparison) {
  std::vector<CompareColumn> columns = costColumns();
  const auto append = [&](std::vector<CompareColumn> more) {
    columns.insert(columns.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  append(placeColumns(comparison.scene));
  append(energyColumns(comparison.drivenBy));
  append(residualColumns());
  append({{.group = "run",
           .head = "steps",
           .what = fmt::format("Steps that were made, of {}.", stepCount(comparison.scene)),
           .value = [](const MethodRun& method) { return static_cast<double>(method.report->steps); },
           .text = whole}});
  return columns;
}

std::string exitsText(const MethodRun& method) {
  if (!method.report) return {};
  std::string text;
  for (int i = 0; i < kExitCount; ++i) {
    const long count = method.report->solves.exits[i];
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", nameOf(static_cast<Exit>(i)), count);
  }
  return text;
}

bool isBest(const CompareColumn& column, const MethodComparison& comparison, const MethodRun& method) {
  if (!column.smallerIsBetter || !method.done() || !method.report) return false;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const MethodRun& one : comparison.methods) {
    if (!one.done() || !one.report) continue;
    const std::optional<double> value = column.value(one);
    if (!value) continue;
    least = std::min(least, *value);
    most = std::max(most, *value);
  }
  const std::optional<double> own = column.value(method);
  return own && column.text(*own) == column.text(least) && column.text(least) != column.text(most);
}

}  // namespace cairn
