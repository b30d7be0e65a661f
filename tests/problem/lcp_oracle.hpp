// Solutions of small linear complementarity problems by trying every set of unknowns that may be above zero.
#pragma once

#include <Eigen/QR>
#include <optional>

#include "problem/lcp.hpp"

namespace cairn::testing {

// Tolerances are over the largest b and the largest x: for problems whose rows have numbers of about one size.
inline std::optional<Vector> bruteForce(const Lcp& lcp, double tolerance = 1e-10) {
  const int n = lcp.size();
  const double scale = std::max(lcp.b.size() > 0 ? lcp.b.cwiseAbs().maxCoeff() : 0.0, 1e-300);
  for (unsigned set = 0; set < (1U << n); ++set) {
    std::vector<int> active;
    for (int i = 0; i < n; ++i)
      if ((set >> i) & 1U) active.push_back(i);
    Vector x = Vector::Zero(n);
    if (!active.empty()) {
      const Matrix block = lcp.a(active, active);
      Eigen::CompleteOrthogonalDecomposition<Matrix> factor;
      factor.setThreshold(1e-11);
      factor.compute(block);
      const Vector right = -lcp.b(active);
      const Vector part = factor.solve(right);
      x(active) = part;
      if ((block * part - right).cwiseAbs().maxCoeff() > tolerance * scale) continue;
    }
    const double xScale = std::max(x.cwiseAbs().maxCoeff(), 1e-300);
    if ((x.array() < -tolerance * xScale).any()) continue;
    if (((lcp.a * x + lcp.b).array() < -tolerance * scale).any()) continue;
    return x.cwiseMax(0.0);
  }
  return std::nullopt;
}

inline double mixedResidual(const MixedLcp& lcp, const Vector& x) {
  const Vector y = lcp.a * x + lcp.b;
  double worst = 0.0;
  for (int i = 0; i < lcp.size(); ++i) worst = std::max(worst, std::abs(lcp.isFree[i] != 0 ? y[i] : std::min(x[i], y[i])));
  return worst;
}

}  // namespace cairn::testing
