#include "solvers/delassus_blocks.hpp"

namespace cairn {

DelassusBlocks::DelassusBlocks(const ContactProblem& problem, const Vector& scale) {
  allThree_ = true;
  for (const Block& block : problem.blocks()) {
    first_.push_back(block.first);
    size_.push_back(block.size);
    allThree_ = allThree_ && block.size == 3;
  }
  if (problem.hasBodies() && !problem.data().inverseMass->couplesBodies()) {
    fromBodies(problem);
  } else {
    fromMatrix(problem);
  }
  for (int r = 0; r < count(); ++r)
    for (int entry = begin_[r]; entry < begin_[r + 1]; ++entry) {
      const int c = column_[entry];
      double* w = values_.data() + offset_[entry];
      for (int i = 0; i < size_[r]; ++i)
        for (int k = 0; k < size_[c]; ++k) *w++ *= scale[first_[r] + i] * scale[first_[c] + k];
    }
}

int DelassusBlocks::append(int column, int rows, int columns) {
  column_.push_back(column);
  offset_.push_back(values_.size());
  values_.resize(values_.size() + static_cast<std::size_t>(rows) * columns, 0.0);
  return static_cast<int>(column_.size()) - 1;
}

void DelassusBlocks::fromBodies(const ContactProblem& problem) {
  using Response = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, kMostBlockRows>;
  struct Touch {
    int block;
    Response response;  // M^-1 J^T of the block, this body's part
  };
  const ProblemData& data = problem.data();
  std::vector<std::vector<Touch>> touches(data.inverseMass->bodies());
  for (int c = 0; c < count(); ++c) {
    const BlockJacobian& jacobian = data.jacobians[c];
    if (jacobian.a >= 0) touches[jacobian.a].push_back({c, {}});
    if (jacobian.b >= 0) touches[jacobian.b].push_back({c, {}});
  }
  for (int body = 0; body < static_cast<int>(touches.size()); ++body) {
    const Mat6 inverseMass = data.inverseMass->block(body);
    for (Touch& touch : touches[body]) {
      const BlockJacobian& jacobian = data.jacobians[touch.block];
      touch.response.noalias() = inverseMass * (jacobian.a == body ? jacobian.partA : jacobian.partB).transpose();
    }
  }
  std::vector<int> entryOf(count(), -1);
  begin_.push_back(0);
  for (int r = 0; r < count(); ++r) {
    const BlockJacobian& jacobian = data.jacobians[r];
    const int own = append(r, size_[r], size_[r]);
    const auto addBody = [&](int body, const BlockJacobian::Part& part) {
      if (body < 0) return;
      for (const Touch& touch : touches[body]) {
        if (touch.block == r) continue;
        int& entry = entryOf[touch.block];
        if (entry < begin_[r]) entry = append(touch.block, size_[r], size_[touch.block]);
        Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> w(values_.data() + offset_[entry],
                                                                                             size_[r], size_[touch.block]);
        w += part.lazyProduct(touch.response);
      }
    };
    addBody(jacobian.a, jacobian.partA);
    addBody(jacobian.b, jacobian.partB);
    const BlockMatrix& diagonal = problem.diagonal(r);
    std::copy(diagonal.data(), diagonal.data() + diagonal.size(), values_.data() + offset_[own]);
    begin_.push_back(static_cast<int>(column_.size()));
  }
}

void DelassusBlocks::fromMatrix(const ContactProblem& problem) {
  // Compliance sits on the diagonal only, which comes from the problem's own diagonal blocks.
  const SparseMatrix& w = problem.hasBodies() ? problem.delassus() : problem.data().delassus;
  std::vector<int> blockOfRow(problem.rows());
  for (int c = 0; c < count(); ++c)
    for (int i = 0; i < size_[c]; ++i) blockOfRow[first_[c] + i] = c;
  std::vector<int> entryOf(count(), -1);
  begin_.push_back(0);
  for (int r = 0; r < count(); ++r) {
    const int own = append(r, size_[r], size_[r]);
    for (int i = 0; i < size_[r]; ++i)
      for (SparseMatrix::InnerIterator at(w, first_[r] + i); at; ++at) {
        const int c = blockOfRow[at.col()];
        if (c == r) continue;
        int& entry = entryOf[c];
        if (entry < begin_[r]) entry = append(c, size_[r], size_[c]);
        values_[offset_[entry] + static_cast<std::size_t>(i * size_[c] + at.col() - first_[c])] += at.value();
      }
    const BlockMatrix& diagonal = problem.diagonal(r);
    std::copy(diagonal.data(), diagonal.data() + diagonal.size(), values_.data() + offset_[own]);
    begin_.push_back(static_cast<int>(column_.size()));
  }
}

void DelassusBlocks::multiply(const Vector& x, Vector& out) const {
  out.resize(x.size());
  if (allThree_) {
    const double* w = values_.data();
    for (int r = 0; r < count(); ++r) {
      double sum0 = 0.0, sum1 = 0.0, sum2 = 0.0;
      for (int entry = begin_[r]; entry < begin_[r + 1]; ++entry, w += 9) {
        const double* part = x.data() + 3 * column_[entry];
        sum0 += w[0] * part[0] + w[1] * part[1] + w[2] * part[2];
        sum1 += w[3] * part[0] + w[4] * part[1] + w[5] * part[2];
        sum2 += w[6] * part[0] + w[7] * part[1] + w[8] * part[2];
      }
      out[3 * r] = sum0;
      out[3 * r + 1] = sum1;
      out[3 * r + 2] = sum2;
    }
    return;
  }
  out.setZero();
  for (int r = 0; r < count(); ++r)
    for (int entry = begin_[r]; entry < begin_[r + 1]; ++entry) {
      const int c = column_[entry];
      const double* w = values(entry);
      for (int i = 0; i < size_[r]; ++i) {
        double sum = 0.0;
        for (int k = 0; k < size_[c]; ++k) sum += *w++ * x[first_[c] + k];
        out[first_[r] + i] += sum;
      }
    }
}

}  // namespace cairn
