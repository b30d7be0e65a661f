// Direct methods for linear complementarity problems, as plain algebra. Each stands in a file of its own.
#pragma once

#include <cstdint>
#include <functional>

#include "problem/lcp.hpp"

namespace cairn {

// Asked before each pivot (or each index set tried); false ends the method with Exit::IterationLimit. Empty: always true.
using MayPivot = std::function<bool()>;

struct PivotWork {
  int pivots = 0;
  int factorisations = 0;            // from scratch
  std::int64_t multiplications = 0;  // of everything that grows with the problem
};

struct LcpAnswer {
  Exit exit = Exit::Stalled;  // Converged, Inaccurate, Infeasible, Ray, Inconsistent, Singular, Stalled or IterationLimit
  Vector x;                   // as far as the method came
  PivotWork work{};
  std::string message{};  // if something is wrong
};

// More pivots than sane problems of n unknowns take (about n).
inline int pivotCap(int n) { return 50 * n + 1000; }
inline constexpr const char* kTooManyPivots = "pivots go on without end";

// Every complementary index set in turn, those nearest to the set of `start` first.
inline constexpr int kMostDenseRows = 8000;  // half a gigabyte for a matrix: above, dense methods refuse
inline constexpr int kMostExhaustive = 16;   // unknowns; 65536 sets
LcpAnswer solveExhaustive(const Lcp& lcp, const Vector& start, const MayPivot& mayPivot = {});

// Lemke's complementary pivoting, for any matrix.
LcpAnswer solveLemke(const Lcp& lcp, const Vector& start, const MayPivot& mayPivot = {});

// w = A x + b with A symmetric positive semidefinite; lo <= x <= hi; w >= 0 at lo, <= 0 at hi, 0 between. Bounds that would
// follow others are frozen: lo and hi are those handed over, not those of the lcp.
LcpAnswer solveKeller(const BoxedLcp& lcp, const Vector& lo, const Vector& hi, const Vector& start,
                      const MayPivot& mayPivot = {});
LcpAnswer solveDantzig(const BoxedLcp& lcp, const Vector& lo, const Vector& hi, const Vector& start,
                       const MayPivot& mayPivot = {});

}  // namespace cairn
