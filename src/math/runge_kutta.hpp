// Explicit Runge-Kutta steps for y' = f(t, y); Y is an Eigen vector.
#pragma once

#include <algorithm>
#include <cmath>

namespace cairn {

// The classical rule of order four.
template <class Y, class Slope>
Y rungeKutta4(const Y& y, double t, double h, Slope&& f) {
  const Y k1 = f(t, y);
  const Y k2 = f(t + 0.5 * h, Y(y + 0.5 * h * k1));
  const Y k3 = f(t + 0.5 * h, Y(y + 0.5 * h * k2));
  const Y k4 = f(t + h, Y(y + h * k3));
  return y + (h / 6.0) * (k1 + 2.0 * (k2 + k3) + k4);
}

template <class Y>
struct CashKarp {
  Y y;      // order five
  Y error;  // its difference from the embedded rule of order four
};

// J. R. Cash and A. H. Karp 1990, ACM TOMS 16, 201.
template <class Y, class Slope>
CashKarp<Y> cashKarp(const Y& y, double t, double h, Slope&& f) {
  const Y k1 = f(t, y);
  const Y k2 = f(t + h / 5.0, Y(y + h * (k1 / 5.0)));
  const Y k3 = f(t + 3.0 * h / 10.0, Y(y + h * (3.0 / 40.0 * k1 + 9.0 / 40.0 * k2)));
  const Y k4 = f(t + 3.0 * h / 5.0, Y(y + h * (3.0 / 10.0 * k1 - 9.0 / 10.0 * k2 + 6.0 / 5.0 * k3)));
  const Y k5 = f(t + h, Y(y + h * (-11.0 / 54.0 * k1 + 5.0 / 2.0 * k2 - 70.0 / 27.0 * k3 + 35.0 / 27.0 * k4)));
  const Y k6 = f(t + 7.0 * h / 8.0, Y(y + h * (1631.0 / 55296.0 * k1 + 175.0 / 512.0 * k2 + 575.0 / 13824.0 * k3 +
                                               44275.0 / 110592.0 * k4 + 253.0 / 4096.0 * k5)));
  const Y fifth = h * (37.0 / 378.0 * k1 + 250.0 / 621.0 * k3 + 125.0 / 594.0 * k4 + 512.0 / 1771.0 * k6);
  const Y fourth =
      h * (2825.0 / 27648.0 * k1 + 18575.0 / 48384.0 * k3 + 13525.0 / 55296.0 * k4 + 277.0 / 14336.0 * k5 + 1.0 / 4.0 * k6);
  return {Y(y + fifth), Y(fifth - fourth)};
}

// The next step size after one of size h whose error was `error` times what is allowed (above 1: it is to be repeated).
inline double nextStepSize(double h, double error) {
  if (!(error > 0.0)) return 5.0 * h;
  const double factor = error > 1.0 ? 0.9 * std::pow(error, -0.25) : 0.9 * std::pow(error, -0.2);
  return h * std::clamp(factor, 0.1, 5.0);
}

}  // namespace cairn
