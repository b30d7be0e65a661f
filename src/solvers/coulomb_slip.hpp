// The one number that decides how a single contact slides.
//
// In coordinates with friction scaled out (|l_t| <= l_n; admissible.hpp), a contact with v = W l + q that slides has v_n = 0
// and v_t = -k l_t with k > 0. With the normal eliminated,
//
//   H = W_tt - W_tn W_nt/W_nn,   p = q_t - W_tn q_n/W_nn,   a = adj(H) p,   y(k) = k p + a,   det(k) = k^2 + k tr H + det H
//   l_t = -y/det(k),   l_n = z(k)/(W_nn det(k)),   z(k) = W_nt y(k) - q_n det(k)
//
// and |l_t| = l_n becomes phi(k) = z(k) - W_nn |y(k)| = 0; squared, a quartic. For q_n < 0 and a stick solution outside the
// cone (phi(0) < 0) there is a root, and the largest one is taken: there may be three if friction is strong.
//
// Newton's method on phi finds it surely. phi'' = 2|q_n| - W_nn |p x a|^2/|y|^3 grows with k, as |y|^2 does (p . a > 0 when
// the symmetric part of H is positive definite): phi is concave, then convex. Where it is convex and rises, no step passes
// the largest root from above, and one from below lands above it. If that runs out of the convex part there is no root in
// it, and the only one in the concave part is reached from k = 0, from below.
#pragma once

#include <cmath>

namespace cairn {

struct SlipEquation {
  double z0, z1, z2;  // z(k) = z0 + z1 k + z2 k^2, z2 = -q_n > 0
  double y0, y1, y2;  // |y|^2 = y0 + 2 y1 k + y2 k^2
  double cross2;      // |p x a|^2
  double wnn;
};

// No root is larger: |y| <= |p| k + |a| puts phi above a quadratic.
inline double slipUpperBound(const SlipEquation& e) {
  const double p = std::sqrt(e.y2), a = std::sqrt(e.y0);
  const double linear = e.z1 - e.wnn * p, constant = e.z0 - e.wnn * a;  // constant < 0
  const double root = std::sqrt(linear * linear - 4.0 * e.z2 * constant);
  return linear > 0.0 ? -2.0 * constant / (linear + root) : (root - linear) / (2.0 * e.z2);
}

namespace slip_detail {

constexpr int kMostSteps = 60;
constexpr double kSmallStep = 1e-10;  // relative; the next one would be its square
constexpr double kRounding = 4e-16;   // of phi relative to its two terms: there is no better k (near stick, k is small)

struct Tangent {
  double value, slope, term;
  bool convex;
};
inline Tangent evaluate(const SlipEquation& e, double k) {
  const double square = e.y0 + k * (2.0 * e.y1 + k * e.y2);
  const double y = std::sqrt(square);
  Tangent t;
  t.term = e.wnn * y;
  t.value = e.z0 + k * (e.z1 + k * e.z2) - t.term;
  t.slope = e.z1 + 2.0 * k * e.z2 - e.wnn * (e.y1 + k * e.y2) / y;
  t.convex = 2.0 * e.z2 * square * y >= e.wnn * e.cross2;
  return t;
}

// The largest root if it lies in the convex part, else 0.
inline double fromAbove(const SlipEquation& e, double k) {
  for (int i = 0; i < kMostSteps; ++i) {
    const Tangent t = evaluate(e, k);
    if (!t.convex || !(t.slope > 0.0)) return 0.0;
    const double step = t.value / t.slope;
    k -= step;
    if (!(k > 0.0)) return 0.0;
    if (std::abs(step) <= kSmallStep * k || std::abs(t.value) <= kRounding * t.term) return k;
  }
  return 0.0;
}

inline double fromZero(const SlipEquation& e) {
  double k = 0.0;
  for (int i = 0; i < kMostSteps; ++i) {
    const Tangent t = evaluate(e, k);
    if (!(t.slope > 0.0)) return 0.0;
    const double step = -t.value / t.slope;
    k += step;
    if (!(k > 0.0)) return 0.0;
    if (std::abs(step) <= kSmallStep * k || std::abs(t.value) <= kRounding * t.term) return k;
  }
  return 0.0;
}

}  // namespace slip_detail

// By Newton's method; `guess` from an earlier solve, or 0. Not above 0 if rounding spoilt it.
inline double slipByNewton(const SlipEquation& e, double guess) {
  if (guess > 0.0) {
    const double k = slip_detail::fromAbove(e, guess);
    if (k > 0.0) return k;
  }
  const double k = slip_detail::fromAbove(e, slipUpperBound(e));
  return k > 0.0 ? k : slip_detail::fromZero(e);
}

// The same by the quartic z^2 - W_nn^2 |y|^2: all its real roots are separated by those of its derivatives.
double slipByQuartic(const SlipEquation& e);

}  // namespace cairn
