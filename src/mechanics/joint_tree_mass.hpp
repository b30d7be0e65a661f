// Joints that form trees as part of the masses: M^-1 becomes
//
//   G = M^-1 - M^-1 J^T (J M^-1 J^T + C)^-1 J M^-1,    J the joints' rows, C their compliance
//
// which is what an impulse does to bodies that are held together. A contact problem on G has no rows for these joints, and
// every solver gets them exactly. An application costs a time linear in the number of bodies (joint_tree.hpp).
#pragma once

#include <mutex>

#include "cairn/contact_problem.hpp"
#include "mechanics/joint_tree.hpp"

namespace cairn {

class JointTreeMass final : public InverseMass {
 public:
  struct Held {                        // a joint
    int a = -1, b = -1;                // bodies; -1: something that cannot be moved. Not both.
    BlockJacobian::Part partA, partB;  // up to six rows
    double compliance = 0.0;           // of every row, 1/kg
  };
  // Joints that would close a loop, or hold a body to the ground a second time, are left out: see isHeld().
  JointTreeMass(std::vector<FreeBodies::Item> bodies, std::vector<Held> joints);

  int bodies() const override { return static_cast<int>(items_.size()); }
  bool couplesBodies() const override { return true; }
  void apply(const Vector& momentum, Vector& velocity) const override;
  void applyColumns(const Matrix& momenta, Matrix& velocities) const override;
  Mat6 block(int body) const override;
  SparseMatrix matrix() const override;
  SparseMatrix factor() const override;

  bool isHeld(std::size_t joint) const { return linkOf_[joint] != kNone; }
  // Changes of velocity and impulses of the joints (six places each) that make each joint's rows change by `ask` (likewise),
  // and, in place of it, those that `momentum` makes them do.
  void pull(const Vector& ask, Vector& change, Vector& impulse) const;
  Vector reactions(const Vector& momentum) const;

 private:
  // Fills in what the joints ask for, to undo what bodies would do by themselves.
  void askToUndo(int question, const Vector& velocity) const;
  void solveQuestions(int count) const;
  void addChange(int question, Vector& velocity) const;
  Vector impulsesOf(int question) const;

  std::vector<FreeBodies::Item> items_;
  FreeBodies free_;
  std::vector<Held> joints_;
  std::vector<std::uint32_t> linkOf_;  // by joint: the link that it holds, or kNone
  std::vector<std::uint32_t> bodyOf_;  // by link
  mutable std::mutex mutex_;           // of the tree, which has the questions in it
  mutable JointTree tree_;
};

}  // namespace cairn
