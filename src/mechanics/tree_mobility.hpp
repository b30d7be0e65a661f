// What impulses on the links of one joint tree do to its links, for sweeps that push one link after the other.
//
// With the joints held, impulses f (force and torque, at the centres of mass) change the twists x of the links by x = G f
// (joint_tree_mass.hpp). G is dense, but it need not be written down. Of a link k with parent p, all beyond k eliminated,
//
//   x_k = A_k x_p + B_k F_k,     F_k = f_k + sum over children c of A_c^T F_c
//
// where B_k is what k answers to an impulse while p does not move, and A_k how it follows p. With it goes the diagonal,
//
//   G_kk = B_k + A_k G_pp A_k^T,     G_jk = A_(j from c) G_cc A_(k from c)^T     with c the last common ancestor.
//
// A sweep keeps F, and x of the links between the root and the one where it is. Going to a child takes the first equation;
// going back to a parent adds G_pp A_k^T (change of F_k) to x_p. So every link that is pushed knows all that was done before
// it, and a sweep over a tree costs a time linear in the number of links, however many contacts there are.
#pragma once

#include <vector>

#include "mechanics/joint_tree.hpp"

namespace cairn {

class TreeMobility {
 public:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;

  // Of a tree with one root, as it is factored now. `asked`, by link: those that will be pushed or looked at.
  void place(const JointTree& tree, const std::vector<char>& asked);

  const Matrix6& own(std::uint32_t link) const { return links_[link].whole; }  // G_kk
  Matrix6 between(std::uint32_t a, std::uint32_t b) const;                     // G_ab

  // Impulses to begin with.
  void clear();
  void add(std::uint32_t link, const Vector6& impulse) { links_[link].impulse += impulse; }
  void start();

  // Goes to a link: its twist by all impulses so far. Then it can be pushed.
  const Vector6& at(std::uint32_t link) {
    if (link != here_) go(link);
    return links_[link].moved;
  }
  void push(const Vector6& impulse) {
    Link& link = links_[here_];
    link.impulse += impulse;
    link.change += impulse;
    link.moved.noalias() += link.whole * impulse;
    link.isChanged = true;
  }

 private:
  struct Link {
    Matrix6 follows;  // A
    Matrix6 held;     // B
    Matrix6 whole;    // G_kk
    Vector6 impulse;  // F; before start(): f
    Vector6 moved;    // x, of links from the root to here_
    Vector6 change;   // of F since it was entered
    std::uint32_t parent;
    std::uint32_t depth;
    bool isChanged;
    bool isNeeded;  // it is asked for, or something beyond it is
  };

  void placeRows(Link& to, const TreeLink& link, const RowHold& hold);
  void placeBall(Link& to, const TreeLink& link);
  void go(std::uint32_t link);
  void leave();
  void enter(std::uint32_t link);

  std::vector<Link> links_;
  std::vector<std::uint32_t> path_;
  std::uint32_t here_ = 0;
};

}  // namespace cairn
