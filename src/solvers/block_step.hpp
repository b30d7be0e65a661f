// The step of blocked Gauss-Seidel (non-smooth contact dynamics; STAR §4.3.3): one block solved exactly while all others
// keep their impulses. Line 4 of STAR's algorithm should add the others' effect: q = b + sum A_ij x_j.
//
//   Free      lambda - W_cc^+ v: the pseudo-inverse of the block, computed once
//   Interval  one row in closed form, more by pivoting (local_interval.hpp)
//   contacts  local_contact.hpp
//
// With a relaxation other than 1 the block goes that part of the way, and is put back into its set.
#pragma once

#include "problem/admissible.hpp"
#include "solvers/gauss_seidel.hpp"
#include "solvers/local_contact.hpp"
#include "solvers/local_interval.hpp"

namespace cairn {

template <int kRows>
class BlockStep {
 public:
  BlockStep(const ContactProblem& problem, LocalSolver local);

  const Vector& weight() const { return weight_; }

  void update(int c, const double* q, double* l, const Damping& damping) {
    const Item& item = items_[c];
    const int size = kRows > 0 ? kRows : item.size;
    if (damping.relaxation == 1.0) {
      solve(item, q, l, size);
      return;
    }
    double before[kRows > 0 ? kRows : kMostBlockRows];
    std::copy(l, l + size, before);
    solve(item, q, l, size);
    for (int i = 0; i < size; ++i) l[i] = before[i] + damping.relaxation * (l[i] - before[i]);
    restore(c, l);
  }

 private:
  enum class Kind : std::uint8_t { Contact, Free, Row, Interval, Immovable };
  struct Item {
    Kind kind;
    int first, size;
    int index;  // into the array of its kind
  };
  struct Row {
    double w, lower, upper;
  };

  void solve(const Item& item, const double* q, double* l, int size) {
    switch (item.kind) {
      case Kind::Contact:
        contacts_[item.index].solve(local_, q, l);
        return;
      case Kind::Free: {
        const double* w = w_[item.index];
        const double* inverse = inverse_[item.index];
        double v[kMostBlockRows];
        for (int i = 0; i < size; ++i) {
          v[i] = q[i];
          for (int k = 0; k < size; ++k) v[i] += w[size * i + k] * l[k];
        }
        for (int i = 0; i < size; ++i)
          for (int k = 0; k < size; ++k) l[i] -= inverse[size * i + k] * v[k];
        return;
      }
      case Kind::Row: {
        const Row& row = intervalRows_[item.index];
        if (row.w > 0.0) {
          l[0] = std::clamp(-q[0] / row.w, row.lower, row.upper);
        } else {  // cannot be moved: the bound that its velocity asks for, if there is one
          const double bound = q[0] > 0.0 ? row.lower : q[0] < 0.0 ? row.upper : l[0];
          l[0] = std::isfinite(bound) ? bound : std::clamp(l[0], row.lower, row.upper);
        }
        return;
      }
      case Kind::Interval:
        intervals_[item.index].solve(q, l);
        return;
      case Kind::Immovable:
        std::fill(l, l + size, 0.0);
        return;
    }
  }
  void restore(int c, double* l) const;

  LocalSolver local_;
  const ContactProblem* problem_;
  std::vector<Item> items_;
  std::vector<LocalContact> contacts_;
  std::vector<Row> intervalRows_;
  std::vector<LocalInterval> intervals_;
  BlockArray<kRows> w_, inverse_;  // of Free blocks
  Vector weight_;
};

}  // namespace cairn
