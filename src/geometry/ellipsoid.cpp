// The nearest point x to y satisfies y = x + t n with n the surface gradient, x_i = e_i^2 y_i / (t + e_i^2), and lies on the
// surface. With radii sorted e0 >= e1 >= e2, z_i = y_i / e_i, r_i = (e_i / e2)^2, and u = 1 + t / e2^2, the point in units
// of the radii is q_i = r_i z_i / (u + r_i - 1), and the one unknown u >= 0 solves |q(u)| = 1, which decreases in u (the
// secular equation, as in Eberly, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid", 2013). Using u
// rather than t keeps the pole at u = 0 exact, where a point close to the plane between the shortest axis's two halves has
// its root.
#include "geometry/ellipsoid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cairn {
namespace {

constexpr int kMaximumIterations = 100;  // bisection of the exponent and then of the mantissa; 6 are usual

// In units of the radius. Less is in the middle: its square would underflow.
constexpr double kSmallestCoordinate = 1e-100;

double ratio(double numerator, double denominator) { return numerator > 0.0 ? numerator / denominator : 0.0; }

struct Secular {
  Vec3 r, z;

  Vec3 q(double u) const {
    return {ratio(r[0] * z[0], u + (r[0] - 1.0)), ratio(r[1] * z[1], u + (r[1] - 1.0)), ratio(z[2], u)};
  }
  // Of |q|.
  double slope(double u, const Vec3& value) const {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) sum += ratio(value[i] * value[i], u + (r[i] - 1.0));
    return -sum / value.norm();
  }
};

// The root of |q(u)| = 1 in u > 0, where |q| > 1 at the left end of the bracket.
double solve(const Secular& secular) {
  // Each term alone reaches 1 here, so the root is no less; exact for the last, less rounding for the others.
  double low = secular.z[2];
  for (int i = 0; i < 2; ++i) {
    const double excess = secular.r[i] - 1.0;
    const double reach = secular.r[i] * secular.z[i];
    low = std::max(low, excess > 0.0 ? reach - excess - 4e-16 * (reach + excess) : reach);
  }
  double high = secular.r.cwiseProduct(secular.z).norm();
  low = std::min(low, high);
  double u = low;
  for (int i = 0; i < kMaximumIterations && high > low; ++i) {
    const Vec3 q = secular.q(u);
    const double length = q.norm();
    if (length >= 1.0) low = u;
    if (length <= 1.0) high = u;
    // Newton for 1/|q| = 1, which is nearly linear (as in the trust-region problem: More and Sorensen 1983).
    const double slope = secular.slope(u, q);
    double next = slope < 0.0 ? u + (1.0 - length) * length / slope : low;
    // Near the pole Newton crawls over many powers of two; the bracket is then halved in its exponent.
    const bool crawls = i % 4 == 3 && high > 2.0 * low;
    if (crawls) next = low > 0.0 ? std::sqrt(low) * std::sqrt(high) : 0x1p-10 * high;
    if (!(next > low && next < high)) {
      if (std::abs(next - u) <= 1e-16 * u) break;
      next = 0.5 * (low + high);
    }
    if (next == u) break;
    u = next;
  }
  return u;
}

}  // namespace

EllipsoidPoint closestPointOnEllipsoid(const Vec3& radii, const Vec3& query) {
  std::array<int, 3> order{0, 1, 2};  // from the longest radius to the shortest
  // By hand: std::stable_sort takes a buffer from the heap.
  if (radii[order[0]] < radii[order[1]]) std::swap(order[0], order[1]);
  if (radii[order[1]] < radii[order[2]]) std::swap(order[1], order[2]);
  if (radii[order[0]] < radii[order[1]]) std::swap(order[0], order[1]);
  Secular secular;
  Vec3 e;
  Vec3 y;
  for (int i = 0; i < 3; ++i) {
    e[i] = radii[order[i]];
    y[i] = std::abs(query[order[i]]);
    secular.z[i] = y[i] / e[i];
    if (secular.z[i] < kSmallestCoordinate) secular.z[i] = 0.0;
    const double relative = e[i] / radii[order[2]];
    secular.r[i] = relative * relative;
  }
  secular.r[2] = 1.0;

  double u = 0.0;
  Vec3 q;
  bool onMiddlePlane = false;
  if (!(secular.z[2] > 0.0)) {
    // In the plane across the shortest axis and near the middle, the pole's own term fills up what the others leave.
    q = secular.q(0.0);
    onMiddlePlane = !(q.squaredNorm() > 1.0) && (q.array() < 1e300).all();
    for (int i = 0; i < 2; ++i) {
      if (secular.z[i] > 0.0 && !(secular.r[i] > 1.0)) onMiddlePlane = false;
    }
    if (onMiddlePlane) q[2] = std::sqrt(std::max(0.0, 1.0 - q[0] * q[0] - q[1] * q[1]));
  }
  if (!onMiddlePlane) {
    u = solve(secular);
    q = secular.q(u);
  }
  const double length = q.norm();
  q = length > 0.0 ? Vec3(q / length) : Vec3(Vec3::UnitZ());

  EllipsoidPoint nearest;
  Vec3 gradient;  // in units of the shortest radius: no overflow whatever the size
  for (int i = 0; i < 3; ++i) {
    const int k = order[i];
    nearest.point[k] = std::copysign(e[i] * q[i], query[k]);
    gradient[k] = std::copysign(q[i] * (e[2] / e[i]), query[k]);
  }
  nearest.normal = gradient.normalized();
  // Not (u - 1) e2 |gradient|: this form also takes back what rounding of u left.
  nearest.distance = nearest.normal.dot(query - nearest.point);
  return nearest;
}

}  // namespace cairn
