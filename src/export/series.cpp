#include "export/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cairn {
namespace {

constexpr long kMostPlaces = 1000;  // of two values each: more than a plot has pixels
constexpr const char* kColumns[] = {"kinetic",  "potential",   "penetration", "residual", "iterations",
                                    "contacts", "joint_error", "islands",     "awake",    "ms"};
constexpr std::size_t kColumnCount = std::size(kColumns);

std::vector<double> valuesOf(const MomentFacts& facts) {
  std::vector<double> values{facts.kinetic,
                             facts.potential,
                             facts.penetration,
                             facts.residual,
                             static_cast<double>(facts.iterations),
                             static_cast<double>(facts.contacts),
                             facts.jointError,
                             static_cast<double>(facts.islands),
                             static_cast<double>(facts.awake),
                             facts.ms};
  values.insert(values.end(), facts.phaseMs.begin(), facts.phaseMs.end());
  return values;
}

// Six digits: more than a plot shows.
void put(CompactJson& out, double value) {
  if (!std::isfinite(value)) return out.null("");
  out.raw("", fmt::format("{:.6g}", value));
}

}  // namespace

Series::Series(long steps) : stepsPerPlace_(std::max(1L, (steps + kMostPlaces - 1) / kMostPlaces)) {}

void Series::add(const Moment& moment) {
  const std::vector<double> values = valuesOf(moment.facts);
  if (places_.empty() || places_.back().count == stepsPerPlace_) {
    const Extreme none{std::numeric_limits<double>::quiet_NaN(), -1};
    places_.push_back({moment.time, moment.time, 0, std::vector(values.size(), none), std::vector(values.size(), none)});
  }
  Place& place = places_.back();
  place.last = moment.time;
  ++place.count;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    if (place.low[i].when < 0 || values[i] < place.low[i].value) place.low[i] = {values[i], steps_};
    if (place.high[i].when < 0 || values[i] > place.high[i].value) place.high[i] = {values[i], steps_};
  }
  ++steps_;
}

void Series::list(CompactJson& out, std::string_view name, std::size_t column) const {
  out.list(name, [&] {
    for (const Place& place : places_) {
      const Extreme &low = place.low[column], &high = place.high[column];
      const bool rises = low.when <= high.when;
      put(out, rises ? low.value : high.value);
      if (place.count > 1) put(out, rises ? high.value : low.value);
    }
  });
}

void Series::describe(CompactJson& out) const {
  out.object("series", [&] {
    out.list("time", [&] {
      for (const Place& place : places_) {
        out.raw("", fmt::format("{:.9g}", place.first));
        if (place.count > 1) out.raw("", fmt::format("{:.9g}", place.last));
      }
    });
    for (std::size_t i = 0; i < kColumnCount; ++i) list(out, kColumns[i], i);
    out.object("phases", [&] {
      for (int i = 0; i < kPhaseCount; ++i) list(out, kPhaseNames[i], kColumnCount + i);
    });
  });
}

}  // namespace cairn
