// The laws of contact as pieces on which they are linear, for Newton's method (Alart and Curnier 1991).
//
// Everything is in coordinates with friction scaled out (problem/admissible.hpp): l = S^-1 lambda, s = S v = W l + b with
// W and b scaled likewise. Per block the law is the zero of
//
//   F(l) = l - P(y),   y = l - rho s                 P: normal on [0, infinity), tangents on the set of radius P_n(y_n)
//
// and P is smooth in pieces: a contact separates, sticks or slides; an interval row sits at a bound or between. On a piece
// the solutions of the linearised F = 0 are
//
//   z = fixed + basis xi      with   test^T (W z + b) + shift xi = 0
//
//   separates  z = 0, no unknown
//   sticks     z any, s = 0
//   slides     z_n (1, n) + z_tau (0, tau), n = y_t/|y_t|, tau across it: s_n = 0 and s_tau + k z_tau = 0,
//              k = (1 - r/|y_t|)/(rho r/|y_t|), r = P_n(y_n).  Two unknowns in place of three.
//
// and so on for boxes and polygons: friction at an edge leaves one unknown along it, at a corner none.
#pragma once

#include "cairn/contact_problem.hpp"

namespace cairn {

// What Newton's method needs of one block at one point.
struct ContactPiece {
  int unknowns = 0;
  bool plain = false;  // every row is an unknown of its own: basis and test are the identity, shift is zero
  BlockVector fixed;   // block rows
  BlockMatrix basis;   // block rows x unknowns, in the first columns
  BlockMatrix test;    // the same
  BlockVector shift;   // unknowns; 1/kg
  BlockVector start;   // unknowns: xi of the present l
};

// Steps rho of a block (kg): factor/W_nn for the normal, factor/(largest eigenvalue of W_tt) for the tangents; every row by
// itself for Free and Interval.
struct PieceSteps {
  std::array<double, kMostBlockRows> rho{};
};
PieceSteps pieceSteps(const Block& block, const BlockMatrix& scaledW, double factor);

// P(y). lower, upper: Interval only. l, s, out: the rows of the block.
void projectPiece(const Block& block, const BlockVector& scale, const PieceSteps& steps, const double* lower,
                  const double* upper, const double* l, const double* s, double* out);

void choosePiece(const Block& block, const BlockVector& scale, const PieceSteps& steps, const double* lower,
                 const double* upper, const double* l, const double* s, ContactPiece& piece);

}  // namespace cairn
