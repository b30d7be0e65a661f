// A contact problem as a mixed LCP; the formulation stands in lcp.hpp.
#include <numbers>
#include <stdexcept>

#include "base/stoppable.hpp"
#include "problem/admissible.hpp"
#include "problem/lcp.hpp"

namespace cairn {

namespace {

// Friction directions of a contact that share one multiplier sigma.
struct Fan {
  int tangents = 1;                         // how many of the rows it spans
  int first = 1;                            // the first of them, counted from the block's first row
  std::vector<Eigen::Vector2d> directions;  // d_k, coefficient included; the second number is unused for one tangent
};

std::vector<Fan> fansOf(const Block& block) {
  if (block.law == Law::Cone && block.size > 2)
    throw std::invalid_argument("a friction cone in space is no linear complementarity problem; a pyramid is");
  const BlockVector scale = frictionScale(block);
  std::vector<Fan> fans;
  if (block.law == Law::Pyramid && block.size == 3 && scale[1] > 0.0 && scale[2] > 0.0) {
    Fan fan;
    fan.tangents = 2;
    for (int k = 0; k < block.facets; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / block.facets;
      fan.directions.emplace_back(scale[1] * std::cos(angle), scale[2] * std::sin(angle));
    }
    fans.push_back(std::move(fan));
    return fans;
  }
  for (int i = 1; i < block.size; ++i)
    if (scale[i] > 0.0) fans.push_back({1, i, {{scale[i], 0.0}, {-scale[i], 0.0}}});
  return fans;
}

// Unknowns of an interval row, by which bounds are finite.
enum class Bounds : std::uint8_t { None, Lower, Upper, Both, Equal };
Bounds boundsOf(const ProblemData& data, int row) {
  const bool low = std::isfinite(data.lower[row]), high = std::isfinite(data.upper[row]);
  if (low && high) return data.lower[row] == data.upper[row] ? Bounds::Equal : Bounds::Both;
  return low ? Bounds::Lower : high ? Bounds::Upper : Bounds::None;
}

}  // namespace

int MixedLcp::impulseRow(int unknown) const {
  for (int row = 0; row < lift.rows(); ++row)
    for (SparseMatrix::InnerIterator entry(lift, row); entry; ++entry)
      if (entry.col() == unknown) return row;
  return -1;
}

MixedLcp lowerToMixedLcp(const ContactProblem& problem) {
  const ProblemData& data = problem.data();
  MixedLcp lcp;
  std::vector<Eigen::Triplet<double>> lift, coupling;
  std::vector<double> constant;  // of y, apart from L^T v
  lcp.offset = Vector::Zero(problem.rows());
  const auto unknown = [&](bool isFree, double own = 0.0) {
    lcp.isFree.push_back(isFree ? 1 : 0);
    constant.push_back(own);
    return static_cast<int>(constant.size()) - 1;
  };
  for (const Block& block : data.blocks) {
    if (!isContact(block.law)) {
      for (int row = block.first; row < block.first + block.size; ++row) {
        const Bounds bounds = block.law == Law::Free ? Bounds::None : boundsOf(data, row);
        if (bounds == Bounds::Lower || bounds == Bounds::Both || bounds == Bounds::Equal) lcp.offset[row] = data.lower[row];
        if (bounds == Bounds::Upper) lcp.offset[row] = data.upper[row];
        if (bounds == Bounds::Equal) continue;
        const int x = unknown(bounds == Bounds::None);
        lift.emplace_back(row, x, bounds == Bounds::Upper ? -1.0 : 1.0);
        if (bounds != Bounds::Both) continue;
        const int z = unknown(false, data.upper[row] - data.lower[row]);
        coupling.emplace_back(x, z, 1.0);
        coupling.emplace_back(z, x, -1.0);
      }
      continue;
    }
    const std::vector<Fan> fans = fansOf(block);
    const int normal = unknown(false);
    lift.emplace_back(block.first, normal, 1.0);
    for (const Fan& fan : fans) {
      const int sigma = static_cast<int>(constant.size() + fan.directions.size());
      for (const Eigen::Vector2d& direction : fan.directions) {
        const int beta = unknown(false);
        for (int i = 0; i < fan.tangents; ++i) lift.emplace_back(block.first + fan.first + i, beta, direction[i]);
        coupling.emplace_back(beta, sigma, 1.0);
        coupling.emplace_back(sigma, beta, -1.0);
      }
      unknown(false);
      coupling.emplace_back(sigma, normal, 1.0);
    }
  }
  const int size = static_cast<int>(constant.size());
  lcp.lift.resize(problem.rows(), size);
  lcp.lift.setFromTriplets(lift.begin(), lift.end());
  SparseMatrix c(size, size);
  c.setFromTriplets(coupling.begin(), coupling.end());
  const SparseMatrix transposed = lcp.lift.transpose();
  const auto product = [](const SparseMatrix& left, const SparseMatrix& w, const SparseMatrix& lift,
                          const SparseMatrix& rest) {
    const SparseMatrix wl = w * lift;
    return SparseMatrix(SparseMatrix(left * wl) + rest);
  };
  constexpr int kStoppable = 5000;  // unknowns: of ten thousands it takes seconds
  lcp.a = size < kStoppable ? product(transposed, problem.delassus(), lcp.lift, c)
                            : stoppable([product, transposed, w = problem.delassus(), lift = lcp.lift, c] {
                                return product(transposed, w, lift, c);
                              });
  lcp.a.makeCompressed();
  lcp.b = transposed * problem.velocity(lcp.offset) + Eigen::Map<const Vector>(constant.data(), size);
  return lcp;
}

Vector mixedLcpStart(const ContactProblem& problem, const MixedLcp& lcp, const Vector& impulse) {
  const ProblemData& data = problem.data();
  const Vector v = problem.velocity(impulse);
  Vector x = Vector::Zero(lcp.size());
  int next = 0;
  for (const Block& block : data.blocks) {
    if (!isContact(block.law)) {
      for (int row = block.first; row < block.first + block.size; ++row) {
        const Bounds bounds = block.law == Law::Free ? Bounds::None : boundsOf(data, row);
        if (bounds == Bounds::None) x[next++] = impulse[row];
        if (bounds == Bounds::Lower) x[next++] = std::max(impulse[row] - data.lower[row], 0.0);
        if (bounds == Bounds::Upper) x[next++] = std::max(data.upper[row] - impulse[row], 0.0);
        if (bounds != Bounds::Both) continue;
        x[next++] = std::clamp(impulse[row], data.lower[row], data.upper[row]) - data.lower[row];
        x[next++] = std::max(-v[row], 0.0);
      }
      continue;
    }
    const BlockVector scale = frictionScale(block);
    std::array<double, 2> tangents{0.0, 0.0};
    for (int i = 1; i < block.size; ++i) tangents[i - 1] = scale[i] > 0.0 ? impulse[block.first + i] / scale[i] : 0.0;
    const double normal = std::max(impulse[block.first], 0.0);
    projectTangents(block, normal, tangents.data());
    x[next++] = normal;
    for (const Fan& fan : fansOf(block)) {
      const int corners = static_cast<int>(fan.directions.size());
      if (fan.tangents == 1) {
        x[next] = std::max(tangents[fan.first - 1], 0.0);
        x[next + 1] = std::max(-tangents[fan.first - 1], 0.0);
      } else {
        // t = beta_k c_k + beta_{k+1} c_{k+1} with the two corners of the regular polygon beside it.
        const double sector = 2.0 * std::numbers::pi / corners;
        double angle = std::atan2(tangents[1], tangents[0]);
        if (angle < 0.0) angle += 2.0 * std::numbers::pi;
        const int k = std::min(static_cast<int>(angle / sector), corners - 1);
        const double size = std::hypot(tangents[0], tangents[1]) / std::sin(sector);
        x[next + k] = std::max(size * std::sin((k + 1) * sector - angle), 0.0);
        x[next + (k + 1) % corners] = std::max(size * std::sin(angle - k * sector), 0.0);
      }
      double sigma = 0.0;
      for (const Eigen::Vector2d& direction : fan.directions) {
        double slip = 0.0;
        for (int i = 0; i < fan.tangents; ++i) slip += direction[i] * v[block.first + fan.first + i];
        sigma = std::max(sigma, -slip);
      }
      x[next + corners] = sigma;
      next += corners + 1;
    }
  }
  return x;
}

double lcpResidual(const Lcp& lcp, const Vector& x) {
  const Vector y = lcp.a * x + lcp.b;
  double worst = 0.0;
  for (int i = 0; i < lcp.size(); ++i) {
    const double scale = lcp.a(i, i) > 0.0 ? lcp.a(i, i) : 1.0;
    worst = std::max(worst, std::abs(std::min(scale * x[i], y[i])));
  }
  return worst;
}

}  // namespace cairn
