// The step of projected Gauss-Seidel in one block: row by row, each row by itself (Erleben eq. 28-30):
//
//   lambda_i <- clamp(lambda_i - omega (v_i + gamma W_ii lambda_i)/((1 + gamma) W_ii), lower_i, upper_i)
//
// omega is the relaxation; gamma > 0 stands for W + gamma diag(W) in place of W (Erleben eq. 41, with diag(W) for the
// identity so that it has no unit). Rows of a contact: the normal row first, between 0 and infinity, then the tangents
// against the bounds that the newest normal impulse allows. A tangent that is limited by itself (boxes, planar contacts) is
// a row like any other. Two tangents on a disc or a polygon move together, in coordinates with friction scaled out
// (admissible.hpp: lambda = S l, s = S v):
//
//   l_t <- P(l_t - omega rho s_t),   rho = 1/(largest eigenvalue of S W_tt S)
//
// for only a step of equal length along both makes the projection P the right one. Its fixed points are the l_t in the set
// that take the most out of the slip s_t: exactly the law, and exactly what the judge asks.
//
// Rows that cannot move themselves (W_ii = 0): Free rows are left alone; Interval rows go to the bound that their velocity
// asks for, if it is finite; contacts whose normal is so carry no impulse.
#pragma once

#include "problem/admissible.hpp"
#include "solvers/gauss_seidel.hpp"

namespace cairn {

template <int kRows>
class RowStep {
 public:
  // `diagonal` stands for the W_cc: the problem's own, or something larger (jacobi.cpp).
  RowStep(const ContactProblem& problem, const std::vector<BlockMatrix>& diagonal);

  const Vector& weight() const { return weight_; }

  void update(int c, const double* q, double* l, const Damping& damping) const {
    const Item& item = items_[c];
    const double* w = w_[c];
    const int size = kRows > 0 ? kRows : item.size;
    const double* step = step_.data() + item.first;
    const double* lower = lower_.data() + item.first;
    const double* upper = upper_.data() + item.first;
    const double factor = damping.relaxation / (1.0 + damping.regularisation);
    // How far row i wants to go.
    const auto wish = [&](int i) {
      double v = q[i];
      for (int k = 0; k < size; ++k) v += w[size * i + k] * l[k];
      return l[i] - factor * (step[i] * v + damping.regularisation * l[i]);
    };
    switch (item.kind) {
      case Kind::Free:
        for (int i = 0; i < size; ++i)
          if (step[i] > 0.0) l[i] = wish(i);
        return;
      case Kind::Interval:
        for (int i = 0; i < size; ++i)
          l[i] = step[i] > 0.0 ? std::clamp(wish(i), lower[i], upper[i]) : immovable(q[i], l[i], lower[i], upper[i]);
        return;
      case Kind::Immovable:
        std::fill(l, l + size, 0.0);
        return;
      case Kind::Box:
        l[0] = std::max(wish(0), 0.0);
        for (int i = 1; i < size; ++i) {
          const double most = item.friction[i - 1] * l[0];
          l[i] = most > 0.0 ? std::clamp(wish(i), -most, most) : 0.0;
        }
        return;
      case Kind::Disc:
      case Kind::Polygon:
        l[0] = std::max(wish(0), 0.0);
        if (l[0] == 0.0) {
          l[1] = l[2] = 0.0;
          return;
        }
        updateTangents(item, q, w, l, factor, damping.regularisation);
        return;
    }
  }

 private:
  enum class Kind : std::uint8_t { Free, Interval, Immovable, Box, Disc, Polygon };
  struct Item {
    Kind kind;
    int first, size;
    std::array<double, 2> friction;  // below kNoFriction: 0
    double tangentStep;              // rho
    int block;
  };

  static double immovable(double v, double l, double lower, double upper) {
    const double bound = v > 0.0 ? lower : v < 0.0 ? upper : l;
    return std::isfinite(bound) ? bound : std::clamp(l, lower, upper);
  }

  void updateTangents(const Item& item, const double* q, const double* w, double* l, double factor, double gamma) const {
    double t[2];
    for (int i = 0; i < 2; ++i) {
      const double mu = item.friction[i];
      const double* row = w + 3 * (i + 1);
      const double v = q[i + 1] + row[0] * l[0] + row[1] * l[1] + row[2] * l[2] + gamma * row[i + 1] * l[i + 1];
      t[i] = mu > 0.0 ? l[i + 1] / mu - factor * item.tangentStep * mu * v : 0.0;
    }
    if (item.kind == Kind::Polygon) {
      projectTangents((*blocks_)[item.block], l[0], t);
    } else {
      const double square = t[0] * t[0] + t[1] * t[1];
      const double shrink = square > l[0] * l[0] ? l[0] / std::sqrt(square) : 1.0;
      t[0] *= shrink;
      t[1] *= shrink;
    }
    l[1] = item.friction[0] * t[0];
    l[2] = item.friction[1] * t[1];
  }

  const std::vector<Block>* blocks_;
  std::vector<Item> items_;
  BlockArray<kRows> w_;
  Vector weight_;  // W_ii
  Vector step_;    // 1/W_ii, 0 if there is none
  Vector lower_, upper_;
};

}  // namespace cairn
