// Contact problems without friction in motion space (Redon §4): of all motions that the contacts allow, the one that is
// nearest to the free motion, distances weighed by mass (Gauss' principle of least constraint).
//
// With M^-1 = F F^T, z = F^-1 (u - u_free), A = J F and d = -b:
//
//   min |z|,  A z >= d (rows of Interval blocks), A z = d (Free rows);     u = u_free + F z,  z = A^T lambda
//
// Redon's Q is F^-1. A compliant row, J u + bias + Gamma lambda >= 0, has a motion coordinate of its own: sqrt(Gamma) beside
// its row of A, so that A A^T = W with the compliance in it. A problem given by its matrix alone has the coordinates of a
// factor of it, W = A A^T.
//
// Redon goes on to the nearest point of a cone, min |A^T l - s| over l >= 0 with A s = d (eq. 11). Such an s exists only if
// d is in the range of A; redundant contacts rarely leave it there. Always valid is the cone one dimension up (Lawson and
// Hanson, Solving Least Squares Problems, chapter 23.4): with any D > 0
//
//   min |E y - (0, ..., 0, 1)|,  E = [A^T; d^T/D],  y_i >= 0 (any sign for Free rows),  r = E y - (0, ..., 0, 1)
//   |r| = 0:  A^T y = 0 and d.y > 0, so that no z can obey the rows with y_i != 0: infeasible
//   else:     z = D r_head/phi, lambda = D y/phi, phi = -r_last = |r|^2 = 1/(1 + |z|^2/D^2)
//
// Rows of A are scaled to length 1 and D is the largest d_i/|a_i|, a lower bound of |z|: phi is at most 1/2, and as small as
// the contacts are nearly infeasible.
#pragma once

#include <optional>

#include "cairn/contact_problem.hpp"

namespace cairn {

struct LeastMotion {
  SparseMatrix a;  // rows x motion coordinates
  Vector d;
  std::vector<char> isFree;     // by row
  SparseMatrix velocityFactor;  // F; empty for a problem given by its matrix

  int rows() const { return static_cast<int>(d.size()); }
  // z = 0 obeys all rows: d <= 0, and 0 on free rows.
  bool isAtRest() const;
};
// Throws std::invalid_argument for friction, for intervals other than 0 to infinity, and if W is not symmetric or has
// negative eigenvalues.
LeastMotion lowerToLeastMotion(const ContactProblem& problem);
// u = u_free + F z. Needs bodies.
Vector bodyVelocity(const ContactProblem& problem, const LeastMotion& motion, const Vector& z);

struct MotionCone {
  SparseMatrix e;                // rows x (motion coordinates + 1): the transpose of E above, rows of A scaled
  Vector target;                 // (0, ..., 0, 1)
  Vector scale;                  // 1/|a_i|; 0 for rows that nothing can move
  double d = 1.0;                // D
  std::optional<int> immovable;  // a row with a_i = 0 that demands motion: infeasible by itself

  Vector toImpulse(const Vector& y, double phi) const { return (d / phi) * scale.cwiseProduct(y); }
  Vector toMultipliers(const Vector& impulse) const;  // y up to a common factor
};
MotionCone motionCone(const LeastMotion& motion);  // for motions that are not at rest

// What y with E y = (0, ..., 0, 1) proves: no motion shorter than `least` (a multiple of D) obeys the rows named. Infinity
// is what infeasible means.
struct InfeasibilityCertificate {
  std::vector<int> rows;   // with y_i != 0, largest first
  double least = 0.0;      // d.y/|A^T y|/D
  bool jointsOnly = true;  // all of them Free: the joints contradict each other
};
InfeasibilityCertificate certifyInfeasible(const LeastMotion& motion, const MotionCone& cone, const Vector& y);

}  // namespace cairn
