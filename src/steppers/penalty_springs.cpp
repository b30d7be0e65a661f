#include "steppers/penalty_springs.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cairn {

namespace {

constexpr double kLeastRestitution = 1e-3;  // less would take dampers without end
constexpr int kHalvings = 60;

double restitutionOf(double zeta) {
  const double s = std::sqrt(std::abs(1.0 - zeta * zeta));
  if (s < 1e-6) return std::exp(-2.0);  // zeta = 1
  if (zeta < 1.0) return std::exp(-zeta / s * (std::numbers::pi - std::atan2(2.0 * zeta * s, 1.0 - 2.0 * zeta * zeta)));
  return std::exp(-zeta / s * std::log((zeta + s) / (zeta - s)));
}

}  // namespace

double dampingRatio(double restitution) {
  if (restitution >= 1.0) return 0.0;
  const double wanted = std::max(restitution, kLeastRestitution);
  double low = 0.0, high = 100.0;  // e falls with zeta
  for (int i = 0; i < kHalvings; ++i) (restitutionOf(0.5 * (low + high)) > wanted ? low : high) = 0.5 * (low + high);
  return 0.5 * (low + high);
}

double huntCrossleyFactor(double restitution) {
  if (restitution >= 1.0) return 0.0;
  const double e = std::max(restitution, kLeastRestitution);
  // By z = -ln(1 - e x), which has room where e x is nearly 1.
  double low = 0.0, high = 2.0 / e;
  for (int i = 0; i < kHalvings; ++i) {
    const double z = 0.5 * (low + high), y = -std::expm1(-z), x = y / e;
    (x - std::log1p(x) > z - y ? low : high) = z;
  }
  return -std::expm1(-0.5 * (low + high)) / e;
}

double ContactSpring::energy(double depth) const {
  if (depth <= 0.0) return 0.0;
  return hertz ? 0.4 * stiffness * depth * depth * std::sqrt(depth) : 0.5 * stiffness * depth * depth;
}

double ContactSpring::contactSeconds(double mass, double speed) const {
  if (!hertz) return std::numbers::pi * std::sqrt(mass / stiffness);
  const double deepest = std::pow(1.25 * mass * speed * speed / stiffness, 0.4);
  return 2.943 * deepest / std::max(speed, 1e-9);  // Johnson, Contact Mechanics, 11.1
}

double ContactSpring::stiffnessFor(double depth, double mass, double speed, bool hertz) {
  const double energy = mass * speed * speed;  // twice
  return hertz ? 1.25 * energy / (depth * depth * std::sqrt(depth)) : energy / (depth * depth);
}

ContactSpring::Response ContactSpring::at(double depth, double rate) const {
  if (depth <= 0.0) return {};
  if (!hertz) return {std::max(stiffness * depth + damping * rate, 0.0), stiffness, damping};
  const double elastic = stiffness * depth * std::sqrt(depth), slope = 1.5 * stiffness * std::sqrt(depth);
  const double grip = std::max(1.0 + 1.5 * alpha * rate, 0.0);
  return {elastic * grip, slope * grip, 1.5 * alpha * elastic};
}

ContactSpring::Response ContactSpring::mean(double from, double to, double h) const {
  if (from <= 0.0 && to <= 0.0) return {};
  const double change = to - from, middle = 0.5 * (from + to);
  const auto forceAt = [&](double d) { return d <= 0.0 ? 0.0 : hertz ? stiffness * d * std::sqrt(d) : stiffness * d; };
  const auto slopeAt = [&](double d) { return d <= 0.0 ? 0.0 : hertz ? 1.5 * stiffness * std::sqrt(d) : stiffness; };
  double elastic = 0.0, slope = 0.0;
  if (from > 0.0 && to > 0.0 && (!hertz || std::abs(change) < 1e-4 * middle)) {
    elastic = forceAt(middle);  // of linear springs exactly; of others where the quotient would be rounding
    slope = 0.5 * slopeAt(middle);
  } else {
    elastic = (energy(to) - energy(from)) / change;
    slope = (forceAt(to) - elastic) / change;
  }
  const double rate = change / h;
  if (hertz) {
    const double grip = 1.0 + 1.5 * alpha * rate;
    if (grip <= 0.0) return {};
    return {elastic * grip, slope * grip + elastic * 1.5 * alpha / h, 0.0};
  }
  // The damper acts where there is touch: on the way between the two depths that is below the surface.
  const double damped = damping * (std::max(to, 0.0) - std::max(from, 0.0)) / h;
  const double force = elastic + damped;
  if (force <= 0.0) return {};
  return {force, slope + (to > 0.0 ? damping / h : 0.0), 0.0};
}

}  // namespace cairn
