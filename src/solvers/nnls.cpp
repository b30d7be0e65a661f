// Wilhelmsen's nearest-point algorithm (Redon §5.3; Wilhelmsen, Mathematics of Computation 30, 1976; the same method as the
// NNLS of Lawson and Hanson, Solving Least Squares Problems, chapter 23).
//
//   1  x = 0, the active set empty (or the free rows, and those of the start).
//   2  prices g_j = a_j.(s - x)/|a_j|. None above the tolerance: x is the projection (KKT: A (s - x) <= 0, with equality
//      on the active rows). Otherwise the row of the largest price enters.
//   3  z = least squares on the active set. All z_i > 0: l = z, go to 2.
//   4  otherwise move from l towards z until the first l_i becomes zero, drop that row, go to 3.
//
// Why it ends: after 3 the distance |s - x| is the least over the span of the active rows, and it falls with every pass, so
// no active set comes twice. Rounding can break that when prices are near the tolerance: a row that entered without making
// the distance fall is barred until some other row does. If barred rows are all that is left and their prices are not small,
// the exit is Stalled.
//
// The active rows, each of length 1, are kept as Q R (updated_qr.hpp) and stay independent: a row that depends on them has
// a price of zero, since s - x is orthogonal to their span. Each system is solved for the correction of l against a freshly
// computed s - x, so errors do not pile up from pass to pass; before the method ends, l is corrected on the whole set and
// the prices are asked again. Cost of a pass: O(entries of A) for the prices and O(coordinates x active rows) for each row
// that enters or leaves.
//
// Known failures: one row enters per pass, so a cold start takes about as many passes as there are
// active rows in the end, O(coordinates^3) in all. l is not unique when rows depend on each other; x is.
#include "solvers/nnls.hpp"

#include "solvers/updated_qr.hpp"

namespace cairn {

namespace {

constexpr double kDependent = 1e-12;    // part of a row of length 1 outside the span of the active rows
constexpr double kStalledPrice = 1e-9;  // of |s|: barred rows below it are noise
constexpr int kRefinements = 3;         // at most, at the end

class SparseRows {
 public:
  explicit SparseRows(const SparseMatrix& a) : a_(a) {}
  int rows() const { return static_cast<int>(a_.rows()); }
  int coordinates() const { return static_cast<int>(a_.cols()); }
  std::span<const int> coordinatesOf(int row) const { return {a_.innerIndexPtr() + begin(row), count(row)}; }
  std::span<const double> valuesOf(int row) const { return {a_.valuePtr() + begin(row), count(row)}; }
  void multiply(const Vector& r, Vector& out) const { out.noalias() = a_ * r; }

 private:
  int begin(int row) const { return a_.outerIndexPtr()[row]; }
  std::size_t count(int row) const { return static_cast<std::size_t>(a_.outerIndexPtr()[row + 1] - begin(row)); }
  const SparseMatrix& a_;
};

class DenseRows {
 public:
  explicit DenseRows(const RowMatrix& a) : a_(a), all_(a.cols()) {
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i] = static_cast<int>(i);
  }
  int rows() const { return static_cast<int>(a_.rows()); }
  int coordinates() const { return static_cast<int>(a_.cols()); }
  std::span<const int> coordinatesOf(int) const { return all_; }
  std::span<const double> valuesOf(int row) const { return {a_.data() + row * a_.cols(), all_.size()}; }
  void multiply(const Vector& r, Vector& out) const { out.noalias() = a_ * r; }

 private:
  const RowMatrix& a_;
  std::vector<int> all_;
};

template <class Rows>
class Wilhelmsen {
 public:
  Wilhelmsen(const Rows& rows, const Vector& s, const NearestPointOptions& options)
      : a_(rows), s_(s), options_(options), size_(s.norm()), qr_(rows.coordinates()) {
    length_.resize(a_.rows());
    for (int j = 0; j < a_.rows(); ++j) {
      double sum = 0.0;
      for (const double value : a_.valuesOf(j)) sum += value * value;
      length_[j] = std::sqrt(sum);
    }
    y_ = Vector::Zero(a_.rows());
    isActive_.assign(a_.rows(), 0);
    isBarred_.assign(a_.rows(), 0);
  }

  NearestPointResult run() {
    begin();
    double distance = updateRemainder();
    const int most = options_.passes > 0 ? options_.passes : 100 + 10 * (a_.rows() + a_.coordinates());
    while (distance > options_.tolerance * size_) {
      const int entering = dearest();
      if (entering < 0 && isRefined_) break;
      if (entering < 0) {
        refine();
        distance = updateRemainder();
        continue;
      }
      if (result_.iterations >= most) {
        result_.exit = Exit::IterationLimit;
        break;
      }
      if (!enter(entering)) {
        bar(entering);
        continue;
      }
      ++result_.iterations;
      descend();
      const double before = distance;
      distance = updateRemainder();
      if (distance < before) {
        unbar();
      } else {
        bar(entering);
      }
      if (options_.stop && options_.stop({impulses(), remainder_, result_.price})) {
        result_.exit = Exit::TimeLimit;
        break;
      }
    }
    return finish();
  }

 private:
  bool isFree(int row) const { return !options_.isFree.empty() && options_.isFree[row] != 0; }

  void begin() {
    for (int j = 0; j < a_.rows(); ++j)
      if (isFree(j)) append(j);  // what depends on others stays out for good: it can add nothing
    if (options_.start.size() != a_.rows()) {
      if (!active_.empty()) {
        updateRemainder();
        solve();
        descend();
      }
      return;
    }
    for (int j = 0; j < a_.rows(); ++j)
      if (!isFree(j) && options_.start[j] > 0.0 && append(j)) y_[j] = options_.start[j] * length_[j];
    for (const int j : active_)
      if (isFree(j)) y_[j] = options_.start[j] * length_[j];
    if (!y_.allFinite()) y_.setZero();
    // The start may have any scale: the best multiple of it.
    const double distance = updateRemainder();
    const Vector x = s_ - remainder_;
    const double factor = x.squaredNorm() > 0.0 ? x.dot(s_) / x.squaredNorm() : 0.0;
    y_ *= std::isfinite(distance) && std::isfinite(factor) ? std::max(factor, 0.0) : 0.0;
    updateRemainder();
    solve();
    descend();
  }

  bool append(int row) {
    if (!(length_[row] > 0.0)) return false;
    const std::span<const double> values = a_.valuesOf(row);
    unit_.assign(values.begin(), values.end());
    for (double& value : unit_) value /= length_[row];
    if (!qr_.append(a_.coordinatesOf(row), unit_, kDependent)) return false;
    active_.push_back(row);
    isActive_[row] = 1;
    return true;
  }

  void drop(int place) {
    qr_.remove(place);
    y_[active_[place]] = 0.0;
    isActive_[active_[place]] = 0;
    active_.erase(active_.begin() + place);
  }

  // The row may enter if its own multiplier then is positive; exactly computed, that is always so.
  bool enter(int row) {
    if (!append(row)) return false;
    qr_.leastSquaresOfLast(remainder_, change_);
    ++result_.systems;
    isRefined_ = false;
    if (change_[change_.size() - 1] > 0.0) return true;
    drop(static_cast<int>(active_.size()) - 1);
    return false;
  }

  // change_ = (least squares on the active set) - y, by active row.
  void solve() {
    qr_.leastSquares(remainder_, change_);
    ++result_.systems;
  }

  // Steps 3 and 4, with the first system solved. Each turn drops a row or is the last.
  void descend() {
    while (!active_.empty()) {
      double step = 1.0;
      int blocking = -1;
      for (std::size_t i = 0; i < active_.size(); ++i) {
        const double y = y_[active_[i]];
        if (isFree(active_[i]) || y + change_[i] > 0.0) continue;
        const double reach = change_[i] < 0.0 ? y / -change_[i] : 0.0;
        if (blocking < 0 || reach < step) {
          step = reach;
          blocking = static_cast<int>(i);
        }
      }
      for (std::size_t i = 0; i < active_.size(); ++i) y_[active_[i]] += step * change_[i];
      if (blocking < 0) return;
      y_[active_[blocking]] = 0.0;
      for (int i = static_cast<int>(active_.size()) - 1; i >= 0; --i)
        if (!isFree(active_[i]) && !(y_[active_[i]] > 0.0)) drop(i);
      updateRemainder();
      solve();
    }
  }

  double updateRemainder() {
    remainder_ = s_;
    for (const int j : active_) {
      const double multiplier = y_[j] / length_[j];
      const std::span<const int> coordinates = a_.coordinatesOf(j);
      const std::span<const double> values = a_.valuesOf(j);
      for (std::size_t i = 0; i < values.size(); ++i) remainder_[coordinates[i]] -= multiplier * values[i];
    }
    return remainder_.norm();
  }

  // The row of the largest price above the tolerance; -1 if there is none.
  int dearest() {
    a_.multiply(remainder_, price_);
    int best = -1;
    double most = 0.0, barred = 0.0;
    for (int j = 0; j < a_.rows(); ++j) {
      if (isActive_[j] || isFree(j) || !(price_[j] > 0.0)) continue;
      const double price = price_[j] / length_[j];
      if (isBarred_[j]) {
        barred = std::max(barred, price);
      } else if (price > most) {
        most = price;
        best = j;
      }
    }
    result_.price = size_ > 0.0 ? std::max(most, barred) / size_ : 0.0;
    if (most > options_.tolerance * size_) return best;
    if (barred > kStalledPrice * size_) result_.exit = Exit::Stalled;
    return -1;
  }

  void bar(int row) {
    isBarred_[row] = 1;
    barred_.push_back(row);
  }

  void unbar() {
    for (const int row : barred_) isBarred_[row] = 0;
    barred_.clear();
  }

  const Vector& impulses() {
    result_.lambda.setZero(a_.rows());
    for (const int j : active_) result_.lambda[j] = y_[j] / length_[j];
    return result_.lambda;
  }

  NearestPointResult finish() {
    if (!isRefined_) refine();
    impulses();
    result_.distance = updateRemainder();
    if (size_ > 0.0) result_.price = std::min(result_.price, result_.distance / size_);
    result_.projection = s_ - remainder_;
    result_.active = static_cast<int>(active_.size());
    return std::move(result_);
  }

  // Corrections on the present set, as long as they become smaller.
  void refine() {
    isRefined_ = true;
    double last = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kRefinements && !active_.empty(); ++i) {
      updateRemainder();
      solve();
      const double size = change_.norm();
      if (!(size < 0.5 * last)) return;
      last = size;
      for (std::size_t k = 0; k < active_.size(); ++k) {
        double& y = y_[active_[k]];
        y += change_[k];
        if (!isFree(active_[k])) y = std::max(y, 0.0);
      }
    }
  }

  const Rows a_;
  const Vector& s_;
  const NearestPointOptions& options_;
  const double size_;  // |s|
  UpdatedQr qr_;
  Vector length_;            // |a_j|
  std::vector<int> active_;  // in the order of the columns of Q R
  std::vector<char> isActive_, isBarred_;
  std::vector<int> barred_;
  Vector y_;  // l_j |a_j|
  Vector remainder_, price_, change_;
  std::vector<double> unit_;
  bool isRefined_ = false;
  NearestPointResult result_;
};

}  // namespace

NearestPointResult nearestPoint(const SparseMatrix& a, const Vector& s, const NearestPointOptions& options) {
  if (a.isCompressed()) return Wilhelmsen<SparseRows>(SparseRows(a), s, options).run();
  SparseMatrix compressed = a;
  compressed.makeCompressed();
  return Wilhelmsen<SparseRows>(SparseRows(compressed), s, options).run();
}

NearestPointResult nearestPoint(const RowMatrix& a, const Vector& s, const NearestPointOptions& options) {
  return Wilhelmsen<DenseRows>(DenseRows(a), s, options).run();
}

}  // namespace cairn
