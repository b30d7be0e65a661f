#include "solvers/coulomb_slip.hpp"

#include <algorithm>
#include <array>

namespace cairn {

namespace {

using Polynomial = std::array<double, 5>;  // lowest power first

double valueOf(const Polynomial& p, int degree, double x) {
  double value = p[degree];
  for (int i = degree - 1; i >= 0; --i) value = value * x + p[i];
  return value;
}

// The root in a bracket, by halving, to the last bit or nearly so.
double bisect(const Polynomial& p, int degree, double low, double high) {
  const bool rising = valueOf(p, degree, high) > 0.0;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    ((valueOf(p, degree, middle) > 0.0) == rising ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

// Real roots where the sign changes between 0 and 1, ascending: one at most between two neighbouring roots of the
// derivative.
int rootsInUnit(const Polynomial& p, int degree, std::array<double, 4>& roots) {
  std::array<double, 6> edges{0.0};
  int count = 1;
  if (degree > 1) {
    Polynomial derivative{};
    for (int i = 1; i <= degree; ++i) derivative[i - 1] = i * p[i];
    std::array<double, 4> critical{};
    const int criticals = rootsInUnit(derivative, degree - 1, critical);
    for (int i = 0; i < criticals; ++i) edges[count++] = critical[i];
  }
  edges[count++] = 1.0;
  int found = 0;
  for (int i = 0; i + 1 < count; ++i) {
    const double a = valueOf(p, degree, edges[i]), b = valueOf(p, degree, edges[i + 1]);
    if ((a < 0.0) != (b < 0.0)) roots[found++] = bisect(p, degree, edges[i], edges[i + 1]);
  }
  return found;
}

}  // namespace

double slipByQuartic(const SlipEquation& e) {
  // k = x times the upper bound, and everything divided by the largest part of phi there: numbers near 1.
  const double unit = slipUpperBound(e);
  if (!(unit > 0.0) || !std::isfinite(unit)) return 0.0;
  const double z1 = e.z1 * unit, z2 = e.z2 * unit * unit;
  const double w2 = e.wnn * e.wnn;
  const double size = std::max({std::abs(e.z0), std::abs(z1), z2, e.wnn * std::sqrt(e.y0)});
  const double norm = 1.0 / (size * size);
  const Polynomial p{norm * (e.z0 * e.z0 - w2 * e.y0), norm * 2.0 * (e.z0 * z1 - w2 * e.y1 * unit),
                     norm * (z1 * z1 + 2.0 * e.z0 * z2 - w2 * e.y2 * unit * unit), norm * 2.0 * z1 * z2, norm * z2 * z2};
  std::array<double, 4> roots{};
  const int count = rootsInUnit(p, 4, roots);
  // Right of its largest root phi is positive, hence z + W_nn |y| too: the largest root of the product is one of phi. The
  // bound itself is the root if p is parallel to a.
  double k = count > 0 ? unit * roots[count - 1] : unit;
  for (int i = 0; i < 3; ++i) {  // squaring cost half the digits where two roots are near
    const auto t = slip_detail::evaluate(e, k);
    const double next = k - t.value / t.slope;
    if (!(std::abs(next - k) <= 1e-3 * k)) break;
    k = next;
  }
  return k;
}

}  // namespace cairn
