// One contact solved exactly: v = W l + q and the law of the contact, for given q (formulas: coulomb_slip.hpp).
//
//   1  q_n >= 0: no impulse. (Strong friction may hold a wedged contact although q_n >= 0: one that has an impulse and can
//      stick keeps it. Without this memory sweeps jump between the two solutions for ever.)
//   2  -W^-1 q lies in the set: it sticks.
//   3  it slides: by a number k for the round cone, in closed form for planar contacts, by trying corners and edges for
//      polygons (a box is the polygon with the corners (+-1, +-1)).
//
// Friction is scaled out (admissible.hpp). W need not be symmetric. Where the tangents' part H of W is singular, or not
// positive, W gets a small term on the diagonal that acts on the change of the impulse only, D (l - l_before): solutions
// are where nothing changes, so they stay the same.
//
// Known limits: with strong friction several solutions may exist; which one is found is said in coulomb_slip.hpp, and for
// polygons it is the first in order round from the last one.
#pragma once

#include "cairn/contact_problem.hpp"
#include "solvers/coulomb_slip.hpp"
#include "solvers/sweep.hpp"

namespace cairn {

// Of the polygon of a box or pyramid with two tangents, in scaled coordinates, counter-clockwise, for l_n = 1.
using Corners = std::vector<Eigen::Vector2d>;
std::shared_ptr<const Corners> cornersOf(const Block& block);

class LocalContact {
 public:
  // W_nn > 0. Blocks of one kind may share their corners; those of polygons that get none make their own.
  LocalContact(const Block& block, const BlockMatrix& w, std::shared_ptr<const Corners> corners = nullptr);

  // q and lambda in plain coordinates, as many as the block has rows; lambda: impulses before, and after.
  void solve(LocalSolver method, const double* q, double* lambda) {
    switch (kind_) {
      case Kind::Frictionless: {
        lambda[0] = q[0] < 0.0 ? -q[0] / wnn_ : 0.0;
        std::fill(lambda + 1, lambda + size_, 0.0);
        return;
      }
      case Kind::Planar:
        solvePlanar(q, lambda);
        return;
      case Kind::Disc:
        if (method == LocalSolver::FixedPoint) {
          solveByProjections(q, lambda);
        } else {
          solveDisc(method, q, lambda);
        }
        return;
      case Kind::Polygon:
        solvePolygon(q, lambda);
        return;
    }
  }

 private:
  enum class Kind : std::uint8_t { Frictionless, Planar, Disc, Polygon };

  void solveDisc(LocalSolver method, const double* q, double* lambda) {
    const bool leaves = q[0] >= 0.0;
    if (leaves && lambda[0] == 0.0) {
      lambda[1] = lambda[2] = 0.0;
      return;
    }
    const double q1 = scale_[0] * q[1] - proximal_[0] * lambda[1], q2 = scale_[1] * q[2] - proximal_[1] * lambda[2];
    const double p1 = q1 - g_[0] * q[0], p2 = q2 - g_[1] * q[0];
    const double a1 = h_[3] * p1 - h_[1] * p2, a2 = h_[0] * p2 - h_[2] * p1;
    const double a = a1 * a1 + a2 * a2;
    const double z0 = wnt_[0] * a1 + wnt_[1] * a2 - q[0] * determinant_;
    if (z0 > 0.0 && z0 * z0 >= wnn_ * wnn_ * a) {
      lambda[0] = z0 * inverseWnnDeterminant_;
      lambda[1] = -scale_[0] * a1 * inverseDeterminant_;
      lambda[2] = -scale_[1] * a2 * inverseDeterminant_;
      return;
    }
    if (leaves) {
      lambda[0] = lambda[1] = lambda[2] = 0.0;
      return;
    }
    const double cross = p1 * a2 - p2 * a1;
    const SlipEquation e{
        z0,  wnt_[0] * p1 + wnt_[1] * p2 - q[0] * trace_, -q[0], a, p1 * a1 + p2 * a2, p1 * p1 + p2 * p2, cross * cross,
        wnn_};
    double k = 0.0;
    if (method != LocalSolver::Quartic) k = slipByNewton(e, method == LocalSolver::Auto ? k_ : 0.0);
    if (!(k > 0.0)) k = slipByQuartic(e);
    k_ = k;
    const double inverse = 1.0 / (k * (k + trace_) + determinant_);
    const double y1 = k * p1 + a1, y2 = k * p2 + a2;
    lambda[0] = std::sqrt(y1 * y1 + y2 * y2) * inverse;
    lambda[1] = -scale_[0] * y1 * inverse;
    lambda[2] = -scale_[1] * y2 * inverse;
  }

  void solvePlanar(const double* q, double* lambda) const;
  void solvePolygon(const double* q, double* lambda);
  // De Saxce: l <- P(l - rho (W l + q + |s_t| n)), predicted and corrected, with rho shortened where it does not contract.
  void solveByProjections(const double* q, double* lambda) const;

  double tryCorner(int i, const double* q, double* l) const;  // how badly it is wrong, 0 for not at all
  double tryEdge(int i, const double* q, double* l) const;
  bool insidePolygon(double normal, double t1, double t2) const;

  Kind kind_ = Kind::Frictionless;
  int size_;
  int tangent_ = 1;  // the row that counts, if planar
  double wnn_ = 0.0;
  // In scaled coordinates; planar contacts use the first number of each.
  std::array<double, 2> scale_{}, inverseScale_{};  // S of the tangents
  std::array<double, 2> wnt_{}, g_{};               // W_nt, and W_tn/W_nn
  std::array<double, 4> h_{}, wtt_{};               // H and W_tt, row after row, both with the term D
  std::array<double, 2> proximal_{};                // D S^-1, for impulses in plain coordinates
  double trace_ = 0.0, determinant_ = 0.0, inverseDeterminant_ = 0.0, inverseWnnDeterminant_ = 0.0;  // of H
  double k_ = 0.0;  // of the last time that it slid
  int case_ = -1;   // likewise, on a polygon: 2 i at corner i, 2 i + 1 on the edge after it
  std::shared_ptr<const Corners> corners_;
};

}  // namespace cairn
