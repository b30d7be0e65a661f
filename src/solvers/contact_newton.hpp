// Newton's method on the pieces of the contact laws (contact_pieces.hpp): one step at a time, for whoever decides how long.
//
// A step linearises F(l) = l - P(l - rho s) on the pieces at the present l. Per block z = fixed + basis xi, so that the
// linear system has three unknowns for a contact that sticks, two for one that slides, none for one that separates:
//
//   test^T (s + W (z - l)) + (shift + alpha/rho) xi = alpha/rho xi_now
//
// alpha > 0 pulls towards the present impulses (a proximal term): where W is rank deficient - more contacts than bodies can
// tell apart - it picks the solution nearest to them, and far from the solution it keeps steps short. It shrinks with the
// residual, so that the end stays fast (order 1.7).
//
// A step is accepted when it brings the merit theta(l) = sum |F_i|^2/rho_i (J) below the largest of the last few (Grippo,
// Lampariello and Lucidi 1986); it is halved a few times before that fails, and then alpha grows for the next try.
#pragma once

#include "cairn/contact_problem.hpp"
#include "solvers/block_lu.hpp"
#include "solvers/contact_pieces.hpp"
#include "solvers/delassus_blocks.hpp"

namespace cairn {

inline constexpr double kMostFactorisationBytes = 2e9;

struct NewtonOptions {
  double step = 1.0;      // rho over 1/(largest eigenvalue)
  double proximal = 0.1;  // alpha over the relative residual to the power 0.7
  int memory = 10;        // merits that a step is compared with; 1: monotone
};

class ContactNewton {
 public:
  ContactNewton(const ContactProblem& problem, const NewtonOptions& options);

  void start(const Vector& impulse);
  void changeSteps(double factor);  // rho becomes this times that of the options
  bool step();                      // false if no decrease was found: l stays, and the next try is shorter
  const Vector& impulse() const { return impulse_; }

  double merit() const { return merit_; }                                // theta, relative to that of b
  double estimate() const { return estimate_; }                          // of Residual::forTolerance(), roughly
  double caution() const { return caution_; }                            // how much alpha has grown because of failures
  double work() const { return lu_.work(); }                             // multiply-adds of a factorisation at most
  bool fits() const { return lu_.memory() <= kMostFactorisationBytes; }  // if not, nothing else may be called
  double entries() const { return w_.begin(blocks_); }                   // blocks of W

 private:
  void evaluate(const Vector& l, const Vector& s, double& theta, double& estimate);
  void choosePieces();
  void assemble(double alpha);
  bool solveLinear(double alpha);

  const ContactProblem& problem_;
  NewtonOptions options_;
  int rows_, blocks_;
  Vector scale_, b_, rho_;
  std::vector<BlockVector> blockScale_;
  std::vector<PieceSteps> steps_;
  DelassusBlocks w_;
  BlockLu lu_;
  std::vector<BlockLu::Place> places_;  // of the entries of w_ in lu_
  std::vector<double> pivotScale_;
  double thetaScale_ = 1.0, largestSpeed_ = 1.0, plainStep_ = 1.0;

  std::vector<ContactPiece> pieces_;
  std::vector<int> used_;
  Vector l_, s_, impulse_, change_, speedChange_, trialL_, trialS_, projected_, right_;
  std::vector<double> recent_;
  double merit_ = 0.0, estimate_ = 0.0, caution_ = 1.0;
};

}  // namespace cairn
