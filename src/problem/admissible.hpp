// Projections on the sets that laws allow, and friction scaled out of them.
//
// With S = diag(1, mu_1, mu_2), lambda = S l and s = S v, every elliptic cone is |l_t| <= l_n, every pyramid a regular
// polygon of circumradius l_n and every box a square, while lambda . v = l . s.
#pragma once

#include "cairn/contact_problem.hpp"

namespace cairn {

inline constexpr double kNoFriction = 1e-14;  // coefficients below are treated as none

// On |l_t| <= l_n, for 2 or 3 numbers.
void projectUnitCone(double* l, int size);
// On the regular polygon with `corners` corners, one of them at (radius, 0).
Eigen::Vector2d projectPolygon(const Eigen::Vector2d& t, double radius, int corners);
// The most that t . direction reaches over that polygon, with radius 1.
double polygonSupport(const Eigen::Vector2d& direction, int corners);

// Tangential part of a contact in scaled coordinates, on the set that the law allows with normal impulse l_n (below 0: as
// 0).
void projectTangents(const Block& block, double normal, double* tangents);

// S of the block: 1 and the coefficients; rows whose coefficient is below kNoFriction get 0.
BlockVector frictionScale(const Block& block);

// 1/(largest eigenvalue of S W_cc S); 1 if that is zero.
double naturalStep(const BlockMatrix& w, const BlockVector& scale);

// P(l - rho s) of the natural map: the projection on the cone of (l - rho s^), s^ with De Saxce's term, for cones; normal
// and tangents by themselves (the tangents' set taken at the present l_n) for boxes and pyramids. lower, upper: Interval
// only.
BlockVector naturalProjection(const Block& block, const BlockVector& l, const BlockVector& s, double rho,
                              const double* lower, const double* upper);

}  // namespace cairn
