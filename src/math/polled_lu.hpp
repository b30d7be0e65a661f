// Eigen's dense LU factorisation, bit for bit, but one that can be stopped on its way (base/stop.hpp): of some thousand rows
// it takes seconds.
#pragma once

#include <Eigen/LU>
#include <algorithm>

#include "base/stop.hpp"

namespace cairn {

inline constexpr Eigen::Index kUnpolledRows = 256;  // a few milliseconds

// The outermost loop of PartialPivLU::compute() by panels, with Eigen's own code for each panel.
class PolledLu : public Eigen::PartialPivLU<Eigen::MatrixXd> {
 public:
  PolledLu() = default;
  explicit PolledLu(const Eigen::MatrixXd& matrix) { compute(matrix); }

  template <class Derived>
  PolledLu& compute(const Eigen::MatrixBase<Derived>& matrix) {
    if (matrix.rows() <= kUnpolledRows) {
      Eigen::PartialPivLU<Eigen::MatrixXd>::compute(matrix.derived());
      return *this;
    }
    m_lu = matrix.derived();
    m_l1_norm = m_lu.cwiseAbs().colwise().sum().maxCoeff();
    const Eigen::Index n = m_lu.rows();
    m_rowsTranspositions.resize(n);
    const Eigen::Index width = std::min<Eigen::Index>(std::max<Eigen::Index>(n / 8 / 16 * 16, 8), 256);
    int swaps = 0;
    for (Eigen::Index k = 0; k < n; k += width) {
      pollStop();
      const Eigen::Index own = std::min(n - k, width), left = n - k - own;
      int swapsHere = 0;
      using Panel = Eigen::internal::partial_lu_impl<double, Eigen::ColMajor, int, Eigen::Dynamic>;
      Panel::blocked_lu(left + own, own, &m_lu.coeffRef(k, k), m_lu.outerStride(), &m_rowsTranspositions.coeffRef(k),
                        swapsHere, 16);
      swaps += swapsHere;
      for (Eigen::Index i = k; i < k + own; ++i) {
        const Eigen::Index pivot = m_rowsTranspositions.coeffRef(i) += static_cast<int>(k);
        m_lu.row(i).head(k).swap(m_lu.row(pivot).head(k));
        m_lu.row(i).tail(left).swap(m_lu.row(pivot).tail(left));
      }
      if (left == 0) break;
      m_lu.block(k, k, own, own).triangularView<Eigen::UnitLower>().solveInPlace(m_lu.block(k, k + own, own, left));
      // By columns: each product is the same sum, and none takes long.
      for (Eigen::Index c = 0; c < left; c += width) {
        pollStop();
        const Eigen::Index columns = std::min(left - c, width);
        m_lu.block(k + own, k + own + c, left, columns).noalias() -=
            m_lu.block(k + own, k, left, own) * m_lu.block(k, k + own + c, own, columns);
      }
    }
    m_det_p = swaps % 2 != 0 ? -1 : 1;
    m_p = m_rowsTranspositions;
    m_isInitialized = true;
    return *this;
  }
};

}  // namespace cairn
