#include "rows.hpp"

#include <fmt/format.h>

#include <fstream>
#include <thread>

#include "app/json_out.hpp"

namespace cairn::bench {
namespace {

void writeRow(JsonOut& json, const BenchRow& row) {
  const Quality& quality = row.quality;
  json.object("", [&] {
    json.value("scene", row.scene);
    json.value("engine", row.engine);
    json.value("version", row.version);
    json.value("settings", row.settings);
    json.value("threads", row.threads);
    json.value("bodies", row.bodies);
    json.value("steps", row.steps);
    json.value("ms_median", row.msMedian);
    json.value("ms_p95", row.msP95);
    json.value("penetration_max_m", quality.penetrationMax);
    json.value("penetration_end_m", quality.penetrationEnd);
    json.value("drift_m", quality.drift);
    json.value("sag_m", quality.sag);
    json.value("joint_gap_m", quality.jointGap);
    json.value("energy_drift", quality.energyDrift);
    json.value("bodies_lost", quality.lost);
    json.value("stands", quality.stands);
  });
}

std::string lengthText(const std::optional<double>& metres) {
  if (!metres) return "-";
  if (!std::isfinite(*metres)) return "lost";
  if (*metres >= 0.9995) return fmt::format("{:.3g} m", *metres);
  if (*metres >= 0.00995) return fmt::format("{:.3g} cm", 1e2 * *metres);
  return fmt::format("{:.2g} mm", 1e3 * *metres);
}

std::string timeText(double ms) { return ms >= 99.95 ? fmt::format("{:.0f}", ms) : fmt::format("{:.3g}", ms); }

// Bullet's time over this row's: how many times faster it is.
std::string ratioText(const BenchRow& row, const std::vector<BenchRow>& rows) {
  for (const BenchRow& other : rows) {
    if (other.scene != row.scene || other.engine != "bullet" || other.threads != 1 || row.msMedian <= 0.0) continue;
    return fmt::format("{:.2f}x", other.msMedian / row.msMedian);
  }
  return "-";
}

std::vector<std::string> cells(const BenchRow& row, const std::vector<BenchRow>& rows) {
  const Quality& quality = row.quality;
  return {row.engine,
          fmt::format("{}", row.threads),
          timeText(row.msMedian),
          timeText(row.msP95),
          ratioText(row, rows),
          lengthText(quality.penetrationMax),
          lengthText(quality.penetrationEnd),
          lengthText(quality.drift),
          lengthText(quality.sag),
          lengthText(quality.jointGap),
          quality.energyDrift ? fmt::format("{:.1e}", *quality.energyDrift) : "-",
          fmt::format("{}", quality.lost),
          quality.stands ? (*quality.stands ? "yes" : "no") : "-"};
}

// One line for each reason, with the scenes that it holds for.
std::string refusalText(const std::vector<BenchRefusal>& refusals, const Paint& paint) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const BenchRefusal& one : refusals) {
    const std::string who = fmt::format("{} with {} thread{}", one.engine, one.threads, one.threads == 1 ? "" : "s");
    const std::string reason = fmt::format("{}: {}", who, one.reason);
    const auto known = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == reason; });
    if (known == lines.end()) {
      lines.emplace_back(reason, one.scene);
    } else {
      known->second += ", " + one.scene;
    }
  }
  std::string text;
  if (!lines.empty()) text = fmt::format("\n{}\n", paint.dim("not run"));
  for (const auto& [reason, scenes] : lines) text += fmt::format("  {} ({})\n", reason, scenes);
  return text;
}

const std::vector<std::string> kHeadings{"engine", "threads", "ms",  "p95",    "x Bullet", "deepest", "at end",
                                         "drift",  "sag",     "gap", "energy", "lost",     "stands"};

}  // namespace

std::string processorName() {
  std::string name = "unknown processor";
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    name = line.substr(std::min(line.size(), line.find(':') + 2));
    break;
  }
  return fmt::format("{}, {} logical processors", name, std::max(1u, std::thread::hardware_concurrency()));
}

std::string waitingText(const Waiting& waiting) {
  if (waiting.share() <= kMostWaiting) return {};
  return fmt::format(
      "other programs had the processor for {:.0f} % of the time: measure again on a quiet machine before you quote these\n",
      100.0 * waiting.share());
}

std::string roundTripText(const std::vector<double>& ns) {
  if (ns.empty()) return {};
  const auto [least, most] = std::minmax_element(ns.begin(), ns.end());
  return fmt::format("two cores answered each other within {:.0f} ns ({:.0f} to {:.0f} in the course of it)\n", medianOf(ns),
                     *least, *most);
}

std::string benchJson(const BenchHeader& header, const BenchResults& results) {
  JsonOut json;
  json.object("", [&] {
    json.value("machine", header.machine);
    json.value("processor", header.processor);
    json.value("mode", header.quick ? "quick" : "full");
    json.value("dt_s", kTimeStep);
    json.value("waiting_share", results.waiting.share());
    if (const std::vector<double>& ns = results.roundTripsNs; !ns.empty()) {
      const auto [least, most] = std::minmax_element(ns.begin(), ns.end());
      json.object("round_trip_ns", [&] {
        json.value("least", *least);
        json.value("median", medianOf(ns));
        json.value("most", *most);
      });
    }
    json.list("rows", [&] {
      for (const BenchRow& row : results.rows) writeRow(json, row);
    });
    json.list("refused", [&] {
      for (const BenchRefusal& one : results.refusals) {
        json.object("", [&] {
          json.value("scene", one.scene);
          json.value("engine", one.engine);
          json.value("threads", one.threads);
          json.value("reason", one.reason);
        });
      }
    });
  });
  return json.text();
}

std::string benchTable(const BenchResults& results, const Paint& paint) {
  std::vector<std::vector<std::string>> table{kHeadings};
  for (const BenchRow& row : results.rows) table.push_back(cells(row, results.rows));
  std::vector<std::size_t> widths(kHeadings.size(), 0);
  for (const auto& line : table)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  const auto lineOf = [&](const std::vector<std::string>& line) {
    std::string text = fmt::format("  {:<{}}", line[0], widths[0]);
    for (std::size_t i = 1; i < line.size(); ++i) text += fmt::format("  {:>{}}", line[i], widths[i]);
    return text;
  };

  std::string text;
  std::string scene;
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const BenchRow& row = results.rows[i];
    if (row.scene != scene) {
      scene = row.scene;
      text += fmt::format("{}{}  {} bodies, {} steps\n{}\n", text.empty() ? "" : "\n", paint.bold(scene), row.bodies,
                          row.steps, paint.dim(lineOf(kHeadings)));
    }
    text += lineOf(table[i + 1]) + "\n";
  }
  return text + refusalText(results.refusals, paint);
}

}  // namespace cairn::bench
