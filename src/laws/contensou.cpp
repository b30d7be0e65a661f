// With the complete elliptic integrals K, E of parameter m = s^2 (s <= 1) or m = 1/s^2 (s >= 1):
//
//   s <= 1   F = 4/(3 pi s) [(1+s^2) E - (1-s^2) K]       M = 4/(9 pi) [(4-2s^2) E - (1-s^2) K]
//   s >= 1   F = 4/(3 pi) [(s^2+1) E - (s^2-1) K]         M = 4s/(9 pi) [(4-2s^2) E + (2s^2-5+3/s^2) K]
//
// For small m the brackets cancel. There the same functions are summed as hypergeometric series:
//
//   s <= 1   F = s 2F1(-1/2, 1/2; 2; m)                   M = 2/3 2F1(-3/2, 1/2; 1; m)
//   s >= 1   F = 2F1(-1/2, 1/2; 2; m)                     M = 1/(4s) 2F1(1/2, 1/2; 3; m)
#include "laws/contensou.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace cairn {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kUniformMoment = 2.0 / 3.0;       // M0: only spinning, uniform pressure
constexpr double kHertzMoment = 3.0 * kPi / 16.0;  // M0: only spinning, Hertz' pressure
constexpr double kSeriesUpTo = 0.25;               // m; the series gains a factor 4 with each term
constexpr int kMostTerms = 40;

double hypergeometric(double a, double b, double c, double m) {
  double term = 1.0, sum = 1.0;
  for (int n = 0; n < kMostTerms; ++n) {
    term *= (a + n) * (b + n) / ((c + n) * (n + 1)) * m;
    sum += term;
  }
  return sum;
}

struct Elliptic {
  double e;  // E
  double k;  // K times the complement 1 - m, which is finite (zero) at m = 1
};
// By the arithmetic-geometric mean; `complement` is 1 - m, given apart because it may be tiny.
Elliptic ellipticIntegrals(double m, double complement) {
  if (!(complement > 0.0)) return {1.0, 0.0};
  double a = 1.0, g = std::sqrt(complement), sum = 0.5 * m, power = 0.5;
  for (int i = 0; i < 12 && std::abs(a - g) > 1e-17 * a; ++i) {
    const double difference = 0.5 * (a - g), mean = 0.5 * (a + g);
    g = std::sqrt(a * g);
    a = mean;
    power *= 2.0;
    sum += power * difference * difference;
  }
  const double k = kPi / (2.0 * a);
  return {k * (1.0 - sum), complement * k};
}

PatchFriction mostlySpinning(double s) {  // s <= 1
  const double m = s * s;
  if (m <= kSeriesUpTo) return {s * hypergeometric(-0.5, 0.5, 2.0, m), kUniformMoment * hypergeometric(-1.5, 0.5, 1.0, m)};
  const Elliptic integral = ellipticIntegrals(m, (1.0 - s) * (1.0 + s));
  return {4.0 / (3.0 * kPi * s) * ((1.0 + m) * integral.e - integral.k),
          4.0 / (9.0 * kPi) * ((4.0 - 2.0 * m) * integral.e - integral.k)};
}

PatchFriction mostlySliding(double s) {  // s > 1; t = 1/s
  const double t = 1.0 / s, m = t * t;
  if (m <= kSeriesUpTo) return {hypergeometric(-0.5, 0.5, 2.0, m), 0.25 * t * hypergeometric(0.5, 0.5, 3.0, m)};
  const Elliptic integral = ellipticIntegrals(m, (1.0 - t) * (1.0 + t));
  // s^2 - 1 = (1-m)/m and 2s^2 - 5 + 3/s^2 = (1-m)(2-3m)/m.
  return {4.0 / (3.0 * kPi * m) * ((1.0 + m) * integral.e - integral.k),
          4.0 * s / (9.0 * kPi * m) * ((4.0 * m - 2.0) * integral.e + (2.0 - 3.0 * m) * integral.k)};
}

}  // namespace

PatchFriction patchFriction(double slip, PatchModel model) {
  if (!(slip >= 0.0)) return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  if (std::isinf(slip)) return {1.0, 0.0};
  switch (model) {
    case PatchModel::Pade:
      return {slip / (slip + 1.0), kUniformMoment / (1.0 + 8.0 / 3.0 * slip)};
    case PatchModel::PadeHertz:
      return {slip / (slip + 8.0 / (3.0 * kPi)), kHertzMoment / (1.0 + 15.0 * kPi / 16.0 * slip)};
    case PatchModel::Ellipsoid: {  // (v, R w) is normal to the ellipsoid
      const double size = std::hypot(slip, kUniformMoment);
      return {slip / size, kUniformMoment * kUniformMoment / size};
    }
    case PatchModel::Exact:
      break;
  }
  return slip <= 1.0 ? mostlySpinning(slip) : mostlySliding(slip);
}

PatchLimit patchLimit(const PatchFriction& load) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (!(load.force > 0.0) && !(load.moment > 0.0)) return {infinity, 1.0};
  if (!(load.moment > 0.0)) return {1.0 / load.force, infinity};
  if (!(load.force > 0.0)) return {kUniformMoment / load.moment, 0.0};
  // M/F falls from infinity to zero as s grows: s = tan(angle) by bisection.
  double low = 0.0, high = 0.5 * kPi;
  for (int i = 0; i < 52; ++i) {
    const double angle = 0.5 * (low + high);
    const PatchFriction point = patchFriction(std::tan(angle));
    (point.moment * load.force > load.moment * point.force ? low : high) = angle;
  }
  const double slip = std::tan(0.5 * (low + high));
  const PatchFriction point = patchFriction(slip);
  return {std::hypot(point.force, point.moment) / std::hypot(load.force, load.moment), slip};
}

double hertzPatchRadius(double normalForce, double reducedRadius, double contactModulus) {
  if (!(normalForce > 0.0)) return 0.0;
  return std::cbrt(3.0 * normalForce * reducedRadius / (4.0 * contactModulus));
}

}  // namespace cairn
