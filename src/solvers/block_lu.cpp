#include "solvers/block_lu.hpp"

#include <Eigen/OrderingMethods>
#include <numeric>

namespace cairn {

namespace {

constexpr int kOrderFrom = 6;          // blocks; fewer are eliminated as they come
constexpr int kDenseFrom = 24;         // rows; a smaller dense part is not worth it
constexpr double kLeastPivot = 1e-15;  // of the diagonal's size
constexpr double kMostLinks = 2e7;     // more would not fit into memory: the search for them is given up

// A (m x m, row after row) becomes its inverse. Gauss-Jordan with the largest pivot of each column.
void invert(double* a, int m, double least) {
  int rowOf[kMostBlockRows];
  for (int k = 0; k < m; ++k) {
    int best = k;
    for (int i = k + 1; i < m; ++i)
      if (std::abs(a[m * i + k]) > std::abs(a[m * best + k])) best = i;
    rowOf[k] = best;
    if (best != k) std::swap_ranges(a + m * k, a + m * k + m, a + m * best);
    double pivot = a[m * k + k];
    if (!(std::abs(pivot) >= least)) pivot = least;
    const double inverse = 1.0 / pivot;
    a[m * k + k] = 1.0;
    for (int j = 0; j < m; ++j) a[m * k + j] *= inverse;
    for (int i = 0; i < m; ++i) {
      if (i == k) continue;
      const double factor = a[m * i + k];
      a[m * i + k] = 0.0;
      for (int j = 0; j < m; ++j) a[m * i + j] -= factor * a[m * k + j];
    }
  }
  for (int k = m - 1; k >= 0; --k)
    if (rowOf[k] != k)
      for (int i = 0; i < m; ++i) std::swap(a[m * i + k], a[m * i + rowOf[k]]);
}

// c (m x n, rows `stride` apart) -= a (m x k) b (k x n)
template <int m, int k, int n>
void subtractFixed(const double* a, const double* b, double* c, int stride) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = a[k * i] * b[j];
      for (int l = 1; l < k; ++l) sum += a[k * i + l] * b[n * l + j];
      c[stride * i + j] -= sum;
    }
}

// The same for six, which is too many to keep in registers.
void subtractSixes(const double* a, const double* b, double* c, int stride) {
  for (int i = 0; i < 6; ++i)
    for (int l = 0; l < 6; ++l) {
      const double factor = a[6 * i + l];
      for (int j = 0; j < 6; ++j) c[stride * i + j] -= factor * b[6 * l + j];
    }
}

void subtractProduct(const double* a, const double* b, double* c, int stride, int m, int k, int n) {
  if (k == 6 && m == 6 && n == 6) return subtractSixes(a, b, c, stride);
  if (k == 3 && m == 3 && n == 3) return subtractFixed<3, 3, 3>(a, b, c, stride);
  if (k == 2 && m == 2 && n == 2) return subtractFixed<2, 2, 2>(a, b, c, stride);
  if (k == 1 && m == 1 && n == 1) return subtractFixed<1, 1, 1>(a, b, c, stride);
  for (int i = 0; i < m; ++i)
    for (int l = 0; l < k; ++l) {
      const double factor = a[k * i + l];
      for (int j = 0; j < n; ++j) c[stride * i + j] -= factor * b[n * l + j];
    }
}

std::vector<int> eliminationOrder(const std::vector<std::vector<int>>& neighbours) {
  const int count = static_cast<int>(neighbours.size());
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (count < kOrderFrom) return order;
  Eigen::SparseMatrix<double> pattern(count, count);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < count; ++i) {
    entries.emplace_back(i, i, 1.0);
    for (const int j : neighbours[i]) entries.emplace_back(i, j, 1.0);
  }
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern, permutation);
  for (int i = 0; i < count; ++i) order[i] = permutation.indices()[i];
  return order;
}

}  // namespace

BlockLu::BlockLu(const std::vector<int>& sizes, const std::vector<std::vector<int>>& neighbours)
    : order_(eliminationOrder(neighbours)), position_(sizes.size()), firstUnknown_(sizes.size()) {
  const int count = static_cast<int>(sizes.size());
  for (int p = 0; p < count; ++p) {
    position_[order_[p]] = p;
    size_.push_back(sizes[order_[p]]);
  }
  used_.resize(count);
  firstOfPosition_.resize(count);
  denseFirst_.resize(count);
  findFill(neighbours);
}

void BlockLu::findFill(const std::vector<std::vector<int>>& neighbours) {
  const int count = static_cast<int>(size_.size());
  // What the elimination of p touches: its later neighbours, and what the elimination of those touched whose first it is.
  std::vector<std::vector<int>> touched(count), handedOn(count);
  std::vector<int> seenBy(count, -1);
  int left = std::accumulate(size_.begin(), size_.end(), 0);  // rows
  double links = 0.0;
  denseBegin_ = count;
  for (int p = 0; p < count && denseBegin_ == count; ++p) {
    const auto touch = [&](int q) {
      if (q <= p || seenBy[q] == p) return;
      seenBy[q] = p;
      touched[p].push_back(q);
    };
    for (const int j : neighbours[order_[p]]) touch(position_[j]);
    for (const int child : handedOn[p])
      for (const int q : touched[child]) touch(q);
    std::sort(touched[p].begin(), touched[p].end());
    if (!touched[p].empty()) handedOn[touched[p].front()].push_back(p);
    if (static_cast<int>(touched[p].size()) == count - 1 - p && left >= kDenseFrom) denseBegin_ = p;
    left -= size_[p];
    links += static_cast<double>(touched[p].size());
    if (links > kMostLinks) {
      work_ = memory_ = std::numeric_limits<double>::infinity();
      return;
    }
  }

  linkBegin_.push_back(0);
  for (int p = 0; p < count; ++p) {
    if (p < denseBegin_) {
      diagonal_.push_back(room_);
      room_ += static_cast<std::size_t>(size_[p]) * size_[p];
      double width = size_[p];
      for (const int q : touched[p]) {
        const std::size_t block = static_cast<std::size_t>(size_[p]) * size_[q];
        links_.push_back({q, room_, room_ + block});
        room_ += 2 * block;
        width += size_[q];
      }
      work_ += size_[p] * width * width;
    } else {
      diagonal_.push_back(0);
    }
    linkBegin_.push_back(static_cast<int>(links_.size()));
  }
  const double rows = std::accumulate(size_.begin() + denseBegin_, size_.end(), 0);
  work_ += rows * rows * rows / 3.0;
  memory_ = sizeof(double) * (static_cast<double>(room_) + 2.0 * rows * rows);
}

BlockLu::Place BlockLu::place(int row, int column) const {
  const int p = std::min(position_[row], position_[column]), q = std::max(position_[row], position_[column]);
  if (p >= denseBegin_) return {0, position_[row], position_[column]};
  if (p == q) return {diagonal_[p], -1, -1};
  const auto begin = links_.begin() + linkBegin_[p], end = links_.begin() + linkBegin_[p + 1];
  const auto found = std::lower_bound(begin, end, q, [](const Link& link, int wanted) { return link.position < wanted; });
  return {position_[row] == p ? found->upper : found->lower, -1, -1};
}

void BlockLu::begin(const std::vector<int>& used) {
  unknowns_ = 0;
  for (std::size_t block = 0; block < used.size(); ++block) {
    const int p = position_[block];
    firstUnknown_[block] = firstOfPosition_[p] = unknowns_;
    used_[p] = used[block];
    unknowns_ += used[block];
  }
  values_.assign(room_, 0.0);
  int rows = 0;
  for (std::size_t p = denseBegin_; p < size_.size(); ++p) {
    denseFirst_[p] = rows;
    rows += used_[p];
  }
  dense_.setZero(rows, rows);
}

void BlockLu::factor(const std::vector<double>& scale) {
  for (int p = 0; p < denseBegin_; ++p) {
    pollStop();
    const int m = used_[p];
    if (m == 0) continue;
    double* inverse = values_.data() + diagonal_[p];
    invert(inverse, m, kLeastPivot * scale[order_[p]]);
    for (int i = linkBegin_[p]; i < linkBegin_[p + 1]; ++i) {
      // U = D^-1 A(p, later)
      const int n = used_[links_[i].position];
      double* upper = values_.data() + links_[i].upper;
      double product[kMostBlockRows * kMostBlockRows] = {};
      for (int r = 0; r < m; ++r)
        for (int l = 0; l < m; ++l)
          for (int c = 0; c < n; ++c) product[n * r + c] += inverse[m * r + l] * upper[n * l + c];
      std::copy(product, product + m * n, upper);
    }
    for (int i = linkBegin_[p]; i < linkBegin_[p + 1]; ++i) {
      const int q = links_[i].position, n = used_[q];
      if (n == 0) continue;
      const double* lowerI = values_.data() + links_[i].lower;
      const double* upperI = values_.data() + links_[i].upper;
      const Entry own = q >= denseBegin_ ? dense(q, q) : Entry{values_.data() + diagonal_[q], n};
      subtractProduct(lowerI, upperI, own.values, own.stride, n, m, n);
      // Both lists are sorted, and the later block's holds all that come after it here.
      int target = linkBegin_[q];
      for (int j = i + 1; j < linkBegin_[p + 1]; ++j) {
        const int other = links_[j].position, w = used_[other];
        if (w == 0) continue;
        Entry upper, lower;
        if (q >= denseBegin_) {
          upper = dense(q, other);
          lower = dense(other, q);
        } else {
          while (links_[target].position != other) ++target;
          upper = {values_.data() + links_[target].upper, w};
          lower = {values_.data() + links_[target].lower, n};
        }
        subtractProduct(lowerI, values_.data() + links_[j].upper, upper.values, upper.stride, n, m, w);
        subtractProduct(values_.data() + links_[j].lower, upperI, lower.values, lower.stride, w, m, n);
      }
    }
  }
  if (dense_.rows() > 0) denseLu_.compute(dense_);
}

void BlockLu::solve(Vector& x) {
  const int count = static_cast<int>(size_.size());
  for (int p = 0; p < denseBegin_; ++p) {
    const int m = used_[p];
    if (m == 0) continue;
    double* own = x.data() + firstOfPosition_[p];
    const double* inverse = values_.data() + diagonal_[p];
    double y[kMostBlockRows];
    for (int r = 0; r < m; ++r) {
      y[r] = 0.0;
      for (int l = 0; l < m; ++l) y[r] += inverse[m * r + l] * own[l];
    }
    std::copy(y, y + m, own);
    for (int i = linkBegin_[p]; i < linkBegin_[p + 1]; ++i) {
      const int q = links_[i].position;
      double* later = x.data() + firstOfPosition_[q];
      const double* lower = values_.data() + links_[i].lower;
      for (int r = 0; r < used_[q]; ++r)
        for (int l = 0; l < m; ++l) later[r] -= lower[m * r + l] * y[l];
    }
  }
  if (dense_.rows() > 0) {
    denseX_.resize(dense_.rows());
    for (int p = denseBegin_; p < count; ++p)
      denseX_.segment(denseFirst_[p], used_[p]) = x.segment(firstOfPosition_[p], used_[p]);
    denseX_ = denseLu_.solve(denseX_);
    for (int p = denseBegin_; p < count; ++p)
      x.segment(firstOfPosition_[p], used_[p]) = denseX_.segment(denseFirst_[p], used_[p]);
  }
  for (int p = denseBegin_ - 1; p >= 0; --p) {
    const int m = used_[p];
    double* own = x.data() + firstOfPosition_[p];
    for (int i = linkBegin_[p]; i < linkBegin_[p + 1]; ++i) {
      const int q = links_[i].position, n = used_[q];
      const double* later = x.data() + firstOfPosition_[q];
      const double* upper = values_.data() + links_[i].upper;
      for (int r = 0; r < m; ++r)
        for (int c = 0; c < n; ++c) own[r] -= upper[n * r + c] * later[c];
    }
  }
}

}  // namespace cairn
