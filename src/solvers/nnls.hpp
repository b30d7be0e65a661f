// The nearest-point problem: min |A^T l - s| with l_i >= 0 (l_i of either sign for free i). Geometrically, the projection x
// of s on the cone that the rows of A generate (Redon §4). nnls.cpp has the method.
#pragma once

#include "cairn/contact_problem.hpp"

namespace cairn {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// What a watcher sees after each pass. l is feasible, and the best so far: the distance only ever falls.
struct NearestPointPass {
  const Vector& lambda;
  const Vector& remainder;  // s - x
  double price;             // largest a_j.(s - x)/|a_j| before the pass, over |s|
};

struct NearestPointOptions {
  double tolerance = 1e-13;                             // on prices a_j.(s - x)/|a_j|, of |s|
  int passes = 0;                                       // most of them; 0: 100 + 10 (rows + coordinates)
  std::vector<char> isFree{};                           // by row; empty: none
  Vector start{};                                       // impulses to start from, negative ones taken as 0; empty: none
  std::function<bool(const NearestPointPass&)> stop{};  // asked after each pass
};

struct NearestPointResult {
  Vector lambda;      // one of many if active rows depend on each other
  Vector projection;  // x = A^T lambda, unique
  double distance = 0.0;
  double price = 0.0;  // largest of a row that could still bring x nearer, of |s|; at most the tolerance if Converged
  int iterations = 0;  // passes: a row enters, none or some leave
  int active = 0;      // rows with l_i > 0, and free rows in use
  int systems = 0;     // least-squares problems solved
  Exit exit = Exit::Converged;  // Converged, Stalled, IterationLimit, or TimeLimit if the watcher stopped it
};

NearestPointResult nearestPoint(const SparseMatrix& a, const Vector& s, const NearestPointOptions& options = {});
NearestPointResult nearestPoint(const RowMatrix& a, const Vector& s, const NearestPointOptions& options = {});

}  // namespace cairn
