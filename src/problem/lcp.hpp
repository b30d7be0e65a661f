// Contact problems as linear complementarity problems. Everything but the round cone in space can be put so exactly.
//
// Mixed LCP:      y = A x + b;  x_i >= 0, y_i >= 0, x_i y_i = 0  for bounded i;  x_i any, y_i = 0 for free i.
// Standard LCP:   the same without free rows: joints are eliminated (STAR eq. 50-54).
// Boxed LCP:      w = A x + b;  lo <= x <= hi, w_i >= 0 at lo, <= 0 at hi, = 0 between; bounds may follow another x
// (friction).
//
// Per block, with W the Delassus matrix:
//   Free      x = lambda, free.
//   Interval  x = lambda - lower (or upper - lambda if there is no lower bound; free if neither; no unknown at all if both
//             are equal). Two finite bounds add a multiplier z >= 0 with y_z = (upper - lower) - x, and v + z in the row
//             of x.
//   Contacts  GALILEO's friction LCP: x = (lambda_n, beta_1..beta_f, sigma); lambda_t = sum beta_k d_k,
//             y_n = v_n, y_beta_k = d_k . v_t + sigma, y_sigma = lambda_n - sum beta   (d_k carries the coefficient).
//             Pyramid: f = facets corners. Planar: f = 2. Box: each tangent is such a planar problem of its own, with its
//             own sigma. Tangents without friction have no unknowns; a pyramid with one of them is planar.
//
// So lambda = L x + offset, and but for the multipliers y = L^T v: A = L^T W L + C, where C couples the multipliers.
#pragma once

#include <optional>

#include "cairn/contact_problem.hpp"

namespace cairn {

struct MixedLcp {
  SparseMatrix a;
  Vector b;
  std::vector<char> isFree;  // by row
  // lambda = lift x + offset
  SparseMatrix lift;
  Vector offset;

  int size() const { return static_cast<int>(b.size()); }
  Vector toImpulse(const Vector& x) const { return lift * x + offset; }
  int impulseRow(int unknown) const;  // a row of the contact problem that the unknown acts on; -1 for multipliers
};
// Throws std::invalid_argument for a Cone with two tangents.
MixedLcp lowerToMixedLcp(const ContactProblem& problem);
// x of given impulses: lambda = toImpulse(x) if they are admissible, the nearest otherwise. With the multipliers sigma and z
// that the velocities v call for.
Vector mixedLcpStart(const ContactProblem& problem, const MixedLcp& lcp, const Vector& impulse);

struct Lcp {
  Matrix a;
  Vector b;
  int size() const { return static_cast<int>(b.size()); }
};

// Joints eliminated. Redundant joints are dropped if they agree with the others; if not, `inconsistent` names a free row (of
// the mixed problem) that contradicts.
struct StandardLcp {
  Lcp lcp;
  std::optional<int> inconsistent;
  // A free row that no free unknown moves but bounded ones do, so that it cannot be eliminated. Only if W is not positive
  // semidefinite.
  std::optional<int> singular;
  // Reactions of joints are then one choice of many: the one of least norm, each measured by sqrt(A_ii) x_i, so that
  // neither units nor masses change the choice.
  bool redundant = false;
  std::vector<int> boundedRows;  // of the mixed problem, in the order of the LCP
  Matrix freeFromBounded;        // x_free = freeFromBounded x_bounded + freeOffset
  Vector freeOffset;
  std::vector<int> freeRows;

  Vector toMixed(const Vector& x) const;
};
// Joints contradict each other if they leave more than 1e-9 of the largest speed: any |b_i| of free or bounded rows that are
// speeds, or the speed floor.
StandardLcp eliminateJoints(const MixedLcp& mixed, double speedFloor = 0.0);

struct BoxedLcp {
  SparseMatrix a;  // W of the problem, row for row: x is lambda itself
  Vector b;
  Vector lo, hi;             // where nothing is followed
  std::vector<int> follows;  // row whose x scales the bounds, -coefficient x to +coefficient x; -1: lo and hi hold
  Vector coefficient;

  int size() const { return static_cast<int>(b.size()); }
};
// Free, Interval, Box and planar contacts of any law; throws std::invalid_argument for the rest.
BoxedLcp lowerToBoxedLcp(const ContactProblem& problem);

// How far x is from solving an LCP: largest |min(x_i, y_i)|, with x scaled by the diagonal of A where that is positive.
double lcpResidual(const Lcp& lcp, const Vector& x);

}  // namespace cairn
