#include "app/compare_report.hpp"

#include <fmt/format.h>

#include "app/compare_columns.hpp"
#include "app/report.hpp"

namespace cairn {
namespace {

// Columns as wide as their widest cell. Colours have no width, so cells are padded before they are painted.
class TextTable {
 public:
  struct Cell {
    std::string text;
    std::function<std::string(const std::string&)> paint = {};
  };
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].text.size());
    }
    std::string out;
    for (const auto& row : rows_) {
      out += " ";
      for (std::size_t i = 0; i < row.size(); ++i) {
        const bool isName = i < kNameColumns;
        const std::string padded =
            isName ? fmt::format("{:<{}}", row[i].text, widths[i]) : fmt::format("{:>{}}", row[i].text, widths[i]);
        out += (i == 0 ? " " : "  ") + (row[i].paint ? row[i].paint(padded) : padded);
      }
      out += "\n";
    }
    return out;
  }

 private:
  static constexpr std::size_t kNameColumns = 2;  // stepper and solver; the rest are numbers
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace

std::string shortfall(const MethodComparison& comparison, const MethodRun& method) {
  if (method.done()) return {};
  if (!method.report) return fmt::format("was left out: {}", method.message);
  return fmt::format("ended at {:.4g} of {:g} s: {}", method.report->seconds, comparison.scene.seconds, method.message);
}

std::string compareTable(const MethodComparison& comparison, const Paint& paint) {
  const SceneModel& scene = comparison.scene;
  std::string text = fmt::format("{}  {:g} s in {} steps of {:.6g} ms, {} bodies, {} thread{}\n", paint.bold(scene.name),
                                 scene.seconds, stepCount(scene), scene.dt * 1e3, countBodies(scene).all,
                                 scene.settings.threads, scene.settings.threads == 1 ? "" : "s");
  std::vector<CompareColumn> columns = compareColumns(comparison);
  std::erase_if(columns, [](const CompareColumn& column) { return !column.onTerminal; });

  const auto dim = [&](const std::string& cell) { return paint.dim(cell); };
  TextTable table;
  std::vector<TextTable::Cell> head{{"stepper", dim}, {"solver", dim}};
  for (const CompareColumn& column : columns)
    head.push_back({(column.group == "residual" ? "residual " : "") + column.head, dim});
  table.add(std::move(head));
  for (const MethodRun& method : comparison.methods) {
    if (!method.report) continue;
    std::vector<TextTable::Cell> row;
    const auto warn = [&](const std::string& cell) { return paint.warn(cell); };
    const auto good = [&](const std::string& cell) { return paint.good(cell); };
    row.push_back({method.stepper, {}});
    if (!method.done()) row.back().paint = warn;
    row.push_back({method.solver.value_or("-"), {}});
    for (const CompareColumn& column : columns) {
      const std::optional<double> value = column.value(method);
      row.push_back({value ? column.text(*value) : "-", {}});
      if (isBest(column, comparison, method)) row.back().paint = good;
    }
    table.add(std::move(row));
  }
  text += table.text();

  std::string notes;
  for (const MethodRun& method : comparison.methods) {
    if (!method.done()) notes += fmt::format("  {}\n", paint.warn(method.stepper + " " + shortfall(comparison, method)));
    if (method.report && !method.report->solves.message.empty())
      notes += fmt::format("  {}\n", paint.dim(fmt::format("{}: {}; the first failure: {}", method.stepper,
                                                           exitsText(method), method.report->solves.message)));
  }
  return notes.empty() ? text : text + "\n" + notes;
}

std::string compareJson(const MethodComparison& comparison) {
  const SceneModel& scene = comparison.scene;
  JsonOut out;
  out.object({}, [&] {
    out.value("scene", scene.name);
    out.value("title", scene.title);
    out.value("dt", scene.dt);
    out.value("seconds", scene.seconds);
    out.value("steps", stepCount(scene));
    out.value("bodies", countBodies(scene).all);
    out.value("joints", static_cast<long>(scene.joints.size()));
    out.value("limit_s", comparison.limitSeconds);
    out.list("driven_by", [&] {
      for (const std::string& one : comparison.drivenBy) out.value({}, one);
    });
    out.list("rows", [&] {
      for (const MethodRun& method : comparison.methods) {
        const auto measured = [&](auto value) {
          return method.report ? std::optional<double>(value(*method.report)) : std::nullopt;
        };
        out.object({}, [&] {
          out.value("stepper", method.stepper);
          out.value("solver", method.solver);
          out.value("outcome", nameOf(method.outcome));
          out.value("message", method.message);
          out.value("wall_s", method.wallSeconds);
          out.value("steps_s", measured([&](const RunReport&) { return method.stepSeconds(); }));
          out.value("moved_m", method.report ? method.report->movedMax : std::nullopt);
          out.value("energy_rise_j", measured([](const RunReport& report) { return report.energy.maxRise; }));
          out.value("energy_rise_relative", measured([&](const RunReport&) { return method.relativeRise(); }));
          out.object("exits", [&] {
            for (int i = 0; method.report && i < kExitCount; ++i)
              if (const long count = method.report->solves.exits[i]; count > 0)
                out.value(nameOf(static_cast<Exit>(i)), count);
          });
          if (method.report) {
            writeReport(out, "report", *method.report);
          } else {
            out.value("report", std::optional<double>());
          }
        });
      }
    });
  });
  return out.text();
}

}  // namespace cairn
