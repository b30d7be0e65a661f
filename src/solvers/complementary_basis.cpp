#include "solvers/complementary_basis.hpp"

namespace cairn {

namespace {
constexpr double kSingular = 1e-14;  // reciprocal condition, equilibrated
}

ComplementaryBasis::ComplementaryBasis(const Matrix& a, const std::vector<char>& inBasis, PivotWork& work)
    : a_(a), d_(Vector::Zero(a.rows())), basic_(a.rows()), slot_(2 * a.rows() + 1, -1), work_(work) {
  for (int i = 0; i < size(); ++i) {
    basic_[i] = inBasis[i] != 0 ? size() + i : i;
    slot_[basic_[i]] = i;
  }
}

Vector ComplementaryBasis::column(int unknown) const {
  const int n = size();
  if (unknown < n) return Vector::Unit(n, unknown);
  return unknown < 2 * n ? Vector(-a_.col(unknown - n)) : Vector(-d_);
}

bool ComplementaryBasis::factorise() {
  const int n = size();
  etas_.clear();
  unitSlots_.clear();
  otherSlots_.clear();
  std::vector<int> others;
  for (int slot = 0; slot < n; ++slot)
    if (basic_[slot] >= n) others.push_back(basic_[slot]);
  for (int i = 0; i < n; ++i) (slot_[i] >= 0 ? unitSlots_ : otherSlots_).push_back(i);
  for (const int i : unitSlots_) basic_[i] = i;
  for (std::size_t k = 0; k < otherSlots_.size(); ++k) basic_[otherSlots_[k]] = others[k];
  for (int slot = 0; slot < n; ++slot) slot_[basic_[slot]] = slot;
  const int count = static_cast<int>(others.size());
  others_.resize(n, count);
  for (int k = 0; k < count; ++k) others_.col(k) = column(others[k]);
  if (count == 0) return true;
  factor_.compute(others_(otherSlots_, Eigen::all));
  ++work_.factorisations;
  work_.multiplications += static_cast<std::int64_t>(count) * count * count / 3;
  const auto pivots = factor_.matrixLU().diagonal().cwiseAbs();
  // The estimate of the condition is no number if a pivot is exactly zero.
  return pivots.minCoeff() > kSingular * pivots.maxCoeff() && factor_.rcond() > kSingular;
}

void ComplementaryBasis::solve(Vector& right) const {
  if (!otherSlots_.empty()) {
    const Vector part = factor_.solve(right(otherSlots_).eval());
    const Vector moved = others_ * part;
    for (const int i : unitSlots_) right[i] -= moved[i];
    for (std::size_t k = 0; k < otherSlots_.size(); ++k) right[otherSlots_[k]] = part[static_cast<Eigen::Index>(k)];
  }
  for (const Eta& eta : etas_) {
    const double value = right[eta.slot] / eta.direction[eta.slot];
    right.noalias() -= value * eta.direction;
    right[eta.slot] = value;
  }
  work_.multiplications += static_cast<std::int64_t>(otherSlots_.size()) * (otherSlots_.size() + size()) +
                           static_cast<std::int64_t>(etas_.size()) * size();
}

Vector ComplementaryBasis::inverseRow(int slot) const {
  Vector row = Vector::Unit(size(), slot);
  for (auto eta = etas_.rbegin(); eta != etas_.rend(); ++eta) {
    const double others = row.dot(eta->direction) - row[eta->slot] * eta->direction[eta->slot];
    row[eta->slot] = (row[eta->slot] - others) / eta->direction[eta->slot];
  }
  if (!otherSlots_.empty()) {
    Vector part = row(otherSlots_);
    for (std::size_t k = 0; k < otherSlots_.size(); ++k)
      for (const int i : unitSlots_) part[static_cast<Eigen::Index>(k)] -= others_(i, static_cast<Eigen::Index>(k)) * row[i];
    const Vector solved = factor_.transpose().solve(part);
    for (std::size_t k = 0; k < otherSlots_.size(); ++k) row[otherSlots_[k]] = solved[static_cast<Eigen::Index>(k)];
  }
  work_.multiplications += static_cast<std::int64_t>(otherSlots_.size()) * (otherSlots_.size() + size()) +
                           static_cast<std::int64_t>(etas_.size()) * size();
  return row;
}

Vector ComplementaryBasis::multiply(const Vector& bySlot) const {
  const int n = size();
  Vector out = Vector::Zero(n), x = Vector::Zero(n);
  for (int slot = 0; slot < n; ++slot) {
    if (basic_[slot] < n) out[basic_[slot]] += bySlot[slot];
    if (basic_[slot] >= n && basic_[slot] < 2 * n) x[basic_[slot] - n] = bySlot[slot];
    if (basic_[slot] == 2 * n) out -= bySlot[slot] * d_;
  }
  out.noalias() -= a_ * x;
  work_.multiplications += static_cast<std::int64_t>(n) * n;
  return out;
}

void ComplementaryBasis::exchange(int slot, int entering, Vector direction) {
  slot_[basic_[slot]] = -1;
  basic_[slot] = entering;
  slot_[entering] = slot;
  etas_.push_back({slot, std::move(direction)});
}

}  // namespace cairn
