// Gauss-Seidel sweeps over the sets of a convex program, each minimised exactly while the others keep still: normals and
// intervals by a clamp, joints by their own small system, friction in its disc, polygon or box (STAR 4.3.4: "a blocked
// Gauss-Seidel method for the frictional problem"). Never goes uphill; slow where sets pull at each other through light
// bodies. Cones over normal and friction together are not taken.
#pragma once

#include "problem/cone_program.hpp"
#include "solvers/monitor.hpp"

namespace cairn {

// The least of 1/2 x.A x + c.x (A semidefinite) with |x| <= radius; and over the polygon with the given corners, in order.
Eigen::Vector2d leastInDisc(const Eigen::Matrix2d& a, const Eigen::Vector2d& c, double radius);
Eigen::Vector2d leastInPolygon(const Eigen::Matrix2d& a, const Eigen::Vector2d& c,
                               const std::vector<Eigen::Vector2d>& corners);

class BlockSweeps {
 public:
  explicit BlockSweeps(const ConeProgram& program);
  // Until program.residual() is at most `target` (m/s); true if it is. Counts sweeps with the monitor.
  bool minimise(Vector& x, double target, int mostSweeps, Monitor& monitor);

 private:
  void minimisePiece(const ConeProgram::Piece& piece, const BlockMatrix& a, const BlockVector& gradient, double* x) const;
  const ConeProgram& program_;
  std::vector<BlockMatrix> local_;  // T W_cc T by piece; of free pieces its pseudo-inverse
};

}  // namespace cairn
