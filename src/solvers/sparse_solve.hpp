// Eigen's sparse factorisations, which of ten thousand rows take seconds, as something that can be stopped.
#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <memory>

#include "base/stoppable.hpp"
#include "cairn/contact_problem.hpp"

namespace cairn {

inline constexpr Eigen::Index kStoppableRows = 1000;  // fewer take milliseconds

// Factors of the matrix: Eigen::SparseLU or Eigen::SimplicialLDLT.
template <class Factors>
std::shared_ptr<Factors> factorised(Eigen::SparseMatrix<double> matrix) {
  const auto make = [](const Eigen::SparseMatrix<double>& from) {
    auto factors = std::make_shared<Factors>();
    factors->compute(from);
    return factors;
  };
  if (matrix.rows() < kStoppableRows) return make(matrix);
  return stoppable([make, own = std::move(matrix)] { return make(own); });
}
using SparseLuFactors = Eigen::SparseLU<Eigen::SparseMatrix<double>>;
using SparseLdltFactors = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;

}  // namespace cairn
