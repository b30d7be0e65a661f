#include "redon_paper.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Jacobi>
#include <Eigen/SparseCholesky>

namespace cairn::bench {

namespace {

using Columns = Eigen::SparseMatrix<double>;

void addColumn(const Matrix& w, int column, double factor, Vector& out) { out += factor * w.col(column); }
void addColumn(const SparseMatrix& w, int column, double factor, Vector& out) {
  for (SparseMatrix::InnerIterator entry(w, column); entry; ++entry) out[entry.col()] += factor * entry.value();
}

void addColumn(const EntryAccess& w, int column, double factor, Vector& out) {
  for (int row = 0; row < w.rows(); ++row) out[row] += factor * w.coeff(row, column);
}

template <class Delassus>
void addColumns(const Delassus& w, const std::vector<int>& columns, const Vector& factors, Vector& out) {
  for (std::size_t k = 0; k < columns.size(); ++k) addColumn(w, columns[k], factors[k], out);
}
void addColumns(const EntryAccess& w, const std::vector<int>& columns, const Vector& factors, Vector& out) {
  for (int row = 0; row < w.rows(); ++row)
    for (std::size_t k = 0; k < columns.size(); ++k) out[row] += w.coeff(row, columns[k]) * factors[k];
}

Vector solveDense(const Matrix& w, const std::vector<int>& rows, const Vector& right) {
  return Matrix(w(rows, rows)).llt().solve(right);
}

Vector solveSparse(const std::vector<Eigen::Triplet<double>>& lowerEntries, const Vector& right) {
  Columns part(right.size(), right.size());
  part.setFromTriplets(lowerEntries.begin(), lowerEntries.end());
  return Eigen::SimplicialLLT<Columns, Eigen::Lower>(part).solve(right);
}

// Systems of the rows and columns of W that belong to some set.
class FromScratch {
 public:
  void join(int index, const Vector&) { members_.push_back(index); }
  void leave(int position) { members_.erase(members_.begin() + position); }
  const std::vector<int>& members() const { return members_; }

  Vector solve(const Matrix& w, const Vector& right) const { return solveDense(w, members_, right); }

  Vector solve(const EntryAccess& w, const Vector& right) const { return solve(w.entries, right); }
  Vector solve(const SparseMatrix& w, const Vector& right) const {
    std::vector<int> place(w.rows(), -1);
    for (std::size_t i = 0; i < members_.size(); ++i) place[members_[i]] = static_cast<int>(i);
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t j = 0; j < members_.size(); ++j)
      for (SparseMatrix::InnerIterator entry(w, members_[j]); entry; ++entry)
        if (place[entry.col()] >= static_cast<int>(j)) entries.emplace_back(place[entry.col()], j, entry.value());
    return solveSparse(entries, right);
  }

 private:
  std::vector<int> members_;
};

// A factor R^T R that is updated: a column more at the end, or Givens rotations when one goes.
class UpdatedCholesky {
 public:
  void append(const Vector& column, double diagonal) {
    const Eigen::Index size = column.size();
    if (size == r_.cols()) r_.conservativeResizeLike(Matrix::Zero(2 * size + 16, 2 * size + 16));
    auto next = r_.col(size).head(size);
    next = column;
    r_.topLeftCorner(size, size).triangularView<Eigen::Upper>().transpose().solveInPlace(next);
    r_(size, size) = std::sqrt(std::max(diagonal - next.squaredNorm(), 1e-14 * diagonal));
  }

  void remove(int position, int newSize) {
    for (int j = position; j < newSize; ++j) r_.col(j).head(j + 2) = r_.col(j + 1).head(j + 2);
    for (int j = position; j < newSize; ++j) {
      Eigen::JacobiRotation<double> turn;
      turn.makeGivens(r_(j, j), r_(j + 1, j), &r_(j, j));
      for (int k = j + 1; k < newSize; ++k) {
        const double upper = r_(j, k), lower = r_(j + 1, k);
        r_(j, k) = turn.c() * upper - turn.s() * lower;
        r_(j + 1, k) = turn.s() * upper + turn.c() * lower;
      }
    }
  }

  Vector solve(Vector right) const {
    const auto r = r_.topLeftCorner(right.size(), right.size());
    r.triangularView<Eigen::Upper>().transpose().solveInPlace(right);
    r.triangularView<Eigen::Upper>().solveInPlace(right);
    return right;
  }

 private:
  Matrix r_;
};

class Updated {
 public:
  void join(int index, const Vector& column) {  // column: of W, all of it
    factor_.append(column(members_), column[index]);
    members_.push_back(index);
  }
  void leave(int position) {
    members_.erase(members_.begin() + position);
    factor_.remove(position, static_cast<int>(members_.size()));
  }
  const std::vector<int>& members() const { return members_; }

  template <class Delassus>
  Vector solve(const Delassus&, const Vector& right) const {
    return factor_.solve(right);
  }

 private:
  std::vector<int> members_;
  UpdatedCholesky factor_;
};

template <class Factor, class Delassus>
PaperRun dantzig(const Delassus& w, const Vector& b, double tolerance) {
  const int rows = static_cast<int>(b.size());
  PaperRun run;
  run.lambda = Vector::Zero(rows);
  Vector& f = run.lambda;
  Vector a = b;
  Vector scale(rows);
  for (int i = 0; i < rows; ++i) scale[i] = std::sqrt(w.coeff(i, i));
  enum : char { Untouched, Clamped, Separated };
  std::vector<char> state(rows, Untouched);
  Factor factor;
  const std::vector<int>& clamped = factor.members();
  Vector column(rows), change(rows), right, step;
  const int mostSystems = 20 * rows + 100;

  while (run.systems < mostSystems) {
    int driven = -1;
    double worst = tolerance;
    for (int i = 0; i < rows; ++i)
      if (state[i] != Clamped && -a[i] > worst * scale[i]) {
        worst = -a[i] / scale[i];
        driven = i;
      }
    if (driven < 0) return run;
    state[driven] = Untouched;
    while (run.systems < mostSystems) {
      change.setZero();
      addColumn(w, driven, 1.0, change);
      right.resize(clamped.size());
      for (std::size_t k = 0; k < clamped.size(); ++k) right[k] = -change[clamped[k]];
      if (!clamped.empty()) step = factor.solve(w, right);
      ++run.systems;
      addColumns(w, clamped, step, change);

      double length = change[driven] > 0.0 ? -a[driven] / change[driven] : std::numeric_limits<double>::infinity();
      length *= 1.0 - 1e-9;  // of two limits that are met together, the driven contact's own comes first
      int blocking = driven;
      for (std::size_t k = 0; k < clamped.size(); ++k)
        if (step[k] < 0.0 && -f[clamped[k]] / step[k] < length) {
          length = -f[clamped[k]] / step[k];
          blocking = clamped[k];
        }
      for (int i = 0; i < rows; ++i)
        if (state[i] == Separated && change[i] < 0.0 && -a[i] / change[i] < length) {
          length = std::max(-a[i] / change[i], 0.0);
          blocking = i;
        }
      if (!std::isfinite(length)) return run;
      f[driven] += length;
      for (std::size_t k = 0; k < clamped.size(); ++k) f[clamped[k]] += length * step[k];
      a += length * change;
      if (state[blocking] == Clamped) {
        f[blocking] = 0.0;
        state[blocking] = Separated;
        factor.leave(static_cast<int>(std::find(clamped.begin(), clamped.end(), blocking) - clamped.begin()));
        continue;
      }
      a[blocking] = 0.0;
      state[blocking] = Clamped;
      column.setZero();
      addColumn(w, blocking, 1.0, column);
      factor.join(blocking, column);
      if (blocking == driven) break;
    }
  }
  return run;
}

// The products of the rows in use are computed when a row enters, and kept: in slots, or in the factor that is updated.
template <class Jacobian, bool kUpdated>
class PaperWilhelmsen {
 public:
  PaperWilhelmsen(const Jacobian& jacobian, const Vector& s, double tolerance)
      : j_(jacobian), s_(s), tolerance_(tolerance), slotOf_(jacobian.rows(), -1) {
    const int slots = static_cast<int>(std::min(jacobian.rows(), jacobian.cols() + 1));
    if (!kUpdated) gram_ = Matrix::Zero(slots, slots);
    for (int i = slots - 1; i >= 0; --i) freeSlots_.push_back(i);
    reached_.noalias() = j_ * s;
    for (int i = 0; i < j_.rows(); ++i) length_.push_back(j_.row(i).norm());
  }

  PaperRun run() {
    run_.lambda = Vector::Zero(j_.rows());
    Vector& f = run_.lambda;
    Vector remainder = s_, price;
    const int mostSystems = static_cast<int>(20 * j_.rows() + 100);
    while (run_.systems < mostSystems && !freeSlots_.empty()) {
      price.noalias() = j_ * remainder;
      int entering = -1;
      double most = tolerance_;
      for (int i = 0; i < j_.rows(); ++i)
        if (slotOf_[i] < 0 && price[i] > most * length_[i]) {
          most = price[i] / length_[i];
          entering = i;
        }
      if (entering < 0) break;
      enter(entering);
      for (;;) {
        const Vector z = solve();
        ++run_.systems;
        double part = 1.0;
        int blocking = -1;
        for (std::size_t k = 0; k < active_.size(); ++k) {
          const double now = f[active_[k]];
          if (z[k] > 0.0) continue;
          const double reach = now > z[k] ? now / (now - z[k]) : 0.0;
          if (blocking < 0 || reach < part) {
            part = reach;
            blocking = static_cast<int>(k);
          }
        }
        for (std::size_t k = 0; k < active_.size(); ++k) f[active_[k]] += part * (z[k] - f[active_[k]]);
        if (blocking < 0) break;
        f[active_[blocking]] = 0.0;
        freeSlots_.push_back(slotOf_[active_[blocking]]);
        slotOf_[active_[blocking]] = -1;
        active_.erase(active_.begin() + blocking);
        if (kUpdated) factor_.remove(blocking, static_cast<int>(active_.size()));
      }
      remainder = s_;
      for (const int row : active_) subtractRow(row, f[row], remainder);
    }
    return std::move(run_);
  }

 private:
  static constexpr bool kIsSparse = std::is_same_v<Jacobian, SparseMatrix>;

  void enter(int row) {
    const int slot = freeSlots_.back();
    freeSlots_.pop_back();
    slotOf_[row] = slot;
    const Vector dense = j_.row(row).transpose();
    Vector products(active_.size());
    for (std::size_t k = 0; k < active_.size(); ++k) products[k] = product(active_[k], dense);
    if constexpr (kUpdated) {
      factor_.append(products, dense.squaredNorm());
    } else {
      for (std::size_t k = 0; k < active_.size(); ++k)
        gram_(slot, slotOf_[active_[k]]) = gram_(slotOf_[active_[k]], slot) = products[k];
      gram_(slot, slot) = dense.squaredNorm();
    }
    active_.push_back(row);
  }

  double product(int row, const Vector& dense) const {
    if constexpr (kIsSparse) {
      double sum = 0.0;
      for (typename Jacobian::InnerIterator entry(j_, row); entry; ++entry) sum += entry.value() * dense[entry.col()];
      return sum;
    } else {
      return j_.row(row).dot(dense);
    }
  }

  Vector solve() const {
    Vector right(active_.size());
    std::vector<int> slots;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      right[k] = reached_[active_[k]];
      slots.push_back(slotOf_[active_[k]]);
    }
    if constexpr (kUpdated) {
      return factor_.solve(right);
    } else if constexpr (!kIsSparse) {
      return solveDense(gram_, slots, right);
    } else {
      std::vector<Eigen::Triplet<double>> entries;
      for (std::size_t j = 0; j < slots.size(); ++j)
        for (std::size_t i = j; i < slots.size(); ++i)
          if (gram_(slots[i], slots[j]) != 0.0) entries.emplace_back(i, j, gram_(slots[i], slots[j]));
      return solveSparse(entries, right);
    }
  }

  void subtractRow(int row, double factor, Vector& from) const {
    if constexpr (kIsSparse) {
      for (typename Jacobian::InnerIterator entry(j_, row); entry; ++entry) from[entry.col()] -= factor * entry.value();
    } else {
      from -= factor * j_.row(row).transpose();
    }
  }

  const Jacobian& j_;
  const Vector& s_;
  const double tolerance_;
  std::vector<double> length_;
  std::vector<int> slotOf_, freeSlots_, active_;
  Matrix gram_;
  UpdatedCholesky factor_;
  Vector reached_;  // J s
  PaperRun run_;
};

}  // namespace

PaperRun dantzigOfPaper(const Matrix& w, const Vector& b, double tolerance) { return dantzig<FromScratch>(w, b, tolerance); }
PaperRun dantzigOfPaper(const SparseMatrix& w, const Vector& b, double tolerance) {
  return dantzig<FromScratch>(w, b, tolerance);
}
PaperRun dantzigOfPaper(const EntryAccess& w, const Vector& b, double tolerance) {
  return dantzig<FromScratch>(w, b, tolerance);
}
PaperRun updatedDantzig(const Matrix& w, const Vector& b, double tolerance) { return dantzig<Updated>(w, b, tolerance); }
PaperRun updatedDantzig(const SparseMatrix& w, const Vector& b, double tolerance) {
  return dantzig<Updated>(w, b, tolerance);
}
PaperRun wilhelmsenOfPaper(const RowMatrix& jacobian, const Vector& s, double tolerance) {
  return PaperWilhelmsen<RowMatrix, false>(jacobian, s, tolerance).run();
}
PaperRun wilhelmsenOfPaper(const SparseMatrix& jacobian, const Vector& s, double tolerance) {
  return PaperWilhelmsen<SparseMatrix, false>(jacobian, s, tolerance).run();
}
PaperRun updatedWilhelmsen(const RowMatrix& jacobian, const Vector& s, double tolerance) {
  return PaperWilhelmsen<RowMatrix, true>(jacobian, s, tolerance).run();
}
PaperRun updatedWilhelmsen(const SparseMatrix& jacobian, const Vector& s, double tolerance) {
  return PaperWilhelmsen<SparseMatrix, true>(jacobian, s, tolerance).run();
}

}  // namespace cairn::bench
