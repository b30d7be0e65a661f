#include "app/quantity.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cairn {
namespace {

// From here on, three digits of 999.5 would read 1e+03.
constexpr double kThousand = 999.5;

}  // namespace

std::string metres(double value) {
  const double size = std::abs(value);
  if (size == 0.0) return "0 m";
  if (size < kThousand * 1e-6) return fmt::format("{:.3g} um", value * 1e6);
  if (size < 0.1) return fmt::format("{:.3g} mm", value * 1e3);
  return fmt::format("{:.4g} m", value);
}

std::string joules(double value, int digits) {
  struct Unit {
    double least, joules;
    const char* name;
  };
  const double size = std::abs(value);
  if (size == 0.0) return "0 J";
  if (size < kThousand * 1e6) {
    for (const Unit& unit : {Unit{kThousand * 1e3, 1e6, "MJ"}, Unit{kThousand, 1e3, "kJ"}, Unit{0.1, 1.0, "J"},
                             Unit{kThousand * 1e-6, 1e-3, "mJ"}, Unit{1e-6, 1e-6, "uJ"}})
      if (size >= unit.least) return fmt::format("{:.{}g} {}", value / unit.joules, digits, unit.name);
  }
  return fmt::format("{:.1e} J", value);
}

std::string percent(double share) {
  const double value = 100.0 * share;
  if (value == 0.0) return "0 %";
  if (std::abs(value) < 1e-3 || std::abs(value) >= 1e5) return fmt::format("{:.0e} %", value);
  return fmt::format("{:.{}f} %", value, std::abs(value) >= 10.0 ? 0 : std::abs(value) >= 1.0 ? 1 : 3);
}

std::string wallTime(double seconds) {
  if (seconds < kThousand * 1e-3) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return seconds < kThousand ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string milliseconds(double ms) { return ms < kThousand ? fmt::format("{:.3g} ms", ms) : fmt::format("{:.0f} ms", ms); }

std::string residualText(double residual) {
  if (residual == 0.0) return "0";
  return residual >= 0.01 && residual < 1000.0 ? fmt::format("{:.2g}", residual) : fmt::format("{:.1e}", residual);
}

}  // namespace cairn
