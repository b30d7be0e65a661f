// The basis of a complementary pivoting method, factorised: I y - A x - d t = b with n of the 2n + 1 unknowns basic.
//
// Columns of basic y_i are unit vectors, so only the rows without one need a factor: with R these rows and C the columns of
// the other basic unknowns, C_R = P L U of size |R|. After that each pivot is an eta matrix: B_new = B E, where E is the
// identity but for column r, which is B^-1 (entering column). Every kPivotsPerFactor pivots the factor is made anew.
#pragma once

#include "math/polled_lu.hpp"
#include "solvers/lcp_methods.hpp"

namespace cairn {

inline constexpr int kPivotsPerFactor = 50;

class ComplementaryBasis {
 public:
  // Unknowns: 0 to n-1 are y, n to 2n-1 are x, 2n is t. Starts with y_i basic, or x_i where `inBasis` says so.
  ComplementaryBasis(const Matrix& a, const std::vector<char>& inBasis, PivotWork& work);

  int size() const { return static_cast<int>(a_.rows()); }
  int cover() const { return 2 * size(); }
  int complement(int unknown) const { return unknown < size() ? unknown + size() : unknown - size(); }
  int unknown(int slot) const { return basic_[slot]; }      // basic unknown of each slot
  int slotOf(int unknown) const { return slot_[unknown]; }  // -1: not basic
  void setCover(Vector d) { d_ = std::move(d); }

  // Makes the factor anew. May hand slots to other unknowns. False if the basis is singular.
  bool factorise();
  bool needsFactor() const { return etas_.size() >= kPivotsPerFactor; }

  Vector column(int unknown) const;
  void solve(Vector& right) const;                          // B^-1 right; by slot afterwards
  Vector inverseRow(int slot) const;                        // row of B^-1
  Vector multiply(const Vector& bySlot) const;              // B v
  void exchange(int slot, int entering, Vector direction);  // direction = B^-1 column(entering)

 private:
  struct Eta {
    int slot;
    Vector direction;
  };
  const Matrix& a_;
  Vector d_;
  std::vector<int> basic_, slot_;
  std::vector<int> unitSlots_, otherSlots_;  // at the last factorisation; the slot of a basic y_i is its row i
  Matrix others_;                            // columns of the other unknowns, all rows
  PolledLu factor_;
  std::vector<Eta> etas_;
  PivotWork& work_;
};

}  // namespace cairn
