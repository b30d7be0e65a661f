#include "solvers/box_pivoting.hpp"

namespace cairn {

namespace {
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNegligibleSpeed = 1e-12;  // over the largest speed at stake: signs of w below do not count
constexpr double kCertain = 1e6;            // impulses this many times the usual ones would be needed: there is no solution
constexpr double kTakesPart = 1e-9;         // share of a row in a contradiction, over that of the row which shows it
constexpr int kLeastUpdates = 100;          // of a factor before it is made anew
}  // namespace

BoxPivoting::BoxPivoting(const BoxedLcp& lcp, const Vector& lo, const Vector& hi, const Vector& start,
                         const MayPivot& mayPivot)
    : a_(lcp.a), mayPivot_(mayPivot) {
  const int n = lcp.size();
  scale_ = Vector::Ones(n);
  const Vector diagonal = lcp.a.diagonal();
  for (int i = 0; i < n; ++i)
    if (diagonal[i] > 0.0) scale_[i] = 1.0 / std::sqrt(diagonal[i]);
  for (int i = 0; i < n; ++i)
    for (SparseMatrix::InnerIterator entry(a_, i); entry; ++entry) entry.valueRef() *= scale_[i] * scale_[entry.col()];
  b_ = scale_.cwiseProduct(lcp.b);
  lo_ = lo.cwiseQuotient(scale_);
  hi_ = hi.cwiseQuotient(scale_);
  x_ = start.cwiseQuotient(scale_);
  place_.resize(n);
  unbounded_.assign(n, 0);
  position_.assign(n, -1);
  speed_ = n > 0 ? lcp.b.cwiseAbs().maxCoeff() : 0.0;
  for (int i = 0; i < n; ++i) {
    for (const double bound : {lo[i], hi[i]})
      if (std::isfinite(bound)) speed_ = std::max(speed_, std::abs(bound) * diagonal[i]);
    unbounded_[i] = std::isinf(lo_[i]) && std::isinf(hi_[i]) ? 1 : 0;
    x_[i] = std::clamp(x_[i], lo_[i], hi_[i]);
    place_[i] = lo_[i] == hi_[i] ? Place::Fixed : unbounded_[i] != 0 ? Place::Loose : Place::Lower;
  }
  refresh();
}

void BoxPivoting::multiply(const Vector& x, Vector& out) const {
  // A is symmetric, so that rows serve as columns and zeros of x are skipped.
  out.setZero(size());
  for (int i = 0; i < size(); ++i)
    if (x[i] != 0.0)
      for (SparseMatrix::InnerIterator entry(a_, i); entry; ++entry) out[entry.col()] += entry.value() * x[i];
}

void BoxPivoting::gatherColumn(int i, Vector& column) const {
  column.setZero(factor_.size());
  for (SparseMatrix::InnerIterator entry(a_, i); entry; ++entry)
    if (position_[entry.col()] >= 0) column[position_[entry.col()]] = entry.value();
}

bool BoxPivoting::mayPivot() {
  if (mayPivot_ && !mayPivot_()) return false;
  ++work_.pivots;
  return true;
}

bool BoxPivoting::join(int i) {
  if (++updates_ > std::max(kLeastUpdates, factor_.size())) refactor();
  Vector column;
  gatherColumn(i, column);
  if (!factor_.join(i, column, a_.coeff(i, i), kDependent)) return false;
  position_[i] = factor_.size() - 1;
  place_[i] = Place::Free;
  return true;
}

void BoxPivoting::sitOnBound(int i) {
  const bool lower = x_[i] - lo_[i] <= hi_[i] - x_[i];
  place_[i] = lower ? Place::Lower : Place::Upper;
  x_[i] = lower ? lo_[i] : hi_[i];
}

void BoxPivoting::leave(int i) {
  ++updates_;
  factor_.leave(position_[i]);
  position_[i] = -1;
  for (int k = 0; k < factor_.size(); ++k) position_[factor_.members()[k]] = k;
  sitOnBound(i);
}

void BoxPivoting::refactor() {
  ++work_.factorisations;
  updates_ = 0;
  const std::vector<int> members = factor_.members();
  factor_.clear();
  for (const int i : members) position_[i] = -1;
  Vector column;
  for (const int i : members) {
    gatherColumn(i, column);
    if (factor_.join(i, column, a_.coeff(i, i), kDependent)) {
      position_[i] = factor_.size() - 1;
    } else if (unbounded_[i] != 0) {
      place_[i] = Place::Loose;
    } else {
      sitOnBound(i);
    }
  }
}

void BoxPivoting::refresh() {
  multiply(x_, w_);
  w_ += b_;
  if (factor_.size() > 0) {
    Vector correction(factor_.size());
    for (int k = 0; k < factor_.size(); ++k) correction[k] = -w_[factor_.members()[k]];
    factor_.solve(correction);
    for (int k = 0; k < factor_.size(); ++k) {
      double& x = x_[factor_.members()[k]];
      x = std::clamp(x + correction[k], lo_[factor_.members()[k]], hi_[factor_.members()[k]]);
    }
    multiply(x_, w_);
    w_ += b_;
  }
  rounding_.setZero(size());
  for (int i = 0; i < size(); ++i) {
    double terms = std::abs(b_[i]);
    for (SparseMatrix::InnerIterator entry(a_, i); entry; ++entry) terms += std::abs(entry.value() * x_[entry.col()]);
    rounding_[i] = 8.0 * kEpsilon * terms + kNegligibleSpeed * speed_ * scale_[i];
  }
  work_.multiplications += 3 * a_.nonZeros();
}

double BoxPivoting::violation(int i) const {
  double wrong = 0.0;
  if (place_[i] == Place::Lower) wrong = -w_[i];
  if (place_[i] == Place::Upper) wrong = w_[i];
  if (place_[i] == Place::Loose) wrong = std::abs(w_[i]);
  return wrong > rounding_[i] ? wrong : 0.0;
}

void BoxPivoting::aim(int s, double sign) {
  Vector column;
  gatherColumn(s, column);
  factor_.solve(column);
  dx_.setZero(size());
  for (int k = 0; k < factor_.size(); ++k) dx_[factor_.members()[k]] = -sign * column[k];
  dx_[s] = sign;
  multiply(dx_, dw_);
  work_.multiplications += a_.nonZeros();
}

double BoxPivoting::roomFor(int i) const {
  if (dx_[i] > 0.0) return std::max(hi_[i] - x_[i], 0.0) / dx_[i];
  if (dx_[i] < 0.0) return std::max(x_[i] - lo_[i], 0.0) / -dx_[i];
  return std::numeric_limits<double>::infinity();
}

void BoxPivoting::step(double length) {
  x_ += length * dx_;
  w_ += length * dw_;
}

void BoxPivoting::retreat(int s, double sign) {
  if (unbounded_[s] != 0) {
    place_[s] = Place::Loose;
    return;
  }
  aim(s, -sign);
  double length = roomFor(s);
  int stops = s;
  for (const int i : factor_.members())
    if (roomFor(i) < length) length = roomFor(i), stops = i;
  step(length);
  if (stops != s) {
    leave(stops);
    if (join(s)) return;
  }
  sitOnBound(s);
}

bool BoxPivoting::settle() {
  ++work_.factorisations;
  for (int i = 0; i < size(); ++i) {
    if (place_[i] == Place::Fixed) continue;
    const bool between = x_[i] > lo_[i] && x_[i] < hi_[i];
    if (between && (join(i) || place_[i] == Place::Loose)) continue;
    sitOnBound(i);
  }
  updates_ = 0;
  for (;;) {
    multiply(x_, w_);
    w_ += b_;
    Vector target(factor_.size());
    for (int k = 0; k < factor_.size(); ++k) target[k] = -w_[factor_.members()[k]];
    factor_.solve(target);
    dx_.setZero(size());
    for (int k = 0; k < factor_.size(); ++k) dx_[factor_.members()[k]] = target[k];
    double length = 1.0;
    int stops = -1;
    for (const int i : factor_.members()) {
      if (roomFor(i) >= length) continue;
      length = roomFor(i);
      stops = i;
    }
    x_ += length * dx_;
    if (stops < 0) break;
    if (!mayPivot()) return false;
    leave(stops);
  }
  refresh();
  return true;
}

LcpAnswer BoxPivoting::answerToUnstopped(int s) const {
  const double gain = -b_.dot(dx_);
  const double leftover = dw_.cwiseAbs().maxCoeff();
  const bool certain =
      gain > kNegligibleSpeed * b_.cwiseAbs().dot(dx_.cwiseAbs()) && leftover * kCertain * b_.cwiseAbs().maxCoeff() <= gain;
  if (!certain) return answer(Exit::Singular, "row " + std::to_string(s) + " hardly moves whatever the impulses");
  bool joints = true;
  for (int i = 0; i < size(); ++i) joints = joints && (unbounded_[i] != 0 || std::abs(dx_[i]) < kTakesPart);
  if (joints) return answer(Exit::Inconsistent, "row " + std::to_string(s) + " contradicts other joints");
  return answer(Exit::Infeasible, "no impulses give row " + std::to_string(s) + " the velocity that it needs");
}

LcpAnswer BoxPivoting::answer(Exit exit, std::string message) const {
  LcpAnswer answer;
  answer.exit = exit;
  answer.x = x_.cwiseProduct(scale_);
  answer.work = work_;
  answer.work.multiplications += factor_.multiplications();
  answer.message = std::move(message);
  return answer;
}

}  // namespace cairn
